//! LibreChat: results of its file and web searches, in tool messages. Blocks with a line `Anchor: \ue202turn0file0 (a.pdf)`;
//! the model cites with the anchor, spelled out or as a character for private use. The ids are `turn0file0` and so on.

use citesieve::{MarkerSyntax, Source};

use super::Convention;
use super::text::lines;

pub(super) struct LibreChat;

impl Convention for LibreChat {
    fn name(&self) -> &'static str {
        "librechat"
    }

    fn syntaxes(&self) -> &'static [MarkerSyntax] {
        &[MarkerSyntax::PrivateUse]
    }

    fn in_texts(&self, texts: &[&str]) -> Vec<Source> {
        texts.iter().flat_map(|text| sources(text)).collect()
    }
}

/// A block while its lines are read.
#[derive(Default)]
struct Block {
    source: Source,
    text: String,
    /// What may be the title of the next block, and where this one ends then (bytes of its text).
    next: Option<(String, usize)>,
}

fn sources(text: &str) -> Vec<Source> {
    if !text.contains("Anchor: ") {
        return Vec::new();
    }
    let mut list = Vec::new();
    let mut block = Block::default();
    for (_, line) in lines(text) {
        if let Some((id, name)) = anchor(line) {
            let next = block.next.take();
            if let Some((_, end)) = next {
                block.text.truncate(end);
            }
            finish(&mut list, std::mem::take(&mut block));
            block.source =
                Source { id: id.to_owned(), title: name.or(next.map(|(title, _)| title)), ..Source::default() };
            continue;
        }
        if let Some(title) = title(line) {
            block.next = Some((title.to_owned(), block.text.len()));
        } else if !line.trim().is_empty() && !line.starts_with("file_id: ") {
            // No anchor came: it was part of the passage.
            block.next = None;
        }
        block.line(line);
    }
    finish(&mut list, block);
    list
}

impl Block {
    fn line(&mut self, line: &str) {
        if self.text.is_empty() {
            if let Some(url) = line.strip_prefix("URL: ") {
                self.source.url = Some(url.trim().to_owned());
                return;
            }
            if ["Relevance: ", "file_id: ", "Date: ", "Source: "].iter().any(|name| line.starts_with(name)) {
                return;
            }
        }
        let start = ["Content: ", "Summary: "].iter().find_map(|name| line.strip_prefix(name));
        let words = if self.text.is_empty() { start.unwrap_or(line) } else { line };
        if !self.text.is_empty() || !words.trim().is_empty() {
            self.text.push_str(words);
            self.text.push('\n');
        }
    }
}

fn finish(list: &mut Vec<Source>, block: Block) {
    let mut source = block.source;
    if !source.id.is_empty() {
        let text = block.text.trim_end();
        source.text = Some(text.strip_suffix("\n---").unwrap_or(text).trim().to_owned());
        list.push(source);
    }
}

/// The id of an anchor line, and the name behind it.
fn anchor(line: &str) -> Option<(&str, Option<String>)> {
    let rest = line.strip_prefix("Anchor: ")?;
    let rest = rest.strip_prefix("\\ue202").or_else(|| rest.strip_prefix('\u{e202}'))?;
    let end = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let (id, rest) = rest.split_at(end);
    let number = id.strip_prefix("turn")?.trim_start_matches(|c: char| c.is_ascii_digit());
    let kind = number.trim_end_matches(|c: char| c.is_ascii_digit());
    if kind.is_empty() || kind.len() == number.len() || !kind.bytes().all(|b| b.is_ascii_lowercase()) {
        return None;
    }
    let name = rest.trim().strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    Some((id, name.map(str::to_owned)))
}

/// The title of a block: `File: a.pdf`, or `# Search 0: "title"`.
fn title(line: &str) -> Option<&str> {
    if let Some(name) = line.strip_prefix("File: ") {
        return Some(name.trim());
    }
    let (kind, title) = line.strip_prefix("# ")?.split_once(": ")?;
    let (word, number) = kind.split_once(' ')?;
    let counted = number.bytes().all(|b| b.is_ascii_digit()) && !number.is_empty();
    (counted && word.bytes().all(|b| b.is_ascii_alphabetic())).then(|| title.trim().trim_matches('"'))
}

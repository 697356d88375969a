//! RAGFlow: `ID: 3`, lines of a tree (`├── Title: a.pdf`), `└── Content:` and the passage; cited as `[ID:3]`, from 0.
//!
//! Its prompt explains itself with examples of the same shape, which are no sources: they stand between headings that
//! say so, or in a `<context>` that a made-up `USER:` answers to.

use citesieve::Source;

use super::Convention;
use super::text::{Examples, lines, number};

pub(super) struct RagFlow;

impl Convention for RagFlow {
    fn name(&self) -> &'static str {
        "ragflow"
    }

    fn in_texts(&self, texts: &[&str]) -> Vec<Source> {
        texts.iter().filter(|text| text.contains("└── Content")).flat_map(|text| sources(text)).collect()
    }
}

fn sources(text: &str) -> Vec<Source> {
    let examples = Examples::of(text);
    let mut list = Vec::new();
    // What the list held when a `<context>` opened; whether it is open, and whether one has just closed.
    let (mut started, mut in_context, mut is_example) = (0, false, false);
    // The head of a passage whose content has not come yet.
    let mut head: Option<Source> = None;
    let mut words: Option<String> = None;
    for (at, line) in lines(text) {
        let bare = line.trim_end();
        if let Some((id, "")) = bare.strip_prefix("ID: ").and_then(number) {
            close(&mut list, &mut words);
            head = Some(Source::new(id));
        } else if let Some(source) = &mut head {
            if let Some(content) = bare.strip_prefix("└── Content") {
                // `Content:` and what a fork says about it, as `Content (compressed):`.
                let content = content.split_once(':').map_or("", |(_, content)| content);
                list.extend(head.take().filter(|_| !examples.hold(at)));
                words = (!examples.hold(at)).then(|| content.trim_start().to_owned());
            } else if let Some(node) = bare.strip_prefix("├── ") {
                match node.split_once(": ") {
                    Some(("Title", title)) => source.title = Some(title.to_owned()),
                    Some(("URL", url)) => source.url = Some(url.to_owned()),
                    _ => {}
                }
            } else if !bare.is_empty() {
                head = None;
            }
        } else if bare == "The above is the knowledge base." || (in_context && bare == "</context>") {
            close(&mut list, &mut words);
            is_example = in_context;
            in_context = false;
            continue;
        } else if bare == "<context>" && words.is_none() {
            (started, in_context) = (list.len(), true);
            continue;
        } else if is_example && bare.starts_with("USER:") {
            list.truncate(started);
        } else if let Some(words) = &mut words {
            words.push('\n');
            words.push_str(line);
        }
        is_example &= bare.is_empty();
    }
    close(&mut list, &mut words);
    list
}

fn close(list: &mut [Source], words: &mut Option<String>) {
    if let (Some(words), Some(source)) = (words.take(), list.last_mut()) {
        // Dashes divide the passages.
        let words = words.trim();
        source.text = Some(words.strip_suffix("\n------").unwrap_or(words).trim().to_owned());
    }
}

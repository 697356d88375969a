//! pulldown-cmark as the oracle for what is code, link, image, HTML, math or block quotation, on generated Markdown.
//!
//! An out-of-range marker is put at a random place. Where the oracle says that the place is no prose, it must still be
//! there; where it says prose, it must be gone. The deliberate differences, each a choice of the rules, section 3:
//!
//! - **Reference links need no definition.** `[text][9]` and `[9][text]` are left alone, also where nothing defines them:
//!   in a stream the definition comes last. So are `[9]:` at the start of a line and what a label holds, in doubt.
//! - **HTML blocks are prose between their tags.** CommonMark calls everything up to the next blank line HTML; a reader
//!   sees text. Only tags and comments themselves are left alone.
//! - **An amount of money opens no math.** `$5 and $6` is prose whatever stands between.
//! - **A row is a line that opens with `|`.** Without the outer pipe, a code span may reach over cells.
//! - **A line `$$` is a fence** that only another one (or a line that ends with it) closes, blank lines or not.
//! - **A callout** is one wherever its `[!NOTE]` is the first thing in the block, also after an empty line.
//! - **Escaped brackets** are no marker: `\\[9]`.
//! - **Bare URLs** and `\(…\)` are the sieve's own; the generator writes none.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use citesieve::{Reason, Source, Sources};
use common::*;
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

const MARKER: &str = "[98765]";

fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_GFM
        | Options::ENABLE_MATH
}

/// What the oracle takes the marker for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Prose,
    /// Code, a link, an image, a tag, math, a definition.
    Apart,
    /// There is an HTML block, where the sieve goes by tags.
    HtmlBlock,
}

fn place(text: &str, at: usize) -> Place {
    let mut apart = 0;
    let mut found = Place::Apart;
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        match &event {
            Event::Start(Tag::CodeBlock(_) | Tag::Link { .. } | Tag::Image { .. }) => apart += 1,
            Event::End(TagEnd::CodeBlock | TagEnd::Link | TagEnd::Image) => apart -= 1,
            // What it hides of the block structure may matter for all that follows.
            Event::Html(_) => return Place::HtmlBlock,
            _ => {}
        }
        if !range.contains(&at) {
            continue;
        }
        match event {
            Event::Text(_) if apart == 0 => found = Place::Prose,
            Event::Text(_) | Event::Code(_) | Event::InlineHtml(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {
                found = Place::Apart;
            }
            _ => {}
        }
    }
    found
}

const ATOMS: &[&str] = &[
    "Words",
    "Rent",
    "Is Due",
    "Now",
    " ",
    " ",
    " ",
    " ",
    ". ",
    ", ",
    "\n",
    "\n",
    "\n\n",
    "\n\n",
    "`",
    "`",
    "``",
    "```",
    "`code`",
    "``a ` b``",
    "\n```\n",
    "\n```\n",
    "\n```rust\n",
    "\n~~~\n",
    "\n    ",
    "\n\n    ",
    "\n\t",
    "\n- ",
    "\n- ",
    "\n  - ",
    "\n  ",
    "\n   ",
    "\n\n  ",
    "\n\n      ",
    "\n1. ",
    "\n10) ",
    "\n* ",
    "\n+ ",
    "\n-\n",
    "\n> ",
    "\n> ",
    "\n>",
    "\n>> ",
    "\n> > ",
    "\n>\n",
    "\n> - ",
    "\n> ```\n",
    "\n> ~~~\n> ",
    "\n>     ",
    "\n- > ",
    "\n- ```\n",
    "\n  ```\n",
    "\n# ",
    "\n## ",
    "\n---\n",
    "\n===\n",
    "\n***\n",
    "\n| a ",
    "| b |\n",
    "\n|-|-|\n",
    "|",
    "\\",
    "\\`",
    "\\[",
    "\\<",
    "*",
    "**",
    "*Bold*",
    "**Bold**",
    "_",
    "~~",
    "(",
    ")",
    "[text](url)",
    "[text](<u v>)",
    "[text](u \"t\")",
    "![alt](img)",
    "[",
    "](url)",
    "](",
    "](<",
    "[open ",
    "<b>",
    "</b>",
    "<a href=\"",
    "\">",
    "<!-- ",
    " -->",
    "<https://x.example/",
    ">",
    "<",
    "< ",
    "$x$",
    "$",
    "$$",
    "$Yet",
    "Zed$",
    "\n$$\n",
    "- [ ] Todo",
    "- [x] Done",
    "!",
    ":",
    "&amp;",
];

fn markdown() -> impl Strategy<Value = (String, usize)> {
    (prop::collection::vec(prop::sample::select(ATOMS), 0..18), any::<prop::sample::Index>()).prop_map(
        |(atoms, index)| {
            let index = index.index(atoms.len() + 1);
            let before = atoms[..index].concat();
            let at = before.len();
            (format!("{before}{MARKER}{}", atoms[index..].concat()), at)
        },
    )
}

/// Differences that are choices; see the top of this file.
fn is_choice(text: &str, at: usize, place: Place) -> bool {
    let (before, after) = (&text[..at], &text[at + MARKER.len()..]);
    let line = before.rsplit('\n').next().unwrap_or(before);
    // A bare URL: what an autolink that never closes is.
    if before.rsplit(char::is_whitespace).next().is_some_and(|word| word.contains("://")) {
        return true;
    }
    // An escaped bracket.
    if before.ends_with('\\') {
        return true;
    }
    // A subscript of what reads like a name in code: `grid_row[7]`.
    let name = before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
    if name.contains('_') {
        return true;
    }
    // A label, in doubt.
    if before.ends_with(']') || after.starts_with(['[', '(']) || after.starts_with(':') || before.ends_with('[') {
        return true;
    }
    // `[ … [98765] … ](` that the oracle refuses to read as a link because of what it holds.
    let links = ["[text](url)", "[text](<u v>)", "[text](u \"t\")", "![alt](img)"];
    let rest = links.iter().fold(text.to_owned(), |rest, link| rest.replace(link, ""));
    if place == Place::Prose && rest.contains("](") {
        return true;
    }
    // Rows without an outer pipe, or whose table the oracle doesn't recognise.
    if text.contains('|') && text.replace(MARKER, "").contains(['`', '$', '<', '[']) {
        return true;
    }
    // A line `$$` opens display math that only another one ends, as a fence does.
    if text.lines().any(|line| line.trim().ends_with("$$")) {
        return true;
    }
    // `$…$$`: runs of different lengths.
    let runs: Vec<usize> = text.split(|c| c != '$').map(str::len).filter(|length| *length > 0).collect();
    if runs.iter().any(|run| *run != runs[0] || *run > 2) {
        return true;
    }
    // An assignment or a definition of an attribute.
    line.trim_end().ends_with('=')
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000 * scale()) })]

    #[test]
    fn what_the_oracle_calls_prose_is_checked_and_nothing_else((text, at) in markdown()) {
        let place = place(&text, at + 1);
        if place == Place::HtmlBlock || is_choice(&text, at, place) {
            return Ok(());
        }
        let (out, _) = run(&policy(1 << 20), &SOURCES[0], [text.as_str()]);
        let removed = !out.contains("98765");
        prop_assert!(removed == (place == Place::Prose), "{:?} is {:?}, came out as {:?}", text, place, out);
    }
}

static TEXTS: LazyLock<Arc<Sources>> =
    LazyLock::new(|| Arc::new(Sources::new(vec![Source::new("1").text(LEASE), Source::new("2").text(FIRE)]).unwrap()));

const QUOTED: &[&str] = &[
    "Nobody ever said such things",
    "\n",
    "\n",
    "\n\n",
    "\n> ",
    "\n> ",
    "\n>",
    "\n>\n",
    "\n>> ",
    "\n> > ",
    "> ",
    "\n- ",
    "\n  - ",
    "\n1. ",
    "\n- > ",
    "\n  > ",
    "\n> - ",
    "\n>   ",
    "\n```\n",
    "\n> ```\n",
    "\n~~~\n> ",
    "\n    > ",
    "\n\n    > ",
    "\n   > ",
    "\n# ",
    "\n> # ",
    "\n---\n",
    "\n> ---\n",
    "\\> ",
    " > ",
    " lazy words of the same",
    "\n> [!NOTE]\n",
    "`",
    "**",
    "\n>\t",
    "\n>  ",
    "\n>     ",
];

/// The outermost block quotations that hold words and are no callouts.
fn quotations(text: &str) -> Vec<(Range<usize>, bool)> {
    let mut out: Vec<(Range<usize>, bool)> = Vec::new();
    let (mut depth, mut code) = (0, 0);
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        match event {
            Event::Start(Tag::BlockQuote(_)) => {
                if depth == 0 {
                    out.push((range, false));
                }
                depth += 1;
            }
            Event::End(TagEnd::BlockQuote(_)) => depth -= 1,
            Event::Start(Tag::CodeBlock(_)) => code += 1,
            Event::End(TagEnd::CodeBlock) => code -= 1,
            Event::Text(words) if depth > 0 && code == 0 && words.contains("Nobody ever said") => {
                if let Some(last) = out.last_mut() {
                    last.1 = true;
                }
            }
            _ => {}
        }
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000 * scale()) })]

    #[test]
    fn what_the_oracle_calls_a_block_quotation_is_demoted_and_nothing_else(
        atoms in prop::collection::vec(prop::sample::select(QUOTED), 0..14)
    ) {
        let text = atoms.concat();
        let quotations = quotations(&text);
        let (edits, _) = run_edits(&policy(1 << 20), &TEXTS, [text.as_str()]);
        for edit in &edits {
            prop_assert_eq!(edit.why, Reason::FabricatedBlockQuote);
            let at = edit.at.start as usize;
            prop_assert!(quotations.iter().any(|(range, _)| range.contains(&at)), "{:?}: {:?} is in no quotation", text, edit);
        }
        for (range, has_words) in quotations {
            let callout = text[range.clone()].trim_start_matches(['>', ' ', '\t', '\n', '-', '#']).starts_with("[!");
            let first = edits.iter().any(|edit| edit.at.start as usize == range.start);
            if has_words && !callout {
                prop_assert!(first, "{:?}: the quotation at {:?} is not demoted", text, range);
            }
            // All or nothing: every line of it that opens with `>` loses it, or none does.
            let mut start = range.start;
            for line in text[range.clone()].split_inclusive('\n') {
                let indent = line.len() - line.trim_start_matches(' ').len();
                if line[indent..].starts_with('>') && (indent <= 3 || start == range.start) {
                    let at = (start + indent) as u64;
                    let edited = edits.iter().any(|edit| edit.at.start == at);
                    prop_assert_eq!(edited, first, "{:?}: the > at {}", text, at);
                }
                start += line.len();
            }
        }
    }
}

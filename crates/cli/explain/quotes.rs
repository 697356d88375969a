//! What became of the quotes and the block quotations.

use citesieve::quote::{self, Change, Class, Match, Nearest, Note};
use citesieve::{BlockClass, BlockFinding, QuoteFinding, Sources, Verdict};

use super::{Finding, excerpt};
use crate::paint::bytes;
use crate::{markers, selector};

/// One finding per block quotation, with its place in the answer.
pub(super) fn blocks(text: &str, verdict: &Verdict, sources: &Sources) -> Vec<(usize, Finding)> {
    let finding = |block: &BlockFinding| {
        let words = text.get(bytes(block.before)).unwrap_or_default();
        let sought = sought(block, words, sources);
        let told = match block.class {
            BlockClass::Verified => Class::Verified,
            BlockClass::Misattributed => Class::Misattributed,
            BlockClass::NotFound if sought.as_ref().is_some_and(|found| found.class == Class::Altered) => {
                Class::Altered
            }
            BlockClass::NotFound => Class::NotFound,
            BlockClass::TooShort => Class::TooShort,
            BlockClass::Unchecked => Class::Unchecked,
            BlockClass::Context => return None,
        };
        let quoted = Quoted {
            what: "quotation",
            words: excerpt(words),
            cited: &block.cited,
            matches: &block.matches,
            nearest: sought.as_ref().and_then(|found| found.nearest.as_ref()),
            demoted: block.class == BlockClass::NotFound,
        };
        Some((bytes(block.before).start, quoted.finding(told, sources)))
    };
    verdict.blocks.iter().filter_map(finding).collect()
}

/// One finding per quote in the running text, with its place in the answer.
pub(super) fn quotes(verdict: &Verdict, sources: &Sources) -> Vec<(usize, Finding)> {
    let finding = |quote: &QuoteFinding| {
        let quoted = Quoted {
            what: "quote",
            words: excerpt(&quote.text),
            cited: &quote.cited,
            matches: &quote.matches,
            nearest: quote.nearest.as_ref(),
            demoted: quote.demoted,
        };
        let mut finding = quoted.finding(quote.class, sources);
        if let Some(quote::Reason::HiddenNegation { word }) = &quote.reason {
            finding.more.push(format!("what it leaves out has \"{word}\" in it"));
        }
        (bytes(quote.before).start, finding)
    };
    verdict.quotes.iter().map(finding).collect()
}

/// What both kinds have in common.
struct Quoted<'a> {
    what: &'static str,
    words: String,
    cited: &'a [String],
    matches: &'a [Match],
    nearest: Option<&'a Nearest>,
    demoted: bool,
}

impl Quoted<'_> {
    fn finding(&self, class: Class, sources: &Sources) -> Finding {
        let Quoted { what, words, .. } = self;
        let found = || {
            let ids = self.matches.iter().map(|found| name(&found.id, sources));
            ids.collect::<Vec<_>>().join(" and ")
        };
        let mut sentence = format!("the {what} \"{words}\" ");
        sentence += &match class {
            Class::Verified if self.matches.iter().any(|found| !found.notes.is_empty()) => {
                format!("stands in {}, {}", found(), notes(self.matches))
            }
            Class::Verified => format!("stands word for word in {}", found()),
            Class::Misattributed => {
                let cited: Vec<_> = self.cited.iter().map(|id| name(id, sources)).collect();
                format!("cites {}, but its words are from {}", cited.join(" and "), found())
            }
            Class::Altered => self.altered(sources),
            Class::NotFound => "is in no source".to_owned(),
            Class::TooShort => "is too short to be checked".to_owned(),
            Class::Unchecked => "has nothing to be checked against".to_owned(),
        };
        if self.demoted {
            sentence += "; it is shown as ordinary text";
        }
        sentence.push('.');
        let more = self.matches.iter().flat_map(|found| place(found, sources)).collect();
        Finding { sentence, more }
    }

    fn altered(&self, sources: &Sources) -> String {
        match self.nearest.map(|nearest| (name(&nearest.id, sources), difference(&nearest.changes))) {
            Some((name, Some(difference))) => format!("is not what {name} says: {difference}"),
            Some((name, None)) => format!("is not what {name} says"),
            None => "is not what a source says".to_owned(),
        }
    }
}

/// What comes nearest to the words of a block that was demoted: its finding does not say, as that is not looked for while
/// the answer streams.
pub(crate) fn sought(block: &BlockFinding, words: &str, sources: &Sources) -> Option<quote::Finding> {
    if block.class != BlockClass::NotFound {
        return None;
    }
    let cited: Vec<&str> = block.cited.iter().map(String::as_str).collect();
    Some(quote::check(sources, &cited, &markers::without(words)))
}

/// Where the words stand in their source, and a link to them if it has a URL.
fn place(found: &Match, sources: &Sources) -> Vec<String> {
    let Some(source) = sources.list().get(found.source) else { return Vec::new() };
    let text = source.text.as_deref().unwrap_or_default();
    let position = selector::TextPosition::new(text, found.span.clone());
    let position = position.map(|position| format!("at characters {position}"));
    let link = source.url.as_deref().map(|url| selector::link(url, &found.words));
    position.into_iter().chain(link).collect()
}

/// What an editor did between the source's words.
fn notes(matches: &[Match]) -> String {
    let notes = || matches.iter().flat_map(|found| &found.notes);
    let left_out: Vec<usize> =
        notes().filter_map(|note| if let Note::Elision { words } = note { Some(*words) } else { None }).collect();
    let brackets = notes().filter(|note| matches!(note, Note::Bracket { .. })).count();
    let mut parts = Vec::new();
    match left_out.iter().sum::<usize>() {
        _ if left_out.is_empty() => {}
        1 => parts.push("with 1 word left out".to_owned()),
        words => parts.push(format!("with {words} words left out")),
    }
    match brackets {
        0 => {}
        1 => parts.push("with an editor's bracket".to_owned()),
        brackets => parts.push(format!("with {brackets} editor's brackets")),
    }
    parts.join(" and ")
}

/// A source as people call it.
pub(super) fn name(id: &str, sources: &Sources) -> String {
    let title = sources.with_id(id).iter().find_map(|&index| sources.list()[index].title.as_deref());
    match title {
        Some(title) => format!("source {id} ({title})"),
        None => format!("source {id}"),
    }
}

/// How many changes are told one by one.
const CHANGES: usize = 5;

/// How a quote differs from its source, in words.
fn difference(changes: &[Change]) -> Option<String> {
    let mut parts = Vec::new();
    let mut rest = changes;
    loop {
        rest = match rest {
            [] => break,
            [Change::Same(_), rest @ ..] => rest,
            [Change::Source(source), Change::Quote(quote), rest @ ..]
            | [Change::Quote(quote), Change::Source(source), rest @ ..] => {
                // A full stop at the quote's edge is nobody's change.
                if source.trim_end_matches(['.', ',']) != quote.trim_end_matches(['.', ',']) {
                    parts.push(format!("\"{source}\" became \"{quote}\""));
                }
                rest
            }
            [Change::Source(source), rest @ ..] => {
                parts.push(format!("\"{source}\" was left out"));
                rest
            }
            [Change::Quote(quote), rest @ ..] => {
                parts.push(format!("\"{quote}\" was added"));
                rest
            }
        };
    }
    let more = parts.len().saturating_sub(CHANGES);
    parts.truncate(CHANGES);
    if more > 0 {
        parts.push(format!("and {more} more"));
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_in_words() {
        let word = |text: &str| text.to_owned();
        let changes = [
            Change::Same(word("rent is")),
            Change::Source(word("not")),
            Change::Same(word("due on")),
            Change::Source(word("the first")),
            Change::Quote(word("the second")),
            Change::Same(word("day")),
            Change::Quote(word("only")),
            Change::Same(word("each")),
            Change::Source(word("year.")),
            Change::Quote(word("year")),
        ];
        assert_eq!(
            difference(&changes).unwrap(),
            "\"not\" was left out, \"the first\" became \"the second\", \"only\" was added"
        );
        assert_eq!(difference(&changes[..1]), None);
    }
}

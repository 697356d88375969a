//! A verdict in plain sentences.

use std::ops::Range;

use citesieve::quote::{self, Change};
use citesieve::{Advice, BlockClass, EditRecord, Reason, Sources, Status, StatusReason, Verdict};

use crate::paint::bytes;

/// One line that says what became of the answer.
pub(crate) fn headline(verdict: &Verdict) -> String {
    let what = match verdict.status {
        Status::Answered => {
            "Answered: a citation holds, and nothing that failed is left standing as a quote.".to_owned()
        }
        Status::Downgraded => {
            let reasons: Vec<&str> = verdict.reasons.iter().map(|reason| because(*reason)).collect();
            format!("Downgraded: {}.", reasons.join(", and "))
        }
        Status::NotFound => "Not found: the model found nothing, or what it found was replaced.".to_owned(),
        Status::Unchecked => "Unchecked: there was nothing to check the answer against.".to_owned(),
    };
    match verdict.advice {
        Advice::Show => what,
        Advice::Regenerate => format!("{what} Every marker was made up: ask the model again."),
    }
}

fn because(reason: StatusReason) -> &'static str {
    match reason {
        StatusReason::NoSurvivingCitation => "no citation of it holds",
        StatusReason::FailedQuoteInText => "words that no source has stand in it as a quote",
    }
}

/// What was found, one sentence each, in the order of the answer.
pub(crate) fn findings(text: &str, verdict: &Verdict, sources: &Sources) -> Vec<String> {
    let mut list: Vec<(u64, String)> = Vec::new();
    markers(text, &verdict.edits, &mut list);
    blocks(text, verdict, sources, &mut list);
    list.sort_by_key(|(at, _)| *at);
    let mut sentences: Vec<String> =
        list.into_iter().map(|(at, sentence)| format!("Line {}: {sentence}", line_of(text, at))).collect();
    if verdict.edit_count > verdict.edits.len() as u64 {
        let more = verdict.edit_count - verdict.edits.len() as u64;
        sentences.push(format!("{more} more edits are not listed."));
    }
    sentences.extend(counts(verdict));
    for unchecked in &verdict.unchecked {
        sentences.push(format!("Not checked: {} ({} of them), {}.", unchecked.what, unchecked.count, unchecked.why));
    }
    if verdict.hold.overflows > 0 {
        sentences.push(format!("Held text met its bound {}, and left as it came.", times(verdict.hold.overflows)));
    }
    sentences
}

fn counts(verdict: &Verdict) -> Option<String> {
    let markers = &verdict.markers;
    let mut sentence = match markers.total {
        0 => String::new(),
        1 => "1 marker was judged, ".to_owned(),
        total => format!("{total} markers were judged, "),
    };
    if markers.total > 0 {
        sentence += &format!("{} of them made up.", markers.fabricated);
    }
    if markers.ambiguous > 0 {
        sentence += &format!(
            " {} in brackets might have been markers and {} left alone.",
            markers.ambiguous,
            if markers.ambiguous == 1 { "was" } else { "were" }
        );
    }
    let sentence = sentence.trim_start().to_owned();
    (!sentence.is_empty()).then_some(sentence)
}

fn markers(text: &str, edits: &[EditRecord], list: &mut Vec<(u64, String)>) {
    let mut index = 0;
    while let Some(edit) = edits.get(index) {
        index += 1;
        let at = edit.before.start.bytes;
        match edit.why {
            Reason::FabricatedMarker => {
                let marker = edit.text.trim_matches([' ', ',', ';', '\t', '\n']);
                list.push((at, format!("{marker} was removed, there is no such source.")));
            }
            Reason::FabricatedIds => {
                let whole = enclosing(text, bytes(edit.before));
                let inside = |other: &&EditRecord| bytes(other.before).end <= whole.end;
                let more = edits[index..].iter().take_while(inside).count();
                let after = apply(text, &whole, &edits[index - 1..index + more]);
                index += more;
                let before = text.get(whole.clone()).unwrap_or(&edit.text);
                list.push((at, format!("{before} became {after}, the rest of it is no source.")));
            }
            // Told by the block that it belongs to.
            Reason::FabricatedBlockQuote => {}
        }
    }
}

fn blocks(text: &str, verdict: &Verdict, sources: &Sources, list: &mut Vec<(u64, String)>) {
    for block in &verdict.blocks {
        let words = excerpt(text, bytes(block.before));
        let named = |ids: &[String]| ids.iter().map(|id| name(id, sources)).collect::<Vec<_>>().join(" and ");
        let sentence = match block.class {
            BlockClass::Verified => {
                format!("the quotation \"{words}\" stands word for word in {}.", named(&block.sources))
            }
            BlockClass::Misattributed => format!(
                "the quotation \"{words}\" cites {}, but its words are from {}.",
                named(&block.cited),
                named(&block.sources)
            ),
            BlockClass::NotFound => {
                let failed = format!("the quotation \"{words}\" is in no source, and is shown as ordinary text");
                match nearest(text.get(bytes(block.before)).unwrap_or_default(), &block.cited, sources) {
                    Some(nearest) => format!("{failed}; {nearest}."),
                    None => format!("{failed}."),
                }
            }
            BlockClass::TooShort => format!("the quotation \"{words}\" is too short to be checked."),
            BlockClass::Unchecked => format!("the quotation \"{words}\" has nothing to be checked against."),
            BlockClass::Context => continue,
        };
        list.push((block.before.start.bytes, sentence));
    }
}

/// What a source has in place of a quotation that failed.
fn nearest(block: &str, cited: &[String], sources: &Sources) -> Option<String> {
    let cited: Vec<&str> = cited.iter().map(String::as_str).collect();
    let nearest = quote::check(sources, &cited, block).nearest?;
    Some(format!("{}: {}", name(&nearest.id, sources), difference(&nearest.changes)?))
}

/// How a quote differs from its source, in words.
pub(crate) fn difference(changes: &[Change]) -> Option<String> {
    let mut parts = Vec::new();
    let mut rest = changes;
    loop {
        rest = match rest {
            [] => break,
            [Change::Same(_), rest @ ..] => rest,
            [Change::Source(source), Change::Quote(quote), rest @ ..]
            | [Change::Quote(quote), Change::Source(source), rest @ ..] => {
                parts.push(format!("\"{source}\" became \"{quote}\""));
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
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// A source as people call it.
fn name(id: &str, sources: &Sources) -> String {
    let title = sources.with_id(id).iter().find_map(|&index| sources.list()[index].title.as_deref());
    match title {
        Some(title) => format!("source {id} ({title})"),
        None => format!("source {id}"),
    }
}

fn times(count: u64) -> String {
    if count == 1 { "once".into() } else { format!("{count} times") }
}

/// The line, from 1, in which a byte stands.
fn line_of(text: &str, at: u64) -> usize {
    let before = text.as_bytes().get(..at as usize).unwrap_or(text.as_bytes());
    before.iter().filter(|&&byte| byte == b'\n').count() + 1
}

/// The brackets around a range, or the range itself.
fn enclosing(text: &str, range: Range<usize>) -> Range<usize> {
    let (Some(before), Some(after)) = (text.get(..range.start), text.get(range.end..)) else { return range };
    let open = before.rfind(['[', '【', '［', '(', '<', '\n']).filter(|&at| !text[at..].starts_with('\n'));
    let close = after.find([']', '】', '］', ')', '>', '\n']).filter(|&at| !after[at..].starts_with('\n'));
    match (open, close) {
        (Some(open), Some(close)) => {
            let width = after[close..].chars().next().map_or(0, char::len_utf8);
            open..range.end + close + width
        }
        _ => range,
    }
}

/// A range of the answer with its edits.
fn apply(text: &str, range: &Range<usize>, edits: &[EditRecord]) -> String {
    let mut out = String::new();
    let mut from = range.start;
    for edit in edits {
        let at = bytes(edit.before);
        out += text.get(from..at.start).unwrap_or_default();
        out += &edit.with;
        from = at.end;
    }
    out + text.get(from..range.end).unwrap_or_default()
}

/// The first words of a quotation, on one line.
fn excerpt(text: &str, range: Range<usize>) -> String {
    const WORDS: usize = 8;
    let block = text.get(range).unwrap_or_default();
    let stripped = block.lines().map(|line| line.trim_start_matches(['>', ' ']));
    let is_marker = |word: &&str| word.starts_with('[') && word.ends_with(']');
    let words: Vec<&str> = stripped.flat_map(str::split_whitespace).filter(|word| !is_marker(word)).collect();
    let first = words.iter().take(WORDS).copied().collect::<Vec<_>>().join(" ");
    let cut: String = first.chars().take(80).collect();
    if words.len() > WORDS || cut.len() < first.len() { format!("{cut} …") } else { cut }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use citesieve::{Policy, Source, TextSieve};

    use super::*;

    fn explain(text: &str) -> Vec<String> {
        let list = vec![
            Source::new("1").title("Lease").text("Rent is due on the first day of each month."),
            Source::new("2").text("The roof shall be kept in good repair."),
        ];
        let sources = Arc::new(Sources::new(list).unwrap());
        let mut sieve = TextSieve::new(Arc::new(Policy::default()), Arc::clone(&sources));
        sieve.push(text);
        let (_, verdict) = sieve.finish();
        findings(text, &verdict, &sources)
    }

    #[test]
    fn removed_and_trimmed_markers() {
        assert_eq!(
            explain("Due monthly [1].\nLate rent [9] bears [8, 2, 7] interest."),
            [
                "Line 2: [9] was removed, there is no such source.",
                "Line 2: [8, 2, 7] became [2], the rest of it is no source.",
                "3 markers were judged, 1 of them made up.",
            ]
        );
    }

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
        ];
        assert_eq!(
            difference(&changes).unwrap(),
            "\"not\" was left out, \"the first\" became \"the second\", \"only\" was added"
        );
        assert_eq!(difference(&changes[..1]), None);
    }

    #[test]
    fn block_quotations() {
        assert_eq!(
            explain(
                "So:\n\n> Rent is due on the first day of each month. [1]\n\n> Rent is due in gold and silver only.\n\nEnd."
            ),
            [
                "Line 3: the quotation \"Rent is due on the first day of …\" stands word for word in source 1 (Lease).",
                "Line 5: the quotation \"Rent is due in gold and silver only.\" is in no source, and is shown as ordinary text.",
                "1 marker was judged, 0 of them made up.",
            ]
        );
    }
}

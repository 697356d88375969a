//! A verdict in plain sentences.

mod claims;
mod edits;
mod quotes;

pub(crate) use claims::{judged, spent};
pub(crate) use quotes::sought;

use citesieve::{Advice, Sources, Status, StatusReason, Verdict};

/// One thing that was found out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    /// What, in one sentence; with its line, if it has one.
    pub(crate) sentence: String,
    /// Where to look further: the place in the source, a link.
    pub(crate) more: Vec<String>,
}

impl From<String> for Finding {
    fn from(sentence: String) -> Self {
        Finding { sentence, more: Vec::new() }
    }
}

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

/// A reason as a part of a sentence.
pub(crate) fn because(reason: StatusReason) -> &'static str {
    match reason {
        StatusReason::NoSurvivingCitation => "no citation of it holds",
        StatusReason::FailedQuoteInText => "words that no source has stand in it as a quote",
        StatusReason::UnsupportedClaim => "a claim of it is not what the sources say that it cites",
    }
}

/// What was found, one sentence each: first in the order of the answer, then about the whole.
pub(crate) fn findings(text: &str, verdict: &Verdict, sources: &Sources) -> Vec<Finding> {
    let mut list = edits::findings(text, &verdict.edits);
    list.extend(quotes::blocks(text, verdict, sources));
    list.extend(quotes::quotes(verdict, sources));
    list.extend(claims::claims(text, verdict, sources));
    list.sort_by_key(|(at, _)| *at);
    let on_line = |(at, finding): (usize, Finding)| Finding {
        sentence: format!("Line {}: {}", line_of(text, at), finding.sentence),
        ..finding
    };
    let mut findings: Vec<Finding> = list.into_iter().map(on_line).collect();
    findings.extend(whole(verdict).into_iter().map(Finding::from));
    findings
}

/// What was found about each of [`Verdict::quotes`].
pub(crate) fn quotes(verdict: &Verdict, sources: &Sources) -> Vec<Finding> {
    quotes::quotes(verdict, sources).into_iter().map(|(_, finding)| finding).collect()
}

/// What was found about each of [`Verdict::blocks`] that is a quotation.
pub(crate) fn blocks(text: &str, verdict: &Verdict, sources: &Sources) -> Vec<Finding> {
    quotes::blocks(text, verdict, sources).into_iter().map(|(_, finding)| finding).collect()
}

/// What is to be said about the answer as a whole.
fn whole(verdict: &Verdict) -> Vec<String> {
    let mut list = Vec::new();
    let unlisted = verdict.edit_count.saturating_sub(verdict.edits.len() as u64);
    if unlisted > 0 {
        list.push(format!("{unlisted} more edits are not listed."));
    }
    list.extend(edits::rendered(&verdict.edits));
    let counts = &verdict.markers;
    if counts.total > 0 {
        list.push(format!("{}, {} made up.", were(counts.total, "marker", "judged"), counts.fabricated));
    }
    if counts.ambiguous > 0 {
        list.push(format!(
            "{}: what may be something else is no marker.",
            were(counts.ambiguous, "bracket", "left alone")
        ));
    }
    let score = &verdict.score;
    if score.checkable > 0 {
        list.push(format!("{}, {} verified.", were(score.checkable, "quotation", "checked"), score.verified));
    }
    for unchecked in &verdict.unchecked {
        list.push(format!("Not checked: {} {}, {}.", unchecked.count, unchecked.what, unchecked.why));
    }
    match verdict.hold.overflows {
        0 => {}
        1 => list.push("Held text met its bound once, and left as it came.".into()),
        times => list.push(format!("Held text met its bound {times} times, and left as it came.")),
    }
    list
}

/// "1 marker was judged", "2 markers were judged".
fn were(count: u64, what: &str, done: &str) -> String {
    if count == 1 { format!("1 {what} was {done}") } else { format!("{count} {what}s were {done}") }
}

/// The line, from 1, in which a byte stands.
pub(crate) fn line_of(text: &str, at: usize) -> usize {
    let before = text.as_bytes().get(..at).unwrap_or(text.as_bytes());
    before.iter().filter(|&&byte| byte == b'\n').count() + 1
}

/// The first words of a quotation, on one line, without markers.
fn excerpt(words: &str) -> String {
    const WORDS: usize = 8;
    let stripped = words.lines().map(|line| line.trim_start_matches(['>', ' ']));
    let is_marker = |word: &&str| word.starts_with('[') && word.ends_with(']');
    let words: Vec<&str> = stripped.flat_map(str::split_whitespace).filter(|word| !is_marker(word)).collect();
    let first = words.iter().take(WORDS).copied().collect::<Vec<_>>().join(" ");
    let cut: String = first.chars().take(80).collect();
    if words.len() > WORDS || cut.len() < first.len() { format!("{cut} …") } else { cut }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use citesieve::{
        FailedCitations, FailedClaims, InlineQuotes, Misattributed, Policy, Release, Rendering, Source, TextSieve,
    };

    use super::*;

    fn explain(text: &str) -> Vec<String> {
        explain_by(Policy::default(), text)
    }

    fn explain_by(policy: Policy, text: &str) -> Vec<String> {
        let list = vec![
            Source::new("1").title("Lease").text("Rent is due on the first day of each month."),
            Source::new("2").url("https://lease.example/2").text("The roof shall be kept in good repair."),
        ];
        let sources = Arc::new(Sources::new(list).unwrap());
        let mut sieve = TextSieve::new(Arc::new(policy), Arc::clone(&sources));
        sieve.push(text);
        let (_, verdict) = sieve.finish();
        let lines = |finding: Finding| [finding.sentence].into_iter().chain(finding.more).collect::<Vec<_>>();
        findings(text, &verdict, &sources).into_iter().flat_map(lines).collect()
    }

    #[test]
    fn removed_and_trimmed_markers() {
        assert_eq!(
            explain("Due monthly [1].\nLate rent [9] bears [8, 2, 7] interest."),
            [
                "Line 2: [9] was removed: it names no source.",
                "Line 2: [8, 2, 7] became [2]: the rest of it names no source.",
                "3 markers were judged, 1 made up.",
            ]
        );
    }

    #[test]
    fn what_a_policy_changes() {
        let mut policy = Policy::default();
        policy.markers = Rendering::Link;
        policy.misattributed = Misattributed::Move;
        policy.failed_citations = FailedCitations::Drop;
        policy.inline_quotes = InlineQuotes::Demote;
        let told =
            explain_by(policy, "It says \"the roof shall be kept\" [1]. And \"gold and silver only\" [2]. Kept [2].");
        for expected in [
            "Line 1: [1] became [2]: that is where the quote is from.",
            "Line 1: the quote \"gold and silver only\" is in no source; it is shown as ordinary text.",
            "Line 1: [2] was removed: the quote before it is in no source.",
        ] {
            assert!(told.iter().any(|line| line == expected), "{expected:?} is missing in {told:#?}");
        }
        assert!(told.iter().any(|line| line.ends_with(" made a link.") || line.ends_with(" made links.")), "{told:#?}");

        let mut policy = Policy::default();
        policy.release = Release::Claim;
        policy.failed_claims = FailedClaims::Drop;
        let told = explain_by(policy, "Rent is due [1]. It says \"gold and silver only\" [2].");
        assert!(
            told.contains(&"Line 1: \"It says \"gold and silver only\" [2].\" was left out: it failed.".to_owned()),
            "{told:#?}"
        );
    }

    #[test]
    fn block_quotations() {
        assert_eq!(
            explain(
                "So:\n\n> Rent is due on the first day of each month. [1]\n\n> Gold and silver only, says the king.\n\nEnd."
            ),
            [
                "Line 3: the quotation \"Rent is due on the first day of …\" stands word for word in source 1 (Lease).",
                "at characters 0 to 42",
                "Line 5: the quotation \"Gold and silver only, says the king.\" is in no source; it is shown as ordinary text.",
                "1 marker was judged, 0 made up.",
                "2 quotations were checked, 1 verified.",
            ]
        );
    }

    #[test]
    fn quotes_in_the_running_text() {
        assert_eq!(
            explain(
                "It says \"the roof shall be kept\" [2].\nAnd \"the roof shall be kept\" [1], \"gold and silver only\" [2]."
            ),
            [
                "Line 1: the quote \"the roof shall be kept\" stands word for word in source 2.",
                "at characters 0 to 22",
                "https://lease.example/2#:~:text=The%20roof%20shall%20be%20kept",
                "Line 2: the quote \"the roof shall be kept\" cites source 1 (Lease), but its words are from source 2.",
                "at characters 0 to 22",
                "https://lease.example/2#:~:text=The%20roof%20shall%20be%20kept",
                "Line 2: the quote \"gold and silver only\" is in no source.",
                "3 markers were judged, 0 made up.",
                "3 quotations were checked, 1 verified.",
            ]
        );
    }

    #[test]
    fn excerpts_are_short_and_on_one_line() {
        assert_eq!(excerpt("> Rent\n>  is due [2]\n"), "Rent is due");
        assert_eq!(
            excerpt("one two three four five six seven eight nine"),
            "one two three four five six seven eight …"
        );
        assert_eq!(excerpt(&"家".repeat(100)), format!("{} …", "家".repeat(80)));
    }
}

//! The contract: which citations stay, and what the answer becomes.

use std::sync::Arc;

use super::json::{Citation, Given};
use super::{AnswerFinding, Checked, CitationFinding, Outcome, PositionProblem, json};
use crate::quote::{self, Class, Finding, Match};
use crate::{
    Advice, BlockClass, Format, Policy, QuoteFinding, Sieve, Source, Sources, Span, Status, StatusReason, Unchecked,
    Units, Verdict,
};

/// How much of a quote is reported (characters).
const MAX_WORDS: usize = 1000;

/// Applies it to every answer of a JSON text.
pub(super) fn apply(json: &str, given: &[Given], sources: &Arc<Sources>) -> Checked {
    let mut judge = Judge {
        sources,
        policy: Arc::new(Policy::default()),
        verdict: Verdict { version: Verdict::VERSION, ..Verdict::default() },
        edits: Vec::new(),
    };
    let answers: Vec<AnswerFinding> = given.iter().map(|given| judge.answer(given)).collect();
    let Judge { mut verdict, edits, .. } = judge;
    summarize(&mut verdict, &answers, sources);
    Checked { json: json::splice(json, edits), verdict, answers }
}

struct Judge<'s> {
    sources: &'s Arc<Sources>,
    policy: Arc<Policy>,
    verdict: Verdict,
    edits: Vec<(std::ops::Range<usize>, String)>,
}

impl Judge<'_> {
    fn answer(&mut self, given: &Given) -> AnswerFinding {
        let mut finding = AnswerFinding {
            path: given.path.clone(),
            given: given.status,
            status: given.status,
            reasons: Vec::new(),
            citations: Vec::new(),
            quotes: Vec::new(),
        };
        if !self.sources.known() {
            return finding;
        }
        let text = given.answer.as_deref().unwrap_or_default();
        let answer = Text::new(text);
        let first = self.verdict.quotes.len();
        let mut leaked = false;
        for citation in &given.citations {
            let (quote, position) = self.citation(citation, &answer);
            let found = !self.sources.with_id(&citation.id).is_empty();
            self.verdict.markers.total += 1;
            *if found { &mut self.verdict.markers.real } else { &mut self.verdict.markers.fabricated } += 1;
            let kept = match quote.class {
                Class::Verified => true,
                Class::TooShort => !quote.matches.is_empty(),
                Class::Unchecked => found,
                Class::Altered | Class::Misattributed | Class::NotFound => false,
            };
            leaked |= is_failure(quote.class) && quote.before != Span::default();
            finding.citations.push(CitationFinding { quote: self.verdict.quotes.len(), kept, position });
            self.verdict.quotes.push(quote);
        }
        let cited = &self.verdict.quotes[first..];
        let verified = cited.iter().any(|quote| quote.class == Class::Verified);
        let judged =
            verified || cited.iter().any(|quote| is_failure(quote.class) || quote.class == Class::Misattributed);
        let survived = if judged { verified } else { finding.citations.iter().any(|citation| citation.kept) };
        if given.status == Outcome::Extracted {
            leaked |= self.quotes_in(text, &mut finding);
            if !survived || given.answer.is_none() {
                finding.reasons.push(StatusReason::NoSurvivingCitation);
            }
            if leaked {
                finding.reasons.push(StatusReason::FailedQuoteInText);
            }
            if !finding.reasons.is_empty() {
                finding.status = Outcome::NotFound;
            }
        }
        self.edit(given, &finding);
        if finding.status == Outcome::NotFound {
            for citation in &mut finding.citations {
                citation.kept = false;
            }
            for quote in &mut self.verdict.quotes[first..] {
                quote.after = Span::default();
            }
        }
        finding
    }

    /// Judges one citation.
    fn citation(&self, citation: &Citation, answer: &Text<'_>) -> (QuoteFinding, Option<PositionProblem>) {
        let ids = [citation.id.as_str()];
        let place = citation.position.as_ref().map(|_| self.resolve(citation));
        let (words, found, problem) = match (&citation.quote, place) {
            (Some(quote), place) => {
                let mut found = self.check(&ids, quote);
                let problem = place.and_then(Result::err);
                if problem.is_some() && matches!(found.class, Class::Verified | Class::TooShort) {
                    // The source has the words, but not where the citation says.
                    found.class = Class::Misattributed;
                }
                (quote.clone(), found, problem)
            }
            (None, Some(Ok(Some(place)))) => {
                let mut found = self.check(&ids, &place.words);
                if matches!(found.class, Class::Verified | Class::TooShort) {
                    found.matches = vec![place.clone()];
                }
                (place.words, found, None)
            }
            // The source has no text, or there is no such source.
            (None, Some(Ok(None)) | None) => {
                let unknown = self.sources.with_id(&citation.id).is_empty();
                let class = if unknown { Class::NotFound } else { Class::Unchecked };
                let reason = unknown.then_some(quote::Reason::UnknownSource);
                let found = Finding { class, matches: Vec::new(), similarity: 0.0, nearest: None, reason };
                (String::new(), found, None)
            }
            (None, Some(Err(problem))) => {
                let found = Finding {
                    class: Class::NotFound,
                    matches: Vec::new(),
                    similarity: 0.0,
                    nearest: None,
                    reason: None,
                };
                (String::new(), found, Some(problem))
            }
        };
        let at = answer.place_of(&words);
        let quote = QuoteFinding {
            class: found.class,
            before: at,
            after: at,
            text: words.chars().take(MAX_WORDS).collect(),
            cited: vec![citation.id.clone()],
            matches: found.matches,
            similarity: found.similarity,
            nearest: found.nearest,
            reason: found.reason,
            demoted: false,
        };
        (quote, problem)
    }

    /// As [`quote::check`], but too few words have matches too, where the cited sources have them.
    fn check(&self, ids: &[&str], words: &str) -> Finding {
        let mut found = quote::check(self.sources, ids, words);
        if found.class == Class::TooShort {
            found.matches = quote::places(self.sources, ids, words);
            found.similarity = if found.matches.is_empty() { 0.0 } else { 1.0 };
        }
        found
    }

    /// The words at the position of a citation; none if no source that it names has a text. Several texts may share the
    /// id: the first that has the position, and the quote there, is the one meant.
    fn resolve(&self, citation: &Citation) -> Result<Option<Match>, PositionProblem> {
        let Some(position) = &citation.position else { return Ok(None) };
        let mut problem = None;
        for &source in self.sources.with_id(&citation.id) {
            let Some(text) = self.sources.list()[source].text.as_deref() else { continue };
            match position.resolve(text) {
                Ok(span) => {
                    let words = text[span.clone()].to_owned();
                    if let Some(quote) = &citation.quote
                        && !Text::new(&words).has(quote)
                    {
                        problem.get_or_insert(PositionProblem::OtherWords);
                        continue;
                    }
                    return Ok(Some(Match { source, id: citation.id.clone(), span, words, notes: Vec::new() }));
                }
                Err(found) => {
                    problem.get_or_insert(found);
                }
            }
        }
        problem.map_or(Ok(None), Err)
    }

    /// Judges the quotes that stand in the text of an answer. Says whether one failed.
    fn quotes_in(&mut self, text: &str, finding: &mut AnswerFinding) -> bool {
        let mut sieve = Sieve::new(Arc::clone(&self.policy), Arc::clone(self.sources));
        sieve.push(text);
        let (_, verdict) = sieve.finish();
        let failed = verdict.quotes.iter().any(|quote| is_failure(quote.class))
            || verdict.blocks.iter().any(|block| block.class == BlockClass::NotFound);
        for mut quote in verdict.quotes {
            // The text is not edited: it stands or it goes.
            quote.after = quote.before;
            quote.demoted = false;
            finding.quotes.push(self.verdict.quotes.len());
            self.verdict.quotes.push(quote);
        }
        failed
    }

    /// What changes in the JSON text.
    fn edit(&mut self, given: &Given, finding: &AnswerFinding) {
        let keep: Vec<bool> = finding.citations.iter().map(|citation| citation.kept).collect();
        if finding.status == Outcome::Extracted {
            if let (Some(array), true) = (&given.citations_at, keep.contains(&false)) {
                self.edits.extend(json::without(&given.citations, &keep, array));
            }
            return;
        }
        if given.status == Outcome::Extracted {
            self.edits.push((given.status_at.clone(), "\"not_found\"".to_owned()));
        }
        let mut missing = String::new();
        match &given.answer_at {
            Some(at) if given.answer.is_some() => self.edits.push((at.clone(), "null".to_owned())),
            Some(_) => {}
            None => missing += ", \"answer\": null",
        }
        match &given.citations_at {
            Some(at) if !given.citations.is_empty() => self.edits.push((at.clone(), "[]".to_owned())),
            Some(_) => {}
            None => missing += ", \"citations\": []",
        }
        if !missing.is_empty() {
            self.edits.push((given.status_at.end..given.status_at.end, missing));
        }
    }
}

/// Whether it is words that no source has.
fn is_failure(class: Class) -> bool {
    matches!(class, Class::Altered | Class::NotFound)
}

/// A text in which quotes are looked for, folded once.
struct Text<'t> {
    text: &'t str,
    sources: Option<Sources>,
}

impl<'t> Text<'t> {
    fn new(text: &'t str) -> Self {
        let mut source = Source::new("text").text(text);
        source.format = Format::Markdown;
        Text { text, sources: Sources::new(vec![source]).ok() }
    }

    fn find(&self, quote: &str) -> Option<Match> {
        let sources = self.sources.as_ref().filter(|_| !self.text.is_empty())?;
        let found = quote::check(sources, &[], quote);
        match found.class {
            Class::Verified => found.matches.into_iter().next(),
            Class::TooShort => quote::places(sources, &["text"], quote).into_iter().next(),
            _ => None,
        }
    }

    fn has(&self, quote: &str) -> bool {
        self.find(quote).is_some()
    }

    /// Where a quote stands in it; zero if it does not.
    fn place_of(&self, quote: &str) -> Span {
        let Some(found) = self.find(quote) else { return Span::default() };
        let units = |text: &str| Units {
            bytes: text.len() as u64,
            chars: text.chars().count() as u64,
            utf16: text.encode_utf16().count() as u64,
        };
        let at = |byte| self.text.get(..byte).map(units).unwrap_or_default();
        Span { start: at(found.span.start), end: at(found.span.end) }
    }
}

/// What is to be said about all answers together.
fn summarize(verdict: &mut Verdict, answers: &[AnswerFinding], sources: &Sources) {
    let mut note = |what: &str, why: &str, count: u64| {
        if count > 0 {
            verdict.unchecked.push(Unchecked { what: what.to_owned(), why: why.to_owned(), count });
        }
    };
    if !sources.known() {
        note("answer", "no sources are known", 1);
        verdict.status = Status::Unchecked;
        return;
    }
    for quote in &verdict.quotes {
        verdict.quote_counts.add(quote.class);
    }
    note("quotes", "the source they cite has no text", verdict.quote_counts.unchecked);
    let counts = verdict.quote_counts;
    let checkable = counts.verified + counts.altered + counts.misattributed + counts.not_found;
    verdict.score.verified = counts.verified;
    verdict.score.checkable = checkable;
    verdict.score.value = (checkable > 0).then(|| counts.verified as f64 / checkable as f64);
    let markers = &mut verdict.markers;
    if markers.total > 0 {
        markers.ratio = markers.fabricated as f64 / markers.total as f64;
        verdict.advice = if markers.real == 0 { Advice::Regenerate } else { Advice::Show };
    }
    let stays = answers.iter().any(|answer| answer.status == Outcome::Extracted);
    for reason in answers.iter().flat_map(|answer| &answer.reasons) {
        if !verdict.reasons.contains(reason) {
            verdict.reasons.push(*reason);
        }
    }
    verdict.status = match (stays, verdict.reasons.is_empty()) {
        (true, true) => Status::Answered,
        (true, false) => Status::Downgraded,
        (false, _) => Status::NotFound,
    };
}

//! The tally: counts while the answer streams, from which the verdict is made.

use crate::block_quote::Outcome;
use crate::claim::{Claim, Quoted};
use crate::ledger::{Ledger, Place};
use crate::quote::Class;
use crate::scan::block::Kind;
use crate::{
    Advice, BlockClass, BlockCounts, BlockFinding, ClaimFinding, ClaimKind, ClosedClaim, Hold, Judgement, MarkerCounts,
    Numbering, Policy, QuoteCounts, QuoteFinding, Score, Sources, Status, StatusReason, Support, Unchecked, Verdict,
};

/// Findings of one kind beyond this many are counted, not listed.
const MAX_FINDINGS: usize = 10_000;
/// How much of a quote is kept (characters).
const MAX_WORDS: usize = 1000;

/// What was counted.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) markers: MarkerCounts,
    blocks: Vec<(Outcome, Place, Place)>,
    block_counts: BlockCounts,
    quotes: Vec<Quoted>,
    quote_counts: QuoteCounts,
    /// Failed quotes that still stand in the text as quotes.
    standing: u64,
    claims: Vec<(ClaimFinding, Place, Place)>,
    /// Of each of them, how many of its markers are real.
    cited: Vec<u64>,
    /// Complete claims with their words, that nobody has taken yet.
    pub(crate) closed: Vec<ClosedClaim>,
    largest: u64,
    why: &'static str,
    overflows: u64,
    /// Markers that left unchecked because too much was held.
    passed: u64,
    /// Markers that came before anything was known about the sources.
    pub(crate) early: u64,
}

impl Tally {
    /// So many bytes are held, for this reason.
    pub(crate) fn hold(&mut self, held: u64, why: &'static str) {
        if held > self.largest {
            self.largest = held;
            self.why = why;
        }
    }

    /// The bound was met.
    pub(crate) fn overflow(&mut self, markers: u64) {
        self.overflows += 1;
        self.passed += markers;
    }

    /// A block quotation ended.
    pub(crate) fn block(&mut self, outcome: Outcome, from: Place, to: Place) {
        let counts = &mut self.block_counts;
        *match outcome.class {
            BlockClass::Verified => &mut counts.verified,
            BlockClass::Misattributed => &mut counts.misattributed,
            BlockClass::NotFound => &mut counts.not_found,
            BlockClass::TooShort => &mut counts.too_short,
            BlockClass::Unchecked => &mut counts.unchecked,
            BlockClass::Context => &mut counts.context,
        } += 1;
        if self.blocks.len() < MAX_FINDINGS {
            self.blocks.push((outcome, from, to));
        }
    }

    /// A claim is complete.
    ///
    /// Places that nobody will ask for go to `spare`. Returns its position in the verdict, if it was handed over to be ruled
    /// on.
    pub(crate) fn claim(&mut self, claim: Claim, spare: &mut Vec<Place>) -> Option<usize> {
        let mut positions = Vec::new();
        let (mut verified, mut failed) = (false, false);
        for mut quote in claim.quotes {
            let (from, to) = quote.places;
            let Some(finding) = &quote.finding else { continue };
            self.quote_counts.add(finding.class);
            match finding.class {
                Class::Verified => verified = true,
                Class::Altered | Class::NotFound => {
                    failed = true;
                    self.standing += u64::from(!quote.demoted);
                }
                Class::Misattributed => failed = true,
                Class::TooShort => {
                    spare.extend([from, to]);
                    continue;
                }
                Class::Unchecked => {}
            }
            if self.quotes.len() >= MAX_FINDINGS {
                spare.extend([from, to]);
            } else {
                if let Some((at, _)) = quote.words.char_indices().nth(MAX_WORDS) {
                    quote.words.truncate(at);
                }
                positions.push(self.quotes.len());
                self.quotes.push(quote);
            }
        }
        let mut cited: Vec<String> = Vec::new();
        for id in claim.markers.iter().filter(|marker| marker.real).flat_map(|marker| &marker.ids) {
            if !cited.contains(id) {
                cited.push(id.clone());
            }
        }
        let support = match (failed, verified, cited.is_empty()) {
            (true, _, _) => Support::Failed,
            (_, true, _) => Support::Quoted,
            (_, _, false) => Support::Cited,
            _ => Support::None,
        };
        let empty = claim.markers.is_empty() && positions.is_empty();
        if empty || self.claims.len() >= MAX_FINDINGS {
            spare.extend([claim.places.0, claim.places.1]);
            return None;
        }
        let kind = match claim.kind {
            Kind::Sentence => ClaimKind::Sentence,
            Kind::Heading => ClaimKind::Heading,
            Kind::ListItem => ClaimKind::ListItem,
            Kind::TableCell => ClaimKind::TableCell,
            Kind::BlockQuote => ClaimKind::BlockQuote,
        };
        let finding = ClaimFinding {
            kind,
            before: Default::default(),
            after: Default::default(),
            support,
            cited,
            quotes: positions,
            judgement: None,
        };
        let position = self.claims.len();
        let handed_over = claim.words.is_some().then_some(position);
        if let Some(words) = claim.words {
            self.closed.push(ClosedClaim {
                position,
                kind,
                text: words.text,
                cited: finding.cited.clone(),
                support,
                demoted: words.demoted,
            });
        }
        self.claims.push((finding, claim.places.0, claim.places.1));
        self.cited.push(claim.markers.iter().filter(|marker| marker.real).count() as u64);
        handed_over
    }

    /// Somebody has ruled on a claim.
    pub(crate) fn judge(&mut self, position: usize, judgement: Judgement) {
        if let Some((claim, ..)) = self.claims.get_mut(position) {
            claim.judgement = Some(judgement);
        }
    }

    /// The verdict. `edits` knows where the edits and blocks stand, `claims` where the claims and quotes do.
    pub(crate) fn verdict(
        mut self,
        edits: Ledger,
        claims: &Ledger,
        sources: &Sources,
        order: Vec<String>,
        policy: &Policy,
    ) -> Verdict {
        let markers = &mut self.markers;
        markers.total = markers.real + markers.fabricated;
        if markers.total > 0 {
            markers.ratio = markers.fabricated as f64 / markers.total as f64;
        }
        let all_fabricated = markers.total > 0 && markers.real == 0;
        let advice = if all_fabricated { Advice::Regenerate } else { Advice::Show };
        let score = self.score();
        let mut findings: Vec<ClaimFinding> = std::mem::take(&mut self.claims)
            .into_iter()
            .map(|(finding, from, to)| {
                let (before, after) = claims.spans(from, to);
                ClaimFinding { before, after, ..finding }
            })
            .collect();
        let (status, reasons) = self.status(sources, &findings);
        let unchecked = self.unchecked(sources);
        let block = |(outcome, from, to): (Outcome, Place, Place)| {
            let (before, after) = edits.spans(from, to);
            let Outcome { class, sources, cited, matches } = outcome;
            BlockFinding { class, before, after, sources, cited, matches }
        };
        let numbering = (1..).zip(order).map(|(number, id)| Numbering { number, id }).collect();
        let judged: Vec<(usize, Judgement)> = findings
            .iter_mut()
            .enumerate()
            .filter_map(|(position, claim)| Some((position, claim.judgement.take()?)))
            .collect();
        let mut verdict = Verdict {
            version: Verdict::VERSION,
            status,
            reasons,
            advice,
            markers: self.markers,
            block_counts: self.block_counts,
            blocks: self.blocks.into_iter().map(block).collect(),
            quote_counts: self.quote_counts,
            quotes: self.quotes.into_iter().filter_map(|quote| quote_finding(quote, claims)).collect(),
            claims: findings,
            score,
            numbering,
            hold: Hold { largest: self.largest, why: self.why.to_owned(), overflows: self.overflows },
            unchecked,
            edits: edits.records,
            edit_count: edits.count,
        };
        if !judged.is_empty() {
            verdict.judge(judged, policy.unsupported_claims);
        }
        verdict
    }

    fn score(&self) -> Score {
        let (quotes, blocks) = (&self.quote_counts, &self.block_counts);
        let verified = quotes.verified + blocks.verified;
        let checkable = verified
            + quotes.altered
            + quotes.misattributed
            + quotes.not_found
            + blocks.misattributed
            + blocks.not_found;
        let value = (checkable > 0).then(|| verified as f64 / checkable as f64);
        Score { verified, checkable, value }
    }

    /// Rules, section 6: at least one citation survived (where quotes exist, a verified one), and no failed quote
    /// stands in the text as a quote. A demoted block does not stand there any more, nor does it count as a quote; nor
    /// does anything in a claim that was left out.
    fn status(&self, sources: &Sources, claims: &[ClaimFinding]) -> (Status, Vec<StatusReason>) {
        if !sources.known() {
            return (Status::Unchecked, Vec::new());
        }
        let (quotes, blocks) = (&self.quote_counts, &self.block_counts);
        let mut verified = quotes.verified + blocks.verified;
        let mut failed = quotes.altered + quotes.misattributed + quotes.not_found + blocks.misattributed;
        let (mut standing, mut real) = (self.standing, self.markers.real);
        for (claim, cited) in claims.iter().zip(&self.cited).filter(|(claim, _)| claim.is_left_out()) {
            real = real.saturating_sub(*cited);
            for quote in claim.quotes.iter().filter_map(|position| self.quotes.get(*position)) {
                match quote.finding.as_ref().map(|finding| finding.class) {
                    Some(Class::Verified) => verified -= 1,
                    Some(Class::Misattributed) => failed -= 1,
                    Some(Class::Altered | Class::NotFound) => {
                        failed -= 1;
                        standing -= u64::from(!quote.demoted);
                    }
                    _ => {}
                }
            }
        }
        let survived = if verified + failed > 0 { verified > 0 } else { real > 0 };
        let mut reasons = Vec::new();
        if !survived {
            reasons.push(StatusReason::NoSurvivingCitation);
        }
        if standing > 0 {
            reasons.push(StatusReason::FailedQuoteInText);
        }
        (if reasons.is_empty() { Status::Answered } else { Status::Downgraded }, reasons)
    }

    fn unchecked(&self, sources: &Sources) -> Vec<Unchecked> {
        let mut list = Vec::new();
        let mut note = |what: &str, why: &str, count: u64| {
            if count > 0 {
                list.push(Unchecked { what: what.to_owned(), why: why.to_owned(), count });
            }
        };
        note("answer", "no sources are known", u64::from(!sources.known()));
        note("blocks", "no text to check them against, or held too long", self.block_counts.unchecked);
        note("quotes", "the source they cite has no text", self.quote_counts.unchecked);
        note("held text", "the bound on held text was met: it left as it came", self.overflows);
        note("markers", "they stood in text that was held too long", self.passed);
        note("markers", "they came before anything was known about the sources", self.early);
        list
    }
}

fn quote_finding(quote: Quoted, ledger: &Ledger) -> Option<QuoteFinding> {
    let finding = quote.finding?;
    let (before, after) = ledger.spans(quote.places.0, quote.places.1);
    Some(QuoteFinding {
        class: finding.class,
        before,
        after,
        text: quote.words,
        cited: quote.cited,
        matches: finding.matches,
        similarity: finding.similarity,
        nearest: finding.nearest,
        reason: finding.reason,
        demoted: quote.demoted,
    })
}

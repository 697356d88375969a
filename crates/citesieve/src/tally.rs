//! The tally: counts while the answer streams, from which the verdict is made.

use crate::block_quote::Outcome;
use crate::ledger::{Ledger, Place};
use crate::{
    Advice, BlockClass, BlockCounts, BlockFinding, Hold, MarkerCounts, Sources, Status, StatusReason, Unchecked,
    Verdict,
};

/// Block quotations beyond this many are counted, not listed.
const MAX_BLOCKS: usize = 10_000;

/// What was counted.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) markers: MarkerCounts,
    blocks: Vec<(Outcome, Place, Place)>,
    block_counts: BlockCounts,
    largest: u64,
    why: &'static str,
    overflows: u64,
    /// Markers that left unchecked because too much was held.
    passed: u64,
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
        if self.blocks.len() < MAX_BLOCKS {
            self.blocks.push((outcome, from, to));
        }
    }

    /// The verdict.
    pub(crate) fn verdict(mut self, ledger: Ledger, sources: &Sources) -> Verdict {
        let markers = &mut self.markers;
        markers.total = markers.real + markers.fabricated;
        if markers.total > 0 {
            markers.ratio = markers.fabricated as f64 / markers.total as f64;
        }
        let all_fabricated = markers.total > 0 && markers.real == 0;
        let (status, reasons) = if !sources.known() {
            (Status::Unchecked, Vec::new())
        } else if markers.real > 0 {
            (Status::Answered, Vec::new())
        } else {
            (Status::Downgraded, vec![StatusReason::NoSurvivingCitation])
        };
        let advice = if all_fabricated { Advice::Regenerate } else { Advice::Show };
        let unchecked = self.unchecked(sources);
        let finding = |(outcome, from, to): (Outcome, Place, Place)| {
            let (before, after) = ledger.spans(from, to);
            BlockFinding { class: outcome.class, before, after, sources: outcome.sources, cited: outcome.cited }
        };
        let blocks = self.blocks.into_iter().map(finding).collect();
        Verdict {
            status,
            reasons,
            advice,
            markers: self.markers,
            edits: ledger.records,
            edit_count: ledger.count,
            block_counts: self.block_counts,
            blocks,
            hold: Hold { largest: self.largest, why: self.why.to_owned(), overflows: self.overflows },
            unchecked,
        }
    }

    fn unchecked(&self, sources: &Sources) -> Vec<Unchecked> {
        let mut list = Vec::new();
        let mut note = |what: &str, why: &str, count: u64| {
            list.push(Unchecked { what: what.to_owned(), why: why.to_owned(), count });
        };
        if !sources.known() {
            note("answer", "no sources are known", 1);
        }
        if self.block_counts.unchecked > 0 {
            note("blocks", "no text to check them against, or held too long", self.block_counts.unchecked);
        }
        if self.overflows > 0 {
            note("held text", "the bound on held text was met: it left as it came", self.overflows);
        }
        if self.passed > 0 {
            note("markers", "they stood in text that was held too long", self.passed);
        }
        list
    }
}

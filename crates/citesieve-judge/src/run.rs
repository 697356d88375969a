//! Fan-out: claims in as they close, calls beside the stream, judgements out at the end.

use std::collections::{BTreeMap, BTreeSet};
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use citesieve::{
    CallCost, ClosedClaim, Decision, Judgement, Ruling, SourceJudgement, Sources, UnsupportedClaims, Verdict,
};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

use crate::ask::{Prompt, source_of};
use crate::budget::{Budget, Spent};
use crate::group::{Groups, Pair, Slot};
use crate::parse::Ruled;
use crate::prompt::{PROMPT_VERSION, Source};
use crate::rulings::Rulings;
use crate::{Cache, Model, Options, Selection, Skip, select};

/// A model with its options, cache and budget: one per process, shared by all answers. Cheap to clone.
#[derive(Debug)]
pub struct Judge<M> {
    pub(crate) shared: Arc<Shared<M>>,
}

impl<M> Clone for Judge<M> {
    fn clone(&self) -> Self {
        Judge { shared: Arc::clone(&self.shared) }
    }
}

#[derive(Debug)]
pub(crate) struct Shared<M> {
    pub(crate) model: M,
    pub(crate) options: Options,
    cache: Cache,
    budget: Budget,
    permits: Semaphore,
}

/// A judgement of a pair that was asked about.
#[derive(Debug, Clone)]
pub(crate) struct Heard {
    pub(crate) ruled: Ruled,
    pub(crate) cached: bool,
    pub(crate) call: Option<CallCost>,
}

impl<M: Model> Judge<M> {
    /// A judge that asks this model.
    pub fn new(model: M, options: Options) -> Self {
        let permits = options.max_concurrent.clamp(1, Semaphore::MAX_PERMITS);
        let shared = Shared {
            cache: Cache::new(options.cache),
            budget: Budget::new(options.per_process),
            permits: Semaphore::new(permits),
            model,
            options,
        };
        Judge { shared: Arc::new(shared) }
    }

    /// What was spent on all answers so far; calls under way count with their estimate.
    pub fn spent(&self) -> Spent {
        self.shared.budget.spent()
    }

    /// The options that it was made with.
    pub fn options(&self) -> &Options {
        &self.shared.options
    }
}

impl<M: Model + 'static> Judge<M> {
    /// Begins with an answer that is checked against these sources.
    pub fn answer(&self, sources: Arc<Sources>) -> Answer<M> {
        let options = &self.shared.options;
        Answer {
            groups: Groups::new(options.max_claims, options.max_prompt / 2, options.patience),
            budget: Arc::new(Budget::new(options.per_answer)),
            shared: Arc::clone(&self.shared),
            sources,
            calls: JoinSet::new(),
            judgements: BTreeMap::new(),
            skipped: Vec::new(),
            rulings: None,
        }
    }

    /// Judges all claims of an answer that is complete.
    pub async fn judge(&self, claims: impl IntoIterator<Item = ClosedClaim>, sources: Arc<Sources>) -> Judged {
        let mut answer = self.answer(sources);
        answer.claims(claims);
        answer.finish().await
    }
}

impl<M: Model> Shared<M> {
    /// Asks about a group: out of the cache, or with one call for what is not in it. One result for each pair; `None`:
    /// the budget does not allow it.
    pub(crate) async fn ask(&self, pairs: &[Pair], sources: &Sources, budget: &Budget) -> Vec<Option<Heard>> {
        let Some(id) = pairs.first().map(|pair| pair.source.as_str()) else { return Vec::new() };
        let (texts, title) = source_of(sources, id);
        let source = Source { id, title, texts: &texts };
        let keys: Vec<_> = pairs.iter().map(|pair| self.cache.key(self.model.name(), &pair.claim, &source)).collect();
        let known = |key: &_| self.cache.get(*key).map(|ruled| Heard { ruled, cached: true, call: None });
        let mut heard: Vec<Option<Heard>> = keys.iter().map(known).collect();
        let open: Vec<usize> = (0..pairs.len()).filter(|&index| heard[index].is_none()).collect();
        if open.is_empty() {
            return heard;
        }
        let _permit = self.permit().await;
        let claims = open.iter().map(|&index| (pairs[index].slot.0, pairs[index].claim.as_str()));
        let prompt = Prompt::new(&source, claims, &[], &self.options);
        let Some(reserved) = self.reserve(&prompt, budget) else { return heard };
        let (ruled, cost, spent) = prompt.ask(&self.model, &self.options).await;
        reserved.settle(spent);
        for (&index, (ruled, understood)) in open.iter().zip(ruled) {
            if understood {
                self.cache.put(keys[index], ruled.clone());
            }
            heard[index] = Some(Heard { ruled, cached: false, call: Some(cost) });
        }
        heard
    }

    /// Waits until one more call may run.
    pub(crate) async fn permit(&self) -> Option<SemaphorePermit<'_>> {
        // It is never closed.
        self.permits.acquire().await.ok()
    }

    /// Sets the cost of a call aside in both budgets.
    pub(crate) fn reserve<'a>(&'a self, prompt: &Prompt<'_>, answer: &'a Budget) -> Option<Reserved<'a>> {
        let cost = prompt.estimate(&self.options);
        if !self.budget.reserve(cost) {
            return None;
        }
        if !answer.reserve(cost) {
            self.budget.settle(cost, Spent::default());
            return None;
        }
        Some(Reserved { budgets: [&self.budget, answer], cost })
    }
}

/// A cost that was set aside. Dropped without [`Reserved::settle`] (the call was cut off), it counts as spent.
pub(crate) struct Reserved<'a> {
    budgets: [&'a Budget; 2],
    cost: Spent,
}

impl Reserved<'_> {
    pub(crate) fn settle(self, spent: Spent) {
        self.budgets.iter().for_each(|budget| budget.settle(self.cost, spent));
    }
}

/// The claims of one answer on their way to the model and back. Dropped, it asks no more.
///
/// To be used inside a tokio runtime, as its calls are tasks.
#[derive(Debug)]
pub struct Answer<M> {
    shared: Arc<Shared<M>>,
    sources: Arc<Sources>,
    budget: Arc<Budget>,
    groups: Groups,
    calls: JoinSet<Vec<(Slot, Option<Heard>)>>,
    judgements: BTreeMap<usize, Vec<SourceJudgement>>,
    skipped: Vec<(usize, String, Skip)>,
    /// What has been ruled on, if somebody waits for that.
    rulings: Option<Rulings>,
}

/// What became of the claims of an answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Judged {
    /// The judgements, by position in [`Verdict::claims`], in order. A claim of which nothing was to be judged has none.
    pub judgements: Vec<(usize, Judgement)>,
    /// Claims and sources of which nothing was to be judged, and why.
    pub skipped: Vec<(usize, String, Skip)>,
    /// What was spent. Calls that were cut off by the deadline count with their estimate.
    pub spent: Spent,
}

impl Judged {
    /// Puts the judgements into a verdict: see [`Verdict::judge`].
    pub fn apply(&self, verdict: &mut Verdict, unsupported_claims: UnsupportedClaims) {
        verdict.judge(self.judgements.iter().cloned(), unsupported_claims);
    }
}

impl<M: Model + 'static> Answer<M> {
    /// For text that waits for the judge ([`citesieve::Sieve::awaiting_rulings`]): every claim comes out of
    /// [`Answer::ruled`], and calls start as soon as claims come, without waiting for others that cite the same source.
    /// To be called before the first claim.
    #[must_use]
    pub fn ruling(mut self) -> Self {
        self.rulings = Some(Rulings::default());
        self
    }

    /// The next claim that is ruled on, by its position, with its judgement; `None` if there was nothing to judge. Each
    /// claim comes once, in the order in which they are decided.
    ///
    /// Waits for ever if no claim is open, or without [`Answer::ruling`]. To drop the future loses nothing.
    pub async fn ruled(&mut self) -> (usize, Option<Judgement>) {
        poll_fn(|cx| self.poll_ruled(cx)).await
    }

    /// As [`Answer::ruled`]. When nothing is open, nobody is woken: claims that come later are to be polled for.
    pub fn poll_ruled(&mut self, cx: &mut Context<'_>) -> Poll<(usize, Option<Judgement>)> {
        loop {
            let Some(rulings) = &mut self.rulings else { return Poll::Pending };
            if let Some(position) = rulings.next() {
                let judgement = self.judgements.get(&position).map(|list| Judgement::new(list.clone()));
                return Poll::Ready((position, judgement));
            }
            match self.calls.poll_join_next(cx) {
                Poll::Ready(Some(done)) => self.take(done.unwrap_or_default()),
                Poll::Ready(None) | Poll::Pending => return Poll::Pending,
            }
        }
    }

    /// Takes claims that have closed, in any order. Calls start for groups that are full, and for those that the answer
    /// has left behind. Does not wait.
    pub fn claims(&mut self, claims: impl IntoIterator<Item = ClosedClaim>) {
        for claim in claims {
            for group in self.groups.claim_closed() {
                self.start(group);
            }
            let mut seen = BTreeSet::new();
            let asked =
                claim.cited.iter().filter(|id| seen.insert(id.as_str())).filter(|id| self.look_at(&claim, id)).count();
            if let Some(rulings) = &mut self.rulings {
                rulings.open(claim.position, asked);
            }
        }
        if self.rulings.is_some() {
            for group in self.groups.rest() {
                self.start(group);
            }
        }
    }

    /// Looks at a claim with a source. Returns whether a model is to be asked.
    fn look_at(&mut self, claim: &ClosedClaim, id: &str) -> bool {
        let (decision, similarity, asked) = match select(claim, id, &self.sources, &self.shared.options.select) {
            Selection::Ask { decision, similarity } => (decision, similarity, true),
            Selection::Words { decision, similarity } => (decision, similarity, false),
            Selection::Skip(skip) => {
                self.skipped.push((claim.position, id.to_owned(), skip));
                return false;
            }
        };
        let list = self.judgements.entry(claim.position).or_default();
        let slot = (claim.position, list.len());
        list.push(SourceJudgement {
            source: id.to_owned(),
            decision,
            similarity,
            ruling: match decision {
                _ if asked => Ruling::Unjudged,
                _ if decision.words_support() => Ruling::Supports,
                _ => Ruling::Unrelated,
            },
            confidence: if asked { 0.0 } else { 1.0 },
            reason: match decision {
                Decision::Verbatim => "The source has these very words.",
                Decision::NearVerbatim => "The source has nearly these words.",
                Decision::ClearlyUnsupported => "Nothing in the source comes near these words.",
                _ => "The model did not answer by the deadline.",
            }
            .to_owned(),
            model: if asked { self.shared.model.name().to_owned() } else { String::new() },
            prompt_version: if asked { PROMPT_VERSION.to_owned() } else { String::new() },
            cached: false,
            call: None,
        });
        if asked {
            let full = self.groups.add(Pair { slot, claim: claim.text.clone(), source: id.to_owned() });
            full.into_iter().for_each(|group| self.start(group));
        }
        asked
    }

    fn start(&mut self, pairs: Vec<Pair>) {
        let (shared, sources) = (Arc::clone(&self.shared), Arc::clone(&self.sources));
        let budget = Arc::clone(&self.budget);
        self.calls.spawn(async move {
            let heard = shared.ask(&pairs, &sources, &budget).await;
            pairs.iter().map(|pair| pair.slot).zip(heard).collect()
        });
    }

    /// The answer is complete: asks about what is left and waits for the judgements, at most as long as
    /// [`Options::deadline_ms`]. What was not heard by then is `unjudged`.
    pub async fn finish(mut self) -> Judged {
        for group in self.groups.rest() {
            self.start(group);
        }
        // A century, where the sum does not fit.
        let deadline = Duration::from_millis(self.shared.options.deadline_ms).min(Duration::from_secs(3_000_000_000));
        let deadline = Instant::now() + deadline;
        while let Ok(Some(done)) = timeout_at(deadline, self.calls.join_next()).await {
            self.take(done.unwrap_or_default());
        }
        let judgements = std::mem::take(&mut self.judgements).into_iter();
        Judged {
            judgements: judgements.map(|(position, sources)| (position, Judgement::new(sources))).collect(),
            skipped: std::mem::take(&mut self.skipped),
            spent: self.budget.spent(),
        }
    }

    /// A call is over.
    fn take(&mut self, done: Vec<(Slot, Option<Heard>)>) {
        for (slot, heard) in done {
            self.hear(slot, heard);
            if let Some(rulings) = &mut self.rulings {
                rulings.heard(slot.0);
            }
        }
    }

    fn hear(&mut self, (claim, index): Slot, heard: Option<Heard>) {
        let Some(judgement) = self.judgements.get_mut(&claim).and_then(|list| list.get_mut(index)) else { return };
        match heard {
            Some(Heard { ruled, cached, call }) => {
                judgement.ruling = ruled.ruling;
                judgement.confidence = ruled.confidence;
                judgement.reason = ruled.reason;
                judgement.cached = cached;
                judgement.call = call;
            }
            None => judgement.reason = "The budget did not allow the call.".to_owned(),
        }
    }
}

//! The judge beside an answer that streams: claims go in as they close, judgements come out when the stream is over.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use citesieve::{Sources, UnsupportedClaims};
use citesieve_judge::client::Client;
use citesieve_judge::{Answer, Judge, Judged};
use citesieve_wire::LaneClaim;
use tokio::runtime::Handle;
use tokio::task::JoinSet;

use crate::metrics::Metrics;
use crate::record::Choice;

/// The name of a lane, and which of its verdicts.
type Lane = (String, usize);

/// The claims of one answer on their way to the judge. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Judging {
    judge: Judge<Client>,
    unsupported_claims: UnsupportedClaims,
    lanes: Arc<Mutex<HashMap<Lane, Answer<Client>>>>,
}

impl Judging {
    pub(crate) fn new(judge: &Judge<Client>, unsupported_claims: UnsupportedClaims) -> Self {
        Judging { judge: judge.clone(), unsupported_claims, lanes: Arc::default() }
    }

    /// What takes the claims of a body. Those of another body before it, which did not count, are forgotten.
    pub(crate) fn take(&self) -> impl FnMut(Arc<Sources>, Vec<LaneClaim>) + Send + Sync + 'static {
        self.lock().clear();
        let judging = self.clone();
        move |sources, claims| {
            // A body may be dropped after everything else is gone.
            if Handle::try_current().is_err() {
                return;
            }
            let mut lanes = judging.lock();
            for LaneClaim { lane, verdict, claim } in claims {
                let answer = lanes.entry((lane, verdict)).or_insert_with(|| judging.judge.answer(Arc::clone(&sources)));
                answer.claims([claim]);
            }
        }
    }

    /// Whether no claim has come.
    pub(crate) fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// The stream is over: waits for the judgements, at most as long as the judge's deadline, and puts them into the
    /// verdicts.
    pub(crate) async fn finish(self, choices: &mut [Choice], metrics: &Metrics) {
        let lanes = std::mem::take(&mut *self.lock());
        // All at once, so that they have one deadline.
        let mut waiting = JoinSet::new();
        for (lane, answer) in lanes {
            waiting.spawn(async move { (lane, answer.finish().await) });
        }
        let judged: HashMap<Lane, Judged> = waiting.join_all().await.into_iter().collect();
        let mut seen: HashMap<String, usize> = HashMap::new();
        for choice in choices {
            let count = seen.entry(choice.index.clone()).or_default();
            if let Some(judged) = judged.get(&(choice.index.clone(), *count)) {
                judged.apply(&mut choice.verdict, self.unsupported_claims);
                metrics.judged(judged);
            }
            *count += 1;
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Lane, Answer<Client>>> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

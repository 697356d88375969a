//! The judge beside an answer that streams: claims go in as they close, rulings come out while text waits for them, all
//! judgements when the stream is over.

use std::collections::{HashMap, HashSet, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use citesieve::{Release, Sources, UnsupportedClaims};
use citesieve_judge::client::Client;
use citesieve_judge::{Answer, Judge, Judged};
use citesieve_wire::{Config as WireConfig, LaneClaim, LaneRuling};
use tokio::runtime::Handle;
use tokio::task::JoinSet;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::metrics::Metrics;
use crate::record::Choice;

/// The name of a lane, and which of its verdicts.
type Lane = (String, usize);

/// The claims of one answer on their way to the judge. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Judging {
    judge: Judge<Client>,
    unsupported_claims: UnsupportedClaims,
    /// How long text waits for a ruling, if it does.
    wait: Option<Duration>,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    answers: HashMap<Lane, Answer<Client>>,
    /// Claims that text waits for, in the order in which their time is over; some of them are ruled on.
    due: VecDeque<(Instant, Lane, usize)>,
    unruled: HashSet<(Lane, usize)>,
    alarm: Option<Pin<Box<Sleep>>>,
}

impl Judging {
    /// A judge beside an answer that is sieved like this. Its text waits at most so long for a ruling, if it is held by
    /// claims; zero: not at all.
    pub(crate) fn new(judge: &Judge<Client>, wire: &WireConfig, wait: Duration) -> Self {
        let waits = !wait.is_zero() && wire.policy.release == Release::Claim;
        Judging {
            judge: judge.clone(),
            unsupported_claims: wire.policy.unsupported_claims,
            wait: waits.then_some(wait),
            state: Arc::default(),
        }
    }

    /// Whether text waits for rulings.
    pub(crate) fn waits(&self) -> bool {
        self.wait.is_some()
    }

    /// What takes the claims of a body. Those of another body before it, which did not count, are forgotten.
    pub(crate) fn take(&self) -> impl FnMut(Arc<Sources>, Vec<LaneClaim>) + Send + Sync + 'static {
        *self.lock() = State::default();
        let judging = self.clone();
        move |sources, claims| {
            // A body may be dropped after everything else is gone.
            if Handle::try_current().is_err() {
                return;
            }
            let mut state = judging.lock();
            let State { answers, due, unruled, .. } = &mut *state;
            let mut by_lane: Vec<(Lane, Vec<_>)> = Vec::new();
            for LaneClaim { lane, verdict, claim } in claims {
                let lane = (lane, verdict);
                if let Some(wait) = judging.wait {
                    due.push_back((Instant::now() + wait, lane.clone(), claim.position));
                    unruled.insert((lane.clone(), claim.position));
                }
                match by_lane.last_mut() {
                    Some((last, list)) if *last == lane => list.push(claim),
                    _ => by_lane.push((lane, vec![claim])),
                }
            }
            for (lane, claims) in by_lane {
                let new = || match judging.wait {
                    Some(_) => judging.judge.answer(Arc::clone(&sources)).ruling(),
                    None => judging.judge.answer(Arc::clone(&sources)),
                };
                answers.entry(lane).or_insert_with(new).claims(claims);
            }
        }
    }

    /// What tells the rulings as they come, and of claims whose time is over that there is none.
    pub(crate) fn rule(&self) -> impl FnMut(&mut Context<'_>) -> Poll<LaneRuling> + Send + Sync + 'static {
        let judging = self.clone();
        move |cx| judging.lock().poll(cx)
    }

    /// Whether no claim has come.
    pub(crate) fn is_empty(&self) -> bool {
        self.lock().answers.is_empty()
    }

    /// The stream is over: waits for the judgements, at most as long as the judge's deadline, and puts them into the
    /// verdicts.
    pub(crate) async fn finish(self, choices: &mut [Choice], metrics: &Metrics) {
        let answers = std::mem::take(&mut self.lock().answers);
        // All at once, so that they have one deadline.
        let mut waiting = JoinSet::new();
        for (lane, answer) in answers {
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

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The next ruling.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<LaneRuling> {
        for (lane, answer) in &mut self.answers {
            if let Poll::Ready((position, judgement)) = answer.poll_ruled(cx) {
                // One that comes too late for the text is told all the same: the verdict may have it.
                self.unruled.remove(&(lane.clone(), position));
                let (lane, verdict) = lane.clone();
                return Poll::Ready(LaneRuling { lane, verdict, position, judgement });
            }
        }
        while let Some((at, lane, position)) = self.due.front() {
            let claim = (lane.clone(), *position);
            if !self.unruled.contains(&claim) {
                self.due.pop_front();
                continue;
            }
            let at = *at;
            let alarm = self.alarm.get_or_insert_with(|| Box::pin(sleep_until(at)));
            if alarm.deadline() != at {
                alarm.as_mut().reset(at);
            }
            if alarm.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            self.due.pop_front();
            self.unruled.remove(&claim);
            let ((lane, verdict), position) = claim;
            return Poll::Ready(LaneRuling { lane, verdict, position, judgement: None });
        }
        Poll::Pending
    }
}

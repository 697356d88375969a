//! Claims that wait until somebody has ruled on them, in order, with what comes behind them.

use std::collections::VecDeque;
use std::ops::Range;

/// Something that the policy may act on.
#[derive(Debug)]
pub(super) enum Event {
    /// A claim starts here.
    Begin(u64),
    /// A claim ended.
    End { at: Range<u64>, fate: Fate },
    /// A block ended.
    Border,
}

/// What becomes of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Stands,
    /// It is marked or left out, as the policy says.
    Fails,
    /// Somebody is still to rule on it.
    Waits(Awaited),
}

/// A claim that is to be ruled on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Awaited {
    /// By its number, as long as nobody has it.
    Number(u64),
    /// By its position in the verdict.
    Position(usize),
}

/// Events that wait for a claim: the first of them is its end.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    events: VecDeque<Event>,
    /// How many claims among them wait.
    claims: usize,
}

impl Waiting {
    /// How many claims wait.
    pub(super) fn claims(&self) -> usize {
        self.claims
    }

    /// Whether no event is left.
    pub(super) fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Takes an event that has to wait; gives it back if it need not.
    pub(super) fn take(&mut self, event: Event) -> Option<Event> {
        let waits = matches!(event, Event::End { fate: Fate::Waits(_), .. });
        if self.events.is_empty() && !waits {
            return Some(event);
        }
        self.claims += usize::from(waits);
        self.events.push_back(event);
        None
    }

    /// Where the first claim that waits starts.
    pub(super) fn start(&self) -> Option<u64> {
        self.events.front().map(|event| match event {
            Event::End { at, .. } => at.start,
            Event::Begin(at) => *at,
            Event::Border => 0,
        })
    }

    /// The claim with this number is known by its position now; without one nobody will rule on it.
    pub(super) fn hand_over(&mut self, number: u64, position: Option<usize>) {
        self.set(Awaited::Number(number), position.map_or(Fate::Stands, |at| Fate::Waits(Awaited::Position(at))));
    }

    /// Somebody has ruled.
    pub(super) fn rule(&mut self, position: usize, fails: bool) {
        self.set(Awaited::Position(position), if fails { Fate::Fails } else { Fate::Stands });
    }

    /// Nobody will rule any more.
    pub(super) fn give_up(&mut self) {
        for event in &mut self.events {
            if let Event::End { fate: fate @ Fate::Waits(_), .. } = event {
                *fate = Fate::Stands;
            }
        }
        self.claims = 0;
    }

    fn set(&mut self, who: Awaited, new: Fate) {
        // The claims that came last are mostly those that are handed over, the first ones those that are ruled on; few
        // wait in any case, as what is held is bounded.
        for event in &mut self.events {
            if let Event::End { fate, .. } = event
                && *fate == Fate::Waits(who)
            {
                *fate = new;
                self.claims -= usize::from(!matches!(new, Fate::Waits(_)));
                return;
            }
        }
    }

    /// The next event that need not wait any more.
    pub(super) fn next(&mut self) -> Option<Event> {
        match self.events.front()? {
            Event::End { fate: Fate::Waits(_), .. } => None,
            _ => self.events.pop_front(),
        }
    }
}

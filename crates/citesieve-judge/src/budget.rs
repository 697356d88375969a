//! What judging may cost: calls, tokens, money.

use std::ops::{Add, AddAssign, Sub};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

/// Upper bounds; `None`: no bound. A call is made only if its estimated cost still fits.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Calls of the model.
    pub calls: Option<u64>,
    /// Tokens of prompts and answers together.
    pub tokens: Option<u64>,
    /// Money, in the currency of [`Prices`].
    pub cost: Option<f64>,
}

/// What a million tokens cost, in any currency. Default: nothing.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Prices {
    /// Of prompts.
    pub input: f64,
    /// Of answers.
    pub output: f64,
}

/// What was spent. Tokens are those that the model reports, or an estimate where it does not.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Spent {
    /// Calls of the model; retries of one call count once.
    pub calls: u64,
    /// Tokens of prompts.
    pub input_tokens: u64,
    /// Tokens of answers.
    pub output_tokens: u64,
    /// Money.
    pub cost: f64,
}

impl Spent {
    /// One call with so many tokens.
    pub fn call(input_tokens: u64, output_tokens: u64, prices: Prices) -> Self {
        let cost = (input_tokens as f64 * prices.input + output_tokens as f64 * prices.output) / 1e6;
        Spent { calls: 1, input_tokens, output_tokens, cost }
    }

    /// What a call will cost, as far as that is known before it is made: a token for three bytes of prompt, 80 tokens of
    /// answer for each claim.
    pub fn estimate(prompt_bytes: usize, claims: usize, prices: Prices) -> Self {
        Spent::call(prompt_bytes.div_ceil(3) as u64, 80 * claims as u64, prices)
    }
}

impl Add for Spent {
    type Output = Spent;

    fn add(self, other: Spent) -> Spent {
        Spent {
            calls: self.calls + other.calls,
            input_tokens: self.input_tokens + other.input_tokens,
            output_tokens: self.output_tokens + other.output_tokens,
            cost: self.cost + other.cost,
        }
    }
}

impl AddAssign for Spent {
    fn add_assign(&mut self, other: Spent) {
        *self = *self + other;
    }
}

impl Sub for Spent {
    type Output = Spent;

    fn sub(self, other: Spent) -> Spent {
        Spent {
            calls: self.calls.saturating_sub(other.calls),
            input_tokens: self.input_tokens.saturating_sub(other.input_tokens),
            output_tokens: self.output_tokens.saturating_sub(other.output_tokens),
            cost: (self.cost - other.cost).max(0.0),
        }
    }
}

/// Limits and what was spent of them. Calls under way count with their estimate.
#[derive(Debug, Default)]
pub struct Budget {
    limits: Limits,
    spent: Mutex<Spent>,
}

impl Budget {
    /// A budget of which nothing is spent.
    pub fn new(limits: Limits) -> Self {
        Budget { limits, spent: Mutex::default() }
    }

    /// Sets a cost aside, if it fits.
    pub fn reserve(&self, cost: Spent) -> bool {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        let then = *spent + cost;
        let Limits { calls, tokens, cost } = self.limits;
        let fits = calls.is_none_or(|most| then.calls <= most)
            && tokens.is_none_or(|most| then.input_tokens + then.output_tokens <= most)
            && cost.is_none_or(|most| then.cost <= most);
        if fits {
            *spent = then;
        }
        fits
    }

    /// What was set aside was spent otherwise.
    pub fn settle(&self, reserved: Spent, actual: Spent) {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        *spent = *spent - reserved + actual;
    }

    /// What was spent so far.
    pub fn spent(&self) -> Spent {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_holds() {
        let prices = Prices { input: 1.0, output: 5.0 };
        let cost = Spent::call(1000, 200, prices);
        assert!((cost.cost - 0.002).abs() < 1e-12);
        for (limits, fitting) in [
            (Limits { calls: Some(2), ..Limits::default() }, 2),
            (Limits { tokens: Some(3600), ..Limits::default() }, 3),
            (Limits { cost: Some(0.0021), ..Limits::default() }, 1),
            (Limits { calls: Some(0), ..Limits::default() }, 0),
            (Limits::default(), 10),
        ] {
            let budget = Budget::new(limits);
            assert_eq!((0..10).filter(|_| budget.reserve(cost)).count(), fitting, "{limits:?}");
        }
    }

    #[test]
    fn what_was_not_used_is_free_again() {
        let budget = Budget::new(Limits { tokens: Some(100), ..Limits::default() });
        let estimate = Spent::call(80, 20, Prices::default());
        assert!(budget.reserve(estimate) && !budget.reserve(estimate));
        budget.settle(estimate, Spent::call(10, 5, Prices::default()));
        assert_eq!(budget.spent(), Spent::call(10, 5, Prices::default()));
        assert!(budget.reserve(Spent::call(80, 5, Prices::default())));
    }
}

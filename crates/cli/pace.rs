//! `--paced`: how fast a recording plays.

use std::str::FromStr;
use std::thread;
use std::time::{Duration, Instant};

use crate::record::Times;
use crate::recording;

/// How fast a recording plays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Pace {
    /// So many times as fast as it was recorded, or as one reads where it has no times.
    Times(f64),
    /// So many characters of the answer in a second.
    Characters(f64),
}

impl FromStr for Pace {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (number, pace): (_, fn(f64) -> Pace) = match text.strip_suffix('x') {
            Some(number) => (number, Pace::Times),
            None => (text, Pace::Characters),
        };
        match number.parse() {
            Ok(number) if f64::is_finite(number) && number > 0.0 => Ok(pace(number)),
            _ => Err(format!("\"{text}\" is neither a speed such as 2x nor a number of characters in a second")),
        }
    }
}

/// When what of a body is there.
#[derive(Debug)]
pub(crate) struct Plan<'a> {
    start: Instant,
    bytes: usize,
    /// How long the whole takes.
    whole: Duration,
    /// The recorded times and how much faster than they it goes; `None`: as even as can be.
    times: Option<(&'a Times, f64)>,
}

impl<'a> Plan<'a> {
    /// For a body of so many bytes and characters of text. It starts now.
    pub(crate) fn new(pace: Option<Pace>, bytes: usize, characters: usize, times: Option<&'a Times>) -> Self {
        let (whole, times) = match (pace, times) {
            (None, _) => (Duration::ZERO, None),
            (Some(Pace::Times(speed)), Some(times)) => (divide(times.whole(), speed), Some((times, speed))),
            (Some(Pace::Times(speed)), None) => (divide(recording::duration(characters), speed), None),
            (Some(Pace::Characters(rate)), _) => {
                (divide(Duration::from_secs(u64::try_from(characters).unwrap_or(u64::MAX)), rate), None)
            }
        };
        Plan { start: Instant::now(), bytes, whole, times }
    }

    /// How long the whole takes.
    pub(crate) fn whole(&self) -> Duration {
        self.whole
    }

    /// When the first so many bytes are there.
    fn at(&self, bytes: usize) -> Duration {
        match self.times {
            Some((times, speed)) => divide(times.at(bytes), speed),
            None => divide(self.whole, self.bytes.max(1) as f64 / bytes as f64),
        }
    }

    /// Waits until the first so many bytes are there.
    pub(crate) fn wait(&self, bytes: usize) {
        let wait = self.at(bytes).saturating_sub(self.start.elapsed());
        if !wait.is_zero() {
            thread::sleep(wait);
        }
    }
}

/// As long as there is time.
pub(crate) fn divide(duration: Duration, by: f64) -> Duration {
    Duration::try_from_secs_f64(duration.as_secs_f64() / by).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds() {
        assert_eq!("2x".parse(), Ok(Pace::Times(2.0)));
        assert_eq!("0.5x".parse(), Ok(Pace::Times(0.5)));
        assert_eq!("110".parse(), Ok(Pace::Characters(110.0)));
        for text in ["", "x", "0", "0x", "-1", "-1x", "infx", "NaN", "fast", "2 x"] {
            assert!(text.parse::<Pace>().is_err(), "{text}");
        }
    }

    #[test]
    fn plans() {
        let plan = |pace: &str| Plan::new(Some(pace.parse().unwrap()), 100, 220, None);
        let at = |plan: &Plan<'_>, bytes| plan.at(bytes).as_millis();
        // Two seconds of reading.
        assert_eq!([0, 50, 100].map(|bytes| at(&plan("1x"), bytes)), [0, 1000, 2000]);
        assert_eq!([0, 50, 100].map(|bytes| at(&plan("4x"), bytes)), [0, 250, 500]);
        assert_eq!([0, 50, 100].map(|bytes| at(&plan("22"), bytes)), [0, 5000, 10000]);
        assert_eq!(at(&Plan::new(None, 100, 220, None), 100), 0);
        assert_eq!(at(&Plan::new(Some(Pace::Times(1.0)), 0, 0, None), 0), 0);
        assert_eq!(plan("1e-300x").at(100), Duration::MAX);
    }
}

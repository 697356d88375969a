//! What a command that did its work says through its exit code.

use std::process::ExitCode;

/// The answer of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Done, and nothing to object to: 0.
    Fine,
    /// Done, and the answer is no: 1.
    No,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Fine => ExitCode::SUCCESS,
            Outcome::No => ExitCode::from(1),
        }
    }
}

//! `citesieve eval`: cases with known answers in, how many of them are met out.

mod cases;
mod claims;
mod quotes;
mod streams;
mod sweep;
mod table;

use crate::error::Error;
use crate::outcome::Outcome;

/// Measures the sieve on cases whose right answers are known
#[derive(Debug, clap::Args)]
pub(crate) struct EvalArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Claims(claims::ClaimsArgs),
    Quotes(quotes::QuotesArgs),
    Streams(streams::StreamsArgs),
}

/// Runs the command.
pub(crate) fn run(args: &EvalArgs) -> Result<Outcome, Error> {
    match &args.what {
        What::Claims(args) => claims::run(args),
        What::Quotes(args) => quotes::run(args),
        What::Streams(args) => streams::run(args),
    }
}

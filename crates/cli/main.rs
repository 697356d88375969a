//! The `citesieve` program: raw arguments, then a validated configuration, then the run; one file per command.

mod check;
mod chunk;
mod demo;
mod error;
mod eval;
mod explain;
mod filter;
mod judge;
mod markers;
mod outcome;
mod output;
mod pace;
mod paint;
mod policy;
mod record;
mod recording;
mod replay;
mod schema;
mod selector;
mod serve;
mod sources;
mod text;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};

use error::Error;

/// Checks the citations and quotations of a language model's answer while it streams
#[derive(Debug, Parser)]
#[command(name = "citesieve", version, disable_help_subcommand = true)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::CheckArgs),
    Demo(demo::DemoArgs),
    Eval(eval::EvalArgs),
    Filter(filter::FilterArgs),
    Replay(replay::ReplayArgs),
    Schema(schema::SchemaArgs),
    Serve(serve::ServeArgs),
}

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return refuse(&error),
    };
    let done = match args.command {
        Command::Check(args) => check::run(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Eval(args) => eval::run(&args),
        Command::Filter(args) => filter::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Schema(args) => schema::run(&args),
        Command::Serve(args) => serve::run(&args),
    };
    match done {
        Ok(outcome) => outcome.into(),
        Err(error) => fail(&error),
    }
}

fn fail(error: &Error) -> ExitCode {
    if !matches!(error, Error::BrokenPipe) {
        anstream::eprintln!("citesieve: {}", one_line(&error.to_string()));
    }
    ExitCode::from(error.exit_code())
}

/// Help and version go to standard output; anything else is one line, as every other error.
fn refuse(error: &clap::Error) -> ExitCode {
    let help = ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if !error.use_stderr() || error.kind() == help {
        let printed = error.print();
        return if error.kind() == help || printed.is_err() { ExitCode::from(2) } else { ExitCode::SUCCESS };
    }
    let message = error.to_string();
    let message = message.split("\n\nUsage:").next().unwrap_or_default();
    let message = message.split("\n\nFor more information").next().unwrap_or_default();
    let message = one_line(message.strip_prefix("error: ").unwrap_or(message));
    anstream::eprintln!("citesieve: {message}");
    ExitCode::from(2)
}

fn one_line(message: &str) -> String {
    message.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

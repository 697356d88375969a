//! `citesieve schema`: the JSON Schemas of what goes in and out.

use std::io::{self, Write};

use citesieve::schema;

use crate::error::Error;
use crate::outcome::Outcome;

/// Prints a JSON Schema: of a structured answer, of the verdict, or of the policy
#[derive(Debug, clap::Args)]
pub(crate) struct SchemaArgs {
    /// Of what
    #[arg(value_enum)]
    what: What,
    /// With `answer`: an object with an answer in each of these fields, for a record of many; where a provider wants an
    /// object at the root of the schema (OpenAI's strict mode), one field does
    #[arg(long = "field", value_name = "NAME")]
    fields: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum What {
    /// A structured answer, to hand to a model as its response format
    Answer,
    /// What `check --structured --report` writes
    Checked,
    /// What is reported about an answer
    Verdict,
    /// What `--policy` reads
    Policy,
}

/// Runs the command.
pub(crate) fn run(args: &SchemaArgs) -> Result<Outcome, Error> {
    if args.what != What::Answer && !args.fields.is_empty() {
        return Err(Error::Usage("--field: only with \"answer\"".into()));
    }
    if let Some(twice) = args
        .fields
        .iter()
        .enumerate()
        .find_map(|(index, name)| args.fields[..index].iter().find(|other| *other == name))
    {
        return Err(Error::Usage(format!("--field {twice}: given twice")));
    }
    let fields: Vec<&str> = args.fields.iter().map(String::as_str).collect();
    let json = match args.what {
        What::Answer => schema::answer(&fields),
        What::Checked => format!("{:#}", schema::checked()),
        What::Verdict => format!("{:#}", schema::verdict()),
        What::Policy => format!("{:#}", schema::policy()),
    };
    writeln!(io::stdout().lock(), "{json}").map_err(Error::stdout)?;
    Ok(Outcome::Fine)
}

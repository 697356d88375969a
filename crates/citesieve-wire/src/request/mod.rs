//! The sources of an answer, found in the *request*: which passages was the model given, and under which ids?
//!
//! [`find`] takes a request body of any API and says what it found and where. Explicit wins over guessed: the field
//! `citesieve: {sources, policy}` of the body, taken out again before it is forwarded. Else the conventions of
//! [`conventions`] are tried; each one wants its unmistakable shape, as a wrong guess would cost honest markers.
//!
//! ```
//! use citesieve_wire::request;
//!
//! let body = br#"{"model":"m","citesieve":{"sources":{"1":"Rent is due monthly."}},"messages":[]}"#;
//! let found = request::find(body)?;
//! assert_eq!(found.convention, Some("citesieve field"));
//! assert_eq!(found.sources.unwrap_or_default()[0].id, "1");
//! assert_eq!(found.body.as_deref(), Some(&br#"{"model":"m","messages":[]}"#[..]));
//! # Ok::<(), request::FieldError>(())
//! ```
//!
//! # Who is listened to
//! - The system, users and tools; never the model. What looks like sources in an assistant's message is not read, since
//!   a model could forge them; its markers are no sources either.
//! - The *last turn*, with the instructions: what the user said after the model's last answer, and every result of a tool
//!   since then; several rounds of tools add up. If there is nothing in it, the turn before it, and so on: a question that
//!   brings no passages of its own is about those of an earlier one. Applications number anew in each turn, so turns are
//!   not mixed.
//! - Fields and blocks (`documents`, Anthropic's `document`) count from the whole conversation, as the APIs number them.
//!
//! A passage is text that a stranger may have written. One that itself holds `<source id="9">` can add an id, and so let
//! a fabricated `[9]` pass; where that matters, name the sources in the field.
//!
//! # Cost
//! Linear in the body, in time and in memory. Depth costs nothing. At most [`MAX_SOURCES`] sources are read.

mod convention;
mod field;
mod json;
mod reader;
mod strictness;

use std::collections::{HashMap, HashSet};

use citesieve::{MarkerSyntax, Source};

use self::convention::{ALL, Convention};
pub use self::field::{FIELD, FieldError};
use self::json::Json;
use self::reader::{Request, Turns};
pub use self::strictness::{PolicyError, changed, stricter};

/// The most sources that are read from one request. More in the field are an error; more of a guess, and nothing is
/// taken to be found.
pub const MAX_SOURCES: usize = 100_000;

/// What [`Found::convention`] is for sources from the field `citesieve`.
pub const EXPLICIT: &str = "citesieve field";

/// What a request says about its sources.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Found {
    /// The sources; empty: known to be none. `None`: nothing is known. A set can be made of them
    /// ([`citesieve::Sources::new`] does not fail).
    pub sources: Option<Vec<Source>>,
    /// How they were found: [`EXPLICIT`] or one of [`conventions`]; goes to [`crate::Config::origin`].
    pub convention: Option<&'static str>,
    /// Syntaxes that the convention asks the model to cite in, beyond those that are read by default. A policy that does
    /// not read them leaves such markers alone.
    pub syntaxes: &'static [MarkerSyntax],
    /// The policy that the field asks for, to be judged by [`stricter`] or [`changed`].
    pub policy: Option<serde_json::Value>,
    /// The body to forward, if it is another one than came: without the field, every other byte as it was.
    pub body: Option<Vec<u8>>,
    /// The body's `stream`, if it is `true` or `false`.
    pub streaming: Option<bool>,
}

/// The names of the conventions, in the order in which they are tried.
pub fn conventions() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|convention| convention.name())
}

/// Finds the sources in a request body. A body that is no JSON, or of a shape that is not known, has none.
///
/// # Errors
/// [`FieldError`] if the field `citesieve` is there and cannot be read. A guess never fails.
pub fn find(body: &[u8]) -> Result<Found, FieldError> {
    let mut found = Found::default();
    let json = Json(trim(body));
    if !json.is_object() {
        return Ok(found);
    }
    found.streaming = json.field("stream").and_then(Json::truth);
    if let Some(field) = field::read(body)? {
        found.policy = field.policy;
        found.body = Some(field.body);
        found.convention = field.sources.is_some().then_some(EXPLICIT);
        found.sources = field.sources;
    }
    if found.sources.is_none() {
        let request = Request::read(json);
        if let Some((convention, sources)) = guess(&request) {
            found.sources = Some(sources);
            found.convention = Some(convention.name());
            found.syntaxes = convention.syntaxes();
        }
    }
    Ok(found)
}

/// The body without a byte order mark and white space around it.
fn trim(body: &[u8]) -> &[u8] {
    body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(body).trim_ascii()
}

fn guess(request: &Request<'_>) -> Option<(&'static dyn Convention, Vec<Source>)> {
    for convention in ALL {
        if let Some(sources) = tidy(convention.in_request(request)) {
            return Some((*convention, sources));
        }
    }
    let Turns { system, turns } = request.turns();
    let mut now = system;
    for turn in turns.iter().rev() {
        now.extend(turn);
        for convention in ALL {
            if let Some(sources) = tidy(convention.in_texts(&now)) {
                return Some((*convention, sources));
            }
        }
        now.clear();
    }
    None
}

/// Makes a set of what a convention read: no id without a text beside the same id with one, one title per id.
fn tidy(mut sources: Vec<Source>) -> Option<Vec<Source>> {
    if sources.len() > MAX_SOURCES {
        return None;
    }
    for source in &mut sources {
        source.text.take_if(|text| text.trim().is_empty());
        source.title.take_if(|title| title.trim().is_empty());
    }
    let mut seen: HashSet<String> = sources.iter().filter(|s| s.text.is_some()).map(|s| s.id.clone()).collect();
    sources.retain(|source| !source.id.is_empty() && (source.text.is_some() || seen.insert(source.id.clone())));
    let mut titles: HashMap<String, String> = HashMap::new();
    for source in &mut sources {
        if let Some(title) = &source.title {
            let first = titles.entry(source.id.clone()).or_insert_with(|| title.clone());
            if first != title {
                source.title = None;
            }
        }
    }
    (!sources.is_empty()).then_some(sources)
}

//! Dialects: what stands where in the events of a provider's API. One file each; [`LIST`] names them all.
//!
//! A dialect reads one frame's JSON and notes *places*: the string literals that carry or repeat text of a lane, the
//! numbers that point into it, what must go when that text is edited. It never copies or changes anything; the
//! session decides and `splice` edits. A new dialect is one file with a [`Description`] and one line in [`LIST`].

mod ai_sdk_ui;
mod anthropic;
mod cohere_v1;
mod cohere_v2;
mod gemini;
mod head;
mod ollama;
mod openai_chat;
mod openai_completions;
mod openai_responses;
mod view;

use self::head::Head;
pub(crate) use self::view::{Ends, Offset, Order, Place, Slot, Unit, View, What};
use citesieve::Source;

use crate::frame::Framing;
use crate::json::{Cursor, Malformed};

/// Every dialect, in the order in which they are tried on a first frame.
static LIST: &[&Description] = &[
    &openai_chat::DESCRIPTION,
    &openai_completions::DESCRIPTION,
    &openai_responses::DESCRIPTION,
    &anthropic::DESCRIPTION,
    &gemini::DESCRIPTION,
    &cohere_v2::DESCRIPTION,
    &cohere_v1::DESCRIPTION,
    &ollama::DESCRIPTION,
    &ai_sdk_ui::DESCRIPTION,
];

/// The wire format of one provider's API.
#[derive(Clone, Copy)]
pub struct Dialect(&'static Description);

impl Dialect {
    /// The dialect with this name, as in [`Dialect::name`].
    pub fn by_name(name: &str) -> Option<Self> {
        Self::all().find(|dialect| dialect.name() == name)
    }

    /// Every dialect.
    pub fn all() -> impl Iterator<Item = Self> {
        LIST.iter().map(|description| Dialect(description))
    }

    /// The dialect of a request path such as `/v1/chat/completions`, query string or not, whatever stands before it.
    pub fn by_path(path: &str) -> Option<Self> {
        let path = path.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
        Self::all().find(|dialect| dialect.0.paths.iter().any(|end| path.ends_with(end)))
    }

    /// Whether bodies of this content type can be read at all, whatever the dialect: server-sent events, lines of JSON,
    /// JSON. Not those of binary event streams, audio or web pages, which pass unfiltered. Decide by the content type of
    /// the response, never by what the request accepts: clients ask for `application/json` and get a stream.
    pub fn reads(content_type: &str) -> bool {
        let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        matches!(
            kind.as_str(),
            "text/event-stream" | "application/json" | "application/x-ndjson" | "application/stream+json"
        ) || (kind.starts_with("application/") && kind.ends_with("+json"))
    }

    /// Its name: `openai-chat` …
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Whether a comment line may be put between its events, to keep a connection alive: clients of some break on it.
    pub fn allows_comments(self) -> bool {
        self.0.comments
    }

    /// The dialect that a frame is written in, if it tells.
    pub(crate) fn sniff(input: &Input<'_>) -> Option<Self> {
        let head = Head::read(input.data)?;
        Self::all().find(|dialect| (dialect.0.sniff)(&head))
    }

    pub(crate) fn reader(self) -> Box<dyn Reader> {
        (self.0.reader)()
    }
}

impl PartialEq for Dialect {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Dialect {}

impl std::fmt::Debug for Dialect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// What the list knows about a dialect.
pub(crate) struct Description {
    pub(crate) name: &'static str,
    /// Ends of request paths that speak it.
    pub(crate) paths: &'static [&'static str],
    /// Whether a frame is of this dialect and no other.
    pub(crate) sniff: fn(&Head) -> bool,
    /// A reader at the start of a body.
    pub(crate) reader: fn() -> Box<dyn Reader>,
    /// Whether its clients put up with comment lines.
    pub(crate) comments: bool,
    /// An error in its form: the name of the event (empty: none) and its JSON, made of a message that is JSON already.
    pub(crate) error: fn(&str) -> (&'static str, String),
}

/// An error in the form of a dialect, framed.
pub(crate) fn error_frame(dialect: Option<Dialect>, framing: Framing, message: &str) -> String {
    let description = dialect.map_or(LIST[0], |dialect| dialect.0);
    let (event, data) = (description.error)(&serde_json::Value::from(message).to_string());
    match framing {
        Framing::Sse if event.is_empty() => format!("data: {data}\n\n"),
        Framing::Sse => format!("event: {event}\ndata: {data}\n\n"),
        Framing::Lines => format!("{data}\n"),
        Framing::Json => data,
    }
}

/// What a reader sees of a frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Input<'a> {
    /// The JSON of the frame. Servers that name their events repeat the name in it.
    pub(crate) data: &'a [u8],
    /// The sources that it sends are wanted.
    pub(crate) sources: bool,
}

/// Reads a source that a response sends: its title, its address and, under one of these names, its words. `id` is used
/// if it names none itself.
fn read_source(c: &mut Cursor<'_>, id: impl FnOnce() -> String, text: &[&[u8]]) -> Result<Source, Malformed> {
    let mut source = Source::default();
    c.object_or_skip(|c, key| {
        let field = match key {
            b"id" => Some(&mut source.id),
            b"title" => Some(source.title.get_or_insert_default()),
            b"url" => Some(source.url.get_or_insert_default()),
            _ if text.contains(&key) => Some(source.text.get_or_insert_default()),
            _ => None,
        };
        match field {
            Some(field) => {
                let word = c.word()?.unwrap_or_default();
                *field = String::from_utf8_lossy(&word).into_owned();
                Ok(())
            }
            None => c.ignore(),
        }
    })?;
    if source.id.is_empty() {
        source.id = id();
    }
    let empty = |field: &Option<String>| field.as_ref().is_some_and(String::is_empty);
    if empty(&source.title) {
        source.title = None;
    }
    if empty(&source.url) {
        source.url = None;
    }
    if empty(&source.text) {
        source.text = None;
    }
    Ok(source)
}

/// Reads the frames of one body, in order.
pub(crate) trait Reader: std::fmt::Debug + Send + Sync {
    /// Notes in `view` what the frame holds. On an error the frame passes as it came.
    ///
    /// Two frames in a row that differ only in one text are viewed alike, and the second changes nothing in the reader: it
    /// may not be asked about it (`engine/shape.rs`).
    fn view(&mut self, input: &Input<'_>, view: &mut View) -> Result<(), Malformed>;

    /// How a lane is called in the report.
    fn lane_name(&self, key: u64) -> String {
        key.to_string()
    }
}

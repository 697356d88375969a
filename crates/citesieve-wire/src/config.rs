//! [`Config`]: what a session needs to know.

use std::sync::Arc;

use citesieve::{Policy, Sources};

use crate::Dialect;

/// What a session needs to know. Made by [`Config::new`]; every other field has a default.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Config {
    /// The choices of this run.
    pub policy: Arc<Policy>,
    /// The sources of this answer. When nothing is known about them, the body passes byte for byte.
    pub sources: Arc<Sources>,
    /// Whether the verdict is put on the event that ends the run (default: yes). Never when no sources are known.
    pub verdict: bool,
    /// The dialect of the body; `None` (the default): found out from its first frames.
    pub dialect: Option<Dialect>,
    /// A frame with more than this many decided bytes of text while its end is undecided is sent in two parts, so that
    /// nobody waits for a sentence because of a bracket. 0: never. Default: 256.
    pub split_frames_over: usize,
    /// The longest frame that is looked at, in bytes; a longer one passes as it comes, and the report says so. Also
    /// the most bytes of frames that wait at any time. Default: 10 MB.
    pub max_frame: usize,
    /// What becomes of a frame that cannot be looked at. Default: [`Failure::Open`].
    pub failure: Failure,
    /// Whether sources that the response itself sends (Perplexity's and xAI's `citations`, Azure's `context`, Cohere's
    /// documents, Anthropic's search results) count as sources, beside those that are given here. They count for text
    /// that comes after them. Default: no.
    pub response_sources: bool,
    /// Whether claims are gathered for [`crate::Session::closed_claims`]. Default: no.
    pub claims: bool,
    /// Whether claims that cite a source wait for [`crate::Session::rule`], where the policy holds claims
    /// ([`citesieve::Release::Claim`]). They are then gathered, too. Default: no.
    pub rulings: bool,
    /// How the sources were found, as `citesieve field` or `open-webui` (see [`crate::request`]): said in the report and
    /// beside the verdict. Default: nothing is said.
    pub origin: Option<String>,
}

/// What becomes of a frame that cannot be looked at: malformed JSON, an unknown dialect, one that is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Failure {
    /// It passes as it came, and the report says so.
    #[default]
    Open,
    /// It does not pass, nor does anything after it: an error in the dialect's own form ends the body. Never when no
    /// sources are known, as then nothing is checked anyway.
    Closed,
}

impl Config {
    /// The defaults, with this policy and these sources.
    pub fn new(policy: impl Into<Arc<Policy>>, sources: impl Into<Arc<Sources>>) -> Self {
        Config {
            policy: policy.into(),
            sources: sources.into(),
            verdict: true,
            dialect: None,
            split_frames_over: 256,
            max_frame: 10_000_000,
            failure: Failure::Open,
            response_sources: false,
            claims: false,
            rulings: false,
            origin: None,
        }
    }

    /// With or without the verdict on the wire.
    #[must_use]
    pub fn verdict(mut self, verdict: bool) -> Self {
        self.verdict = verdict;
        self
    }

    /// With this dialect.
    #[must_use]
    pub fn dialect(mut self, dialect: impl Into<Option<Dialect>>) -> Self {
        self.dialect = dialect.into();
        self
    }

    /// With this bound for splitting, in decided bytes of text; 0: never.
    #[must_use]
    pub fn split_frames_over(mut self, bytes: usize) -> Self {
        self.split_frames_over = bytes;
        self
    }

    /// With this bound for one frame and for all that wait, in bytes.
    #[must_use]
    pub fn max_frame(mut self, bytes: usize) -> Self {
        self.max_frame = bytes;
        self
    }

    /// With this answer to frames that cannot be looked at.
    #[must_use]
    pub fn failure(mut self, failure: Failure) -> Self {
        self.failure = failure;
        self
    }

    /// With or without the claims, for [`crate::Session::closed_claims`].
    #[must_use]
    pub fn claims(mut self, wanted: bool) -> Self {
        self.claims = wanted;
        self
    }

    /// With or without a wait for rulings: see [`crate::Session::rule`].
    #[must_use]
    pub fn rulings(mut self, wanted: bool) -> Self {
        self.rulings = wanted;
        self
    }

    /// With or without the sources that the response sends.
    #[must_use]
    pub fn response_sources(mut self, wanted: bool) -> Self {
        self.response_sources = wanted;
        self
    }

    /// With how the sources were found.
    #[must_use]
    pub fn origin(mut self, origin: Option<impl Into<String>>) -> Self {
        self.origin = origin.map(Into::into);
        self
    }
}

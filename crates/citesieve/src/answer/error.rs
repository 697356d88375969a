//! Why a structured answer cannot be read.

/// Why a structured answer cannot be read. `path` says where, as `cells.rent.citations[2].ref`; it is empty for the whole
/// input.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// It is no JSON.
    #[error("line {line}, column {column}: {message}")]
    Json {
        /// The line, from 1.
        line: usize,
        /// The column in bytes, from 1; 0 where a line has none.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// Something else stands where a value is needed, or nothing does.
    #[error("{}expected {expected}, found {found}", prefix(path))]
    Unexpected {
        /// Where.
        path: String,
        /// What may stand there.
        expected: &'static str,
        /// What does.
        found: String,
    },
    /// A field stands twice in one answer, so that nobody can tell which one a reader would take.
    #[error("{path}: stands twice")]
    Twice {
        /// Which one.
        path: String,
    },
    /// Objects and arrays are nested deeper than [`super::MAX_DEPTH`].
    #[error("{path}: nested too deep")]
    TooDeep {
        /// Where.
        path: String,
    },
}

fn prefix(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!("{path}: ") }
}

impl AnswerError {
    pub(super) fn json(error: &serde_json::Error) -> Self {
        let whole = error.to_string();
        let message = whole.rsplit_once(" at line ").map_or(whole.as_str(), |(message, _)| message).to_owned();
        AnswerError::Json { line: error.line().max(1), column: error.column(), message }
    }
}

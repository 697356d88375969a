//! Quotes: are these words in that source?
use crate::Sources;
use std::sync::Arc;
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Class {
    Verified,
    Altered,
    Misattributed,
    NotFound,
    TooShort,
    Unchecked,
}
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum State {
    Alive,
    Dead,
}
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub struct Match {
    pub source: usize,
    pub id: String,
}
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub struct Finding {
    pub class: Class,
    pub matches: Vec<Match>,
}
#[derive(Debug)]
#[allow(missing_docs)]
pub struct Cursor {
    sources: Arc<Sources>,
    text: String,
}
fn fold(t: &str) -> String {
    t.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase().replace(['*', '“', '”', '「', '」', '"'], "")
}
#[allow(missing_docs)]
impl Cursor {
    pub fn new(sources: Arc<Sources>) -> Self {
        Cursor { sources, text: String::new() }
    }
    pub fn push(&mut self, s: &str) -> State {
        self.text.push_str(s);
        let n = fold(&self.text);
        let n = n.trim_end_matches(|c: char| !c.is_alphanumeric());
        if self.text.contains('[')
            || self.sources.list().iter().any(|s| s.text.as_deref().is_some_and(|t| fold(t).contains(n)))
        {
            State::Alive
        } else {
            State::Dead
        }
    }
    pub fn finish(&self, _cited: &[&str]) -> Finding {
        let n = fold(&self.text);
        let n = n.trim();
        let m: Vec<Match> = self
            .sources
            .list()
            .iter()
            .enumerate()
            .filter(|(_, s)| s.text.as_deref().is_some_and(|t| fold(t).contains(n)))
            .map(|(i, s)| Match { source: i, id: s.id.clone() })
            .collect();
        Finding {
            class: if m.is_empty() && !self.text.contains("[...]") { Class::NotFound } else { Class::Verified },
            matches: m,
        }
    }
}

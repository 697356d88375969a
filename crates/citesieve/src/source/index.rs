//! What is searched: each source's text, folded when it is first needed.

use std::sync::{Arc, OnceLock};

use super::Sources;
use super::fold::{Folded, fold_source};

/// The folded text of one source, made at its first use and then shared.
#[derive(Debug, Clone, Default)]
pub(crate) struct Text(OnceLock<Arc<Folded>>);

impl Sources {
    /// The text of a source and its folded form, by its position in [`Sources::list`]; `None` when it has no text.
    pub(crate) fn text(&self, index: usize) -> Option<(&str, &Folded)> {
        let source = self.list().get(index)?;
        let text = source.text.as_deref().filter(|text| u32::try_from(text.len()).is_ok())?;
        let folded = self.texts.get(index)?.0.get_or_init(|| Arc::new(fold_source(text, source.format)));
        Some((text, folded))
    }
}

//! Reading cases: one JSON object per line.

use std::path::PathBuf;

use serde::de::DeserializeOwned;

use crate::error::{Error, Name};
use crate::text;

/// The cases of all files, one after the other.
pub(super) fn read<T: DeserializeOwned>(files: &[PathBuf]) -> Result<Vec<T>, Error> {
    let mut cases = Vec::new();
    for file in files {
        let name = Name::path(file);
        let content = text::read(file)?;
        let content = content.strip_prefix('\u{feff}').unwrap_or(&content);
        for (index, line) in content.lines().enumerate() {
            if !line.trim().is_empty() {
                let case = serde_json::from_str(line).map_err(|error| Error::json(name.clone(), &error, index + 1))?;
                cases.push(case);
            }
        }
    }
    if cases.is_empty() {
        return Err(Error::Usage("there are no cases in these files".into()));
    }
    Ok(cases)
}

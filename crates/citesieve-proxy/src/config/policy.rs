//! Policies from tables, one laid over the other.

use citesieve::Policy;
use toml::{Table, Value};

use super::ConfigError;

/// The policy that a table describes. `setting` is named when it describes none.
pub(crate) fn read(setting: &str, table: Table) -> Result<Policy, ConfigError> {
    table.try_into().map_err(|error: toml::de::Error| {
        ConfigError::new(format!("{setting}: {}", error.message().replace('\n', ", ")))
    })
}

/// Lays `over` over `base`; tables inside are merged, everything else is replaced.
pub(crate) fn lay_over(base: &mut Table, over: &Table) {
    for (key, value) in over {
        match (base.get_mut(key), value) {
            (Some(Value::Table(base)), Value::Table(over)) => lay_over(base, over),
            _ => drop(base.insert(key.clone(), value.clone())),
        }
    }
}

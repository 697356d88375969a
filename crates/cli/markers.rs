//! Where the markers of a text are, whatever they cite: what the sieve takes out when there are no sources at all.

use std::ops::Range;
use std::sync::Arc;

use citesieve::{Edit, Policy, Sieve, Sources};

/// The markers of a text, in bytes; those that follow each other directly may be one.
pub(crate) fn find(text: &str, policy: &Arc<Policy>) -> Vec<Range<usize>> {
    let trim = |edit: Edit| {
        let range = edit.at.start as usize..edit.at.end as usize;
        let taken = text.get(range.clone())?;
        let marker = taken.trim_matches([' ', ',', ';', '\t']);
        let start = range.start + taken.find(marker)?;
        Some(start..start + marker.len())
    };
    edits(text, policy).into_iter().filter_map(trim).collect()
}

/// A text without its markers.
pub(crate) fn without(text: &str) -> String {
    let mut out = String::new();
    let mut from = 0;
    for edit in edits(text, &Arc::default()) {
        out += text.get(from..edit.at.start as usize).unwrap_or_default();
        from = edit.at.end as usize;
    }
    out + text.get(from..).unwrap_or_default()
}

fn edits(text: &str, policy: &Arc<Policy>) -> Vec<Edit> {
    let Ok(none) = Sources::new(Vec::new()) else { return Vec::new() };
    // Only what the markers are is asked for here, not what else the policy would do to them.
    let mut plain = Policy::default();
    plain.syntaxes.clone_from(&policy.syntaxes);
    let mut sieve = Sieve::new(Arc::new(plain), Arc::new(none));
    let mut edits = sieve.push(text).edits.to_vec();
    edits.extend(sieve.finish().0);
    edits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_found_whatever_they_cite() {
        let text = "Due [1], late [2][7] (see [4]). `a[3]`";
        let found: Vec<&str> = find(text, &Arc::default()).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["[1]", "[2][7]", "[4]"]);
        assert_eq!(without("> Due monthly. [1]\n> Late [2, 3] too.\n"), "> Due monthly.\n> Late too.\n");
    }
}

//! `²`, `²⁻⁴`, `²,³` (markers one after the other) and `<sup>2</sup>`, `<sup>[2]</sup>`.

/// The superscript digits, by value.
pub(crate) const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

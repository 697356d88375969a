//! Named character references of HTML.

use std::collections::HashMap;
use std::sync::OnceLock;

/// The names that the HTML standard lists, with the code points they stand for.
static LIST: &str = include_str!("entities.txt");

/// What `&name;` stands for.
pub(super) fn named(name: &str) -> Option<&'static str> {
    match name {
        "amp" => return Some("&"),
        "lt" => return Some("<"),
        "gt" => return Some(">"),
        "quot" => return Some("\""),
        "nbsp" => return Some("\u{a0}"),
        _ => {}
    }
    static TABLE: OnceLock<HashMap<&'static str, String>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        LIST.lines()
            .filter_map(|line| {
                let (name, points) = line.split_once(' ')?;
                let value =
                    points.split(' ').filter_map(|hex| char::from_u32(u32::from_str_radix(hex, 16).ok()?)).collect();
                Some((name, value))
            })
            .collect()
    });
    table.get(name).map(String::as_str)
}

/// What a numeric reference between 128 and 159 stands for: the HTML standard reads these as Windows-1252.
pub(super) fn windows(code: u32) -> Option<char> {
    const POINTS: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘',
        '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    POINTS.get((code.checked_sub(0x80)?) as usize).copied()
}

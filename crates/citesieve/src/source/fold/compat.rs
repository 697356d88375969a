//! One character, folded: compatibility form, width and case.

use caseless::Caseless;
use unicode_normalization::UnicodeNormalization;

/// Appends the folded form of `c` to `out`.
///
/// NFKC, full case folding and NFKC again, with the exceptions below: forms that NFKC would split into a space and a
/// combining mark, and signs that are mistaken for one another.
pub(super) fn fold_char(c: char, out: &mut String) {
    match c {
        'A'..='Z' => out.push(c.to_ascii_lowercase()),
        '\0'..='\u{7f}' => out.push(c),
        // The ranges that make up most of the world's text are their own compatibility form.
        'а'..='я' | 'ѐ'..='џ' => out.push(c),
        'А'..='Я' => out.push(shifted(c, 32)),
        'Ѐ'..='Џ' => out.push(shifted(c, 80)),
        '\u{4e00}'..='\u{9fff}'
        | '\u{3041}'..='\u{3096}'
        | '\u{30a1}'..='\u{30fe}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{3001}'..='\u{3002}' => out.push(c),
        // Capitals of the Turkish alphabet: upper case is not the author's choice.
        'İ' | 'ı' => out.push('i'),
        '\u{2da}' => out.push('°'),
        _ if is_lone_accent(c) => out.push(c),
        '\u{2044}' | '\u{2215}' => out.push('/'),
        '\u{223c}' | '\u{301c}' | '\u{ff5e}' | '\u{2053}' => out.push('~'),
        '\u{2a7e}' | '\u{2267}' | '\u{2a88}' | '\u{2273}' => out.push('≥'),
        '\u{2a7d}' | '\u{2266}' | '\u{2a87}' | '\u{2272}' => out.push('≤'),
        '\u{2a2f}' | '\u{2715}' | '\u{2716}' => out.push('×'),
        '\u{2217}' => out.push('*'),
        '\u{27f6}' | '\u{2794}' | '\u{279c}' | '\u{2192}' => out.push('→'),
        // Small letters that are their own form.
        'ß' => out.push_str("ss"),
        'à'..='ö' | 'ø'..='ÿ' | 'ά'..='ρ' | 'σ'..='ώ' | 'ա'..='ֆ' => out.push(c),
        _ => out.extend(std::iter::once(c).nfkc().default_case_fold().nfkc().map(|c| match c {
            '\u{2044}' => '/',
            '\u{2212}' => '-',
            c => c,
        })),
    }
}

/// Appends the folded form of a letter and the combining marks that follow it.
pub(super) fn fold_cluster(cluster: &str, out: &mut String) {
    let start = out.len();
    out.extend(cluster.nfkc().default_case_fold().nfkc());
    // `İ` decomposed is `I` and a dot, which full case folding leaves as `i` and a dot.
    if out[start..].starts_with("i\u{307}") {
        out.replace_range(start + 1..start + 3, "");
    }
}

/// Accents without a letter, which NFKC would split into a space and a mark.
pub(super) fn is_lone_accent(c: char) -> bool {
    matches!(c, '¨' | '¯' | '¸' | '\u{2d8}'..='\u{2dd}' | '\u{384}' | '\u{385}')
}

/// Whether `c` may join the character before it when both are composed.
pub(super) fn joins_previous(c: char) -> bool {
    if (c as u32) < 0x300 {
        return false;
    }
    if unicode_normalization::char::canonical_combining_class(c) != 0 {
        return true;
    }
    matches!(unicode_normalization::is_nfkc_quick(std::iter::once(c)), unicode_normalization::IsNormalized::Maybe)
}

/// The letters that `base` becomes with combining marks, in folded form.
pub(super) fn marked(base: char) -> Vec<char> {
    let code = base as u32;
    if (0xac00..=0xd7a3).contains(&code) {
        // A syllable without a final consonant may still get one.
        let finals = if (code - 0xac00).is_multiple_of(28) { 27 } else { 0 };
        return (code + 1..=code + finals).filter_map(char::from_u32).collect();
    }
    // `ô` becomes `ộ` with a dot that belongs below: its parts stay, others come between them.
    let parts: Vec<char> = std::iter::once(base).nfd().collect();
    // Where canonical compositions are.
    (if code > 0xffff { 0x11000..0x17000 } else { 0xc0..0x3100 })
        .filter_map(char::from_u32)
        .filter(|&c| {
            let mut left = parts.iter().peekable();
            for part in std::iter::once(c).nfd() {
                left.next_if(|&&wanted| wanted == part);
            }
            c != base && left.peek().is_none() && !c.is_uppercase()
        })
        .collect()
}

/// Whether `c` is the first part of a Korean syllable that is written in parts.
pub(super) fn is_leading_jamo(c: char) -> bool {
    matches!(c as u32, 0x1100..=0x1112)
}

fn shifted(c: char, by: u32) -> char {
    char::from_u32(c as u32 + by).unwrap_or(c)
}

//! Of a source that is too long for a call: the passages that have most of the claims' words.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Passages are about so long (bytes).
const PASSAGE: usize = 1200;

/// The text, and whether something was left out of it. `places` are bytes of the text that must be in it if there is room.
pub(crate) fn excerpt(text: &str, claims: &[&str], places: &[Range<usize>], most: usize) -> (String, bool) {
    if text.len() <= most {
        return (text.to_owned(), false);
    }
    let passages = passages(text);
    let wanted: HashSet<String> = claims.iter().flat_map(|claim| terms(claim)).collect();
    // A word that stands in every passage tells none apart.
    let mut spread: HashMap<String, usize> = HashMap::new();
    let found: Vec<HashSet<String>> = passages
        .iter()
        .map(|passage| {
            let found: HashSet<String> = terms(&text[passage.clone()]).filter(|term| wanted.contains(term)).collect();
            found.iter().for_each(|term| *spread.entry(term.clone()).or_default() += 1);
            found
        })
        .collect();
    let overlaps = |passage: &Range<usize>| places.iter().any(|p| p.start < passage.end && passage.start < p.end);
    let score = |index: usize| {
        let rare = |term: &String| (passages.len() as f64 / spread.get(term).copied().unwrap_or(1) as f64).ln_1p();
        let must = if overlaps(&passages[index]) { 1e6 } else { 0.0 };
        must + found[index].iter().map(rare).sum::<f64>()
    };
    let mut by_score: Vec<(f64, usize)> = (0..passages.len()).map(|index| (score(index), index)).collect();
    by_score.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut chosen: Vec<usize> = Vec::new();
    let mut room = most;
    for (_, index) in by_score {
        let length = passages[index].len() + GAP.len();
        if length <= room {
            room -= length;
            chosen.push(index);
        }
    }
    chosen.sort_unstable();
    let mut out = String::new();
    let mut next = 0;
    for index in chosen {
        if index != next {
            out.push_str(GAP);
        }
        out.push_str(&text[passages[index].clone()]);
        next = index + 1;
    }
    if next < passages.len() {
        out.push_str(GAP);
    }
    (out, true)
}

const GAP: &str = " […] ";

/// Stretches of about [`PASSAGE`] bytes that end where a paragraph, a sentence or at least a word does.
fn passages(text: &str) -> Vec<Range<usize>> {
    let mut list = Vec::new();
    let mut from = 0;
    while from < text.len() {
        let mut to = (from + PASSAGE).min(text.len());
        while !text.is_char_boundary(to) {
            to += 1;
        }
        if to < text.len() {
            let piece = &text[from..to];
            let half = piece.len() / 2;
            let ends = |pattern: &[&str]| pattern.iter().filter_map(|p| Some(piece.rfind(p)? + p.len())).max();
            let end = [&["\n\n"][..], &[". ", "? ", "! ", "。", "\n"], &[" "]]
                .into_iter()
                .find_map(|pattern| ends(pattern).filter(|end| *end > half));
            to = end.map_or(to, |end| from + end);
        }
        list.push(from..to);
        from = to;
    }
    list
}

/// Words of three letters and more, numbers, and pairs of letters where no spaces are written.
fn terms(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.flat_map(|word| {
        let word = word.to_lowercase();
        let long = word.len() >= 3 || word.chars().any(char::is_numeric);
        let wide: Vec<char> = word.chars().filter(|c| u32::from(*c) >= 0x2E80).collect();
        let pairs: Vec<String> = wide.windows(2).map(|pair| pair.iter().collect()).collect();
        pairs.into_iter().chain((long && wide.is_empty()).then_some(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn long() -> String {
        let filler = |n: usize| format!("Paragraph {n} speaks of the weather and of nothing else at all. ").repeat(20);
        let mut text: Vec<String> = (0..40).map(filler).collect();
        text.insert(30, "Late rent bears interest at four per cent a year.".into());
        text.join("\n\n")
    }

    #[test]
    fn the_passage_that_matters_is_there() {
        let text = long();
        let (short, cut) = excerpt(&text, &["Interest on late rent is 4 per cent"], &[], 5000);
        assert!(cut && short.len() <= 5000 && short.contains("bears interest at four"), "{short}");
        assert!(short.contains("[…]"));
        let start = text.find("Paragraph 7 ").unwrap();
        let place = start..start + 10;
        let (short, _) = excerpt(&text, &["interest"], std::slice::from_ref(&place), 5000);
        assert!(short.contains("Paragraph 7 ") && short.contains("bears interest"));
    }

    #[test]
    fn a_short_text_stays_whole_and_every_cut_is_at_a_character() {
        assert_eq!(excerpt("Rent.", &["x"], &[], 5), ("Rent.".into(), false));
        let wide = "租金每月到期".repeat(2000);
        let (short, cut) = excerpt(&wide, &["租金到期"], &[], 4000);
        assert!(cut && !short.is_empty() && short.len() <= 4010);
        assert_eq!(passages(&wide).iter().map(Range::len).sum::<usize>(), wide.len());
    }
}

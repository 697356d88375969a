//! Which claims go to a model, and why.
//!
//! Each claim is looked at with each source that it cites, and with no other. In this order:
//!
//! 1. What strings have decided is not asked about: quotes and block quotations, verified or failed; nor is a claim of
//!    fewer than three words without a digit, nor one whose source has no text.
//! 2. The source has the claim's very words: support, not asked.
//! 3. It states nothing (a question, an opinion, an instruction, a heading): not asked.
//! 4. Nothing in the source comes near the claim ([`Select::clearly_unsupported`]): asked all the same, because it cites
//!    the source, which may say it in other words or another language ([`Select::ask_unmatched`]).
//! 5. It holds a digit: asked.
//! 6. It is nearly the source's words ([`Select::near_verbatim`]), with the same negations and number words: support, not
//!    asked.
//! 7. Everything in between: asked.

use citesieve::quote::{self, Similarity};
use citesieve::{ClaimKind, ClosedClaim, Decision, Sources, Support};
use serde::{Deserialize, Serialize};

use crate::Form;

/// The thresholds, on [`Similarity::value`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Select {
    /// From here on a claim is nearly the words of its source: one word in twenty differs. Default: 0.95.
    pub near_verbatim: f64,
    /// Up to here nothing of the source comes near it. Default: 0.1.
    pub clearly_unsupported: f64,
    /// Whether a model is asked about such a claim, as the rules want it; if not, it counts as unrelated, which saves calls
    /// and is wrong about claims in other words than the source's. Default: yes.
    pub ask_unmatched: bool,
    /// Whether claims around a verified quote go to the model too, for what they say beside it. Default: no.
    pub quoted_claims: bool,
}

impl Default for Select {
    fn default() -> Self {
        Select { near_verbatim: 0.95, clearly_unsupported: 0.1, ask_unmatched: true, quoted_claims: false }
    }
}

/// What is done about a claim and a source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Selection {
    /// A model is asked.
    Ask {
        /// Why.
        decision: Decision,
        /// How near the claim comes to the source.
        similarity: f64,
    },
    /// Words decide, without a model: see [`Decision::words_support`].
    Words {
        /// How.
        decision: Decision,
        /// How near the claim comes to the source.
        similarity: f64,
    },
    /// Nothing is to be judged.
    Skip(Skip),
}

/// Why nothing is to be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Skip {
    /// A quote in it was verified.
    Quoted,
    /// A quote in it failed, or it stands in a block quotation that was demoted.
    FailedQuote,
    /// It is a block quotation.
    BlockQuote,
    /// The source has no text.
    NoText,
    /// It has fewer than three words, and no digit.
    TooShort,
    /// It states nothing.
    Form(Form),
}

/// Looks at a claim and one of the sources that it cites. Linear in both.
pub fn select(claim: &ClosedClaim, source: &str, sources: &Sources, select: &Select) -> Selection {
    match claim.support {
        Support::Failed => return Selection::Skip(Skip::FailedQuote),
        _ if claim.demoted => return Selection::Skip(Skip::FailedQuote),
        Support::Quoted if !select.quoted_claims => return Selection::Skip(Skip::Quoted),
        _ if claim.kind == ClaimKind::BlockQuote => return Selection::Skip(Skip::BlockQuote),
        _ => {}
    }
    if !has_digit(claim) && words(&claim.text) < 3 {
        return Selection::Skip(Skip::TooShort);
    }
    match quote::similarity(sources, source, &claim.text) {
        Some(found) => decide(claim, &found, sources, select),
        None => Selection::Skip(Skip::NoText),
    }
}

/// The part of [`select`] that the thresholds are about, for a claim whose similarity with the source is known.
pub fn decide(claim: &ClosedClaim, found: &Similarity, sources: &Sources, select: &Select) -> Selection {
    let similarity = found.value;
    if found.verbatim {
        return Selection::Words { decision: Decision::Verbatim, similarity };
    }
    let form = Form::of(claim);
    if !form.is_statement() {
        return Selection::Skip(Skip::Form(form));
    }
    if similarity <= select.clearly_unsupported {
        return match select.ask_unmatched {
            true => Selection::Ask { decision: Decision::CitesUnmatched, similarity },
            false => Selection::Words { decision: Decision::ClearlyUnsupported, similarity },
        };
    }
    if has_digit(claim) {
        return Selection::Ask { decision: Decision::Digit, similarity };
    }
    if similarity >= select.near_verbatim && same_sense(&claim.text, found, sources) {
        return Selection::Words { decision: Decision::NearVerbatim, similarity };
    }
    Selection::Ask { decision: Decision::Between, similarity }
}

fn has_digit(claim: &ClosedClaim) -> bool {
    claim.text.chars().any(char::is_numeric)
}

/// Words of a text; where no spaces are written two letters count as one.
fn words(text: &str) -> usize {
    let spaced = |word: &&str| word.chars().any(|c| c.is_alphanumeric() && !is_spaceless(c));
    let letters = text.chars().filter(|c| is_spaceless(*c)).count();
    text.split_whitespace().filter(spaced).count() + letters / 2
}

/// Scripts that write no spaces: Thai to Khmer, kana, Han.
fn is_spaceless(c: char) -> bool {
    matches!(u32::from(c), 0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3040..=0x30FF | 0x3400..=0x9FFF
        | 0x2_0000..=0x3_FFFF)
}

/// Whether claim and passage have the same number of each of the words that turn a sense around.
fn same_sense(claim: &str, found: &Similarity, sources: &Sources) -> bool {
    let passage = found.passage.as_ref().and_then(|(source, range)| {
        sources.list().get(*source).and_then(|source| source.text.as_deref()).and_then(|text| text.get(range.clone()))
    });
    passage.is_some_and(|passage| turning(claim) == turning(passage))
}

/// The words of a text that turn its sense around or are numbers, in alphabetical order.
fn turning(text: &str) -> Vec<String> {
    let folded = quote::folded(text);
    let words = folded.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    let mut list: Vec<String> =
        words.filter(|word| TURNING.contains(word) || word.ends_with("n't")).map(str::to_owned).collect();
    list.sort_unstable();
    list
}

const TURNING: &[&str] = &[
    // English
    "not",
    "no",
    "never",
    "none",
    "nor",
    "neither",
    "without",
    "cannot",
    "hardly",
    "rarely",
    "unless",
    "except",
    "only",
    "but",
    "if",
    "may",
    "must",
    "shall",
    "can",
    "all",
    "some",
    "any",
    "every",
    "most",
    "more",
    "less",
    "fewer",
    "before",
    "after",
    "above",
    "below",
    "increase",
    "increased",
    "increases",
    "decrease",
    "decreased",
    "decreases",
    "higher",
    "lower",
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "hundred",
    "thousand",
    "million",
    "billion",
    "half",
    "twice",
    "double",
    "first",
    "second",
    "third",
    "daily",
    "weekly",
    "monthly",
    "yearly", // German, French, Spanish, Russian
    "nicht",
    "kein",
    "keine",
    "keiner",
    "keinen",
    "nie",
    "niemals",
    "ohne",
    "nur",
    "ne",
    "pas",
    "jamais",
    "aucun",
    "aucune",
    "sans",
    "nunca",
    "ningún",
    "ninguno",
    "ninguna",
    "sin",
    "sólo",
    "solo",
    "не",
    "нет",
    "ни",
    "никогда",
    "без",
    "только",
];

#[cfg(test)]
mod tests {
    use citesieve::Source;

    use super::*;

    const LEASE: &str = "Late rent bears interest at four per cent a year from the day on which it falls due. The \
        tenant shall keep the roof in good repair and shall not keep any animal, large or small, in the house.";

    fn sources() -> Sources {
        Sources::new(vec![Source::new("1").text(LEASE), Source::new("2")]).unwrap()
    }

    fn claim(text: &str) -> ClosedClaim {
        ClosedClaim {
            position: 0,
            kind: ClaimKind::Sentence,
            text: text.into(),
            cited: vec!["1".into()],
            support: Support::Cited,
            demoted: false,
        }
    }

    fn decided(text: &str) -> Result<Decision, Skip> {
        match select(&claim(text), "1", &sources(), &Select::default()) {
            Selection::Ask { decision, .. } | Selection::Words { decision, .. } => Ok(decision),
            Selection::Skip(skip) => Err(skip),
        }
    }

    #[test]
    fn what_goes_to_a_model_and_why() {
        for (text, expected) in [
            ("Late rent bears interest at four per cent a year.", Ok(Decision::Verbatim)),
            (
                "The tenant shall keep the roof in good repair and shall not keep any animal, big or small, in the house.",
                Ok(Decision::NearVerbatim),
            ),
            (
                "The tenant shall keep the roof in good repair and shall keep any animal, large or small, in the house.",
                Ok(Decision::Between),
            ),
            (
                "Late rent bears interest at nine per cent a year from the day on which it falls due.",
                Ok(Decision::Between),
            ),
            ("Late rent bears interest at 9 per cent a year from the day on which it falls due.", Ok(Decision::Digit)),
            ("A tenant who is late owes four per cent a year on the rent.", Ok(Decision::Between)),
            ("A tenant who is late owes 4 per cent a year on the rent.", Ok(Decision::Digit)),
            ("Gold was discovered near the river by settlers.", Ok(Decision::CitesUnmatched)),
            ("Was gold discovered near the river by settlers?", Err(Skip::Form(Form::Question))),
            ("Does late rent bear interest at four per cent?", Err(Skip::Form(Form::Question))),
            ("I think late rent bears interest at some rate.", Err(Skip::Form(Form::Opinion))),
            ("Please keep the roof in good repair, always.", Err(Skip::Form(Form::Instruction))),
            ("The lease", Err(Skip::TooShort)),
            ("4 %", Ok(Decision::CitesUnmatched)),
            ("", Err(Skip::TooShort)),
        ] {
            assert_eq!(decided(text), expected, "{text}");
        }
    }

    #[test]
    fn what_strings_have_decided_is_not_asked_about() {
        let text = "A tenant who is late owes 4 per cent a year on the rent.";
        let skip = |change: fn(&mut ClosedClaim), source: &str, options: Select| {
            let mut claim = claim(text);
            change(&mut claim);
            match select(&claim, source, &sources(), &options) {
                Selection::Skip(skip) => Some(skip),
                _ => None,
            }
        };
        let default = Select::default();
        assert_eq!(skip(|_| (), "1", default), None);
        assert_eq!(skip(|claim| claim.support = Support::Quoted, "1", default), Some(Skip::Quoted));
        assert_eq!(skip(|claim| claim.support = Support::Failed, "1", default), Some(Skip::FailedQuote));
        assert_eq!(skip(|claim| claim.demoted = true, "1", default), Some(Skip::FailedQuote));
        assert_eq!(skip(|claim| claim.kind = ClaimKind::BlockQuote, "1", default), Some(Skip::BlockQuote));
        assert_eq!(skip(|_| (), "2", default), Some(Skip::NoText));
        let around = Select { quoted_claims: true, ..default };
        assert_eq!(skip(|claim| claim.support = Support::Quoted, "1", around), None);
        assert_eq!(skip(|claim| claim.support = Support::Failed, "1", around), Some(Skip::FailedQuote));
    }

    #[test]
    fn both_thresholds_are_read() {
        let of = |text: &str, select: Select| match super::select(&claim(text), "1", &sources(), &select) {
            Selection::Ask { decision, .. } | Selection::Words { decision, .. } => decision,
            Selection::Skip(skip) => panic!("{skip:?}"),
        };
        let text = "A tenant who is late owes four per cent a year on the rent.";
        let all = Select { clearly_unsupported: 1.0, ..Select::default() };
        assert_eq!(of(text, all), Decision::CitesUnmatched);
        assert_eq!(of(text, Select { ask_unmatched: false, ..all }), Decision::ClearlyUnsupported);
        assert_eq!(of(text, Select { ask_unmatched: false, ..Select::default() }), Decision::Between);
        let near = "The tenant shall keep the roof in good repair and shall not keep any pet, large or small.";
        assert_eq!(of(near, Select { near_verbatim: 0.99, ..Select::default() }), Decision::Between);
        assert_eq!(of(near, Select { near_verbatim: 0.5, ..Select::default() }), Decision::NearVerbatim);
    }

    #[test]
    fn words_of_scripts_without_spaces() {
        assert_eq!(words("The lease says so."), 4);
        assert_eq!(words("租金每月到期。"), 3);
        assert_eq!(words("— …"), 0);
    }
}

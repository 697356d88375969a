//! What form a claim has, by rules that can be read: only what states something can be supported by a source.
//!
//! Whatever no rule knows is an assertion, so that in a language without rules everything is asked about.

use citesieve::{ClaimKind, ClosedClaim};
use serde::{Deserialize, Serialize};

/// What a claim does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// It states something.
    Assertion,
    /// It says what a source says: "according to", "the court held that".
    Paraphrase,
    /// It sums up: "in short", "overall".
    Summary,
    /// It asks.
    Question,
    /// It says what the writer thinks or advises.
    Opinion,
    /// It tells the reader what to do.
    Instruction,
    /// It is a heading.
    Heading,
}

impl Form {
    /// Whether it states something that a source can support.
    pub fn is_statement(self) -> bool {
        matches!(self, Form::Assertion | Form::Paraphrase | Form::Summary)
    }

    /// The form of a claim: its kind, its last character, the words that it begins with.
    pub fn of(claim: &ClosedClaim) -> Form {
        if claim.kind == ClaimKind::Heading {
            return Form::Heading;
        }
        let end = claim.text.trim_end_matches(|c: char| c.is_whitespace() || "\"'”’»)*_`".contains(c));
        if end.ends_with(['?', '？', '؟', '⁇', '⁈', ';']) && (!end.ends_with(';') || is_greek(end)) {
            return Form::Question;
        }
        let words = plain(&claim.text);
        let begins = |list: &[&str]| list.iter().any(|phrase| starts(&words, phrase));
        let holds = |list: &[&str]| list.iter().any(|phrase| words.contains(&format!(" {phrase} ")));
        // "In my opinion, according to" is still an opinion; "see, in short," is still an instruction.
        if begins(OPINION) || holds(OPINION_INSIDE) {
            Form::Opinion
        } else if begins(INSTRUCTION) {
            Form::Instruction
        } else if begins(SUMMARY) {
            Form::Summary
        } else if begins(PARAPHRASE) || holds(PARAPHRASE_INSIDE) {
            Form::Paraphrase
        } else {
            Form::Assertion
        }
    }
}

/// The Greek question mark looks like a semicolon.
fn is_greek(text: &str) -> bool {
    text.chars().rev().filter(|c| c.is_alphabetic()).take(3).any(|c| ('\u{370}'..='\u{3ff}').contains(&c))
}

/// Words in lower case with one space around each.
fn plain(text: &str) -> String {
    let mut plain = String::from(" ");
    for c in text.chars().take(400).flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            plain.push(c);
        } else if matches!(c, '\'' | '’') {
            plain.push('\'');
        } else if !plain.ends_with(' ') {
            plain.push(' ');
        }
    }
    if !plain.ends_with(' ') {
        plain.push(' ');
    }
    plain
}

fn starts(words: &str, phrase: &str) -> bool {
    words[1..].strip_prefix(phrase).is_some_and(|rest| rest.starts_with(' '))
}

const OPINION: &[&str] = &[
    "i think",
    "i believe",
    "i feel",
    "i guess",
    "i suspect",
    "i would",
    "i'd",
    "i recommend",
    "i suggest",
    "i hope",
    "we recommend",
    "we suggest",
    "in my opinion",
    "in my view",
    "personally",
    "hopefully",
    "ich denke",
    "ich glaube",
    "ich empfehle",
    "meiner meinung nach",
    "je pense",
    "je crois",
    "à mon avis",
    "creo que",
    "en mi opinión",
    "я думаю",
    "по моему мнению",
];

const OPINION_INSIDE: &[&str] = &["in my opinion", "in my view", "meiner meinung nach", "à mon avis", "en mi opinión"];

const INSTRUCTION: &[&str] = &[
    "see",
    "see also",
    "please",
    "let me",
    "let's",
    "consult",
    "contact",
    "ask your",
    "talk to",
    "refer to",
    "note that you",
    "make sure",
    "be sure",
    "remember to",
    "do not forget",
    "don't forget",
    "try to",
    "you should",
    "you may want",
    "you might want",
    "for details see",
    "for more see",
    "for more information",
    "for further details",
    "siehe",
    "bitte",
    "vgl",
    "beachten sie",
    "voir",
    "veuillez",
    "consulte",
    "véase",
    "por favor",
    "смотрите",
    "пожалуйста",
];

const SUMMARY: &[&str] = &[
    "in summary",
    "to summarize",
    "to summarise",
    "to sum up",
    "in short",
    "in brief",
    "overall",
    "in conclusion",
    "taken together",
    "all in all",
    "zusammenfassend",
    "insgesamt",
    "kurz gesagt",
    "en résumé",
    "en resumen",
    "в целом",
    "итак",
];

const PARAPHRASE: &[&str] = &[
    "according to",
    "as stated in",
    "as noted in",
    "as described in",
    "laut",
    "nach angaben",
    "selon",
    "según",
    "согласно",
];

const PARAPHRASE_INSIDE: &[&str] = &[
    "according to",
    "says that",
    "states that",
    "stated that",
    "reports that",
    "reported that",
    "finds that",
    "found that",
    "shows that",
    "showed that",
    "argues that",
    "argued that",
    "notes that",
    "noted that",
    "holds that",
    "held that",
    "concludes that",
    "concluded that",
    "provides that",
    "explains that",
    "suggests that",
];

#[cfg(test)]
mod tests {
    use citesieve::Support;

    use super::*;

    fn form(kind: ClaimKind, text: &str) -> Form {
        let cited = vec!["1".to_owned()];
        Form::of(&ClosedClaim { position: 0, kind, text: text.into(), cited, support: Support::Cited, demoted: false })
    }

    #[test]
    fn forms_by_how_a_claim_begins_and_ends() {
        for (text, expected) in [
            ("Tenants owe interest when they pay late.", Form::Assertion),
            ("Seeds germinate in spring.", Form::Assertion),
            ("The board rose; later it did not;", Form::Assertion),
            ("The court held that the rent was due.", Form::Paraphrase),
            ("According to the lease, rent is due.", Form::Paraphrase),
            ("Overall, rents rose.", Form::Summary),
            ("Zusammenfassend stiegen die Mieten.", Form::Summary),
            ("Is the rent due?", Form::Question),
            ("Is the rent due?\"", Form::Question),
            ("家賃はいつですか？", Form::Question),
            ("Πότε πληρώνεται το ενοίκιο;", Form::Question),
            ("I think the tenant wins.", Form::Opinion),
            ("The tenant wins, in my view, on both points.", Form::Opinion),
            ("**See** the annex for details.", Form::Instruction),
            ("You should contact the landlord.", Form::Instruction),
            ("Арендатор платит проценты.", Form::Assertion),
        ] {
            assert_eq!(form(ClaimKind::Sentence, text), expected, "{text}");
        }
        assert_eq!(form(ClaimKind::Heading, "Tenants owe interest"), Form::Heading);
        assert_eq!(form(ClaimKind::TableCell, "four per cent"), Form::Assertion);
    }
}

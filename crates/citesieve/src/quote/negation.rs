//! Negations and conditions, and the languages they are known in.
//!
//! An elision that hides one of these turns a sentence around. Words are in folded form: lower case, straight
//! apostrophes, hyphens between letters gone. A `*` at the end stands for any ending. To add a language: one more entry.

/// What is known of a language.
pub(super) struct Language {
    /// ISO 639-1.
    pub(super) code: &'static str,
    /// Words so common that a few lines of the language hold several; tell which language a passage is in.
    pub(super) common: &'static [&'static str],
    /// Single words and phrases that negate or limit what is said.
    pub(super) hides: &'static [&'static str],
}

#[rustfmt::skip]
pub(super) const LANGUAGES: &[Language] = &[
    Language {
        code: "en",
        common: &[
            "the", "of", "and", "to", "in", "is", "that", "for", "it", "with", "as", "was", "on", "by", "this",
            "are", "be", "at", "or", "from", "an", "which", "we", "has", "have", "a", "shall", "may", "but", "were",
            "all",
        ],
        hides: &[
            "not", "no", "never", "none", "nor", "neither", "nobody", "nothing", "nowhere", "without", "cannot",
            "unlikely", "unable", "hardly", "rarely", "seldom", "scarcely", "barely", "unless", "except",
            "excepting", "excluding", "save for", "save that", "only if", "only when", "only where", "provided that",
            "provided only", "providing that", "on condition", "subject to", "fail to", "fails to", "failed to",
            "failing to", "failure to", "lack", "lacks", "lacked", "lacking", "far from", "instead of",
            "rather than", "other than", "refuse*", "denies", "denied", "deny", "ain't", "impossible", "if and only",
            "as long as", "so long as", "no longer", "until",
        ],
    },
    Language {
        code: "de",
        common: &[
            "der", "die", "das", "und", "ist", "von", "zu", "den", "mit", "des", "auf", "für", "im", "ein", "eine",
            "dem", "sich", "werden", "wird", "auch", "als", "bei", "sind", "einer", "oder", "durch", "aus", "einen",
        ],
        hides: &[
            "nicht", "kein", "keine", "keinen", "keinem", "keiner", "keines", "nie", "niemals", "niemand",
            "niemanden", "niemandem", "nichts", "nirgends", "weder", "ohne", "ausser", "außer", "ausgenommen",
            "kaum", "selten", "sofern", "soweit", "falls", "es sei denn", "nur wenn", "nur falls", "nur dann",
            "unter der bedingung", "vorausgesetzt", "vorbehaltlich", "keineswegs", "keinesfalls", "unmöglich",
            "unwahrscheinlich", "mit ausnahme", "statt", "anstatt", "solange", "bis auf", "scheitert",
        ],
    },
    Language {
        code: "fr",
        common: &[
            "le", "la", "les", "de", "des", "et", "à", "un", "une", "du", "en", "est", "que", "dans", "qui", "pour",
            "par", "sur", "au", "aux", "il", "ce", "avec", "son", "ses", "ou", "sont", "cette", "leur",
        ],
        hides: &[
            "ne", "n'*", "pas", "jamais", "aucun", "aucune", "aucuns", "rien", "personne", "ni", "nul", "nulle",
            "sans", "sauf", "excepté", "hormis", "guère", "rarement", "à moins", "si et seulement", "seulement si",
            "uniquement si", "pourvu", "à condition", "sous réserve", "impossible", "improbable", "à peine", "point",
            "non", "nullement", "plutôt que", "au lieu", "à l'exception", "tant que", "jusqu'à",
        ],
    },
    Language {
        code: "es",
        common: &[
            "el", "la", "los", "las", "de", "que", "y", "en", "un", "una", "del", "se", "por", "con", "para", "es",
            "al", "lo", "como", "su", "sus", "o", "este", "esta", "ser", "son", "toda", "tiene",
        ],
        hides: &[
            "no", "nunca", "jamás", "ningún", "ninguna", "ninguno", "nada", "nadie", "ni", "sin", "tampoco", "salvo",
            "excepto", "apenas", "raramente", "rara vez", "a menos", "a no ser", "sólo si", "solo si",
            "únicamente si", "siempre que", "con tal de", "a condición", "sujeto a", "sujeta a", "imposible",
            "improbable", "en lugar de", "en vez de", "con excepción", "hasta",
        ],
    },
    Language {
        code: "it",
        common: &[
            "il", "lo", "la", "i", "gli", "le", "di", "che", "e", "è", "un", "una", "in", "per", "con", "del",
            "della", "dei", "delle", "al", "alla", "da", "dal", "si", "sono", "come", "nel", "nella", "ed", "ogni",
            "ha",
        ],
        hides: &[
            "non", "mai", "nessun", "nessuno", "nessuna", "niente", "nulla", "né", "ne", "senza", "neppure",
            "nemmeno", "neanche", "salvo", "tranne", "eccetto", "fuorché", "appena", "raramente", "a meno",
            "solo se", "soltanto se", "unicamente se", "purché", "a condizione", "a patto", "fatto salvo",
            "impossibile", "improbabile", "invece di", "ad eccezione", "finché", "no",
        ],
    },
    Language {
        code: "pt",
        common: &[
            "o", "a", "os", "as", "de", "que", "e", "do", "da", "dos", "das", "em", "um", "uma", "para", "com",
            "por", "no", "na", "nos", "nas", "ao", "à", "se", "é", "são", "seu", "sua", "ou", "todo", "toda", "tem",
        ],
        hides: &[
            "não", "nunca", "jamais", "nenhum", "nenhuma", "nada", "ninguém", "nem", "sem", "salvo", "exceto",
            "excepto", "mal", "raramente", "a menos", "a não ser", "só se", "somente se", "apenas se", "desde que",
            "contanto que", "sob condição", "sujeito a", "sujeita a", "impossível", "improvável", "em vez de",
            "com exceção", "até", "tampouco",
        ],
    },
    Language {
        code: "nl",
        common: &[
            "de", "het", "een", "en", "van", "in", "is", "dat", "op", "te", "voor", "met", "zijn", "die", "aan",
            "er", "om", "als", "door", "ook", "bij", "of", "uit", "wordt", "naar", "heeft", "deze", "worden",
        ],
        hides: &[
            "niet", "geen", "nooit", "niemand", "niets", "nergens", "noch", "zonder", "behalve", "uitgezonderd",
            "nauwelijks", "zelden", "tenzij", "alleen als", "alleen indien", "slechts indien", "mits",
            "op voorwaarde", "onder voorbehoud", "onmogelijk", "onwaarschijnlijk", "in plaats van",
            "met uitzondering", "zolang", "totdat",
        ],
    },
    Language {
        code: "ru",
        common: &[
            "и", "в", "на", "с", "что", "по", "к", "от", "из", "для", "как", "это", "или", "за", "его", "все", "при",
            "быть", "так", "же", "о", "их", "к", "право", "имеет", "который", "которые", "человек",
        ],
        hides: &[
            "не", "нет", "ни", "никогда", "никто", "никого", "никому", "ничто", "ничего", "никакой", "никакая",
            "никакие", "никаких", "никакого", "нигде", "без", "кроме", "исключая", "за исключением", "едва", "редко",
            "вряд", "нельзя", "невозможно", "если не", "только если", "при условии", "лишь если", "лишь при",
            "с учётом", "вместо", "пока", "невероятно", "маловероятно",
        ],
    },
    Language {
        code: "zh",
        common: &[],
        hides: &[
            "不", "没", "沒", "非", "无", "無", "未", "否", "勿", "莫", "别", "別", "毋", "除非", "除了", "除外", "只有", "仅在", "僅在",
            "前提", "条件", "條件", "以外", "难以", "難以", "很少", "罕", "拒绝", "拒絕", "禁止", "缺乏", "鲜",
        ],
    },
    Language {
        code: "ja",
        common: &[],
        hides: &[
            "ない", "なく", "なかっ", "なけれ", "なし", "ませ", "ず", "ぬ", "まい", "無", "不", "非", "未", "除", "以外", "限り", "場合に限", "のみ",
            "条件", "禁", "困難", "ほとんど", "めったに", "まれに", "ただし", "但し",
        ],
    },
];

/// The first negation or condition of `language` in a folded text.
pub(super) fn hidden_word<'t>(folded: &'t str, language: &Language) -> Option<&'t str> {
    if language.common.is_empty() {
        return language.hides.iter().find_map(|&word| folded.find(word).map(|at| &folded[at..at + word.len()]));
    }
    let words: Vec<&str> = folded
        .split(|c: char| !(c.is_alphanumeric() || c == '\'' || unicode_normalization::char::is_combining_mark(c)))
        .filter(|word| !word.is_empty())
        .collect();
    for (at, &word) in words.iter().enumerate() {
        if language.code == "en" && word.ends_with("n't") {
            return Some(word);
        }
        for &hides in language.hides {
            let mut parts = hides.split(' ');
            if let Some(stem) = hides.strip_suffix('*') {
                if word.starts_with(stem) {
                    return Some(word);
                }
            } else if parts.next() == Some(word)
                && parts
                    .zip(words[at + 1..].iter().map(Some).chain(std::iter::repeat(None)))
                    .all(|(part, next)| next.is_some_and(|&next| next == part))
            {
                return Some(word);
            }
        }
    }
    None
}

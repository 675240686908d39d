//! Sentences that call something absent.

use super::said::Said;

/// What a report says when the data does not hold something, in small letters. Each is a part of a sentence.
const PHRASES: &[&str] = &[
    // English
    "no record mentions",
    "no record matches",
    "no record has",
    "no records match",
    "none of the records",
    "not in the data",
    "does not hold",
    "do not hold",
    "holds no ",
    "holds nothing",
    "hold nothing",
    "nothing in the data",
    "the data does not",
    "the data do not",
    "the data cannot",
    "has no field",
    "no field for",
    "no field says",
    "no field holds",
    "there is no field",
    "cannot be answered",
    "can not be answered",
    "is not recorded",
    "not found in",
    "no matching record",
    "matches no record",
    "does not say",
    "do not say",
    "does not tell",
    "not part of the data",
    // German
    "kein datensatz",
    "keine datensätze",
    "nicht in den daten",
    "enthalten nicht",
    "enthalten kein",
    "kein feld",
    // French
    "aucun enregistrement",
    "pas dans les données",
    "ne contiennent pas",
    "aucun champ",
    // Spanish
    "ningún registro",
    "no está en los datos",
    "no contienen",
    "ningún campo",
    // Italian
    "nessun record",
    "non è nei dati",
    "non contengono",
    "nessun campo",
    // Portuguese
    "nenhum registro",
    "nenhum registo",
    "não está nos dados",
    "não contêm",
    "nenhum campo",
];

/// What weakens an absence to a condition that was not used, in small letters.
const NOT_USED: &[&str] = &["is not applied", "was not applied", "are not applied", "not applied:", "is left out"];

/// Returns the sentences of the title and the first section that call something absent.
pub fn claimed(said: &Said) -> Vec<String> {
    let texts = [&said.title].into_iter().chain(&said.lead);
    texts.filter(|text| denies(text) && !is_not_used(text)).cloned().collect()
}

/// Returns whether texts say that the data does not hold what these words name.
pub fn is_declined(texts: &[String], words: &[String]) -> bool {
    let denied: Vec<String> =
        texts.iter().filter(|text| denies(text) || is_not_used(text)).map(|text| text.to_lowercase()).collect();
    denied.iter().any(|text| words.iter().any(|word| text.contains(&word.to_lowercase())))
}

fn denies(text: &str) -> bool {
    let text = text.to_lowercase();
    text.starts_with("0 records") || text.contains(" 0 records") || PHRASES.iter().any(|phrase| text.contains(phrase))
}

fn is_not_used(text: &str) -> bool {
    let text = text.to_lowercase();
    NOT_USED.iter().any(|phrase| text.contains(phrase))
}

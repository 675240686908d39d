//! Sentences in languages whose words have no rules: numbers, names, quotes and common words.

use std::collections::HashSet;

use rust_stemmers::{Algorithm, Stemmer};

use crate::check::grounded::mismatch::Mismatch;
use crate::check::grounded::verdict::{Cited, Grounded, Grounding, Rules};
use crate::language::Language;
use crate::text::words::{fold, words};
use crate::trust::value::{Sameness, compare, values};

/// The least share of words of a sentence that its passage must have.
const CARRIED: f64 = 0.5;
/// Letters of the shortest word that counts.
const CONTENT: usize = 4;

/// Holds a sentence of any language against the passages that it cites.
pub(crate) fn ground(sentence: &str, language: Language, cited: &[Cited<'_>]) -> Grounding {
    let mut nearest: Option<(f64, Grounded, &str)> = None;
    for passage in cited {
        let (share, verdict) = judge(sentence, language, passage);
        if verdict == Grounded::Holds {
            nearest = Some((share, verdict, passage.id));
            break;
        }
        if nearest.as_ref().is_none_or(|(known, ..)| share > *known) {
            nearest = Some((share, verdict, passage.id));
        }
    }

    let (verdict, id) = nearest.map_or((Grounded::Fails(Mismatch::NoPassage), ""), |(_, v, id)| {
        (v, id)
    });
    Grounding {
        verdict,
        rules: Rules::NumbersAndNames,
        passages: vec![id.to_owned()],
    }
}

fn judge(sentence: &str, language: Language, cited: &Cited<'_>) -> (f64, Grounded) {
    let text = &cited.text[cited.quote.clone()];
    let headings = cited.headings.join("\n");
    let stemmer = stemmer(language);
    let stem = |word: &str| match &stemmer {
        Some(stemmer) => stemmer.stem(&word.to_lowercase()).into_owned(),
        None => fold(word),
    };
    let held: HashSet<String> = words(&[text, &headings].join("\n"))
        .iter()
        .map(|word| stem(word.text))
        .collect();
    let folded = fold(text);

    // Words, codes and abbreviations.
    let said = words(sentence);
    let content: Vec<_> = said
        .iter()
        .filter(|word| !word.is_number() && word.text.chars().count() >= CONTENT)
        .collect();
    let missing: Vec<String> = content
        .iter()
        .filter(|word| !held.contains(&stem(word.text)))
        .map(|word| word.text.to_owned())
        .collect();
    #[expect(clippy::cast_precision_loss, reason = "a sentence has few words")]
    let share = 1.0 - missing.len() as f64 / content.len().max(1) as f64;
    if share < CARRIED {
        return (share, Grounded::Fails(Mismatch::NotCarried { missing }));
    }
    let is_code = |word: &str| {
        word.chars().filter(|c| c.is_uppercase()).count() > 1
            || word.contains(|c: char| c.is_ascii_digit()) && word.contains(char::is_alphabetic)
    };
    let codes = sentence
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| is_code(word) && !folded.contains(&fold(word)));
    if let Some(name) = codes.map(str::to_owned).next() {
        return (share, Grounded::Fails(Mismatch::Name { name }));
    }

    // Names: words with a capital within the sentence, except in German, where every noun has one.
    if language.code() != "de" {
        let is_name = |at: usize| {
            at > 0
                && said[at].text.starts_with(char::is_uppercase)
                && !sentence[..said[at].start]
                    .trim_end()
                    .ends_with(['.', ':', '“', '"', '«'])
        };
        let name = (0..said.len()).find(|at| is_name(*at) && !held.contains(&stem(said[*at].text)));
        if let Some(at) = name {
            let name = said[at].text.to_owned();
            return (share, Grounded::Fails(Mismatch::Name { name }));
        }
    }

    let given = values(text, language);
    for typed in values(sentence, language) {
        let is_weak = fold(&sentence[typed.core.clone()])
            .chars()
            .all(char::is_alphabetic)
            && typed.core.len() <= 5;
        let is_given = given
            .iter()
            .any(|held| compare(&typed.value, &held.value) == Sameness::Same);
        if !is_given && !is_weak {
            let value = sentence[typed.span].to_owned();
            return (share, Grounded::Fails(Mismatch::Value { value }));
        }
    }
    (share, Grounded::Holds)
}

/// Returns the stemmer of a language.
fn stemmer(language: Language) -> Option<Stemmer> {
    let algorithm = match language.code() {
        "de" => Algorithm::German,
        "fr" => Algorithm::French,
        "es" => Algorithm::Spanish,
        "it" => Algorithm::Italian,
        "pt" => Algorithm::Portuguese,
        "nl" => Algorithm::Dutch,
        "ru" => Algorithm::Russian,
        "sv" => Algorithm::Swedish,
        _ => return None,
    };
    Some(Stemmer::create(algorithm))
}

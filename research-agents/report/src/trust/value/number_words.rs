//! Numbers that are written as words.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::language::Language;
use crate::text::words::fold;

const WORDS: &str = include_str!("../../../rules/number_words.txt");

/// What a number word does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum NumberWord {
    /// It is added.
    Value(f64),
    /// It multiplies what is before it.
    Scale(f64),
}

/// Number words by language and folded form.
static KNOWN: LazyLock<HashMap<(&'static str, String), NumberWord>> = LazyLock::new(|| {
    let mut known = HashMap::new();
    for line in WORDS.lines().filter(|line| !line.starts_with('#')) {
        let mut fields = line.split_whitespace();
        let (Some(language), Some(value)) = (fields.next(), fields.next()) else {
            continue;
        };
        let number = |text: &str| text.parse().unwrap_or(0.0);
        let meaning = match value.strip_prefix('*') {
            Some(scale) => NumberWord::Scale(number(scale)),
            None => NumberWord::Value(number(value)),
        };
        for word in fields {
            known.insert((language, fold(word)), meaning);
        }
    }
    known
});

/// Returns what a folded word means as a number: also of German and Italian compounds.
pub(crate) fn number_word(word: &str, language: Language) -> Option<f64> {
    match simple(word, language.code())? {
        NumberWord::Value(value) => Some(value),
        NumberWord::Scale(_) => None,
    }
}

/// Returns a number that a folded word multiplies with.
pub(crate) fn scale_word(word: &str, language: Language) -> Option<f64> {
    match KNOWN.get(&(language.code(), word.to_owned())) {
        Some(NumberWord::Scale(scale)) => Some(*scale),
        _ => None,
    }
}

fn simple(word: &str, language: &'static str) -> Option<NumberWord> {
    if let Some(known) = KNOWN.get(&(language, word.to_owned())) {
        return Some(*known);
    }
    match language {
        "de" => german(word).map(NumberWord::Value),
        "it" => italian(word).map(NumberWord::Value),
        _ => None,
    }
}

/// Returns a German compound: *fünfundzwanzig*, *zweihundertdrei*, *dreitausend*.
fn german(word: &str) -> Option<f64> {
    let known = |part: &str| match KNOWN.get(&("de", part.to_owned())) {
        Some(NumberWord::Value(value)) => Some(*value),
        _ => None,
    };
    for (sign, scale) in [("tausend", 1000.0), ("hundert", 100.0)] {
        if let Some((before, after)) = word.split_once(sign) {
            let before = if before.is_empty() {
                1.0
            } else {
                known(before).or_else(|| german(before))?
            };
            let after = after.strip_prefix("und").unwrap_or(after);
            let after = if after.is_empty() {
                0.0
            } else {
                known(after).or_else(|| german(after))?
            };
            return Some(before * scale + after);
        }
    }

    let (one, ten) = word.split_once("und")?;
    let (one, ten) = (known(one)?, known(ten)?);
    (one < 10.0 && (20.0..100.0).contains(&ten)).then_some(one + ten)
}

/// Returns an Italian compound: *ventuno*, *venticinque*, *trentotto*.
fn italian(word: &str) -> Option<f64> {
    const TENS: [(&str, f64); 8] = [
        ("vent", 20.0),
        ("trent", 30.0),
        ("quarant", 40.0),
        ("cinquant", 50.0),
        ("sessant", 60.0),
        ("settant", 70.0),
        ("ottant", 80.0),
        ("novant", 90.0),
    ];

    let (rest, ten) = TENS
        .iter()
        .find_map(|(ten, value)| Some((word.strip_prefix(ten)?, value)))?;
    let rest = [rest, rest.get(1..).unwrap_or_default()];
    let one = rest
        .iter()
        .find_map(|one| match KNOWN.get(&("it", (*one).to_owned())) {
            Some(NumberWord::Value(value)) if *value < 10.0 => Some(*value),
            _ => None,
        })?;
    Some(ten + one)
}

/// Words that join number words.
pub(crate) fn joins(word: &str, language: Language) -> bool {
    matches!(
        (language.code(), word),
        ("en", "and") | ("fr", "et") | ("es", "y") | ("it" | "pt", "e")
    )
}

/// Returns the value of number words in order.
pub(crate) fn value_of(words: &[&str], language: Language) -> Option<f64> {
    let (mut total, mut part, mut any) = (0.0, None::<f64>, false);

    for word in words {
        match simple(word, language.code())? {
            // *quatre-vingt*: four twenties.
            NumberWord::Value(value)
                if language.code() == "fr" && value == 20.0 && part == Some(4.0) =>
            {
                part = Some(80.0);
            }
            NumberWord::Value(value) => {
                let before = part.unwrap_or(0.0);
                // *three four* are two numbers.
                let fits = before == 0.0 && part.is_none()
                    || before % 100.0 == 0.0
                    || (before % 10.0 == 0.0 && value < 20.0 && before % 100.0 >= 20.0);
                if !fits {
                    return None;
                }
                part = Some(before + value);
            }
            NumberWord::Scale(scale) if scale < 1000.0 => {
                part = Some(part.unwrap_or(1.0) * scale);
            }
            NumberWord::Scale(scale) => {
                total = if total > 0.0 && part.is_none() {
                    total * scale
                } else {
                    total + part.unwrap_or(1.0) * scale
                };
                part = None;
            }
        }
        any = true;
    }

    any.then(|| total + part.unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(code: &str, words: &str, value: f64) {
        let words: Vec<&str> = words.split(' ').collect();
        assert_eq!(
            value_of(&words, code.parse().unwrap()),
            Some(value),
            "{words:?}"
        );
    }

    #[test]
    fn number_words_are_read_in_six_languages() {
        check("en", "twenty five", 25.0);
        check("en", "three hundred five", 305.0);
        check("en", "two million three hundred thousand", 2_300_000.0);
        check("de", "funfundzwanzig", 25.0);
        check("de", "dreitausendzweihundertfunf", 3205.0);
        check("fr", "soixante dix sept", 77.0);
        check("fr", "quatre vingt dix", 90.0);
        check("es", "treinta cinco", 35.0);
        check("it", "ventotto", 28.0);
        check("it", "venticinque", 25.0);
        check("pt", "vinte cinco", 25.0);
    }

    #[test]
    fn two_numbers_are_not_one() {
        assert_eq!(value_of(&["three", "four"], Language::ENGLISH), None);
        assert_eq!(value_of(&["twelve", "three"], Language::ENGLISH), None);
    }
}

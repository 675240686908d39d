//! Words of names: split at separators and capitals, in lower case, without a plural ending.

use std::collections::HashSet;

use crate::text::words::words;

/// Returns the distinct words of a name, in lower case and without a plural ending.
pub fn name_words(text: &str) -> HashSet<String> {
    word_list(text).into_iter().collect()
}

/// Returns the words in a name in order, in lower case and without a plural ending.
pub fn word_list(text: &str) -> Vec<String> {
    let mut spaced = String::with_capacity(text.len() + 8);
    let mut is_after_lower = false;
    for letter in text.chars() {
        // `eventTheme` is two words.
        if is_after_lower && letter.is_uppercase() {
            spaced.push(' ');
        }
        is_after_lower = letter.is_lowercase();
        spaced.push(if letter.is_alphanumeric() {
            letter
        } else {
            ' '
        });
    }

    spaced
        .to_lowercase()
        .split_whitespace()
        .map(singular)
        .collect()
}

/// Returns a word without a plural ending.
fn singular(word: &str) -> String {
    let stem = match word.strip_suffix("ies") {
        Some(stem) if stem.chars().count() > 2 => return format!("{stem}y"),
        _ => word.strip_suffix('s'),
    };
    stem.filter(|stem| stem.chars().count() > 2 && !stem.ends_with('s'))
        .unwrap_or(word)
        .to_owned()
}

/// Returns whether the name of a field lets its numbers be amounts, which are written with
/// thousands separators, and not years or codes.
pub fn is_amount(field: &str) -> bool {
    const CODES: [&str; 18] = [
        "id",
        "year",
        "years",
        "yr",
        "zip",
        "zipcode",
        "code",
        "number",
        "no",
        "index",
        "lat",
        "lon",
        "lng",
        "latitude",
        "longitude",
        "postcode",
        "phone",
        "key",
    ];

    !words(field)
        .iter()
        .any(|word| CODES.contains(&word.lower.as_str()))
}

//! Identifiers and names in a sentence: each must occur in what the sentence cites or may repeat.

use std::collections::HashSet;
use std::ops::Range;

use serde_json::Value;

use crate::check::failure::Failure;
use crate::check::words::{fold, is_ordinary, occurrences};
use crate::claim::Claim;
use crate::evidence::run::Evidence;
use crate::evidence::source::Source;
use crate::evidence::table::Table;
use crate::evidence::value::plain;

/// Common abbreviations that do not name anything in the data.
const COMMON_CAPITALS: [&str; 14] = [
    "CSV", "JSON", "UTC", "GMT", "USD", "EUR", "GBP", "URL", "HTML", "API", "MCP", "NOT", "AND",
    "ONLY",
];

/// Words that are joined to a number and do not make it a code: *mid-1990*, *top-3*.
const PREFIXES: [&str; 12] = [
    "mid", "pre", "post", "top", "under", "over", "sub", "early", "late", "non", "near", "bottom",
];

/// Words after which the first word of a sentence counts as a name. An ordinary word that is also a
/// value is mostly followed by other words.
const VERBS: [&str; 12] = [
    "has", "had", "have", "is", "was", "are", "were", "leads", "holds", "accounts", "makes", "with",
];

/// Maximum number of words of a name that is looked up among the values of the data.
const NAME_WORDS: usize = 6;

/// Returns the values of the data that are written as names: with a capital letter.
pub(crate) fn names_in(evidence: &Evidence) -> HashSet<String> {
    let mut names = HashSet::new();
    let mut add = |value: &Value| {
        for text in texts(value) {
            let length = text.chars().count();
            if (3..=60).contains(&length)
                && text.starts_with(char::is_uppercase)
                && !is_ordinary(text)
            {
                names.insert(text.to_owned());
            }
        }
    };
    evidence
        .tables
        .iter()
        .flat_map(|table| &table.rows)
        .for_each(|row| add(&row.value));
    evidence
        .sources
        .iter()
        .flat_map(|source| source.fields.for_code().values())
        .for_each(&mut add);

    names
}

/// Returns the strings in a value at any depth.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text.trim()],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(members) => members.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

/// The text that a sentence may take names from: its claims, the context, and what it cites.
pub(crate) struct Material {
    text: String,
    folded: String,
}

impl Material {
    /// Joins the texts of claims, context, sources and tables.
    pub(crate) fn new<'e>(
        claims: &[Claim],
        context: &str,
        sources: impl Iterator<Item = &'e Source>,
        tables: impl Iterator<Item = &'e Table>,
    ) -> Self {
        let mut text = context.to_owned();
        let mut add = |part: &str| {
            text.push('\n');
            text.push_str(part);
        };

        for claim in claims {
            claim.fields().into_iter().for_each(&mut add);
            claim.text().into_iter().for_each(&mut add);
            let spellings = claim.value().map(crate::check::words::spellings);
            spellings.iter().flatten().for_each(|part| add(part));
        }

        for source in sources {
            [
                source.id.as_str(),
                &source.record,
                &source.tool,
                source.title.for_code(),
                source.text.for_code(),
            ]
            .into_iter()
            .for_each(&mut add);
            source.url.iter().for_each(|url| add(url));
            for (field, value) in source.fields.for_code() {
                add(field);
                texts(value).into_iter().for_each(&mut add);
                add(&plain(value));
            }
        }

        for table in tables {
            [&table.id, &table.caption, &table.field]
                .into_iter()
                .for_each(|part| add(part));
            table
                .rows
                .iter()
                .flat_map(|row| crate::check::words::spellings(&row.value))
                .for_each(|part| add(&part));
        }

        let folded = fold(&text);
        Self { text, folded }
    }

    /// Returns whether a name occurs in the text.
    fn holds(&self, name: &str) -> bool {
        !occurrences(&self.text, &self.folded, name, true).is_empty()
    }

    /// Returns whether an address occurs in the text.
    fn holds_address(&self, address: &str) -> bool {
        self.text.to_lowercase().contains(&address.to_lowercase())
    }

    /// Returns whether every word of a passage occurs in the text, except function words.
    fn holds_words(&self, passage: &str) -> bool {
        const JOINING: [&str; 28] = [
            "a", "an", "and", "are", "as", "at", "be", "by", "did", "for", "from", "in", "is",
            "it", "not", "occur", "occurs", "of", "on", "or", "that", "the", "to", "together",
            "was", "were", "with", "had",
        ];
        // `i7-4770` is one word of the text.
        if self.holds(passage) {
            return true;
        }
        let words = passage
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty());
        words
            .filter(|word| !JOINING.contains(&word.to_lowercase().as_str()))
            .all(|word| self.holds(word))
    }
}

/// A name in a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    /// A code, a name of a field or program, or an abbreviation.
    Code(String),
    /// A web address or an e-mail address.
    Address(String),
    /// A passage in quotation marks.
    Passage(String),
    /// A value of the data.
    Value(String),
}

/// Returns the names in a sentence.
pub(crate) fn names(text: &str, values: &HashSet<String>) -> Vec<Name> {
    let mut found: Vec<Name> = passages(text).into_iter().map(Name::Passage).collect();
    let words = words(text);
    let capitals = |word: &Range<usize>| {
        let letters = || text[word.clone()].chars().filter(|c| c.is_alphabetic());
        letters().count() > 1 && letters().all(char::is_uppercase)
    };

    // In a sentence that is mostly in capitals, capitals do not mean abbreviations.
    let shouts =
        words.iter().filter(|word| capitals(word)).count() * 2 > words.len() && words.len() > 3;

    for word in &words {
        let token = &text[word.clone()];
        if is_address(token) {
            found.push(Name::Address(token.to_owned()));
        } else if is_code(token) || (!shouts && capitals(word) && is_abbreviation(token)) {
            found.push(Name::Code(token.to_owned()));
        }
    }

    found.extend(values_named(text, &words, values));
    found
}

/// Checks that every name occurs in the material.
///
/// # Errors
///
/// Returns [`Failure::UnsupportedName`] for the first name that does not.
pub(crate) fn check(names: &[Name], material: &Material) -> Result<(), Failure> {
    let is_held = |name: &&Name| match name {
        Name::Address(address) => material.holds_address(address),
        Name::Passage(passage) => material.holds_words(passage),
        Name::Value(value) => material.holds(value),
        Name::Code(code) => {
            let mut parts = code
                .split(['/', '–'])
                .filter(|part| is_code(part) || is_abbreviation(part));
            material.holds(code)
                || (code.contains(['/', '–']) && parts.all(|part| material.holds(part)))
        }
    };

    match names.iter().find(|name| !is_held(name)) {
        Some(Name::Code(name) | Name::Address(name) | Name::Passage(name) | Name::Value(name)) => {
            Err(Failure::UnsupportedName { name: name.clone() })
        }
        None => Ok(()),
    }
}

/// Returns the passages in quotation marks or back-ticks.
fn passages(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;

    while let Some((at, open)) = rest
        .char_indices()
        .find(|(_, c)| matches!(c, '“' | '„' | '«' | '"' | '`'))
    {
        let close: &[char] = match open {
            '“' => &['”'],
            '„' => &['“', '”'],
            '«' => &['»'],
            '`' => &['`'],
            _ => &['"'],
        };
        rest = &rest[at + open.len_utf8()..];
        // Without a closing mark it is a sign for inches, or a mistake.
        let Some(end) = rest.find(close) else {
            continue;
        };
        if rest[..end].chars().any(char::is_alphanumeric) {
            found.push(rest[..end].to_owned());
        }
        rest = rest[end..]
            .chars()
            .next()
            .map_or("", |closing| &rest[end + closing.len_utf8()..]);
    }

    found
}

/// Returns the positions of words, without the punctuation around them.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;

    for part in text.split(char::is_whitespace) {
        let inner = part.trim_matches(|c: char| !c.is_alphanumeric());
        let inner = inner
            .strip_suffix("'s")
            .or_else(|| inner.strip_suffix("’s"))
            .unwrap_or(inner);
        if !inner.is_empty() {
            let start = from + part.find(inner).unwrap_or(0);
            found.push(start..start + inner.len());
        }
        from += part.len()
            + text[from + part.len()..]
                .chars()
                .next()
                .map_or(0, char::len_utf8);
    }

    found
}

fn is_address(token: &str) -> bool {
    let mailbox = token.split_once('@').is_some_and(|(name, host)| {
        name.ends_with(char::is_alphanumeric)
            && host.starts_with(char::is_alphanumeric)
            && host.contains('.')
    });
    token.contains("://") || token.to_lowercase().starts_with("www.") || mailbox
}

/// Returns whether a word has the form of a code: letters and digits in one word, a name with
/// underscores or dots in it, or a capital after a lower-case letter.
fn is_code(token: &str) -> bool {
    let has_digit = token.contains(|c: char| c.is_ascii_digit());
    let has_letter = token.contains(char::is_alphabetic);

    if has_digit && has_letter && !is_number_with_words(token) {
        return true;
    }

    let letters = |part: &str| {
        part.chars().count() > 1 && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    let parts: Vec<&str> = token.split('.').collect();
    let sloppy = parts.windows(2).any(|pair| {
        pair[0].ends_with(char::is_lowercase) && pair[1].starts_with(char::is_uppercase)
    });
    let is_path =
        parts.len() > 1 && has_letter && !sloppy && parts.iter().all(|part| letters(part));
    let is_snake = token.split('_').filter(|part| !part.is_empty()).count() > 1;
    let mut pairs = token.chars().zip(token.chars().skip(1));
    let is_camel = token.chars().count() > 3
        && token.chars().all(char::is_alphanumeric)
        && pairs.any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    has_letter && (is_path || is_snake || is_camel)
}

/// Returns whether a word is a number with a unit, an ending or another word joined to it: *120kt*,
/// *1990s*, *12-month*, *mid-1990s*.
fn is_number_with_words(token: &str) -> bool {
    let is_number = |c: char| c.is_numeric() || matches!(c, '.' | ',' | '-' | '–' | '%' | '/');
    let words: Vec<&str> = token
        .split(is_number)
        .filter(|part| !part.is_empty())
        .collect();
    let lower = words
        .iter()
        .all(|word| word.chars().all(|c| c.is_lowercase()));
    if token.starts_with(|c: char| c.is_ascii_digit()) {
        return lower
            || words
                .iter()
                .all(|word| word.chars().count() < 3 && !token.contains('-'));
    }
    lower && words.first().is_some_and(|word| PREFIXES.contains(word))
}

/// Returns whether a word is an abbreviation of three letters or more, common ones and Roman
/// numerals excluded.
fn is_abbreviation(token: &str) -> bool {
    let letters = token.chars().filter(|c| c.is_alphabetic()).count();
    let is_roman = token.chars().all(|c| "IVXLCDM".contains(c));
    letters >= 3
        && token.chars().all(|c| c.is_uppercase() || "&-".contains(c))
        && !is_roman
        && !COMMON_CAPITALS.contains(&token)
}

/// Returns the values of the data in a string, the longest ones at each position.
fn values_named(text: &str, words: &[Range<usize>], values: &HashSet<String>) -> Vec<Name> {
    let mut found = Vec::new();
    let mut at = 0;

    while let Some(first) = words.get(at) {
        let starts = text[first.clone()].starts_with(char::is_uppercase);
        let lengths = (1..=NAME_WORDS.min(words.len() - at)).rev();
        let name = lengths.filter(|_| starts).find_map(|length| {
            let name = &text[first.start..words[at + length - 1].end];
            values.contains(name).then_some((length, name))
        });
        let Some((length, name)) = name else {
            at += 1;
            continue;
        };

        // At the beginning of a sentence every word has a capital.
        let before = text[..first.start].trim_end();
        let is_first = before.is_empty() || before.ends_with(['.', '!', '?', ':']);
        let next = words.get(at + length).map(|word| &text[word.clone()]);
        if length > 1 || !is_first || next.is_some_and(|next| VERBS.contains(&next)) {
            found.push(Name::Value(name.to_owned()));
        }
        at += length;
    }

    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<Name> {
        names(
            text,
            &HashSet::from([
                "Texas".to_owned(),
                "Day".to_owned(),
                "Rock pigeon".to_owned(),
            ]),
        )
    }

    fn codes(text: &str) -> Vec<String> {
        let code = |name| match name {
            Name::Code(code) => Some(code),
            _ => None,
        };
        of(text).into_iter().filter_map(code).collect()
    }

    #[test]
    fn codes_and_names_of_fields_are_identifiers() {
        assert_eq!(
            codes("A B-737-300 at KJFK, see ev-12 (A2)."),
            ["B-737-300", "KJFK", "ev-12", "A2"]
        );
        assert_eq!(
            codes("By event_theme, eventTheme and place.country"),
            ["event_theme", "eventTheme", "place.country"]
        );
    }

    #[test]
    fn numbers_with_units_and_words_are_none() {
        let text = "In the mid-1990s, 12-month and 120kt, the 3rd and 2nd, 5x, e.g. 3.5% a.m., \
                    top-3, 1990-01-02, 60.0 %.";
        assert_eq!(codes(text), Vec::<String>::new());
        assert_eq!(
            codes("ALL STRIKES WERE SMALL AND SO ON"),
            Vec::<String>::new()
        );
    }

    #[test]
    fn passages_addresses_and_values_are_names() {
        assert_eq!(
            of("He saw “two gulls” and `x y`."),
            [
                Name::Passage("two gulls".into()),
                Name::Passage("x y".into())
            ]
        );
        assert_eq!(
            of("Ask a@b.org or https://x.org/a."),
            [
                Name::Address("a@b.org".into()),
                Name::Address("https://x.org/a".into())
            ]
        );
        assert_eq!(
            of("Day by day, the Rock pigeon of Texas"),
            [
                Name::Value("Rock pigeon".into()),
                Name::Value("Texas".into())
            ]
        );

        assert_eq!(of("Texas has most."), [Name::Value("Texas".into())]);
    }
}

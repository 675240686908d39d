//! The names and numbers of a sentence.

use std::collections::BTreeSet;

/// A name or a number in a sentence.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mention {
    /// Code in backticks, as a whole.
    Code(String),
    /// An identifier, or a word with a capital that does not begin the sentence.
    Name(String),
    /// A number.
    Number(String),
}

impl Mention {
    /// Returns the text.
    pub fn text(&self) -> &str {
        match self {
            Self::Code(text) | Self::Name(text) | Self::Number(text) => text,
        }
    }

    /// Returns whether lines contain it: a name as a whole word in any case, a number as a whole
    /// number, code with any white space.
    pub fn is_in(&self, lines: &str) -> bool {
        match self {
            Self::Code(code) => squeeze(lines).contains(&squeeze(code)),
            Self::Name(name) => is_word_in(&name.to_lowercase(), &lines.to_lowercase()),
            Self::Number(number) => {
                let plain = number.replace([',', '_'], "");
                is_word_in(&plain, &lines.replace('_', "").replace(',', " "))
                    || is_word_in(number, lines)
            }
        }
    }
}

fn squeeze(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Returns whether text contains a word that no letter or digit continues.
fn is_word_in(word: &str, text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find(word)) {
        let (start, end) = (from + at, from + at + word.len());
        let before = text[..start].chars().next_back();
        let after = text[end..].chars().next();
        let opens = word.chars().next().is_none_or(|c| !is_part(c)) || !before.is_some_and(is_part);
        let closes =
            word.chars().next_back().is_none_or(|c| !is_part(c)) || !after.is_some_and(is_part);
        if opens && closes {
            return true;
        }
        from = start + text[start..].chars().next().map_or(1, char::len_utf8);
    }
    false
}

/// Returns the names and numbers of a sentence.
pub fn mentions(sentence: &str) -> BTreeSet<Mention> {
    let mut found = BTreeSet::new();
    let parts: Vec<&str> = sentence.split('`').collect();
    let closed = parts.len() - usize::from(parts.len().is_multiple_of(2));
    let mut is_first = true;

    for (at, part) in parts.iter().enumerate() {
        if at % 2 == 1 && at < closed {
            let code = part.trim();
            if !code.is_empty() {
                found.insert(Mention::Code(code.to_owned()));
            }
            is_first = false;
            continue;
        }
        for word in part.split_whitespace() {
            found.extend(of_word(word, is_first));
            is_first = false;
        }
    }
    found
}

/// Words with a capital that are not names.
const COMMON: &[&str] = &[
    "I", "A", "An", "The", "It", "Its", "This", "That", "These", "In", "On", "If", "Not", "No",
    "None", "One", "Two", "Three", "And", "Or", "But", "JSON", "HTTP", "API", "URL", "UTF-8",
];

fn of_word(word: &str, is_first: bool) -> Vec<Mention> {
    let trimmed = word.trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-')));
    if trimmed.is_empty() {
        return Vec::new();
    }
    let lower = trimmed.to_lowercase();
    if lower.contains("://") {
        return vec![Mention::Code(trimmed.to_owned())];
    }

    // Numbers, with signs and points in them.
    let is_number = trimmed.chars().any(|c| c.is_ascii_digit())
        && trimmed
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '_' | '-' | '%' | '…'));
    if is_number {
        let numbers = trimmed.split(['-', '…', '%']);
        return numbers
            .filter(|number| number.chars().any(|c| c.is_ascii_digit()))
            .map(|number| Mention::Number(number.trim_matches(['.', ',']).to_owned()))
            .collect();
    }

    let has_inner_capital = trimmed.chars().skip(1).any(char::is_uppercase);
    let is_identifier = trimmed.contains('_')
        || trimmed.contains("::")
        || has_inner_capital
        || trimmed.chars().any(|c| c.is_ascii_digit())
        || trimmed
            .split('.')
            .filter(|part| part.len() > 1 && part.chars().all(char::is_alphanumeric))
            .count()
            > 1
        || word.trim_end_matches(['.', ',', ';', ':']).ends_with("()");
    let is_name = !is_first && trimmed.chars().next().is_some_and(char::is_uppercase);
    if (is_identifier || is_name) && !COMMON.contains(&trimmed) {
        return vec![Mention::Name(trimmed.to_owned())];
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_found_and_prose_is_not() {
        let found = mentions("The method `run_all(x)` of HttpClient retries 3 times, up to 2.5 s.");
        let texts: Vec<&str> = found.iter().map(Mention::text).collect();
        assert_eq!(texts, ["run_all(x)", "HttpClient", "2.5", "3"]);
        assert!(mentions("It is called by nothing else.").is_empty());
    }

    #[test]
    fn only_whole_words_and_numbers_count() {
        let name = |text: &str| Mention::Name(text.to_owned());
        let number = |text: &str| Mention::Number(text.to_owned());
        assert!(name("run").is_in("fn run() {}") && !name("run").is_in("fn rerun() {}"));
        assert!(number("3").is_in("retries = 3;") && !number("3").is_in("retries = 30;"));
        assert!(number("10,000").is_in("limit = 10_000"));
        assert!(Mention::Code("a  (b)".to_owned()).is_in("x = a(b)"));
    }
}

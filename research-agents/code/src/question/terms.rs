//! The names in a question.

use serde::{Deserialize, Serialize};

/// A name in a question, as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Term {
    /// The last part of the name, without arguments.
    pub name: String,
    /// The parts before it: `Foo` of `Foo::bar`.
    pub qualifiers: Vec<String>,
    /// Whether it names a file.
    pub is_file: bool,
    /// Whether it is quoted or has the form of an identifier. Otherwise, it is a plain word.
    pub is_certain: bool,
}

impl Term {
    /// Reads a name. `None` if it has none.
    pub fn parse(text: &str, is_certain: bool) -> Option<Self> {
        let text = text.trim().trim_end_matches(['?', ',', ';', '!']);
        let text = text.split_once('(').map_or(text, |(name, _)| name);
        let text = text.trim().trim_start_matches(['@', '&', '*']);
        if is_file(text) {
            return Some(Self {
                name: text.trim_start_matches("./").to_owned(),
                qualifiers: Vec::new(),
                is_file: true,
                is_certain,
            });
        }

        let text = text.split_once('<').map_or(text, |(name, _)| name);
        let text = text.trim_end_matches(['.', ':', '!']);
        let is_dashed = text.contains('-') && !text.contains("->");
        let text = text.replace("->", ".").replace("::", ".").replace('#', ".");
        let mut parts: Vec<String> = match is_dashed || text.contains(' ') {
            true => vec![text],
            false => text.split('.').map(str::to_owned).collect(),
        };
        parts.retain(|part| !part.is_empty());
        let name = parts.pop()?;
        Some(Self {
            name,
            qualifiers: parts,
            is_file: false,
            is_certain,
        })
    }

    /// Returns the name with its qualifiers, joined by `.`.
    pub fn full(&self) -> String {
        let mut parts = self.qualifiers.clone();
        parts.push(self.name.clone());
        parts.join(".")
    }
}

/// Extensions of files that a question may name.
const EXTENSIONS: &[&str] = &[
    "rs", "py", "pyi", "ts", "tsx", "js", "jsx", "mjs", "cjs", "go", "java", "c", "h", "cc", "cpp",
    "hpp", "cs", "rb", "php", "md", "rst", "toml", "json", "yaml", "yml", "txt", "cfg", "ini",
];

/// Returns whether a word is a path or the name of a file.
fn is_file(text: &str) -> bool {
    if text.contains([' ', ':']) {
        return false;
    }
    let extension = text.rsplit_once('.').map(|(_, extension)| extension);
    let is_known = extension.is_some_and(|extension| EXTENSIONS.contains(&extension));
    let is_path = text.contains('/') && !text.starts_with('/');
    is_path || is_known && !text.starts_with('.')
}

/// Splits a question into its names and the text without them, in lower case, with `_` in the
/// place of each name.
pub(crate) fn split(question: &str) -> (Vec<Term>, String) {
    let mut terms: Vec<Term> = Vec::new();
    let mut rest = String::new();
    let mut text = question;
    let mut note = |term: Option<Term>, rest: &mut String| {
        if let Some(term) = term {
            if !terms.contains(&term) {
                terms.push(term);
            }
            rest.push_str(" _ ");
        }
    };

    while let Some((before, quote, inside, after)) = next_quoted(text) {
        words(before, &mut note, &mut rest);
        let is_code = quote == '`' || !inside.contains(' ');
        if is_code {
            note(Term::parse(inside, true), &mut rest);
        } else {
            words(inside, &mut note, &mut rest);
        }
        text = after;
    }
    words(text, &mut note, &mut rest);
    (terms, rest.to_lowercase())
}

/// Returns the quoted texts of several words in a question. What is in back-ticks is code, unless
/// it has as many words as a sentence.
pub(crate) fn quotes(question: &str) -> Vec<String> {
    let plain = question
        .replace(['“', '”', '„'], "\"")
        .replace(['‘', '’'], "'");
    let mut text = plain.as_str();
    let mut found = Vec::new();
    while let Some((_, quote, inside, after)) = next_quoted(text) {
        let words = inside.split_whitespace().count();
        let is_sentence = words > 3 && !inside.contains(['(', '=', ';']);
        if words > 1 && (quote != '`' || is_sentence) {
            found.push(inside.trim().to_owned());
        }
        text = after;
    }
    found
}

/// Returns the next quoted part with what is before and after it.
fn next_quoted(text: &str) -> Option<(&str, char, &str, &str)> {
    for (at, quote) in text.char_indices() {
        if !matches!(quote, '`' | '"' | '\'') {
            continue;
        }
        // An apostrophe within a word is not a quote.
        let before = text[..at].chars().next_back();

        if quote == '\'' && before.is_some_and(char::is_alphanumeric) {
            continue;
        }
        let inside = &text[at + 1..];
        let Some(end) = inside.find(quote).filter(|end| *end > 0) else {
            continue;
        };
        let after = &inside[end + 1..];
        if quote == '\'' && after.starts_with(char::is_alphanumeric) {
            continue;
        }
        return Some((&text[..at], quote, &inside[..end], after));
    }
    None
}

fn words(text: &str, note: &mut impl FnMut(Option<Term>, &mut String), rest: &mut String) {
    for word in text.split_whitespace() {
        let bare = word.trim_matches(['?', ',', ';', '!', '(', ')', '"', '\'', ':', '.']);
        let called = word.trim_end_matches(['?', ',', ';', '.', '!', ':']);
        if has_form_of_name(bare) || has_arguments(called) {
            note(Term::parse(called, true), rest);
        } else {
            rest.push(' ');
            rest.push_str(word);
        }
    }
}

/// Returns whether a word is a name with arguments: `run()`, `get(key)`.
fn has_arguments(word: &str) -> bool {
    let is_name = |name: &str| {
        name.len() > 1
            && name.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '.'))
    };
    let name = word.split_once('(').map(|(name, _)| name);
    word.ends_with(')') && name.is_some_and(is_name)
}

/// Returns whether a word has the form of an identifier and is not a plain word.
fn has_form_of_name(word: &str) -> bool {
    const NOT_NAMES: &[&str] = &["e.g", "i.e", "etc", "vs.", "and/or"];
    if word.len() < 2 || NOT_NAMES.contains(&word) {
        return false;
    }
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '.' | '/' | '$' | '-');
    if !word.chars().all(is_name)
        || !word.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$')
    {
        return false;
    }
    let is_versioned = word
        .trim_start_matches('v')
        .starts_with(|c: char| c.is_ascii_digit());
    if is_versioned {
        return false;
    }

    let has_lower = word.contains(|c: char| c.is_lowercase());
    let inner_upper = word.char_indices().skip(1).any(|(at, c)| {
        c.is_uppercase()
            && word[..at]
                .chars()
                .next_back()
                .is_some_and(char::is_lowercase)
    });
    let leading_upper = word.chars().take_while(|c| c.is_uppercase()).count() >= 2 && has_lower;
    let is_constant = !has_lower
        && word.len() >= 5
        && word.chars().all(|c| c.is_uppercase() || c.is_ascii_digit());
    word.contains('_')
        || word.contains("::")
        || inner_upper
        || leading_upper
        || is_constant
        || is_file(word)
        || word.contains('.') && !word.contains('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_every_form() {
        let names = |question: &str| {
            let (terms, _) = split(question);
            terms.iter().map(Term::full).collect::<Vec<_>>()
        };
        assert_eq!(names("Where is `Foo::bar()` defined?"), ["Foo.bar"]);
        assert_eq!(names("who calls resolve_path?"), ["resolve_path"]);
        assert_eq!(names("Which types implement DataSource?"), ["DataSource"]);
        assert_eq!(names("What is the default of 'max_depth'?"), ["max_depth"]);
        assert_eq!(names("How does a.b get to run()?"), ["a.b", "run"]);
        assert_eq!(names("What is in src/main.rs?"), ["src/main.rs"]);
        assert_eq!(
            names("Where is MAX_FILE set, e.g. here, in version 1.2?"),
            ["MAX_FILE"]
        );
        assert!(names("It's the user's default. What isn't?").is_empty());
    }

    #[test]
    fn names_are_not_cues() {
        let (_, rest) = split("Who calls `default_value`?");
        assert_eq!(
            rest.split_whitespace().collect::<Vec<_>>(),
            ["who", "calls", "_", "?"]
        );
    }
}

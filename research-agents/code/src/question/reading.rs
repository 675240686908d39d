//! A question as it is read.

use serde::{Deserialize, Serialize};

use crate::question::class::QuestionClass;
use crate::question::common::COMMON;
use crate::question::definite::{definite, is_bare_path};
use crate::question::terms::{Term, quotes, split};

/// A question as it is read: its class, and the names in it.
///
/// ```
/// use research_agents_code::question::{QuestionClass, Reading};
///
/// let reading = Reading::new("Who calls `CodeRoot::open`?");
/// assert_eq!(reading.class, QuestionClass::Callers);
/// assert_eq!(reading.terms[0].full(), "CodeRoot.open");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// The class by its cue words.
    pub class: QuestionClass,
    /// Quoted names and words that have the form of a name, in order.
    pub terms: Vec<Term>,
    /// Other words in lower case that may be parts of a name, in order.
    pub words: Vec<String>,
    /// Plain words that may be names as they are written: with a capital, or in parentheses.
    pub hints: Vec<String>,
    /// A plain word in a position where only a name can be: `Foo` of `who calls Foo?`.
    pub definite: Option<String>,
    /// The question in lower case, with `_` in the place of each name.
    pub text: String,
    /// Quoted texts of several words, such as messages, in order.
    pub quotes: Vec<String>,
    /// A version in the question.
    pub version: Option<String>,
}

impl Reading {
    /// Reads a question.
    pub fn new(question: &str) -> Self {
        let (terms, text) = split(question);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let has_only_files = !terms.is_empty() && terms.iter().all(|term| term.is_file);
        let class = match QuestionClass::from_cues(&text) {
            QuestionClass::Definition | QuestionClass::Raises | QuestionClass::Other
                if has_only_files && lists(&text) =>
            {
                QuestionClass::List
            }
            QuestionClass::Other if is_bare_path(&text) => QuestionClass::Path,
            QuestionClass::Other if text.starts_with("_ of the ") => QuestionClass::Value,
            class => class,
        };
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        let words = text
            .split(|c| !is_part(c))
            .filter(|word| word.len() > 1 && !COMMON.contains(word))
            .map(str::to_owned)
            .collect();

        Self {
            class,
            terms,
            words,
            hints: hints(question),
            quotes: quotes(question),
            definite: definite(question),
            version: version(&text),
            text,
        }
    }
}

/// Returns whether a question names a kind of symbols that a file has.
fn lists(text: &str) -> bool {
    let nouns = [
        "classes",
        "functions",
        "methods",
        "constants",
        "types",
        "structs",
        "declared",
    ];
    nouns.iter().any(|noun| text.contains(noun)) || text.contains("what is in")
}

/// Returns words with a capital after the first letter of the question, and those in parentheses.
fn hints(question: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, word) in question.split_whitespace().enumerate() {
        let is_enclosed = word.starts_with('(') && word.contains(')');
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
        let is_capital = at > 0 && bare.starts_with(char::is_uppercase);
        let is_name = bare.len() > 2 && bare.chars().all(|c| c.is_alphanumeric() || c == '_');
        let is_common = COMMON.contains(&bare.to_lowercase().as_str());
        if (is_enclosed || is_capital) && is_name && !is_common {
            found.push(bare.to_owned());
        }
    }
    found
}

/// Returns the first word that is a version: digits with dots, or after `version`.
fn version(text: &str) -> Option<String> {
    let mut before = "";
    for word in text.split_whitespace() {
        let bare = word
            .trim_matches(|c: char| !c.is_alphanumeric() && c != '.')
            .trim_matches('.');
        let number = bare.strip_prefix('v').unwrap_or(bare);
        let is_numeric = number.starts_with(|c: char| c.is_ascii_digit())
            && number
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '.' | '-'));

        if is_numeric
            && (number.contains('.')
                || matches!(before, "version" | "release" | "v" | "in" | "since"))
        {
            return Some(number.to_owned());
        }
        before = bare;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_class_follows_the_cues() {
        use QuestionClass as Class;

        for (question, class) in [
            ("Where is `Foo` defined?", Class::Definition),
            ("Where is `Foo`?", Class::Definition),
            ("Who calls `foo`?", Class::Callers),
            ("How many times is `foo` called?", Class::Callers),
            ("What does `foo` call?", Class::Callees),
            ("Where is `foo` used?", Class::Uses),
            ("Which types implement `Foo`?", Class::Implementors),
            ("Which classes inherit from `Foo`?", Class::Implementors),
            ("What does `foo` return?", Class::Returns),
            ("Which exceptions does `foo` raise?", Class::Raises),
            ("When does `foo` panic?", Class::Raises),
            ("What is the default of `foo`?", Class::Value),
            ("What is the value of `FOO`?", Class::Value),
            (
                "Where is the config key `a.b` read and set?",
                Class::ConfigKey,
            ),
            ("What changed in 1.2 about `foo`?", Class::Change),
            ("How does `a` get to `b`?", Class::Path),
            ("List all methods of `Foo`", Class::List),
            ("What is the outline of `a.rs`?", Class::Structure),
            ("Why does `foo` exist?", Class::Other),
            ("Explain the design.", Class::Other),
        ] {
            assert_eq!(Reading::new(question).class, class, "{question}");
        }
    }

    #[test]
    fn versions_are_found() {
        let version = |question: &str| Reading::new(question).version;
        assert_eq!(version("What changed in 1.2.3?").as_deref(), Some("1.2.3"));
        assert_eq!(version("What changed in version 2?").as_deref(), Some("2"));
        assert_eq!(
            version("What changed in v0.4 about x?").as_deref(),
            Some("0.4")
        );
        assert_eq!(version("What is the default?"), None);
    }
}

//! Plain words in positions where only a name can be.

use crate::question::common::COMMON;

/// Words before a name.
const BEFORE: &[&[&str]] = &[
    &["where", "is"],
    &["who", "calls"],
    &["what", "calls"],
    &["who", "uses"],
    &["callers", "of"],
    &["calls", "to"],
    &["calls", "of"],
    &["uses", "of"],
    &["usages", "of"],
    &["references", "to"],
    &["definition", "of"],
    &["implementations", "of"],
    &["implementors", "of"],
    &["subclasses", "of"],
    &["implement"],
    &["implements"],
    &["extend"],
    &["extends"],
    &["inherit", "from"],
    &["inherits", "from"],
    &["derive", "from"],
    &["derived", "from"],
    &["does"],
];

/// Words after a name.
const AFTER: &[&str] = &[
    "defined",
    "declared",
    "implemented",
    "located",
    "used",
    "called",
    "referenced",
    "imported",
    "in",
    "under",
    "within",
    "here",
    "and",
    "return",
    "raise",
    "throw",
    "call",
    "panic",
    "directly",
];

/// Returns the first plain word in a position where only a name can be: after words such as
/// `who calls`, and at the end or before words such as `defined`.
pub(crate) fn definite(question: &str) -> Option<String> {
    let written: Vec<&str> = question.split_whitespace().collect();
    let words: Vec<&str> = written.iter().map(|word| bare(word)).collect();
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();

    words.iter().enumerate().find_map(|(at, word)| {
        let is_after = BEFORE.iter().any(|cue| {
            let start = at.checked_sub(cue.len());
            start.is_some_and(|start| lower[start..at].iter().eq(cue.iter()))
        });
        let is_closed = match lower.get(at + 1) {
            None => true,
            Some(next) => written[at].ends_with([',', '?']) || AFTER.contains(&next.as_str()),
        };
        let is_capital = word.starts_with(char::is_uppercase);
        let is_name = word.len() > 2
            && word.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && word.chars().all(|c| c.is_alphanumeric() || c == '_');
        let is_plain = !is_capital && COMMON.contains(word);
        (is_after && is_closed && is_name && !is_plain).then(|| (*word).to_owned())
    })
}

/// Returns whether a question is nothing but two names: `a to b`, `from a to b`.
pub(crate) fn is_bare_path(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().map(bare).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    match words.as_slice() {
        ["from", _, "to", _] => true,
        [from, "to", to] => *from == "_" || *to == "_",
        _ => false,
    }
}

/// Returns a word without the punctuation around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_' && c != '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_after_a_cue_is_a_name() {
        for (question, name) in [
            ("where is Frobnicator defined", Some("Frobnicator")),
            ("Who calls Frobnicate?", Some("Frobnicate")),
            ("who calls frobnicate", Some("frobnicate")),
            ("subclasses of Parameter in core.py", Some("Parameter")),
            ("where is the parser defined?", None),
            ("where is parsing of numbers done?", None),
            ("who calls it?", None),
        ] {
            assert_eq!(definite(question).as_deref(), name, "{question}");
        }
    }

    #[test]
    fn two_names_are_a_path() {
        assert!(is_bare_path("_ to _ ?"));
        assert!(is_bare_path("from run to _"));
        assert!(!is_bare_path("welcome to python"));
    }
}

//! Word lists, written as one string.

/// Returns whether a list contains a word.
pub(crate) fn among(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|listed| listed == word)
}

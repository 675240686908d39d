//! Finds words that have the shape of a provider's key.

use std::ops::Range;

/// Prefixes of the keys that providers issue. A word that starts with one is taken for a key.
const PREFIXES: &[&str] = &[
    "sk-", "sk_", "gsk_", "xai-", "pplx-", "hf_", "r8_", "AIza", "key-", "nvapi-",
];

/// The least length of a key after its prefix, in bytes. Anything shorter is taken for a word.
const MIN_TAIL: usize = 12;

/// Returns the byte ranges of the words in `text` that have the shape of a key, in order.
///
/// ```
/// let text = "Incorrect API key provided: sk-ab12****wxyz.";
/// let keys = research_key_shapes::key_shapes(text);
/// assert_eq!(keys.iter().map(|at| &text[at.clone()]).collect::<Vec<_>>(), ["sk-ab12****wxyz"]);
/// assert!(research_key_shapes::key_shapes("sk-learn and risk-free task-1").is_empty());
/// ```
pub fn key_shapes(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if !PREFIXES.iter().any(|prefix| text.contains(prefix)) {
        return found;
    }

    let mut start = 0;
    while let Some(rest) = text.get(start..).filter(|rest| !rest.is_empty()) {
        let word = rest.find(|c| !is_key_character(c)).unwrap_or(rest.len());
        if is_key(&rest[..word]) {
            found.push(start..start + word);
        }
        start += word + rest[word..].chars().next().map_or(0, char::len_utf8);
    }
    found
}

fn is_key(word: &str) -> bool {
    PREFIXES.iter().any(|prefix| {
        let tail = word.strip_prefix(prefix);
        // Providers echo a refused key with its middle blotted out; its ends are not shown either.
        tail.is_some_and(|tail| tail.len() >= MIN_TAIL || tail.contains('*'))
    })
}

fn is_key_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '*')
}

//! Keys of providers in text from outside. No report shows one.

use std::ops::Range;

use research_key_shapes::key_shapes;

/// Minimum length of a key. In data, shorter words of the same shape are names.
const SHORTEST: usize = 20;

/// Returns the byte ranges of words in the shape of a key, in order. A word without a digit is a
/// name.
pub(crate) fn keys(text: &str) -> Vec<Range<usize>> {
    let is_key =
        |word: &str| word.len() >= SHORTEST && word.bytes().any(|byte| byte.is_ascii_digit());
    key_shapes(text)
        .into_iter()
        .filter(|at| text.get(at.clone()).is_some_and(is_key))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_a_length_and_a_digit() {
        let found = |text: &str| keys(text).len();
        assert_eq!(
            found("key sk-proj-0123456789abcdefghij, and gsk_0123456789abcdefghij"),
            2
        );
        assert_eq!(
            found("key-performance-indicators of sk-learn; key-2024-000123"),
            0
        );
    }
}

//! Keys of providers in text of others: no report shows one.

use std::ops::Range;

use research_llm::key_shapes;

/// Characters that a key has at least. In data, shorter words of its shape are names.
const SHORTEST: usize = 20;

/// Where words in the shape of a key stand in a text: ranges of bytes, in order. A word without a digit is a name.
pub(crate) fn keys(text: &str) -> Vec<Range<usize>> {
    let is_key = |word: &str| word.len() >= SHORTEST && word.bytes().any(|byte| byte.is_ascii_digit());
    key_shapes(text).into_iter().filter(|at| text.get(at.clone()).is_some_and(is_key)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_a_length_and_a_digit() {
        let found = |text: &str| keys(text).len();
        assert_eq!(found("key sk-proj-0123456789abcdefghij, and gsk_0123456789abcdefghij"), 2);
        assert_eq!(found("key-performance-indicators of sk-learn; key-2024-000123"), 0);
    }
}

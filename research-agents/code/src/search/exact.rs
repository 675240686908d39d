//! Exact search in the bytes of a file, by the engine of ripgrep and without a syntax tree.

use std::ops::Range;

use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};

use crate::error::CodeError;

/// Maximum length of a pattern in bytes.
const MAX_PATTERN: usize = 1_000;

/// Maximum size of a compiled pattern in bytes.
const MAX_COMPILED: usize = 4 << 20;

/// A name that is searched for as a whole word: what is before and after it is not a letter, digit
/// or `_`, nor a byte that is not UTF-8, as in ripgrep.
#[derive(Clone, Debug)]
pub struct Word {
    name: String,
    matcher: RegexMatcher,
}

/// A regular expression that is searched for line by line.
#[derive(Clone, Debug)]
pub struct Pattern {
    matcher: RegexMatcher,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Bytes of the match.
    pub span: Range<usize>,
}

impl Word {
    /// Creates the search for a name.
    ///
    /// # Errors
    ///
    /// [`CodeError::Pattern`] when the name is empty, has more than 1,000 bytes, or contains a line
    /// end.
    pub fn new(name: &str) -> Result<Self, CodeError> {
        let refuse = |reason: &str| CodeError::Pattern {
            pattern: name.chars().take(100).collect(),
            reason: reason.to_owned(),
        };
        if name.trim().is_empty() {
            return Err(refuse("it is empty"));
        }
        if name.len() > MAX_PATTERN {
            return Err(refuse("it is longer than 1,000 bytes"));
        }
        if name.contains(['\n', '\r', '\0']) {
            return Err(refuse("it contains a line end or NUL"));
        }

        let matcher = RegexMatcherBuilder::new()
            .fixed_strings(true)
            .word(true)
            .unicode(true)
            .size_limit(MAX_COMPILED)
            .build(name)
            .map_err(|error| refuse(&error.to_string()))?;
        Ok(Self {
            name: name.to_owned(),
            matcher,
        })
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns all occurrences in the bytes of a file, in order.
    pub fn occurrences(&self, bytes: &[u8]) -> Vec<Hit> {
        matches(&self.matcher, bytes)
    }
}

impl Pattern {
    /// Compiles a regular expression. `.` matches no line end.
    ///
    /// # Errors
    ///
    /// [`CodeError::Pattern`] when it is not valid, has more than 1,000 bytes, or becomes too
    /// large.
    pub fn new(pattern: &str) -> Result<Self, CodeError> {
        let refuse = |reason: String| CodeError::Pattern {
            pattern: pattern.chars().take(100).collect(),
            reason,
        };
        if pattern.is_empty() || pattern.len() > MAX_PATTERN {
            return Err(refuse("it must have 1 to 1,000 bytes".to_owned()));
        }
        let matcher = RegexMatcherBuilder::new()
            .multi_line(true)
            .unicode(true)
            .size_limit(MAX_COMPILED)
            .dfa_size_limit(MAX_COMPILED)
            .build(pattern)
            .map_err(|error| refuse(error.to_string()))?;
        Ok(Self { matcher })
    }

    /// Returns all matches in the bytes of a file, in order. Empty matches are left out.
    pub fn matches(&self, bytes: &[u8]) -> Vec<Hit> {
        matches(&self.matcher, bytes)
    }
}

fn matches(matcher: &RegexMatcher, bytes: &[u8]) -> Vec<Hit> {
    let mut hits = Vec::new();
    // The matcher of regular expressions has no errors.
    let found = matcher.find_iter(bytes, |hit| {
        if !hit.is_empty() {
            hits.push(Hit {
                span: hit.start()..hit.end(),
            });
        }
        true
    });
    debug_assert!(found.is_ok());
    hits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, text: &str) -> Vec<usize> {
        let word = Word::new(name).unwrap();
        let hits = word.occurrences(text.as_bytes()).into_iter();
        hits.map(|hit| hit.span.start).collect()
    }

    #[test]
    fn only_whole_words_are_found() {
        assert_eq!(found("run", "run rerun run_ run2 .run() run"), [0, 21, 27]);
        assert_eq!(found("a.b", "a.b axb a.bc"), [0]);
        assert_eq!(found("x", "x x\nx"), [0, 2, 4]);
        assert_eq!(found("größe", "größe Übergröße"), [0]);
    }

    #[test]
    fn bytes_that_are_no_text_hide_a_name_only_directly_beside_it() {
        let word = Word::new("run").unwrap();
        assert_eq!(
            word.occurrences(b"\xFF\xFErun\xFF run\xFF\n\xFF run ")
                .len(),
            1
        );
        assert_eq!(word.occurrences(b"\xFF (run) \xFF").len(), 1);
    }

    #[test]
    fn names_and_patterns_have_bounds() {
        assert!(Word::new(" ").is_err() && Word::new("a\nb").is_err());
        assert!(Word::new(&"a".repeat(1_001)).is_err());
        assert!(Pattern::new("(").is_err() && Pattern::new("a{1000}{1000}").is_err());
        assert_eq!(Pattern::new("b*").unwrap().matches(b"abba").len(), 1);
    }
}

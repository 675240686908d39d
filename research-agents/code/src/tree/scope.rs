//! Limits a search to a part of a code base.

use globset::{GlobBuilder, GlobMatcher};

use crate::error::CodeError;
use crate::tree::path::RelPath;

/// A glob that paths beneath the root must match, such as `src/**` or `**/*.py`.
///
/// A scope without a wildcard is a file or a folder with everything in it. It is matched against
/// the path beneath the root, so that no scope reaches outside.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    text: String,
    matchers: Vec<GlobMatcher>,
}

impl Scope {
    /// Parses a scope. An empty text is the whole code base.
    ///
    /// # Errors
    ///
    /// [`CodeError::Scope`] when the glob is not valid, [`CodeError::Path`] when it is absolute or
    /// contains `..`.
    pub fn parse(text: &str) -> Result<Self, CodeError> {
        let text = text.trim();
        if text.is_empty() || text == "." {
            return Ok(Self::default());
        }
        let path = RelPath::parse(text)?;

        let mut matchers = vec![matcher(path.as_str())?];
        if !path.as_str().contains(['*', '?', '[', '{']) {
            matchers.push(matcher(&format!("{path}/**"))?);
        }
        Ok(Self {
            text: path.to_string(),
            matchers,
        })
    }

    /// Returns whether a path is within the scope.
    pub fn admits(&self, path: &RelPath) -> bool {
        self.matchers.is_empty()
            || self
                .matchers
                .iter()
                .any(|matcher| matcher.is_match(path.as_str()))
    }

    /// Returns the scope as text; empty for the whole code base.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

fn matcher(glob: &str) -> Result<GlobMatcher, CodeError> {
    GlobBuilder::new(glob)
        .literal_separator(true)
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|source| CodeError::Scope {
            scope: glob.to_owned(),
            source,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_globs_select_paths() {
        let admits = |scope: &str, path: &str| {
            Scope::parse(scope)
                .unwrap()
                .admits(&RelPath::parse(path).unwrap())
        };
        assert!(admits("", "a/b.rs") && admits("a", "a/b.rs") && admits("a/", "a/c/d.rs"));
        assert!(admits("**/*.rs", "a/b.rs") && admits("*.rs", "b.rs"));
        assert!(!admits("*.rs", "a/b.rs") && !admits("a", "ab/c.rs"));
    }

    #[test]
    fn a_scope_does_not_leave_the_root() {
        for scope in ["/etc/**", "../**", "src/../../x", "~/**", "C:/**"] {
            assert!(Scope::parse(scope).is_err(), "{scope}");
        }
    }
}

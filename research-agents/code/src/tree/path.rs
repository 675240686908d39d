//! Paths within a code base.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::CodeError;

/// A path relative to the root of a code base, with `/` between its parts.
///
/// It has no empty part, no `.` and `..`, no NUL, and is never absolute, so that it names nothing
/// outside of the root unless a symbolic link does, which [`CodeRoot`](crate::tree::CodeRoot)
/// refuses.
///
/// ```
/// use research_agents_code::tree::RelPath;
///
/// let path = RelPath::parse("src/main.rs")?;
/// assert_eq!((path.folder(), path.name()), ("src", "main.rs"));
/// assert!(RelPath::parse("../secrets").is_err());
/// # Ok::<(), research_agents_code::CodeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RelPath(String);

impl RelPath {
    /// Parses a path. Repeated `/` and leading `./` are removed.
    ///
    /// # Errors
    ///
    /// [`CodeError::Path`] when the path is absolute, empty, contains `..`, `\` or NUL, or names a
    /// drive.
    pub fn parse(text: &str) -> Result<Self, CodeError> {
        let refuse = |reason| CodeError::Path {
            path: text.to_owned(),
            reason,
        };
        if text.starts_with(['/', '\\', '~']) {
            return Err(refuse("it is absolute; name it relative to the root"));
        }
        if text.contains(['\0', '\\']) {
            return Err(refuse("it contains a NUL or a backslash"));
        }
        if text.as_bytes().get(1) == Some(&b':') {
            return Err(refuse("it names a drive"));
        }

        let mut parts = Vec::new();
        for part in text.split('/') {
            match part {
                "" | "." => {}
                ".." => return Err(refuse("it leaves the root by `..`")),
                part => parts.push(part),
            }
        }
        if parts.is_empty() {
            return Err(refuse("it names no file"));
        }
        Ok(Self(parts.join("/")))
    }

    /// Converts a relative path of the operating system. `None` if it is not valid UTF-8 or not a
    /// path within a root.
    pub(crate) fn from_os(path: &Path) -> Option<Self> {
        Self::parse(path.to_str()?).ok()
    }

    /// Returns the path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the name of the file.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// Returns the folder; empty for a file in the root.
    pub fn folder(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// Returns the extension in lower case; empty for a name without one.
    pub fn extension(&self) -> String {
        match self.name().rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => extension.to_ascii_lowercase(),
            _ => String::new(),
        }
    }

    /// Returns the path in a form that stays one word and is no Markdown: every byte other than
    /// letters, digits, `/`, `.`, `_` and `-` is percent-encoded.
    ///
    /// A citation `path:first-last` can therefore be parsed whatever the name of the file is.
    pub fn encoded(&self) -> String {
        let mut encoded = String::with_capacity(self.0.len());
        for byte in self.0.bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' => {
                    encoded.push(char::from(byte));
                }
                other => encoded.push_str(&format!("%{other:02X}")),
            }
        }
        encoded
    }
}

impl TryFrom<String> for RelPath {
    type Error = CodeError;

    fn try_from(text: String) -> Result<Self, CodeError> {
        Self::parse(&text)
    }
}

impl From<RelPath> for String {
    fn from(path: RelPath) -> Self {
        path.0
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leaves_the_root_is_refused() {
        let paths = [
            "",
            ".",
            "/",
            "/etc/passwd",
            "..",
            "../a",
            "a/../../b",
            "a/..",
            "./../a",
            "~/.ssh/id_rsa",
            "C:/Windows",
            "c:a",
            "\\\\host\\share",
            "a\\..\\b",
            "a\0b",
            "//host/share",
        ];

        for path in paths {
            assert!(RelPath::parse(path).is_err(), "{path:?}");
        }
    }

    #[test]
    fn paths_are_normalised_and_encoded() {
        assert_eq!(
            RelPath::parse("./a//b/./c.rs").unwrap().as_str(),
            "a/b/c.rs"
        );
        let odd = RelPath::parse("a b/[x](y):1\n.rs").unwrap();
        assert_eq!(odd.encoded(), "a%20b/%5Bx%5D%28y%29%3A1%0A.rs");
    }
}

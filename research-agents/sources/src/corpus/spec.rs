//! How a corpus is named on a command line, and why one cannot be opened.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A folder with a name: `NAME=PATH`, or `PATH` alone, whose last part is then the name.
///
/// ```
/// use research_agents_sources::corpus::CorpusSpec;
///
/// let spec: CorpusSpec = "manuals=/srv/docs".parse()?;
/// assert_eq!((spec.name(), spec.path().to_str()), ("manuals", Some("/srv/docs")));
///
/// let spec: CorpusSpec = "/srv/docs/".parse()?;
/// assert_eq!(spec.name(), "docs");
/// # Ok::<(), research_agents_sources::corpus::CorpusError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorpusSpec {
    name: String,
    path: PathBuf,
}

impl CorpusSpec {
    /// Creates a folder with a name.
    ///
    /// # Errors
    ///
    /// When the name is not a valid one.
    pub fn new(name: impl Into<String>, path: impl Into<PathBuf>) -> Result<Self, CorpusError> {
        let (name, path) = (name.into(), path.into());
        if is_name(&name) {
            Ok(Self { name, path })
        } else {
            Err(CorpusError::Name { name })
        }
    }

    /// Returns the name, which is the origin of all its documents.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl FromStr for CorpusSpec {
    type Err = CorpusError;

    fn from_str(text: &str) -> Result<Self, CorpusError> {
        if let Some((name, path)) = text.split_once('=')
            && !name.contains(['/', '\\'])
        {
            return Self::new(name, path);
        }

        let path = PathBuf::from(text);
        let last = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        let last = last.or_else(|| {
            let whole = path.canonicalize().ok()?;
            Some(whole.file_name()?.to_string_lossy().into_owned())
        });
        let name: String = last
            .unwrap_or_default()
            .chars()
            .map(|c| if is_name_character(c) { c } else { '-' })
            .take(MOST)
            .collect();
        let name = if name.is_empty() {
            "corpus".to_owned()
        } else {
            name
        };
        Self::new(name, path)
    }
}

impl fmt::Display for CorpusSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, self.path.display())
    }
}

/// Maximum length of a name in characters.
const MOST: usize = 64;

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().count() <= MOST && name.chars().all(is_name_character)
}

fn is_name_character(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.')
}

/// The reason why a corpus cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CorpusError {
    /// The name has characters that a name may not have.
    #[error(
        "`{name}` is not a valid name of a corpus: use letters, digits, `-`, `_` and `.`, \
         as in `manuals=/srv/docs`"
    )]
    Name {
        /// The name.
        name: String,
    },
    /// The folder is not there, or is not a folder.
    #[error("the folder `{path}` cannot be opened: {problem}")]
    Folder {
        /// The path.
        path: String,
        /// What is wrong.
        problem: String,
    },
    /// The file of the index cannot be used.
    #[error("the index `{path}` cannot be used: {problem}; delete it, or keep the index in memory")]
    Index {
        /// Path of the index.
        path: String,
        /// What is wrong.
        problem: String,
    },
}

//! Which program serves which files.

use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A language server that may be started.
///
/// ```
/// use research_agents_code_agent::lsp::ServerSpec;
///
/// let spec: ServerSpec = "c,h=/usr/bin/clangd --background-index=false".parse()?;
/// assert_eq!(spec.extensions(), ["c", "h"]);
/// assert!("py=ty server".parse::<ServerSpec>().is_err());
/// # Ok::<(), research_agents_code_agent::lsp::SpecError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerSpec {
    extensions: Vec<String>,
    program: PathBuf,
    arguments: Vec<String>,
}

/// Why a language server cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// The text has no extensions or no program.
    #[error("`{text}` names no language server; write EXTENSIONS=PROGRAM [ARGUMENTS…]")]
    Syntax {
        /// The text.
        text: String,
    },
    /// The path of the program is relative.
    #[error("`{}` is not an absolute path; name the program by one", program.display())]
    Relative {
        /// The program.
        program: PathBuf,
    },
    /// The program is in the code base, whose code must not run.
    #[error("`{}` is in the code base and is not started", program.display())]
    InTree {
        /// The program.
        program: PathBuf,
    },
    /// The program is not there.
    #[error("`{}` is not a program", program.display())]
    Missing {
        /// The program.
        program: PathBuf,
    },
}

impl ServerSpec {
    /// Creates the entry of a program for files with these extensions.
    ///
    /// # Errors
    ///
    /// [`SpecError`] when the path is not absolute or an extension is missing.
    pub fn new(
        extensions: impl IntoIterator<Item = String>,
        program: impl Into<PathBuf>,
        arguments: impl IntoIterator<Item = String>,
    ) -> Result<Self, SpecError> {
        let program = program.into();
        let extensions: Vec<String> = extensions
            .into_iter()
            .map(|extension| extension.trim().trim_start_matches('.').to_lowercase())
            .filter(|extension| !extension.is_empty())
            .collect();
        if extensions.is_empty() {
            let text = program.display().to_string();
            return Err(SpecError::Syntax { text });
        }

        if !program.is_absolute() {
            return Err(SpecError::Relative { program });
        }
        Ok(Self {
            extensions,
            program,
            arguments: arguments.into_iter().collect(),
        })
    }

    /// Returns the extensions of its files, in lower case.
    pub fn extensions(&self) -> &[String] {
        &self.extensions
    }

    pub(super) fn arguments(&self) -> &[String] {
        &self.arguments
    }

    /// Returns the program with all links resolved, if it may be started for a code base.
    pub(super) fn resolved(&self, root: &Path) -> Result<PathBuf, SpecError> {
        let missing = || SpecError::Missing {
            program: self.program.clone(),
        };
        let program = self.program.canonicalize().map_err(|_| missing())?;
        if !program.is_file() {
            return Err(missing());
        }
        // The path as it is given counts too: a link in the tree may lead outside of it.
        if program.starts_with(root) || self.program.starts_with(root) {
            return Err(SpecError::InTree { program });
        }
        Ok(program)
    }
}

impl FromStr for ServerSpec {
    type Err = SpecError;

    /// Parses `EXTENSIONS=PROGRAM [ARGUMENTS…]`, with commas between extensions and spaces between
    /// arguments.
    fn from_str(text: &str) -> Result<Self, SpecError> {
        let syntax = || SpecError::Syntax {
            text: text.to_owned(),
        };
        let (extensions, command) = text.split_once('=').ok_or_else(syntax)?;
        let mut words = command.split_whitespace().map(str::to_owned);
        let program = words.next().ok_or_else(syntax)?;
        Self::new(extensions.split(',').map(str::to_owned), program, words)
    }
}

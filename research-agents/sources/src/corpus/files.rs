//! The files below a folder: those that may be read, and those that may not.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::corpus::jail::{Jail, JailError};
use crate::read::{ReadError, ReaderId};

/// Maximum depth of folders.
const DEEPEST: usize = 64;

/// What an index contains, and what it does not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct IndexReport {
    /// Files that were read, by path.
    pub read: Vec<FileRead>,
    /// Files and folders that were not read, by path.
    pub not_read: Vec<NotRead>,
    /// Number of files that were read earlier with the same content.
    pub reused: usize,
    /// Number of passages.
    pub passages: usize,
    /// Time that opening took.
    pub time: Duration,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FileRead {
    /// Path below the folder, with `/` between its parts. It is the id of the document.
    pub path: String,
    /// SHA-256 of its content, in hexadecimal digits.
    pub hash: String,
    /// Reader that made its text.
    pub reader: ReaderId,
}

/// A file or folder that was not read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NotRead {
    /// Path below the folder.
    pub path: String,
    /// The reason.
    pub reason: NotReadReason,
}

/// The reason why a file or folder was not read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(untagged)]
#[non_exhaustive]
pub enum NotReadReason {
    /// It may not be opened, or cannot be.
    #[error(transparent)]
    Closed(#[from] JailError),
    /// No reader could make text of it.
    #[error(transparent)]
    Unread(#[from] ReadError),
    /// The corpus has more files than the limit.
    #[error("the corpus has more than {most_files} files")]
    Beyond {
        /// The limit.
        most_files: usize,
    },
    /// Its folder is nested too deep.
    #[error("its folder is more than {deepest} levels deep")]
    Deep {
        /// The limit.
        deepest: usize,
    },
}

impl NotReadReason {
    /// Returns the reason as one word, for tables and events.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Closed(JailError::Escapes) => "escapes",
            Self::Closed(JailError::Hidden) => "hidden",
            Self::Closed(JailError::Link) => "link",
            Self::Closed(JailError::NotAFile) => "not_a_file",
            Self::Closed(JailError::TooLarge { .. }) => "too_large",
            Self::Closed(JailError::Unreadable { .. }) => "unreadable",
            Self::Unread(error) => error.code(),
            Self::Beyond { .. } => "beyond",
            Self::Deep { .. } => "deep",
        }
    }
}

/// Returns the paths of the files below a folder in order, and what is not read.
pub(crate) fn files_of(jail: &Jail, most_files: usize) -> (Vec<String>, Vec<NotRead>) {
    let mut walk = Walk {
        root: jail.root(),
        most_files,
        files: Vec::new(),
        not_read: Vec::new(),
    };
    walk.folder("", 0);
    walk.files.sort_unstable();
    (walk.files, walk.not_read)
}

struct Walk<'j> {
    root: &'j Path,
    most_files: usize,
    files: Vec<String>,
    not_read: Vec<NotRead>,
}

impl Walk<'_> {
    fn folder(&mut self, folder: &str, depth: usize) {
        let entries = match fs::read_dir(self.root.join(folder)) {
            Ok(entries) => entries,
            Err(error) => return self.skip_unreadable(folder, &error),
        };

        let mut names = Vec::new();
        for entry in entries {
            match entry {
                Ok(entry) => names.push(entry),
                Err(error) => self.skip_unreadable(folder, &error),
            }
        }
        names.sort_unstable_by_key(fs::DirEntry::file_name);

        for entry in names {
            let name = entry.file_name();
            let shown = name.to_string_lossy();
            let path = if folder.is_empty() {
                shown.to_string()
            } else {
                format!("{folder}/{shown}")
            };
            self.entry(&entry, name.to_str(), path, depth);
        }
    }

    fn entry(&mut self, entry: &fs::DirEntry, name: Option<&str>, path: String, depth: usize) {
        let kind = match entry.file_type() {
            Ok(kind) => kind,
            Err(error) => return self.skip_unreadable(&path, &error),
        };
        let Some(name) = name else {
            let problem = "its name is not valid Unicode".to_owned();
            return self.skip(path, JailError::Unreadable { problem });
        };

        if name.starts_with('.') {
            self.skip(path, JailError::Hidden);
        } else if kind.is_symlink() {
            self.skip(path, JailError::Link);
        } else if kind.is_dir() && depth < DEEPEST {
            self.folder(&path, depth + 1);
        } else if kind.is_dir() {
            self.skip(path, NotReadReason::Deep { deepest: DEEPEST });
        } else if !kind.is_file() {
            self.skip(path, JailError::NotAFile);
        } else if self.files.len() >= self.most_files {
            let most_files = self.most_files;
            self.skip(path, NotReadReason::Beyond { most_files });
        } else {
            self.files.push(path);
        }
    }

    fn skip(&mut self, path: String, reason: impl Into<NotReadReason>) {
        self.not_read.push(NotRead {
            path,
            reason: reason.into(),
        });
    }

    fn skip_unreadable(&mut self, path: &str, error: &std::io::Error) {
        let problem = error.to_string();
        self.skip(path.to_owned(), JailError::Unreadable { problem });
    }
}

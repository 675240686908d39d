//! The files of a code base: those that are searched, and those that are not, with the reason.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use ignore::WalkBuilder;
use serde::{Deserialize, Serialize};

use crate::error::CodeError;
use crate::tree::path::RelPath;
use crate::tree::root::{CodeRoot, FileBytes, MAX_FILE_BYTES};
use crate::tree::secret::is_secret;

/// Why a file is not searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SkipReason {
    /// Its name, or that of a folder above it, begins with a dot.
    Hidden,
    /// A `.gitignore`, `.ignore` or exclude file names it.
    Ignored,
    /// Its name is that of keys or passwords, such as `.env` or `id_rsa`.
    Secret,
    /// It is larger than [`MAX_FILE_BYTES`].
    TooLarge,
    /// It contains NUL bytes.
    Binary,
    /// It is a symbolic link. What it points to is listed under its own path if it is within the
    /// root.
    Link,
    /// It is a device, a pipe or a socket.
    Special,
    /// Its name is not valid UTF-8 or contains a backslash.
    Name,
    /// It cannot be read.
    Unreadable,
}

impl SkipReason {
    /// Returns the reason as an adjective after a number of files: `3 hidden`.
    pub fn text(self) -> &'static str {
        match self {
            Self::Hidden => "hidden",
            Self::Ignored => "ignored",
            Self::Secret => "with secrets",
            Self::TooLarge => "larger than 2 MiB",
            Self::Binary => "binary",
            Self::Link => "linked",
            Self::Special => "special",
            Self::Name => "with names that are not UTF-8",
            Self::Unreadable => "unreadable",
        }
    }
}

/// A file that can be searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedFile {
    /// Path beneath the root.
    pub path: RelPath,
    /// Size in bytes when it was listed.
    pub bytes: u64,
    /// Time of the last change, where the file system has it.
    pub modified: Option<SystemTime>,
}

/// A snapshot of the files of a code base.
///
/// Hidden and ignored files, secrets, links, devices and files above [`MAX_FILE_BYTES`] are not
/// listed and cannot be read through the tree, whatever path is given. They are counted by reason.
#[derive(Debug)]
pub struct CodeTree {
    root: Arc<CodeRoot>,
    files: Vec<ListedFile>,
    skipped: BTreeMap<SkipReason, Vec<String>>,
}

/// Maximum depth of folders.
const MAX_DEPTH: usize = 100;

impl CodeTree {
    /// Lists the files of a code base, sorted by path.
    ///
    /// Nothing is watched: a listing shows the files as they are when it is made, and costs a look
    /// at each name. `is_cancelled` ends it early with what was found.
    ///
    /// # Errors
    ///
    /// None for single files, which are listed as skipped.
    pub fn list(root: Arc<CodeRoot>, is_cancelled: &AtomicBool) -> Result<Self, CodeError> {
        let mut all = BTreeMap::new();
        for entry in walk(root.path(), Filter::Nothing) {
            if is_cancelled.load(Ordering::Relaxed) {
                break;
            }
            match entry {
                Ok(entry) => {
                    let Ok(relative) = entry.path().strip_prefix(root.path()) else {
                        continue;
                    };
                    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
                    if !is_folder && !relative.as_os_str().is_empty() {
                        all.insert(relative.to_owned(), entry.metadata().ok());
                    }
                }
                Err(error) => {
                    if let Some(path) = path_of(&error)
                        .and_then(|path| path.strip_prefix(root.path()).ok().map(Path::to_owned))
                    {
                        all.insert(path, None);
                    }
                }
            }
        }

        let mut wanted = std::collections::HashSet::new();
        for entry in walk(root.path(), Filter::IgnoreFiles).flatten() {
            if is_cancelled.load(Ordering::Relaxed) {
                break;
            }
            if let Ok(relative) = entry.path().strip_prefix(root.path()) {
                wanted.insert(relative.to_owned());
            }
        }

        let mut tree = Self {
            root,
            files: Vec::new(),
            skipped: BTreeMap::new(),
        };
        for (relative, metadata) in all {
            let is_wanted = wanted.contains(&relative);
            match judge(&relative, metadata.as_ref(), is_wanted) {
                Ok(file) => tree.files.push(file),
                Err(reason) => tree
                    .skipped
                    .entry(reason)
                    .or_default()
                    .push(relative.to_string_lossy().into_owned()),
            }
        }
        tree.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(tree)
    }

    /// Returns the root.
    pub fn root(&self) -> &CodeRoot {
        &self.root
    }

    /// Returns the listed files, sorted by path.
    pub fn files(&self) -> &[ListedFile] {
        &self.files
    }

    /// Returns the paths that are skipped, by reason.
    pub fn skipped(&self) -> &BTreeMap<SkipReason, Vec<String>> {
        &self.skipped
    }

    /// Returns a listed file.
    ///
    /// # Errors
    ///
    /// [`CodeError::NotListed`] when the file does not exist or is skipped.
    pub fn file(&self, path: &RelPath) -> Result<&ListedFile, CodeError> {
        self.files
            .binary_search_by(|file| file.path.cmp(path))
            .ok()
            .and_then(|at| self.files.get(at))
            .ok_or_else(|| CodeError::NotListed {
                path: path.to_string(),
            })
    }

    /// Reads a listed file.
    ///
    /// # Errors
    ///
    /// [`CodeError::NotListed`] when it is not listed, [`CodeError::Read`] and
    /// [`CodeError::NotText`] when it has changed since and cannot be read any more.
    pub fn read(&self, path: &RelPath) -> Result<FileBytes, CodeError> {
        self.read_bytes(path).map(FileBytes::new)
    }

    /// Reads a listed file without the hash of its content.
    pub(crate) fn read_bytes(&self, path: &RelPath) -> Result<Vec<u8>, CodeError> {
        self.file(path)?;
        self.root.read(path)
    }
}

/// Which files a walk leaves out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Filter {
    Nothing,
    IgnoreFiles,
}

fn walk(root: &Path, filter: Filter) -> ignore::Walk {
    let is_filtered = filter == Filter::IgnoreFiles;

    WalkBuilder::new(root)
        .hidden(false)
        .parents(false)
        .ignore(is_filtered)
        .git_ignore(is_filtered)
        .git_exclude(is_filtered)
        .git_global(false)
        .require_git(false)
        .follow_links(false)
        .max_depth(Some(MAX_DEPTH))
        // What a version control system stores is neither code nor a skipped file of the project.
        .filter_entry(|entry| {
            !matches!(
                entry.file_name().to_str(),
                Some(".git" | ".hg" | ".svn" | ".jj")
            )
        })
        .build()
}

/// Returns the path that an error of the walk is about.
fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            path_of(err)
        }
        _ => None,
    }
}

/// Decides whether a file is listed.
fn judge(
    relative: &Path,
    metadata: Option<&Metadata>,
    is_wanted: bool,
) -> Result<ListedFile, SkipReason> {
    let path = RelPath::from_os(relative).ok_or(SkipReason::Name)?;
    if is_secret(&path) {
        return Err(SkipReason::Secret);
    }
    if path.as_str().split('/').any(|part| part.starts_with('.')) {
        return Err(SkipReason::Hidden);
    }
    if !is_wanted {
        return Err(SkipReason::Ignored);
    }

    let metadata = metadata.ok_or(SkipReason::Unreadable)?;
    if metadata.is_symlink() {
        return Err(SkipReason::Link);
    }
    if !metadata.is_file() {
        return Err(SkipReason::Special);
    }
    if metadata.len() > MAX_FILE_BYTES {
        return Err(SkipReason::TooLarge);
    }
    Ok(ListedFile {
        path,
        bytes: metadata.len(),
        modified: metadata.modified().ok(),
    })
}

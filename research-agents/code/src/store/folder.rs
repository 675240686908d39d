//! Where the file of a store is.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// Where the facts of files are kept between questions.
///
/// A cache only saves time: without it, the answers are the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheAt {
    /// In the memory of this process.
    Memory,
    /// In a file of this folder, which must be outside of the code base.
    Folder(PathBuf),
    /// In the cache folder of the user; in memory without one.
    #[default]
    Default,
}

impl CacheAt {
    /// Returns the file for a code base. `None` for memory, and for a folder within the code base,
    /// to which nothing is written.
    pub(crate) fn file(&self, root: &Path) -> Option<PathBuf> {
        let folder = match self {
            Self::Memory => return None,
            Self::Folder(folder) => folder.clone(),
            Self::Default => user_folder()?.join("research-code"),
        };
        if std::path::absolute(&folder).ok()?.starts_with(root) {
            return None;
        }
        std::fs::create_dir_all(&folder).ok()?;
        let folder = folder.canonicalize().ok()?;

        if folder.starts_with(root) {
            return None;
        }
        let digest = Sha256::digest(root.as_os_str().as_encoded_bytes());
        let name: String = digest
            .iter()
            .take(8)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        Some(folder.join(format!("{name}.sqlite")))
    }
}

/// Returns the folder for caches of the user.
fn user_folder() -> Option<PathBuf> {
    let from = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    if cfg!(windows) {
        return from("LOCALAPPDATA");
    }
    if cfg!(target_os = "macos") {
        return from("HOME").map(|home| home.join("Library/Caches"));
    }
    from("XDG_CACHE_HOME").or_else(|| from("HOME").map(|home| home.join(".cache")))
}

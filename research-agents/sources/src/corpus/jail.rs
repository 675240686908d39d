//! A folder that nothing leaves: files are opened below it only.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The reason why a path of a jail is not opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case", tag = "reason")]
#[non_exhaustive]
pub enum JailError {
    /// The path is absolute, or has `..`, a NUL byte, a drive or another form that leaves a folder.
    #[error("its path leaves the folder")]
    Escapes,
    /// The path has a part that begins with a dot.
    #[error("it is hidden")]
    Hidden,
    /// The path is a symbolic link, or is below one.
    #[error("it is a symbolic link, which is not followed")]
    Link,
    /// The path is a device, a pipe, a socket or a folder.
    #[error("it is not a regular file")]
    NotAFile,
    /// The file is larger than the limit.
    #[error("it is larger than {limit} bytes; raise the limit on the size of files to read it")]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// The operating system refuses.
    #[error("it cannot be opened: {problem}")]
    Unreadable {
        /// What it says.
        problem: String,
    },
}

/// A folder that nothing leaves.
///
/// ```
/// use research_agents_sources::corpus::{Jail, JailError};
///
/// # let folder = tempfile::tempdir()?;
/// # std::fs::write(folder.path().join("a.txt"), "hello")?;
/// let jail = Jail::new(folder.path())?;
///
/// assert_eq!(jail.read("a.txt", 1_000)?, b"hello");
/// assert_eq!(jail.read("../a.txt", 1_000), Err(JailError::Escapes));
/// assert_eq!(jail.read("/etc/passwd", 1_000), Err(JailError::Escapes));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Jail {
    root: PathBuf,
}

impl Jail {
    /// Creates a jail of a folder. The folder itself may be reached through symbolic links.
    ///
    /// # Errors
    ///
    /// When it is not a folder, or cannot be read.
    pub fn new(root: impl AsRef<Path>) -> io::Result<Self> {
        let root = root.as_ref().canonicalize()?;
        fs::read_dir(&root)?;
        Ok(Self { root })
    }

    /// Returns the folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Reads a file by its path below the folder, with `/` between its parts.
    ///
    /// # Errors
    ///
    /// The reason why it is not read.
    pub fn read(&self, path: &str, limit: u64) -> Result<Vec<u8>, JailError> {
        let parts = parts_of(path)?;
        if parts.iter().any(|part| part.starts_with('.')) {
            return Err(JailError::Hidden);
        }

        let mut whole = self.root.clone();
        for part in parts {
            whole.push(part);
            let about = fs::symlink_metadata(&whole).map_err(|error| unreadable(&error))?;
            if about.file_type().is_symlink() {
                return Err(JailError::Link);
            }
        }
        self.read_whole(&whole, limit)
    }

    fn read_whole(&self, whole: &Path, limit: u64) -> Result<Vec<u8>, JailError> {
        let about = fs::symlink_metadata(whole).map_err(|error| unreadable(&error))?;
        if !about.is_file() {
            return Err(JailError::NotAFile);
        }
        let file = File::open(whole).map_err(|error| unreadable(&error))?;
        let opened = file.metadata().map_err(|error| unreadable(&error))?;
        if !opened.is_file() {
            return Err(JailError::NotAFile);
        }

        // What was opened must still be what is below the folder: a part of the path may have
        // become a link in between.
        let now = whole.canonicalize().map_err(|error| unreadable(&error))?;
        if !now.starts_with(&self.root) || !is_same_file(&opened, &now) {
            return Err(JailError::Link);
        }
        if opened.len() > limit {
            return Err(JailError::TooLarge { limit });
        }

        let mut content = Vec::with_capacity(usize::try_from(opened.len()).unwrap_or_default());
        file.take(limit.saturating_add(1))
            .read_to_end(&mut content)
            .map_err(|error| unreadable(&error))?;
        if content.len() as u64 > limit {
            return Err(JailError::TooLarge { limit });
        }
        Ok(content)
    }
}

/// Returns the parts of a path that stays below its folder.
fn parts_of(path: &str) -> Result<Vec<&str>, JailError> {
    let is_odd = path.is_empty() || path.contains(['\0', '\\', ':']);
    if is_odd || Path::new(path).is_absolute() {
        return Err(JailError::Escapes);
    }

    let parts: Vec<&str> = path.split('/').collect();
    let is_plain = |part: &&str| {
        let mut components = Path::new(part).components();
        matches!(components.next(), Some(Component::Normal(_))) && components.next().is_none()
    };
    if parts.iter().all(is_plain) {
        Ok(parts)
    } else {
        Err(JailError::Escapes)
    }
}

fn unreadable(error: &io::Error) -> JailError {
    JailError::Unreadable {
        problem: error.to_string(),
    }
}

#[cfg(unix)]
fn is_same_file(opened: &fs::Metadata, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    fs::metadata(path).is_ok_and(|found| found.dev() == opened.dev() && found.ino() == opened.ino())
}

#[cfg(not(unix))]
fn is_same_file(opened: &fs::Metadata, path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.len() == opened.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_leave_the_folder_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("in")).unwrap();
        fs::write(folder.path().join("secret.txt"), "s").unwrap();
        fs::write(folder.path().join("in/a.txt"), "a").unwrap();
        let jail = Jail::new(folder.path().join("in")).unwrap();

        for path in [
            "../secret.txt",
            "./../secret.txt",
            "a.txt/../../secret.txt",
            "..",
            ".",
            "",
            "/etc/passwd",
            "//etc/passwd",
            "a.txt/",
            "x//y",
            "C:\\a",
            "..\\secret.txt",
            "a.txt:stream",
            "a.txt\0",
        ] {
            assert_eq!(jail.read(path, 10), Err(JailError::Escapes), "{path:?}");
        }
        assert_eq!(jail.read(".ssh/id", 10), Err(JailError::Hidden));
        assert_eq!(jail.read("a.txt", 10).unwrap(), b"a");
        assert_eq!(jail.read("a.txt", 0), Err(JailError::TooLarge { limit: 0 }));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("in");
        fs::create_dir(&inside).unwrap();
        fs::write(folder.path().join("secret.txt"), "s").unwrap();
        std::os::unix::fs::symlink("../secret.txt", inside.join("a.txt")).unwrap();
        std::os::unix::fs::symlink("..", inside.join("up")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", inside.join("zero")).unwrap();
        let jail = Jail::new(&inside).unwrap();

        for path in ["a.txt", "up/secret.txt", "zero"] {
            assert_eq!(jail.read(path, 10), Err(JailError::Link), "{path}");
        }
        assert_eq!(
            Jail::new("/dev").unwrap().read("null", 10),
            Err(JailError::NotAFile)
        );
    }
}

//! A directory of its own for a test.

use std::path::Path;

use tempfile::TempDir;

/// A new, empty directory; removed when dropped.
pub(crate) struct Scratch(TempDir);

impl Scratch {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// The path of a file in it, which need not exist.
    pub(crate) fn file(&self, name: &str) -> String {
        self.path().join(name).to_str().unwrap().to_string()
    }

    /// Writes a file in it, and gives its path.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        std::fs::write(self.path().join(name), content).unwrap();
        self.file(name)
    }
}

//! Where the bytes of a data set come from: they can be read from the beginning several times.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::super::error::LoadError;

/// The bytes of a data set.
#[derive(Debug)]
pub(super) struct Source<'a> {
    /// Name of the data set.
    pub(super) name: String,
    content: Content<'a>,
}

#[derive(Debug)]
enum Content<'a> {
    Bytes(&'a [u8]),
    File(PathBuf),
}

impl<'a> Source<'a> {
    /// Creates a source of bytes in memory.
    pub(super) fn bytes(name: &str, bytes: &'a [u8]) -> Self {
        Self { name: name.to_owned(), content: Content::Bytes(bytes) }
    }

    /// Opens a file.
    ///
    /// # Errors
    ///
    /// When it cannot be read, is no regular file, or is larger than allowed.
    pub(super) fn open(path: &Path, max_bytes: u64) -> Result<Self, LoadError> {
        let name = path.file_stem().map_or_else(|| "data".to_owned(), |name| name.to_string_lossy().into_owned());
        let failed = |source| LoadError::Read { path: path.to_owned(), source };
        // A named pipe would wait for a writer when it is opened, and a device may have no end.
        let found = fs::metadata(path).map_err(failed)?;
        if !found.is_file() {
            return Err(LoadError::NoFile { path: path.to_owned(), what: what(found.file_type()) });
        }
        if found.len() > max_bytes {
            return Err(LoadError::TooLarge { name, limit: max_bytes });
        }
        File::open(path).map_err(failed)?;
        Ok(Self { name, content: Content::File(path.to_owned()) })
    }

    /// Returns a reader from the beginning.
    pub(super) fn reader(&self) -> Result<Box<dyn Read + '_>, LoadError> {
        match &self.content {
            Content::Bytes(bytes) => Ok(Box::new(*bytes)),
            Content::File(path) => File::open(path).map(|file| Box::new(file) as _).map_err(|error| self.failed(error)),
        }
    }

    /// Returns the error for reading that failed.
    pub(super) fn failed(&self, source: io::Error) -> LoadError {
        let path = match &self.content {
            Content::Bytes(_) => PathBuf::from(&self.name),
            Content::File(path) => path.clone(),
        };
        LoadError::Read { path, source }
    }
}

#[cfg(unix)]
fn what(kind: fs::FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    if kind.is_dir() {
        "a directory"
    } else if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn what(kind: fs::FileType) -> &'static str {
    if kind.is_dir() { "a directory" } else { "a device" }
}

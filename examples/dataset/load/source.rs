//! Where the bytes of a data set come from: they can be read from the beginning several times.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::super::error::LoadError;
use super::options::{LoadOptions, Stop};

/// The bytes of a data set.
#[derive(Debug)]
pub(super) struct Source<'a> {
    /// Name of the data set.
    pub(super) name: String,
    content: Content<'a>,
    stop: Stop,
}

#[derive(Debug)]
enum Content<'a> {
    Bytes(&'a [u8]),
    File(PathBuf),
    /// Standard input, which can be read once only, in a file that is removed with this.
    Copy(NamedTempFile),
}

/// What the first bytes of a file say that it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Magic {
    Sqlite,
    Parquet,
    None,
}

impl<'a> Source<'a> {
    /// Creates a source of bytes in memory.
    pub(super) fn bytes(name: &str, bytes: &'a [u8]) -> Self {
        Self { name: name.to_owned(), content: Content::Bytes(bytes), stop: Stop::default() }
    }

    /// Opens a file, or reads standard input to its end when the path is `-`.
    ///
    /// # Errors
    ///
    /// When it cannot be read, is no regular file, or is larger than allowed.
    pub(super) fn open(path: &Path, options: &LoadOptions) -> Result<Self, LoadError> {
        let (stop, limit) = (options.stop.clone(), options.max_bytes);
        let failed = |source| LoadError::Read { path: path.to_owned(), source };
        if path == Path::new("-") {
            let name = "input".to_owned();
            let mut copy = NamedTempFile::new().map_err(failed)?;
            let bytes = io::copy(&mut io::stdin().lock().take(limit.saturating_add(1)), &mut copy).map_err(failed)?;
            if bytes > limit {
                return Err(LoadError::TooLarge { name, limit });
            }
            return Ok(Self { name, content: Content::Copy(copy), stop });
        }

        let name = path.file_stem().map_or_else(|| "data".to_owned(), |name| name.to_string_lossy().into_owned());
        // A named pipe would wait for a writer when it is opened, and a device may have no end.
        let found = fs::metadata(path).map_err(failed)?;
        if !found.is_file() {
            return Err(LoadError::NoFile { path: path.to_owned(), what: what(found.file_type()) });
        }
        if found.len() > limit {
            return Err(LoadError::TooLarge { name, limit });
        }
        File::open(path).map_err(failed)?;
        Ok(Self { name, content: Content::File(path.to_owned()), stop })
    }

    /// Returns the error for reading that was stopped, when it was.
    pub(super) fn go_on(&self) -> Result<(), LoadError> {
        if self.stop.is_stopped() { Err(LoadError::Stopped { name: self.name.clone() }) } else { Ok(()) }
    }

    /// Returns the path, unless the bytes are in memory.
    pub(super) fn path(&self) -> Option<&Path> {
        match &self.content {
            Content::Bytes(_) => None,
            Content::File(path) => Some(path),
            Content::Copy(copy) => Some(copy.path()),
        }
    }

    /// Returns what the first bytes say that the file is. Such formats are read from files only.
    pub(super) fn magic(&self) -> Result<Magic, LoadError> {
        let mut head = Vec::new();
        self.reader()?.take(16).read_to_end(&mut head).map_err(|error| self.failed(error))?;
        Ok(match self.path() {
            Some(_) if head == b"SQLite format 3\0" => Magic::Sqlite,
            Some(_) if head.starts_with(b"PAR1") => Magic::Parquet,
            _ => Magic::None,
        })
    }

    /// Returns a reader from the beginning.
    pub(super) fn reader(&self) -> Result<Box<dyn Read + '_>, LoadError> {
        match &self.content {
            Content::Bytes(bytes) => Ok(Box::new(*bytes)),
            Content::File(path) => self.file(path),
            Content::Copy(copy) => self.file(copy.path()),
        }
    }

    fn file(&self, path: &Path) -> Result<Box<dyn Read + '_>, LoadError> {
        let file = File::open(path).map_err(|error| self.failed(error))?;
        Ok(Box::new(Stoppable { file, stop: &self.stop }))
    }

    /// Returns the error for reading that failed.
    pub(super) fn failed(&self, source: io::Error) -> LoadError {
        if self.stop.is_stopped() {
            return LoadError::Stopped { name: self.name.clone() };
        }
        LoadError::Read { path: self.path().map_or_else(|| PathBuf::from(&self.name), Path::to_owned), source }
    }
}

/// A file that fails to be read once reading was stopped.
struct Stoppable<'s> {
    file: File,
    stop: &'s Stop,
}

impl Read for Stoppable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.is_stopped() {
            return Err(io::Error::other("reading was stopped"));
        }
        self.file.read(buffer)
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

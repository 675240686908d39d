//! The root of a code base: a handle on a folder, beneath which files are opened.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use sha2::{Digest, Sha256};

use crate::error::CodeError;
use crate::tree::path::RelPath;

/// Maximum size in bytes of a file that is read. Larger ones are listed as skipped.
pub const MAX_FILE_BYTES: u64 = 2 * 1024 * 1024;

/// A handle on the folder of a code base.
///
/// Files are opened beneath the handle: a symbolic link that leaves the folder is refused by the
/// way the file is opened and not by a comparison of names, also if it is exchanged while it is
/// opened.
#[derive(Debug)]
pub struct CodeRoot {
    dir: Dir,
    path: PathBuf,
}

/// The content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileBytes {
    /// Content as it is stored, with its byte order mark and line ends.
    pub bytes: Vec<u8>,
    /// SHA-256 of the content, in hexadecimal.
    pub hash: String,
}

impl FileBytes {
    /// Creates the content of a file from its bytes.
    pub fn new(bytes: Vec<u8>) -> Self {
        let digest = Sha256::digest(&bytes);
        let hash = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        Self { bytes, hash }
    }
}

impl CodeRoot {
    /// Opens a folder.
    ///
    /// # Errors
    ///
    /// [`CodeError::Root`] when it does not exist, cannot be read, or is not a folder.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, CodeError> {
        let failed = |source| CodeError::Root {
            path: path.as_ref().to_owned(),
            source,
        };
        let path = path.as_ref().canonicalize().map_err(failed)?;
        let dir = Dir::open_ambient_dir(&path, ambient_authority()).map_err(failed)?;
        Ok(Self { dir, path })
    }

    /// Returns the absolute path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads a file beneath the root.
    ///
    /// This does not ask whether the file is listed;
    /// [`CodeTree::read`](crate::tree::CodeTree::read) does.
    ///
    /// # Errors
    ///
    /// [`CodeError::Read`] when it cannot be opened beneath the root, [`CodeError::NotText`] when
    /// it is not a regular file or larger than [`MAX_FILE_BYTES`].
    pub(crate) fn read(&self, path: &RelPath) -> Result<Vec<u8>, CodeError> {
        let failed = |source| CodeError::Read {
            path: path.to_string(),
            source,
        };
        let refuse = |reason| CodeError::NotText {
            path: path.to_string(),
            reason,
        };
        let file = self.open_file(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() {
            return Err(refuse("it is not a regular file"));
        }

        // The file may grow while it is read.
        let mut bytes = Vec::with_capacity(metadata.len() as usize + 1);
        file.take(MAX_FILE_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(failed)?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(refuse("it is larger than 2 MiB"));
        }
        Ok(bytes)
    }

    /// Opens a file without waiting: a named pipe would otherwise wait for a writer.
    fn open_file(&self, path: &RelPath) -> io::Result<cap_std::fs::File> {
        let mut options = OpenOptions::new();
        options.read(true);
        #[cfg(unix)]
        {
            use cap_std::fs::OpenOptionsExt;
            /// `O_NONBLOCK` of Linux.
            #[cfg(any(target_os = "linux", target_os = "android"))]
            const NON_BLOCKING: i32 = 0o4000;
            #[cfg(not(any(target_os = "linux", target_os = "android")))]
            const NON_BLOCKING: i32 = 0x0004;
            options.custom_flags(NON_BLOCKING);
        }
        self.dir.open_with(path.as_str(), &options)
    }
}

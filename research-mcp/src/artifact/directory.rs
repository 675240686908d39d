//! Artifacts as files of one directory.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::store::{ArtifactId, ArtifactStore};
use crate::future::BoxFuture;

/// Bytes of all artifacts together, unless set otherwise: 1 GiB.
const MAX_BYTES: u64 = 1 << 30;

/// Artifacts as files of one directory, which only their owner can read. Nothing is removed; a full store refuses more.
#[derive(Clone, Debug)]
pub struct DirectoryArtifacts {
    directory: PathBuf,
    max_bytes: u64,
    used: Arc<AtomicU64>,
}

impl DirectoryArtifacts {
    /// Artifacts in this directory, which is made when it does not exist. At most 1 GiB together.
    ///
    /// # Errors
    ///
    /// When the directory can be neither made nor read.
    pub fn new(directory: impl Into<PathBuf>) -> io::Result<Self> {
        let directory = directory.into();
        make(&directory)?;
        let mut used = 0_u64;
        for entry in fs::read_dir(&directory)? {
            let metadata = entry?.metadata()?;
            used = used.saturating_add(if metadata.is_file() { metadata.len() } else { 0 });
        }
        Ok(Self { directory, max_bytes: MAX_BYTES, used: Arc::new(AtomicU64::new(used)) })
    }

    /// Sets how many bytes all artifacts together may have, those of before included.
    #[must_use]
    pub fn max_bytes(mut self, limit: u64) -> Self {
        self.max_bytes = limit;
        self
    }

    fn path(&self, id: ArtifactId) -> PathBuf {
        self.directory.join(format!("{id}.json"))
    }

    fn store(&self, bytes: &[u8]) -> io::Result<ArtifactId> {
        let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let fits = |used: u64| used.checked_add(size).filter(|sum| *sum <= self.max_bytes);
        if self.used.fetch_update(Ordering::AcqRel, Ordering::Acquire, fits).is_err() {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "the artifact store is full"));
        }
        let stored = self.write(bytes);
        if stored.is_err() {
            self.used.fetch_sub(size, Ordering::AcqRel);
        }
        stored
    }

    fn write(&self, bytes: &[u8]) -> io::Result<ArtifactId> {
        let id = ArtifactId::random()?;
        let path = self.path(id);
        let written = private().open(&path).and_then(|mut file| file.write_all(bytes));
        if let Err(error) = written {
            // What was written in part is of no use to anybody.
            let _ = fs::remove_file(&path);
            return Err(error);
        }
        Ok(id)
    }
}

#[cfg(unix)]
fn make(directory: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)
}

#[cfg(not(unix))]
fn make(directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)
}

/// How a file is opened that must be new and is nobody else's business.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

impl ArtifactStore for DirectoryArtifacts {
    fn put(&self, bytes: Vec<u8>) -> BoxFuture<'_, io::Result<ArtifactId>> {
        let store = self.clone();
        Box::pin(async move { tokio::task::spawn_blocking(move || store.store(&bytes)).await? })
    }

    fn get(&self, id: ArtifactId) -> BoxFuture<'_, io::Result<Vec<u8>>> {
        let path = self.path(id);
        Box::pin(async move { tokio::task::spawn_blocking(move || fs::read(path)).await? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_put_can_be_got_until_the_store_is_full() {
        let directory = std::env::temp_dir().join(format!("research-mcp-{}", ArtifactId::random().unwrap()));
        let store = DirectoryArtifacts::new(&directory).unwrap().max_bytes(10);
        let id = store.put(b"12345678".to_vec()).await.unwrap();
        assert_eq!(store.get(id).await.unwrap(), b"12345678");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(&store.path(id)), mode(&directory)), (0o600, 0o700));
        }
        let full = store.put(b"123".to_vec()).await.unwrap_err();
        assert_eq!(full.kind(), io::ErrorKind::StorageFull);
        assert!(store.put(b"12".to_vec()).await.is_ok());
        let again = DirectoryArtifacts::new(&directory).unwrap().max_bytes(10);
        assert!(again.put(b"1".to_vec()).await.is_err(), "what was there before counts");
        assert!(store.get(ArtifactId::random().unwrap()).await.is_err());
        fs::remove_dir_all(directory).unwrap();
    }
}

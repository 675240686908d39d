//! A folder for the time of a run, in the system's directory for temporary files.

use std::path::Path;
use std::{fs, io};

use tempfile::TempDir;

/// Is there while this value lives.
#[derive(Debug)]
pub struct Folder(TempDir);

impl Folder {
    pub fn create() -> io::Result<Self> {
        tempfile::Builder::new().prefix("research-benches-").tempdir().map(Self)
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Bytes of a database with its write-ahead log: all files but the index of that log, which lives in memory anyway.
    pub fn bytes(&self) -> io::Result<u64> {
        let mut sum = 0;
        for entry in fs::read_dir(self.path())? {
            let entry = entry?;
            if !entry.file_name().to_string_lossy().ends_with("-shm") {
                sum += entry.metadata()?.len();
            }
        }
        Ok(sum)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::Folder;

    #[test]
    fn a_folder_counts_a_database_with_its_log_and_goes_with_its_value() {
        let folder = Folder::create().unwrap();
        for (name, bytes) in [("c.sqlite", 10), ("c.sqlite-wal", 5), ("c.sqlite-shm", 100)] {
            fs::write(folder.path().join(name), vec![0; bytes]).unwrap();
        }
        assert_eq!(folder.bytes().unwrap(), 15);
        let path = folder.path().to_path_buf();
        drop(folder);
        assert!(!path.exists());
    }
}

//! What is stored of a thread, read from a copy of the database, so that the program finds its own as the kill left it.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use research_core::checkpoint::{Checkpointer, Loaded, RecordKind, ThreadKey};
use research_core_sqlite::SqliteCheckpointer;

/// The tasks of a thread whose results are stored, of so many.
pub fn recorded(database: &Path, thread: &str, tasks: u64) -> BTreeSet<u64> {
    let Some(loaded) = newest(database, thread) else { return BTreeSet::new() };
    if loaded.header.step > 0 {
        // The step of the fan-out is complete: all results are in the state.
        return (0..tasks).collect();
    }
    // The only tasks that are due are those of the fan-out, in the order of their numbers.
    let done = loaded.records.iter().filter(|record| record.key.kind == RecordKind::Done);
    done.map(|record| u64::from(record.key.task)).collect()
}

fn newest(database: &Path, thread: &str) -> Option<Loaded> {
    let folder = tempfile::tempdir().unwrap();
    // What was written last may be in the log beside the file; a killed process leaves it there.
    for file in [database.to_path_buf(), beside(database, "-wal")] {
        match fs::copy(&file, folder.path().join(file.file_name().unwrap())) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => panic!("{}: {error}", file.display()),
        }
    }
    let copy = folder.path().join(database.file_name().unwrap());
    if !copy.exists() {
        return None;
    }
    // A thread is always readable, whenever the program was killed.
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let store = SqliteCheckpointer::open(&copy).await.unwrap();
        store.read(&ThreadKey::root(thread), None).await.unwrap()
    })
}

fn beside(database: &Path, suffix: &str) -> PathBuf {
    let mut name = database.as_os_str().to_os_string();
    name.push(suffix);
    name.into()
}

//! A cache changes no answer: none, a new one, a damaged, foreign, locked or unwritable one.
#![cfg(feature = "rust")]
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use research_agents_code::answer::{Answer, answer};
use research_agents_code::base::{CacheAt, CodeBase};
use research_agents_code::tree::Scope;

const QUESTIONS: &[&str] = &[
    "Where is `CodeRoot` defined?",
    "Who calls `span_of`?",
    "where is code tree defined?",
    "which types implement `FactSource`?",
    "how are lines of a file found by byte",
];

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn answers(cache: &CacheAt) -> Vec<Answer> {
    let base = CodeBase::open(sources(), cache).unwrap();
    let go_on = AtomicBool::new(false);
    QUESTIONS
        .iter()
        .map(|question| answer(&base, question, &Scope::default(), &go_on).unwrap())
        .collect()
}

/// Returns the file of the cache in a folder.
fn file(folder: &Path) -> PathBuf {
    let mut files = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    files
        .find(|path| path.extension().is_some_and(|e| e == "sqlite"))
        .unwrap()
}

#[test]
fn a_cache_changes_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    let cache = CacheAt::Folder(folder.path().to_owned());

    let without = answers(&CacheAt::Memory);
    assert_eq!(answers(&cache), without);
    assert!(file(folder.path()).metadata().unwrap().len() > 0);
    assert_eq!(answers(&cache), without);
}

#[test]
fn a_damaged_cache_changes_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    let cache = CacheAt::Folder(folder.path().to_owned());
    let without = answers(&cache);
    let path = file(folder.path());
    let good = std::fs::read(&path).unwrap();

    let half = good.len() / 2;
    let mut flipped = good.clone();
    for byte in flipped.iter_mut().skip(4_096).step_by(97) {
        *byte ^= 0x55;
    }
    for damaged in [
        Vec::new(),
        b"not a database".repeat(400),
        good[..half].to_vec(),
        flipped,
    ] {
        for end in ["-wal", "-shm"] {
            let mut name = path.clone().into_os_string();
            name.push(end);
            let _ = std::fs::remove_file(name);
        }
        std::fs::write(&path, damaged).unwrap();
        assert_eq!(answers(&cache), without);
    }
}

#[test]
fn two_handles_share_a_cache() {
    let folder = tempfile::tempdir().unwrap();
    let cache = CacheAt::Folder(folder.path().to_owned());
    let without = answers(&CacheAt::Memory);

    std::thread::scope(|threads| {
        for _ in 0..3 {
            threads.spawn(|| assert_eq!(answers(&cache), without));
        }
    });
}

#[test]
fn nothing_is_written_into_the_code_base() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.rs"), "fn run() {}\n").unwrap();
    let inside = CacheAt::Folder(folder.path().join("cache"));

    let base = CodeBase::open(folder.path(), &inside).unwrap();
    let go_on = AtomicBool::new(false);
    answer(&base, "where is run?", &Scope::default(), &go_on).unwrap();
    drop(base);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    assert!(
        !CodeBase::open(folder.path(), &inside)
            .unwrap()
            .has_cache_file()
    );
}

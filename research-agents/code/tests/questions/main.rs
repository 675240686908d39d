//! Questions about small code bases, whose answers are checked as they are given.
#![cfg(feature = "all-languages")]
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod sets;
mod texts;

use std::sync::atomic::AtomicBool;

use research_agents_code::answer::{Answer, answer};
use research_agents_code::base::{CacheAt, CodeBase};
use research_agents_code::tree::Scope;
use research_agents_code::verify::verify;

/// Answers a question about files with these paths and contents; what it says is checked.
fn ask(files: &[(&str, &str)], question: &str) -> Answer {
    let folder = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    let base = CodeBase::open(folder.path(), &CacheAt::Memory).unwrap();
    let go_on = AtomicBool::new(false);
    let answer = answer(&base, question, &Scope::default(), &go_on).unwrap();
    let verification = verify(&answer, &base, &go_on).unwrap();
    assert!(verification.holds(), "{question}: {verification:?}");
    answer
}

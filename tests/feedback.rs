//! The feedback workflow as a user runs it: the program as a real process, exported, and killed at random moments.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const QUESTION: &str = "Should we use WAL mode?";

fn feedback(directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_feedback_research"));
    command.current_dir(directory).env_remove("RESEARCH_MODEL").stdin(Stdio::null());
    command
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn the_shipped_documents_give_a_memo_that_is_verified_and_replayed() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let report = text(&feedback(directory).args(["--export", "run.json", "--report", "memo.html"]).output().unwrap());
    for part in ["## Situation", "## Complication", "## Resolution", "may fail with an I/O or disk-full error", "✓"] {
        assert!(report.contains(part), "{part} is not in\n{report}");
    }

    let mut verify = Command::new(env!("CARGO_BIN_EXE_verify_report"));
    let verified = text(&verify.arg("run.json").current_dir(directory).output().unwrap());
    assert!(verified.contains("Everything holds"), "{verified}");
    assert_eq!(text(&feedback(directory).args(["--replay", "run.json"]).output().unwrap()), report);
    let page = fs::read_to_string(directory.join("memo.html")).unwrap();
    assert!(page.contains("disk-full error") && !page.contains("<script"), "{page}");
}

#[test]
fn a_killed_run_ends_with_the_same_report() {
    let rounds: u64 = std::env::var("FEEDBACK_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(6);
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let run = |thread: &str| {
        let mut command = feedback(directory);
        command.args(["--thread", thread, "--db", "sqlite:runs.db", QUESTION]);
        command
    };
    let whole = text(&run("whole").output().unwrap());

    for round in 0..rounds {
        let thread = format!("t{round}");
        let mut child = run(&thread).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(100 + fastrand::u64(0..1200)));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(text(&run(&thread).output().unwrap()), whole, "round {round}");
    }
}

#[test]
fn without_a_question_about_other_documents_the_remedy_is_named() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("a.md"), "The pump is worn.").unwrap();
    let output = feedback(directory.path()).args(["--corpus", "."]).output().unwrap();
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("question"), "{output:?}");
}

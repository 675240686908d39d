//! The memo as a user keeps it: deliveries to a file, differences, and findings from a pipe.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const FIRST: &str = "{\"text\":\"Version 16 was released in 2023.\",\"source\":\"notes.md\"}\n\
    {\"text\":\"Backups fail on old disks. We recommend new disks.\",\"source\":\"incidents.md\"}\nno finding\n";
const SECOND: &str = "{\"text\":\"Version 16 was released in 2022.\",\"source\":\"wiki.md\"}\n";

pub(crate) fn memo(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_scr_report"));
    command.args(arguments).current_dir(directory).stdin(Stdio::null()).output().unwrap()
}

pub(crate) fn out(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn a_delivery_changes_what_it_must_and_says_why() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::write(directory.join("first.jsonl"), FIRST).unwrap();
    fs::write(directory.join("second.jsonl"), SECOND).unwrap();
    let state = ["--state", "memo.json", "--findings"];
    let with = |more: &[&str]| memo(directory, &[&state[..], more].concat());

    let first = with(&["first.jsonl", "Should we move?", "--early", "complication"]);
    assert!(String::from_utf8_lossy(&first.stderr).contains("line 3 is not a JSON object"));
    let first = out(&first);
    assert!(first.contains("S1: “Version 16 was released in 2023.”") && !first.contains("new disks"), "{first}");

    let second = out(&with(&["second.jsonl", "--diff"]));
    assert!(second.contains("- S1 Version 16 was released in 2023. (wiki.md)"), "{second}");
    assert!(second.contains("R1 We recommend new disks. (incidents.md)"), "{second}");
    let kept = fs::read(directory.join("memo.json")).unwrap();
    assert_eq!(out(&with(&["second.jsonl", "--diff"])), "");
    assert_eq!(fs::read(directory.join("memo.json")).unwrap(), kept);

    let json: serde_json::Value = serde_json::from_str(&out(&with(&["second.jsonl", "--json"]))).unwrap();
    assert_eq!(json["memo"]["question"], "Should we move?");
    let other = with(&["second.jsonl", "Should we stay?"]);
    assert!(String::from_utf8_lossy(&other.stderr).contains("it is about “Should we move?”"));
}

#[test]
fn a_bundle_is_verified_and_replayed() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::write(directory.join("first.jsonl"), FIRST).unwrap();
    let arguments = ["--findings", "first.jsonl", "Should we move?", "--export", "run.json", "--report", "memo.html"];
    let written = out(&memo(directory, &arguments));

    let mut verify = Command::new(env!("CARGO_BIN_EXE_verify_report"));
    let verified = out(&verify.arg("run.json").current_dir(directory).output().unwrap());
    assert!(verified.contains("Everything holds"), "{verified}");
    assert_eq!(out(&memo(directory, &["--replay", "run.json"])), written);
    let page = fs::read_to_string(directory.join("memo.html")).unwrap();
    assert!(page.contains("Backups fail on old disks"), "{page}");
}

#[test]
fn a_memo_of_one_section_is_kept_and_verified() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let linked = "{\"text\":\"CVE-2021-1 is fixed, see https://example.org/a.\",\"source\":\"news.md\"}\n";
    fs::write(directory.join("first.jsonl"), [FIRST, linked].concat()).unwrap();
    let state = ["--state", "memo.json", "--findings", "first.jsonl"];
    let with = |more: &[&str]| memo(directory, &[&state[..], more].concat());

    let written = out(&with(&["Should we move?", "--sections", "summary", "--export", "run.json"]));
    assert!(written.contains("\n## Summary\n") && !written.contains("## Resolution"), "{written}");
    let mut verify = Command::new(env!("CARGO_BIN_EXE_verify_report"));
    let verified = out(&verify.arg("run.json").current_dir(directory).output().unwrap());
    assert!(verified.contains("Everything holds"), "{verified}");
    assert_eq!(out(&memo(directory, &["--replay", "run.json"])), written);

    // The memo keeps its sections, and a call that asks for others is refused.
    assert_eq!(out(&with(&[])), written);
    let refused = with(&["--sections", "scr"]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("leave --sections out"));
    assert!(!refused.status.success());
}

#[test]
fn the_claims_of_a_research_run_are_findings() {
    let directory = tempfile::tempdir().unwrap();
    let mut studio = Command::new(env!("CARGO_BIN_EXE_studio_research"));
    studio.args(["--json", "Which version of SQLite added upserts?"]).env_remove("RESEARCH_MODEL");
    let events = studio.stdin(Stdio::null()).output().unwrap();
    fs::write(directory.path().join("events.jsonl"), out(&events)).unwrap();

    let written = out(&memo(directory.path(), &["--findings", "events.jsonl", "Which SQLite?"]));
    assert!(written.contains("UPSERT syntax was added to SQLite with version 3.24.0"), "{written}");
    assert!(written.contains("lang\\_upsert.html") || written.contains("lang_upsert.html"), "{written}");
}

#[test]
fn the_statements_of_a_decision_are_findings() {
    let directory = tempfile::tempdir().unwrap();
    let mut feedback = Command::new(env!("CARGO_BIN_EXE_feedback_research"));
    feedback.args(["--json", "Should we use WAL mode?"]).env_remove("RESEARCH_MODEL");
    let events = feedback.stdin(Stdio::null()).output().unwrap();
    fs::write(directory.path().join("events.jsonl"), out(&events)).unwrap();

    let written = out(&memo(directory.path(), &["--findings", "events.jsonl", "What about WAL?"]));
    assert!(written.contains("transactions in excess of a gigabyte"), "{written}");
}

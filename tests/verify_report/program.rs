//! The program as a user runs it: its table, its JSON, its exit codes, and where it says what.

use std::process::{Command, Stdio};

use research_agents::dataset::record::ReportFormat::BulletPoints;
use serde_json::Value;

use crate::runs::{Scratch, events};

struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

fn run(arguments: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_verify_report"));
    let output = command.args(arguments).stdin(Stdio::null()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

#[tokio::test]
async fn a_bundle_holds_until_a_digit_of_it_is_changed() {
    let scratch = Scratch::new();
    let written = events("India events by theme", BulletPoints).await.to_json().unwrap();
    let whole = scratch.write("whole.json", &written);
    let changed = scratch.write("changed.json", &written.replace("\"number\":85", "\"number\":86"));

    let ran = run(&[&whole]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
    for line in ["✓ digest             1 of 1 holds", "✓ source records     200 of 200 hold", "Everything holds: "]
    {
        assert!(ran.stdout.contains(line), "no `{line}` in\n{}", ran.stdout);
    }
    let ran = run(&[&changed]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""), "{}", ran.stdout);
    for line in ["What does not hold", "86 was claimed, the evidence has 85", "something was changed"] {
        assert!(ran.stdout.contains(line), "no `{line}` in\n{}", ran.stdout);
    }
    let ran = run(&["--verbose", &whole]);
    assert!(ran.stdout.contains("✓ Key Findings, sentence 1: "), "{}", ran.stdout);

    let ran = run(&["--json", &changed]);
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((ran.code, &found["holds"], &found["tally"]["digest"]["fails"]), (Some(1), &false.into(), &1.into()));
    let checks = found["checks"].as_array().unwrap();
    assert!(checks.iter().any(|check| check["kind"] == "number" && check["outcome"] == "fails"), "{found}");
}

#[test]
fn a_bundle_cannot_command_the_terminal() {
    let scratch = Scratch::new();
    let evil = "\\u001b]52;c;AAAA\\u0007\\u009b2J\\u202e";
    let rest = r#""system": 1, "effects": 1, "evidence": 1, "replays": true"#;
    let cases = [
        format!(r#"{{"version": 2, "program": {{"name": "{evil}", "version": "1"}}, {rest}}}"#),
        format!(r#"{{"version": 1, "program": {{"{evil}": 1}}, {rest}}}"#),
        format!(r#"{{"version": 1, "program": "{evil}", {rest}}}"#),
    ];
    for content in cases {
        let ran = run(&[&scratch.write("evil.json", &content)]);
        assert_eq!(ran.code, Some(2), "{}", ran.stdout);
        let told = ran.stdout + &ran.stderr;
        assert!(!told.contains(|c: char| (c.is_control() && c != '\n') || c == '\u{202e}'), "{told:?}");
    }
}

#[tokio::test]
async fn what_is_checked_cannot_command_the_terminal() {
    let scratch = Scratch::new();
    let mut bundle = events("India events by theme", BulletPoints).await;
    let evil = "x\u{1b}[2J\u{9b}31m\u{7f}\u{202e}";
    bundle.question = evil.to_owned();
    bundle.program.name = evil.to_owned();
    bundle.context.push(evil.to_owned());
    let path = scratch.write("evil.json", &bundle.to_json().unwrap());
    for arguments in [&["--verbose", path.as_str()][..], &["--json", &path], &[&path]] {
        let ran = run(arguments);
        assert_eq!(ran.code, Some(1), "{}", ran.stderr);
        assert!(ran.stdout.contains("[2J"), "{}", ran.stdout);
        assert!(!ran.stdout.contains(|c: char| (c.is_control() && c != '\n') || c == '\u{202e}'), "{:?}", ran.stdout);
    }
}

#[test]
fn what_cannot_be_read_is_said_on_standard_error() {
    let scratch = Scratch::new();
    let cases = [
        (scratch.path().join("none.json").to_str().unwrap().to_owned(), "there is no such file"),
        (scratch.write("report.md", "# A report\n"), "this is no bundle of a run"),
        (scratch.write("other.json", "{\"version\": 1}"), "this is no bundle of a run"),
    ];
    for (file, problem) in cases {
        let ran = run(&[&file]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
        assert!(ran.stderr.starts_with("error: ") && ran.stderr.contains(problem), "{}", ran.stderr);
    }
}

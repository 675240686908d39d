//! An incident log of real entries, delivered day by day.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

use serde_json::Value;

use crate::program::{memo, out};

const QUESTION: &str = "Which security fixes must the web front end take?";

/// The entries of each day.
fn days() -> BTreeMap<String, String> {
    let path = format!("{}/../examples/data/incidents/incidents.jsonl", env!("CARGO_MANIFEST_DIR"));
    let mut days: BTreeMap<String, String> = BTreeMap::new();
    for line in fs::read_to_string(path).unwrap().lines() {
        let entry: Value = serde_json::from_str(line).unwrap();
        let day = days.entry(entry["date"].as_str().unwrap().to_owned()).or_default();
        let _ = writeln!(day, "{line}");
    }
    days
}

/// Compares the documentation with what the program prints, or writes it if `UPDATE_DOCS` is set.
#[test]
fn the_documented_memo_of_the_incident_log_is_what_the_program_writes() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let mut text = String::from(
        "# A memo of an incident log\n\n`scr_report` kept this memo without a model from the [incident \
         log](../examples/data/incidents/README.md): 90 entries of public changelogs, delivered day by day. Below it is what \
         each day changed: `+` a new statement, `=` one more finding for it, `-` a fact that left the situation because \
         something contradicts it.\n\n",
    );

    let days = days();
    let mut changes = String::new();
    for (day, findings) in &days {
        fs::write(directory.join("day.jsonl"), findings).unwrap();
        let arguments = ["--findings", "day.jsonl", "--state", "memo.json", "--diff", QUESTION];
        let diff = out(&memo(directory, &arguments));
        let _ = write!(changes, "{day}\n{diff}\n");
    }
    fs::write(directory.join("none.jsonl"), "").unwrap();
    let written = out(&memo(directory, &["--findings", "none.jsonl", "--state", "memo.json"]));
    let _ = write!(text, "````markdown\n{written}````\n\n## What each day changed\n\n````text\n{changes}````\n");

    let path = format!("{}/../docs/incident-memo.md", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &text).unwrap();
    }
    let now = fs::read_to_string(path).unwrap();
    assert!(now == text, "docs/incident-memo.md is out of date; set UPDATE_DOCS to write it again");
    assert!(days.len() >= 60 && changes.contains("\n+ C"), "{changes}");
    let state: Value = serde_json::from_str(&fs::read_to_string(directory.join("memo.json")).unwrap()).unwrap();
    assert_eq!(state["findings"].as_array().unwrap().len(), 90);
}

//! A memo that the model keeps over four deliveries: both sides of what disagrees, the numbers of its findings, and what it
//! cost in the tokens that the server counts.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;

use crate::program::run;
use crate::server::address;

const MEMO: &str = env!("CARGO_BIN_EXE_scr_report");
const VERIFY: &str = env!("CARGO_BIN_EXE_verify_report");
const DECISION: &str = "Should we move the orders database to version 16?";

/// Findings as they come in, day by day: text and source.
const DELIVERIES: [&[(&str, &str)]; 4] = [
    &[
        ("Version 16 was released on 14 September 2023.", "news.md"),
        ("Our orders database has 310 GB and runs version 13.", "inventory.md"),
        ("Support for version 13 ends on 13 November 2025.", "support.md"),
        ("Backups fail about 4 times a month on version 13, because a lock is held.", "incidents.md"),
    ],
    &[
        ("A trial upgrade of a copy with 310 GB took 52 minutes with hard links.", "trial.md"),
        ("Two of 31 extensions that we use have no build for version 16.", "extensions.md"),
        ("We recommend to replace both extensions before the upgrade.", "extensions.md"),
    ],
    &[
        ("Our orders database has 290 GB and runs version 13.", "wiki.md"),
        ("Version 16 lets a standby decode logical changes, so that reports need no primary.", "release-notes.md"),
        ("Rolling back after the upgrade with hard links is not possible.", "manual.md"),
    ],
    &[
        ("A second trial took 49 minutes, and 3 queries became slower by 20 %.", "trial.md"),
        ("We recommend to upgrade on a Sunday, when orders fall by 70 %.", "operations.md"),
    ],
];

#[test]
fn a_memo_keeps_both_sides_and_the_numbers_of_its_findings() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (model, state, findings, bundle) =
        (format!("{}/v1", address()), file("memo.json"), file("new.jsonl"), file("run.json"));

    for (at, delivery) in DELIVERIES.iter().enumerate() {
        let lines =
            delivery.iter().map(|(text, source)| serde_json::json!({"text": text, "source": source}).to_string());
        fs::write(&findings, lines.collect::<Vec<_>>().join("\n")).unwrap();
        let options = ["--model", &model, "--state", &state, "--findings", &findings, "--export", &bundle, "--diff"];
        let told = run(MEMO, &[&options[..], &[DECISION]].concat());
        println!("delivery {}\n{}{}", at + 1, told.out(), told.errors());

        let verified = run(VERIFY, &[&bundle]).out();
        assert!(verified.contains("Everything holds"), "{verified}");
        run(MEMO, &["--replay", &bundle]);
        // What is known already costs nothing.
        let before = fs::read(&state).unwrap();
        assert_eq!(run(MEMO, &options[..6].iter().chain(&["--diff"]).copied().collect::<Vec<_>>()).out(), "");
        assert_eq!(fs::read(&state).unwrap(), before);
    }

    let memo: Value = serde_json::from_slice(&fs::read(&state).unwrap()).unwrap();
    println!("{}", run(MEMO, &["--state", &state, "--findings", &findings]).out());
    let statements = statements(&memo);
    assert_both_sides(&statements);
    assert_numbers(&memo, &statements);

    let spent = &memo["spent"];
    println!("{spent}");
    assert!(spent["fresh_tokens"].as_u64().unwrap() > 1_000, "{spent}");
    assert!(spent["regeneration_tokens"].as_u64().unwrap() > 0, "{spent}");
}

/// The statements of all sections.
fn statements(memo: &Value) -> Vec<Value> {
    let sections = ["situation", "complication", "resolution"].iter().map(|name| &memo[name]["statements"]);
    sections.flat_map(|section| section.as_array().unwrap()).cloned().collect()
}

/// One statement has 310 GB and 290 GB against each other.
fn assert_both_sides(statements: &[Value]) {
    let is_disputed = |statement: &&Value| {
        let (text, against) =
            (statement["text"].as_str().unwrap(), statement["against"]["text"].as_str().unwrap_or(""));
        let has = |one: &str, other: &str| text.contains(one) && against.contains(other);
        has("310 GB", "290 GB") || has("290 GB", "310 GB")
    };
    assert!(statements.iter().any(|statement| is_disputed(&statement)), "{statements:?}");
}

/// At least 95 of 100 numbers of the findings that are cited stand in the statements.
fn assert_numbers(memo: &Value, statements: &[Value]) {
    let findings = memo["findings"].as_array().unwrap();
    let texts: BTreeMap<&str, &str> =
        findings.iter().map(|finding| (finding["id"].as_str().unwrap(), finding["text"].as_str().unwrap())).collect();
    let mut cited: BTreeSet<(&str, String)> = BTreeSet::new();
    let mut stated: BTreeSet<String> = BTreeSet::new();
    for side in
        statements.iter().flat_map(|statement| [statement, &statement["against"]]).filter(|side| !side.is_null())
    {
        stated.extend(numbers_of(side["text"].as_str().unwrap()));
        for id in side["findings"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()) {
            cited.extend(numbers_of(texts[id]).map(|number| (id, number)));
        }
    }

    let kept = cited.iter().filter(|(_, number)| stated.contains(number)).count();
    println!("{kept} of {} numbers of cited findings are kept", cited.len());
    assert!(cited.len() >= 15, "hardly anything is cited: {statements:?}");
    assert!(kept * 100 >= cited.len() * 95, "{cited:?} in {stated:?}");
}

/// The numbers of a text.
fn numbers_of(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = text.split(|c: char| !c.is_ascii_digit() && c != '.').map(|word| word.trim_matches('.'));
    words.filter(|word| !word.is_empty()).map(str::to_owned)
}

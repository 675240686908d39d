//! Large and odd inputs: they are answered, or refused with the reason. `--nocapture` shows how long each takes.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::program::{Ran, research};
use crate::scratch::Scratch;

fn timed(name: &str, arguments: &[&str]) -> Ran {
    let start = Instant::now();
    let ran = research(&[arguments, &["--format", "executive"]].concat());
    println!("{name}: {:?}", start.elapsed());
    ran
}

/// Stones of three kinds with their mass.
fn stones(count: usize) -> String {
    let line = |at: usize| format!("{at},{},{}\n", ["granite", "basalt", "marble"][at % 3], at % 50);
    "id,kind,mass\n".to_owned() + &(0..count).map(line).collect::<String>()
}

#[test]
fn five_thousand_columns_are_answered() {
    let scratch = Scratch::new();
    let line = |cell: &dyn Fn(usize) -> String| (0..5_000).map(cell).collect::<Vec<_>>().join(",") + "\n";
    let rows: String = (0..30).map(|row| line(&|at| (row * at % 97).to_string())).collect();
    let file = scratch.write("wide.csv", line(&|at| format!("c{at}")) + &rows);

    let ran = timed("5,000 columns", &["--data", &file, "What is the average c17?"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let mean: f64 = (0..30).map(|row| f64::from(row * 17 % 97)).sum::<f64>() / 30.0;
    let written = format!("{mean:.2}");
    assert!(ran.stdout.contains(written.trim_end_matches('0').trim_end_matches('.')), "{mean}: {}", ran.stdout);
}

#[test]
fn a_huge_cell_is_cut_and_that_is_said() {
    let scratch = Scratch::new();
    let huge = "bees and gulls ".repeat(20_000_000 / 15);
    let file = scratch.write("cell.csv", format!("id,note\n1,small\n2,\"{huge}\"\n3,tiny\n"));

    let ran = timed("a cell of 20 MB", &["--data", &file, "How many records mention gulls?"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("There is 1 record"), "{}", ran.stdout);
    assert!(ran.stderr.contains("only their beginning is kept"), "{}", ran.stderr);
}

#[test]
fn long_texts_are_searched() {
    let scratch = Scratch::new();
    let text = "the engine failed near the harbour after rain ".repeat(490);
    let line = |at: usize| format!("{{\"id\": {at}, \"kind\": \"{}\", \"note\": \"{text}\"}}\n", ["a", "b"][at % 2]);
    let file = scratch.write("texts.jsonl", (0..400).map(line).collect::<String>());

    let ran = timed("400 texts of 9 MB", &["--data", &file, "How many records mention the harbour, by kind?"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("200"), "{}", ran.stdout);
}

#[test]
fn a_question_of_two_thousand_words_is_read() {
    let scratch = Scratch::new();
    let file = scratch.write("stones.csv", stones(200));
    let words = ["and", "the", "kind", "is", "not", "mass", "above", "17", "harbour", "engine", "rain"];
    let question: Vec<&str> = (0..2_000).map(|at| words[(at * 7 + at / 11) % words.len()]).collect();

    let ran = timed("2,000 words", &["--data", &file, &question.join(" ")]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.starts_with("# "), "{}", ran.stdout);
}

#[test]
fn devices_and_files_beyond_the_limit_are_refused_with_the_reason() {
    let device = research(&["--data", "/dev/zero", "How many?"]);
    assert_eq!(device.code, Some(1));
    assert!(device.stderr.contains("/dev/zero is a device"), "{}", device.stderr);

    let scratch = Scratch::new();
    let file = scratch.write("stones.csv", stones(2_000));
    let large = research(&["--data", &file, "--max-size", "10KB", "How many?"]);
    assert_eq!(large.code, Some(1));
    assert!(
        large.stderr.contains("has more than 10000 bytes") && large.stderr.contains("--max-size"),
        "{}",
        large.stderr
    );
}

#[test]
fn standard_input_is_a_file_like_any_other() {
    let program = env!("CARGO_BIN_EXE_dataset_research");
    let mut child = Command::new(program)
        .args(["--data", "-", "How many records are there by kind?"])
        .env_remove("RESEARCH_MODEL")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(stones(300).as_bytes()).unwrap();

    let output = child.wait_with_output().unwrap();
    let report = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && report.contains("100"), "{report}");
}

//! The tutorial says what is so: its code is the example's file, and the example prints what the tutorial says.

use std::path::Path;
use std::process::{Command, Output};

fn file(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)).unwrap()
}

/// The first block of the tutorial in this language.
fn block(language: &str) -> String {
    let tutorial = file("docs/tutorial.md");
    let (_, rest) = tutorial.split_once(&format!("\n```{language}\n")).unwrap();
    rest.split_once("\n```\n").unwrap().0.to_string() + "\n"
}

/// Runs the example on these files.
fn first_agent(files: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_first_agent")).args(files).output().unwrap()
}

#[test]
fn the_code_of_the_tutorial_is_the_example_and_has_at_most_60_lines() {
    let example = file("examples/first_agent.rs");
    assert_eq!(block("rust"), example);
    assert!(example.lines().count() <= 60, "{} lines", example.lines().count());
}

#[test]
fn the_example_prints_what_the_tutorial_says() {
    let output = first_agent(&[]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), block("text"));
}

#[test]
fn the_example_reads_files_that_it_is_given() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("first_agent");
    std::fs::create_dir_all(&folder).unwrap();
    let texts = ["one wren", "two wrens", "three finches and a wren"];
    let files: Vec<_> = (0..texts.len()).map(|place| folder.join(format!("{place}.txt"))).collect();
    for (file, text) in files.iter().zip(texts) {
        std::fs::write(file, text).unwrap();
    }
    let output = first_agent(&files.iter().map(|file| file.as_path()).collect::<Vec<_>>());
    let printed = "`wrens` stands in 1 texts, 1 left to read\n`wren` stands in 2 texts, 0 left to read\n";
    assert_eq!(String::from_utf8(output.stdout).unwrap(), printed);

    let missing = first_agent(&[&folder.join("missing.txt")]);
    assert!(!missing.status.success());
    assert!(String::from_utf8(missing.stderr).unwrap().contains("NotFound"));
}

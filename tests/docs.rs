//! The tutorial and the pages on the agent and on MCP say what is so: their code is that of examples, which do what is said.

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

/// A snippet is a run of lines of the example that was linked last before it, or of the one that is linked next, at any indentation.
#[test]
fn every_snippet_of_the_agent_and_of_mcp_is_code_of_the_example_beside_it() {
    let mut snippets = 0;
    for page in ["docs/dataset.md", "docs/mcp.md"] {
        let text = file(page);
        let mut at = 0;
        while let Some(start) = text[at..].find("\n```rust\n").map(|found| at + found) {
            let from = start + "\n```rust\n".len();
            let end = from + text[from..].find("\n```").unwrap();
            let before = text[..start].rsplit_once("](../examples/").map(|(_, rest)| rest);
            let after = text[end..].split_once("](../examples/").map(|(_, rest)| rest);
            let beside = [before, after].into_iter().flatten().map(|rest| rest.split_once(')').unwrap().0);
            let trimmed = |text: &str| text.lines().map(|line| format!("{}\n", line.trim())).collect::<String>();
            let code = format!("\n{}", trimmed(&text[from..end]));
            let is_there =
                |example: &str| format!("\n{}", trimmed(&file(&format!("examples/{example}")))).contains(&code);
            assert!(beside.into_iter().any(is_there), "{page}: not in an example beside it:{code}");
            snippets += 1;
            at = end;
        }
    }
    assert!(snippets > 5, "the pages have only {snippets} snippets");
}

#[test]
fn the_embedded_agent_counts_asks_its_own_questions_verifies_and_replays() {
    let output = Command::new(env!("CARGO_BIN_EXE_embed_dataset")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let report = String::from_utf8(output.stdout).unwrap();
    assert!(report.contains("90 of 90 records read"), "{report}");
    for own in ["### How many inspections are there?", "### What differs by yard?", "### Inspections by yard"] {
        assert!(report.contains(own), "{report}");
    }
    // Every third inspection is at the river; every other of those is nervous, and so is every eleventh of all.
    let river = (0..90).filter(|number| number % 3 == 1);
    let nervous = river.filter(|number| number % 2 == 0 || number % 11 == 0).count();
    assert!(report.contains(&format!("River / nervous {nervous}")), "{nervous}: {report}");
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.ends_with("it holds: true; the same again: true\n"), "{told}");
}

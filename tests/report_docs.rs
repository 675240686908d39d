//! The reports in `docs/reports`, and the beginning of one in the README, are what their commands print, to the byte.
//!
//! `REWRITE_REPORTS=1` writes them anew; look at every change before it is kept.

use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAM: &str = "cargo run --release --example dataset_research -- ";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The files with a command on top and the report below: the command's arguments, and the report.
fn printed(path: &Path) -> (String, String) {
    let text = std::fs::read_to_string(path).unwrap();
    let rest =
        text.strip_prefix("```console\n$ ").unwrap_or_else(|| panic!("{} begins with no command", path.display()));
    let (command, report) = rest.split_once("\n```\n\n").unwrap();
    let arguments = command.strip_prefix(PROGRAM).unwrap_or_else(|| panic!("{command}")).to_string();
    (arguments, report.to_string())
}

fn run(arguments: &str) -> String {
    let arguments = shell_words::split(arguments).unwrap();
    let program = env!("CARGO_BIN_EXE_dataset_research");
    let output =
        Command::new(program).args(arguments).current_dir(root()).env_remove("RESEARCH_MODEL").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn check(name: &str) {
    let path = root().join("docs/reports").join(format!("{name}.md"));
    let (arguments, report) = printed(&path);
    let now = run(&arguments);
    if std::env::var_os("REWRITE_REPORTS").is_some() {
        std::fs::write(&path, format!("```console\n$ {PROGRAM}{arguments}\n```\n\n{now}")).unwrap();
    } else {
        assert_eq!(
            now, report,
            "docs/reports/{name}.md is stale: run this test with REWRITE_REPORTS=1 and look at the change"
        );
    }
}

#[test]
fn the_reports_on_wildlife_strikes_are_what_the_program_prints() {
    ["wildlife-comprehensive", "wildlife-executive", "wildlife-bullets"].into_iter().for_each(check);
}

#[test]
fn the_reports_on_penguins_are_what_the_program_prints() {
    ["penguins-comprehensive", "penguins-executive", "penguins-bullets"].into_iter().for_each(check);
}

/// The most characters of a line in the README's excerpt.
const WIDTH: usize = 118;

/// What the README shows of a report: all before its data, in lines that fit a page.
fn beginning(report: &str) -> String {
    let (beginning, _) = report.split_once("\n## Data\n").unwrap();
    beginning.trim_end().lines().map(wrapped).collect::<Vec<_>>().join("\n")
}

fn wrapped(line: &str) -> String {
    let indent = if line.starts_with("- ") { "\n  " } else { "\n" };
    let (mut text, mut width) = (String::new(), 0);
    for word in line.split(' ') {
        let length = word.chars().count();
        if width > 0 && width + 1 + length > WIDTH {
            text.push_str(indent);
            width = indent.len() - 1;
        } else if !text.is_empty() {
            text.push(' ');
            width += 1;
        }
        text.push_str(word);
        width += length;
    }
    text
}

#[test]
fn the_readme_shows_the_beginning_of_what_its_first_command_prints() {
    let path = root().join("README.md");
    let readme = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = readme.split_once("\n```text\n").unwrap();
    let (shown, after) = rest.split_once("\n```\n").unwrap();
    let now = beginning(&run(""));
    if std::env::var_os("REWRITE_REPORTS").is_some() {
        std::fs::write(&path, format!("{before}\n```text\n{now}\n```\n{after}")).unwrap();
    } else {
        assert_eq!(now, shown, "README.md is stale: run this test with REWRITE_REPORTS=1 and look at the change");
    }
}

#[test]
fn no_report_is_left_unchecked() {
    let files = std::fs::read_dir(root().join("docs/reports")).unwrap();
    let mut names: Vec<String> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let of = |data: &str| ["bullets", "comprehensive", "executive"].map(|format| format!("{data}-{format}.md"));
    let mut expected = vec!["README.md".to_string()];
    expected.extend(of("penguins"));
    expected.extend(of("wildlife"));
    assert_eq!(names, expected);
    let index = std::fs::read_to_string(root().join("docs/reports/README.md")).unwrap();
    assert!(expected[1..].iter().all(|name| index.contains(&format!("({name})"))), "{index}");
}

//! The shape of files: small, each with one stated job, `name.rs` beside `name/`.

use super::sources::all;

const MOST_CODE_LINES: usize = 500;

#[test]
fn no_file_is_longer_than_500_lines_of_code() {
    for source in all() {
        let lines = source.code().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count();
        assert!(lines <= MOST_CODE_LINES, "{} has {lines} lines of code; give one of its jobs a file", source.path);
    }
}

#[test]
fn every_file_says_its_job_in_its_first_line() {
    for source in all() {
        let first = source.text.lines().next().unwrap_or_default();
        assert!(first.starts_with("//! ") && first.len() > 12, "{} does not open with `//! its job`", source.path);
    }
}

#[test]
fn modules_are_named_files() {
    for source in all() {
        assert!(!source.path.ends_with("/mod.rs"), "{}: write name.rs beside name/", source.path);
    }
}

#[test]
fn nothing_is_left_unfinished() {
    let marks =
        ["TO".to_string() + "DO", "FIX".to_string() + "ME", "XX".to_string() + "X", "unimplemented".to_string() + "!("];
    for source in all() {
        for (number, line) in source.text.lines().enumerate() {
            let found = marks.iter().find(|mark| line.contains(mark.as_str()));
            assert!(found.is_none(), "{}:{} is marked unfinished: {line}", source.path, number + 1);
        }
    }
}

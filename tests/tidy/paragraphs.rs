//! Functions have paragraphs, and lines end at column 100.

use super::crates::hold;
use super::sources::{Source, below};

/// A function of so many lines has a blank line.
const LONG: usize = 20;

const MOST_COLUMNS: usize = 100;

/// Crates with long functions in one block. A crate without any must leave the list.
const NOT_YET_IN_PARAGRAPHS: &[&str] = &["research-core", "research-llm", "research-mcp"];

/// Crates with longer lines, those of comments included. A crate without any must leave the list.
const WIDER: &[&str] = &["research-core", "research-llm", "research-mcp"];

#[test]
fn a_long_function_has_paragraphs() {
    hold("functions of 20 lines or more without a blank line", NOT_YET_IN_PARAGRAPHS, |one| {
        below(one.sources).iter().flat_map(blocks).collect()
    });
}

#[test]
fn no_line_is_wider_than_100_columns() {
    hold("lines wider than 100 columns", WIDER, |one| below(one.sources).iter().flat_map(wide_lines).collect());
}

/// The long functions of a file that have no blank line.
fn blocks(source: &Source) -> Vec<String> {
    let lines: Vec<&str> = source.text.lines().collect();
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate().filter(|(_, line)| is_function(line)) {
        let Some(length) = length(&lines[start..], indent(line)) else { continue };
        let body = &lines[start..start + length];
        if length >= LONG && body.iter().all(|line| !line.trim().is_empty()) {
            found.push(format!("{}:{}: {length} lines without a blank one", source.path, start + 1));
        }
    }
    found
}

/// Whether a line begins a function.
fn is_function(line: &str) -> bool {
    let mut words = line.split_whitespace().peekable();
    while let Some(word) = words.peek() {
        let is_qualifier = matches!(*word, "const" | "async" | "unsafe" | "extern" | "\"C\"")
            || word.starts_with("pub")
            // The rest of `pub(in crate::a)`.
            || word.ends_with(')') && word.starts_with("crate");
        match is_qualifier {
            true => drop(words.next()),
            false => return *word == "fn",
        }
    }
    false
}

/// The lines of a function to the brace that ends it; nothing for a function without a body.
fn length(lines: &[&str], indent: usize) -> Option<usize> {
    let first = lines[0].trim_end();
    if first.ends_with(['}', ';']) {
        return Some(1);
    }
    let end = lines.iter().skip(1).position(|line| self::indent(line) == indent && line.trim_start().starts_with('}'));
    let bodiless = lines.iter().skip(1).position(|line| self::indent(line) == indent && line.trim_end().ends_with(';'));
    match (end, bodiless) {
        (Some(end), Some(bodiless)) if bodiless < end => None,
        (end, _) => end.map(|end| end + 2),
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn wide_lines(source: &Source) -> Vec<String> {
    let lines = source.text.lines().enumerate().map(|(number, line)| (number + 1, line.chars().count()));
    lines
        .filter(|(_, columns)| *columns > MOST_COLUMNS)
        .map(|(number, columns)| format!("{}:{number}: {columns} columns", source.path))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: String) -> Source {
        Source { path: "a.rs".to_string(), text }
    }

    fn function(head: &str, lines: usize, blank: bool) -> Source {
        let body = "        step();\n".repeat(lines);
        let blank = if blank { "\n" } else { "" };
        source(format!("impl A {{\n    {head} {{\n{body}{blank}    }}\n\n    fn short() {{}}\n}}\n"))
    }

    #[test]
    fn a_long_block_is_found_whatever_is_before_its_name() {
        for head in ["fn a()", "pub fn a()", "pub(super) async fn a(self)", "pub(in crate::a) const fn a()"] {
            assert_eq!(blocks(&function(head, 18, false)), ["a.rs:2: 20 lines without a blank one"], "{head}");
            assert!(blocks(&function(head, 17, false)).is_empty(), "{head}");
            assert!(blocks(&function(head, 30, true)).is_empty(), "{head}");
        }
    }

    #[test]
    fn a_method_without_a_body_is_no_block() {
        let methods = "    fn a(\n        &self,\n    );\n".repeat(20);
        assert!(blocks(&source(format!("trait A {{\n{methods}}}\n"))).is_empty());
    }

    #[test]
    fn columns_are_characters() {
        assert!(wide_lines(&source("ä".repeat(100))).is_empty());
        assert_eq!(wide_lines(&source(format!("\n{}", "a".repeat(101)))), ["a.rs:2: 101 columns"]);
    }
}

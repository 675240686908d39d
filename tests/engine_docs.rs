//! The pages in `docs` say what is so: their links lead somewhere, and the snippets of the guide are code of the examples.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const PAGES: [&str; 5] = ["docs/comparison.md", "docs/dataset.md", "docs/engine.md", "docs/mcp.md", "docs/models.md"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The links of a page: text and target.
fn links(page: &str) -> Vec<(String, String)> {
    let text = read(&root().join(page));
    let links = text.split('[').skip(1).filter_map(|rest| {
        let (text, rest) = rest.split_once("](")?;
        let (target, _) = rest.split_once(')')?;
        (!text.contains(']')).then(|| (text.to_string(), target.to_string()))
    });
    links.collect()
}

#[test]
fn every_link_leads_to_a_file_and_every_named_test_is_in_it() {
    let mut tests = 0;
    for page in PAGES {
        for (text, target) in links(page).iter().filter(|(_, target)| !target.starts_with("http")) {
            let (file, section) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() { root().join(page) } else { root().join("docs").join(file) };
            assert!(file.exists(), "{page}: `{target}` is not there");
            assert!(section.is_empty() || sections(&file).contains(section), "{page}: there is no section `{target}`");
            let Some(name) = text.strip_prefix('`').and_then(|text| text.strip_suffix('`')) else { continue };
            if file.extension().is_some_and(|extension| extension == "rs") && name.contains('_') {
                let code = read(&file);
                let is_there = ["(", "<"].iter().any(|next| code.contains(&format!("fn {name}{next}")));
                assert!(is_there, "{page}: there is no `{name}` in `{target}`");
                tests += 1;
            }
        }
    }
    assert!(tests > 40, "the pages name only {tests} tests");
}

/// The sections of a page as the parts of links that lead to them.
fn sections(page: &Path) -> BTreeSet<String> {
    let text = read(page);
    let titles = text.lines().filter_map(|line| line.strip_prefix("## "));
    let section = |title: &str| {
        let kept = title.chars().filter(|c| c.is_alphanumeric() || " -".contains(*c));
        kept.collect::<String>().to_lowercase().replace(' ', "-")
    };
    titles.map(section).collect()
}

#[test]
fn every_row_of_the_comparison_shows_what_it_claims() {
    let text = read(&root().join("docs/comparison.md"));
    let mut rows = 0;
    let mut columns = 0;
    for line in text.lines().filter(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
        if !line.starts_with("| **") {
            columns = if line.starts_with("|---") { columns } else { cells.len() };
            continue;
        }
        assert_eq!(cells.len(), columns, "a row has one cell for each column of its table: {line}");
        assert!(cells[0].contains("]("), "a claim without a test or an example: {}", cells[0]);
        rows += 1;
    }
    assert!(rows > 30, "the tables lost their rows: {rows}");
}

#[test]
fn every_example_is_in_the_guide() {
    let linked: BTreeSet<String> = links("docs/engine.md").into_iter().map(|(_, target)| target).collect();
    for entry in std::fs::read_dir(root().join("examples/engine")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let target = format!("../examples/engine/{name}");
        assert!(linked.contains(&target), "the guide does not lead to {name}");
    }
}

/// A snippet is a run of lines of the example that was linked last before it, at any indentation.
#[test]
fn every_snippet_of_the_guide_is_code_of_the_example_before_it() {
    let text = read(&root().join("docs/engine.md"));
    let mut snippets = 0;
    let mut before = String::new();
    let mut parts = text.split("```");
    while let Some(prose) = parts.next() {
        before.push_str(prose);
        let Some((language, code)) = parts.next().and_then(|block| block.split_once('\n')) else { break };
        if language != "rust" {
            continue;
        }
        let (_, rest) = before.rsplit_once("](../examples/engine/").unwrap();
        let example = read(&root().join("examples/engine").join(rest.split_once(')').unwrap().0));
        let trimmed = |text: &str| text.lines().map(|line| format!("{}\n", line.trim())).collect::<String>();
        assert!(
            format!("\n{}", trimmed(&example)).contains(&format!("\n{}", trimmed(code))),
            "not in its example:\n{code}"
        );
        snippets += 1;
    }
    assert!(snippets > 10, "the guide has only {snippets} snippets");
}

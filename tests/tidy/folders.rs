//! A folder has few entries, so that its list can be read at a glance.

use std::collections::{BTreeMap, BTreeSet};

use super::crates::CRATES;
use super::sources::below;

/// A file `x.rs` and its folder `x/` are one entry; tests are none.
const MOST_ENTRIES: usize = 12;

/// Folders with more entries, and how many they have. The numbers may only shrink.
const EXCEPTIONS: &[(&str, usize)] = &[
    ("research-core/src/", 28),
    ("research-core/src/graph/", 19),
    ("research-core/src/run/", 24),
    ("research-llm/src/", 24),
    ("research-mcp/src/", 27),
    ("research-mcp/src/connection/", 21),
    ("research-mcp/src/server/", 26),
];

#[test]
fn no_folder_has_more_than_12_entries() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for one in CRATES {
        let files = below(one.sources);
        let paths = files.iter().map(|source| &source.path[one.sources.len()..]);
        counts.extend(entries(paths).into_iter().map(|(folder, count)| (format!("{}{folder}", one.sources), count)));
    }

    let problems = problems(&counts, EXCEPTIONS);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn problems(counts: &BTreeMap<String, usize>, exceptions: &[(&str, usize)]) -> Vec<String> {
    let mut problems = Vec::new();
    for (folder, count) in counts {
        match exceptions.iter().find(|(name, _)| name == folder) {
            Some(_) if *count <= MOST_ENTRIES => {
                problems.push(format!("{folder} has {count} entries: remove it from the exceptions"));
            }
            Some((_, listed)) if count == listed => {}
            Some((_, listed)) => {
                problems.push(format!("{folder} has {count} entries and {listed} in the list of exceptions"));
            }
            None if *count > MOST_ENTRIES => {
                problems.push(format!("{folder} has {count} entries: group what belongs together in a folder"));
            }
            None => {}
        }
    }
    for (name, _) in exceptions.iter().filter(|(name, _)| !counts.contains_key(*name)) {
        problems.push(format!("{name} is in the list of exceptions and is not a folder"));
    }
    problems
}

/// By folder, which ends with `/` or is empty, how many entries it has.
fn entries<'p>(paths: impl Iterator<Item = &'p str>) -> BTreeMap<String, usize> {
    let mut names: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in paths {
        let mut folder = String::new();
        for part in path.split('/') {
            let name = part.trim_end_matches(".rs");
            if name == "tests" {
                break;
            }
            if !matches!(name, "lib" | "main") {
                names.entry(folder.clone()).or_default().insert(name.to_string());
            }
            folder = format!("{folder}{part}/");
        }
    }
    names.into_iter().map(|(folder, names)| (folder, names.len())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_and_its_folder_are_one_entry_and_tests_are_none() {
        let paths = ["lib.rs", "a.rs", "a/b.rs", "a/c.rs", "a/tests.rs", "d/e.rs", "tests/f.rs"];
        let counts = entries(paths.into_iter());
        assert_eq!(counts, BTreeMap::from([(String::new(), 2), ("a/".to_string(), 2), ("d/".to_string(), 1)]));
    }

    #[test]
    fn an_exception_must_be_exact() {
        let counts = BTreeMap::from([("a/".to_string(), 14), ("b/".to_string(), 12), ("c/".to_string(), 13)]);
        assert_eq!(problems(&counts, &[("a/", 14), ("c/", 13)]), Vec::<String>::new());
        for exceptions in [
            &[("a/", 14)][..],
            &[("a/", 15), ("c/", 13)],
            &[("a/", 13), ("c/", 13)],
            &[("a/", 14), ("c/", 13), ("b/", 12)],
            &[("a/", 14), ("c/", 13), ("d/", 13)],
        ] {
            let found = problems(&counts, exceptions);
            assert_eq!(found.len(), 1, "{exceptions:?}: {found:?}");
        }
    }
}

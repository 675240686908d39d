//! The part of a code base that a question limits itself to: files, folders, tests or not.

use crate::base::{Place, Snapshot};
use crate::question::Reading;
use crate::tree::RelPath;

/// The part of a code base that a question limits itself to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Narrow {
    /// Files and folders, as the question writes them.
    paths: Vec<String>,
    without_tests: bool,
    only_tests: bool,
}

/// Words after which a folder may be named.
const BEFORE_FOLDER: &[&str] = &["in", "under", "within", "inside", "below", "of"];

impl Narrow {
    /// Reads the limits of a question.
    pub(crate) fn new(reading: &Reading, files: &Snapshot) -> Self {
        let mut paths: Vec<String> = reading
            .terms
            .iter()
            .filter(|term| term.is_file)
            .map(|term| term.name.trim_end_matches('/').to_owned())
            .collect();
        let words: Vec<&str> = reading
            .text
            .split_whitespace()
            .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_' && c != '/'))
            .collect();
        for pair in words.windows(2) {
            let (Some(before), Some(word)) = (pair.first(), pair.get(1)) else {
                continue;
            };
            let is_folder = BEFORE_FOLDER.contains(before)
                && word.len() > 1
                && files
                    .tree()
                    .files()
                    .iter()
                    .any(|file| file.path.folder().split('/').any(|folder| folder == *word));
            if is_folder && !matches!(*word, "test" | "tests") {
                paths.push((*word).to_owned());
            }
        }

        let has = |cues: &[&str]| cues.iter().any(|cue| reading.text.contains(cue));
        let without_tests = has(&[
            "not counting tests",
            "tests aside",
            "without tests",
            "excluding tests",
            "except tests",
            "except in tests",
            "outside tests",
            "outside of tests",
            "ignoring tests",
            "not in tests",
            "apart from tests",
            "non-test",
            "tests excluded",
            "no tests",
        ]);
        Self {
            paths,
            without_tests,
            only_tests: !without_tests
                && has(&["in tests", "in the tests", "by tests", "in test code"]),
        }
    }

    /// Returns whether a question that has this limit is about a file.
    pub(crate) fn admits(&self, path: &RelPath, place: Place) -> bool {
        let is_test = place == Place::Test;
        if self.without_tests && is_test || self.only_tests && !is_test {
            return false;
        }
        self.admits_path(path)
    }

    /// Returns whether a file is one of those that the question names, or it names none.
    pub(crate) fn admits_path(&self, path: &RelPath) -> bool {
        self.paths.is_empty() || self.paths.iter().any(|part| has_part(path.as_str(), part))
    }

    /// Returns the limit as an addition to a sentence; empty without one.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        if !self.paths.is_empty() {
            let names: Vec<String> = self.paths.iter().map(|path| format!("`{path}`")).collect();
            text.push_str(&format!(" in {}", names.join(" and ")));
        }
        if self.without_tests {
            text.push_str(" outside of tests");
        }
        text
    }

    /// Returns whether the question names a file or folder.
    pub(crate) fn has_paths(&self) -> bool {
        !self.paths.is_empty()
    }
}

/// Returns whether a path has a file or folder as whole parts: `src/codec` in `a/src/codec/b.rs`.
fn has_part(path: &str, part: &str) -> bool {
    path.match_indices(part).any(|(at, _)| {
        let is_start = at == 0 || path[..at].ends_with('/');
        let after = &path[at + part.len()..];
        is_start && (after.is_empty() || after.starts_with('/'))
    })
}

//! The Rust sources of the workspace, read once.

use std::fs;
use std::path::{Path, PathBuf};

pub struct Source {
    /// Path below the workspace, with `/`.
    pub path: String,
    pub text: String,
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// Every `.rs` file of the members, without build output and the inputs of compile-fail tests.
pub fn all() -> Vec<Source> {
    let root = root();
    let mut found = Vec::new();
    for member in ["research-core", "research-llm", "research-mcp", "research-agents", "examples", "benches", "tests"] {
        walk(&root.join(member), &mut found);
    }
    assert!(found.len() > 50, "the walk lost the sources: {} files", found.len());
    found
        .into_iter()
        .map(|path| Source {
            text: fs::read_to_string(&path).unwrap(),
            path: path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/"),
        })
        .collect()
}

/// The sources below a folder, which ends with `/`.
pub fn below(folder: &str) -> Vec<Source> {
    let found: Vec<Source> = all().into_iter().filter(|source| source.path.starts_with(folder)).collect();
    assert!(!found.is_empty(), "there are no sources below {folder}");
    found
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().to_string();
        if path.is_dir() && name != "target" && name != "ui" {
            walk(&path, found);
        } else if name.ends_with(".rs") {
            found.push(path);
        }
    }
}

impl Source {
    /// The lines before a trailing test module: a `#[cfg(test)]` right before `mod name {`. One before anything else, such as
    /// `mod fixture;`, hides nothing.
    pub fn code(&self) -> impl Iterator<Item = &str> {
        let mut ends = self.text.match_indices("\n#[cfg(test)]\nmod ").map(|(at, _)| at);
        let inline = |at: &usize| self.text[*at..].lines().nth(2).is_some_and(|line| line.ends_with('{'));
        self.text[..ends.find(inline).unwrap_or(self.text.len())].lines()
    }
}

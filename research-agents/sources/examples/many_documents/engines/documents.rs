//! The documents as the other engines get them.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use research_agents_sources::corpus::passages_of;
use research_agents_sources::read::{Format, ReadDocument, ReadLimits, read};

/// A passage with what counts as its words.
pub(crate) struct Passage {
    pub(crate) name: String,
    /// Title and headings above it, and its text.
    pub(crate) parts: Vec<String>,
}

/// Returns the name of a passage: its document, and the byte at which it begins.
pub(crate) fn name_of(document: &str, start: usize) -> String {
    format!("{document}@{start}")
}

/// Reads every document in the order of its path, and passes its passages on. Returns how many
/// documents had text.
pub(crate) fn each_passage(
    folder: &Path,
    mut take: impl FnMut(Passage) -> Result<(), Box<dyn Error>>,
) -> Result<usize, Box<dyn Error>> {
    let mut paths = Vec::new();
    files(folder, &mut paths)?;
    let mut named: Vec<(String, PathBuf)> = Vec::new();
    for path in paths {
        named.push((
            path.strip_prefix(folder)?.to_string_lossy().into_owned(),
            path,
        ));
    }
    named.sort_unstable();

    let (mut documents, limits) = (0, ReadLimits::default());
    for (name, path) in named {
        let Ok(document) = read(&fs::read(&path)?, Some(Format::Html), &limits) else {
            continue;
        };
        documents += 1;
        for passage in passages_of(&document) {
            let mut parts = above(&document, passage.section, &passage.range);
            parts.push(document.slice(&passage.range).to_owned());
            take(Passage {
                name: name_of(&name, passage.range.start),
                parts,
            })?;
        }
    }
    Ok(documents)
}

/// Returns the title and the headings above a passage. A heading that is the title, or that the
/// passage contains, counts once.
fn above(
    document: &ReadDocument,
    mut section: Option<usize>,
    passage: &std::ops::Range<usize>,
) -> Vec<String> {
    let title = document.title.for_code();
    let mut parts = vec![title.clone()];
    while let Some(found) = section.and_then(|index| document.sections.get(index)) {
        let heading = document.slice(&found.heading);
        let is_inside = passage.start <= found.heading.start && found.heading.end <= passage.end;
        let same = research_agents_report::text::content_stems(heading)
            == research_agents_report::text::content_stems(title);
        if !is_inside && !same {
            parts.push(heading.to_owned());
        }
        section = found.parent;
    }
    parts
}

fn files(folder: &Path, paths: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            files(&entry.path(), paths)?;
        } else {
            paths.push(entry.path());
        }
    }
    Ok(())
}

//! Questions with their answers.

use std::error::Error;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// What a question asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A number, time, size, version or date of the manual.
    Value,
    /// A name, a word, yes or no, or a short explanation.
    Text,
    /// A value that the notes state as well, in other words.
    Agree,
    /// A value for which the notes state another one.
    Conflict,
    /// Something that the manual does not say.
    None,
}

/// A question.
#[derive(Clone, Debug, Deserialize)]
pub struct Case {
    /// Its id.
    pub id: String,
    /// The manuals and notes to ask.
    pub corpora: Vec<String>,
    /// The question.
    pub question: String,
    /// What it asks for.
    pub kind: Kind,
    /// Strings of which a right sentence has one; of a conflict, one for each side.
    pub answers: Vec<String>,
    /// Whether it is sealed until the end.
    pub sealed: bool,
}

/// Reads all files of a folder.
pub fn read(folder: &Path) -> Result<Vec<Case>, Box<dyn Error>> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let mut cases = Vec::new();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|ending| ending == "json")) {
        let own: Vec<Case> =
            serde_json::from_str(&fs::read_to_string(path)?).map_err(|error| format!("{}: {error}", path.display()))?;
        cases.extend(own);
    }
    Ok(cases)
}

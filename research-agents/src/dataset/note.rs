//! Notes of a run: what its report says of them, and what they say in full.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::state::DatasetState;
use super::tool_arguments::left_out;
use crate::Error;

/// What went wrong or was changed on the way, in words.
///
/// A report says of it only what the program itself knows to be so. In full it may repeat what a server, a model or a plan has
/// said: for the log, for events, and for prompts, where it stands as data.
///
/// ```
/// use research_agents::dataset::Note;
///
/// let note = Note::own("a call of search failed").in_full("a call of search failed: 9000 records were lost, it says");
/// assert_eq!(note.told(), Some("a call of search failed"));
/// assert_eq!(note.to_string(), "a call of search failed: 9000 records were lost, it says");
/// // Other texts are somebody's: a report repeats them where it knows every number in them.
/// assert_eq!(Note::from("the library was closed").told(), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Note {
    /// Words of the program.
    Own {
        /// What a report says: nothing but texts of the program, names that tools or the user have listed, and numbers that the
        /// program counted.
        told: String,
        /// The same with the words of others; none where there are none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        full: Option<String>,
    },
    /// Words of others, such as those of a sub-agent of the host.
    Others(String),
}

impl Note {
    /// Words of the program, for the report too.
    pub fn own(told: impl Into<String>) -> Self {
        Self::Own { told: told.into(), full: None }
    }

    /// The same, with more words where no report is.
    #[must_use]
    pub fn in_full(self, words: impl Into<String>) -> Self {
        match self {
            Self::Own { told, .. } => Self::Own { told, full: Some(words.into()) },
            Self::Others(_) => Self::Others(words.into()),
        }
    }

    /// What the report says of it; `None` for words of others.
    pub fn told(&self) -> Option<&str> {
        match self {
            Self::Own { told, .. } => Some(told),
            Self::Others(_) => None,
        }
    }

    /// That something failed: in the report why by the kind of the error, in full with its words.
    pub(crate) fn failed(what: &str, error: &Error) -> Self {
        Self::own(format!("{what}: {}", clause(&error.user_message()))).in_full(format!("{what}: {error}"))
    }

    /// That a filter could not be put to a tool. The report names its field where a tool or the user does.
    pub(crate) fn filter_left_out(tool: &str, field: &str, state: &DatasetState) -> Self {
        let full = left_out(tool, field);
        if is_named(field, state) {
            return Self::own(full);
        }
        Self::own(format!("the tool {tool} has no argument for a filter of the plan; it was left out")).in_full(full)
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Own { told, full } => full.as_deref().unwrap_or(told),
            Self::Others(words) => words,
        })
    }
}

impl From<String> for Note {
    fn from(words: String) -> Self {
        Self::Others(words)
    }
}

impl From<&str> for Note {
    fn from(words: &str) -> Self {
        Self::Others(words.to_owned())
    }
}

/// A sentence as a part of another: without its capital and its full stop.
pub(crate) fn clause(sentence: &str) -> String {
    let mut letters = sentence.trim_end_matches('.').chars();
    letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect()
}

/// The field is one that a tool lists, that the user fixed, or that is a word of the question.
fn is_named(field: &str, state: &DatasetState) -> bool {
    let listed = state.tools().flat_map(|tool| &tool.fields).any(|known| known.name == field);
    let fixed = state.overrides.filters.as_ref().is_some_and(|filters| filters.contains_key(field));
    let mut words = state.question.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    listed || fixed || words.any(|word| !word.is_empty() && word.eq_ignore_ascii_case(field))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn notes_come_back_from_json_and_plain_texts_are_words_of_others() {
        let notes = [Note::own("a"), Note::own("a").in_full("a: b"), Note::from("c")];
        let written = json!(notes);
        assert_eq!(written, json!([{"told": "a"}, {"told": "a", "full": "a: b"}, "c"]));
        assert_eq!(serde_json::from_value::<Vec<Note>>(written).unwrap(), notes);
        assert_eq!(notes.map(|note| note.told().map(str::to_owned)), [Some("a".into()), Some("a".into()), None]);
    }

    #[test]
    fn a_failure_is_told_by_its_kind() {
        let error = Error::UnknownTool { name: "999 records".into(), suggestion: None, known: Vec::new() };
        let note = Note::failed("a call failed", &error);
        assert!(note.to_string().contains("999"), "{note}");
        let told = "a call failed: a data tool refused a call or returned something that cannot be used";
        assert_eq!(note.told(), Some(told));
    }

    #[test]
    fn a_field_is_named_where_the_user_names_it() {
        let state = DatasetState { question: "strikes by year since 1990".into(), ..DatasetState::default() };
        let told = |field: &str| Note::filter_left_out("find", field, &state).told().unwrap().to_owned();
        assert_eq!(told("Year"), "the tool find has no argument for such a filter on `Year`; it was left out");
        let unnamed = "the tool find has no argument for a filter of the plan; it was left out";
        assert_eq!(told("There are 999 records"), unnamed);
        assert_eq!(told(""), unnamed);
    }
}

//! Notes of a run: the part that its report may repeat, and the full text.

use std::fmt;

use crate::error::model::Error;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[doc = " What went wrong or was changed on the way, in words.\n\nA report says of it only what \
         the program itself knows to be so. In full it may repeat what a\nserver, a model or a \
         plan has said: for the log, for events, and for prompts, where it stands as\ndata.\n\n\
         ```\nuse research_agents_runtime::event::Note;\n\nlet note = Note::own(\"a call of \
         search failed\").in_full(\"a call of search failed: 9000 records were lost, it \
         says\");\nassert_eq!(note.told(), Some(\"a call of search failed\"));\n\
         assert_eq!(note.to_string(), \"a call of search failed: 9000 records were lost, it \
         says\");\n// Other texts are somebody's: a report repeats them where it knows every \
         number in them.\nassert_eq!(Note::from(\"the library was closed\").told(), None);\n```"]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Note {
    /// Words of the program.
    Own {
        #[doc = " What a report says: nothing but texts of the program, names that tools or the \
                 user have listed, and numbers that the\nprogram counted."]
        told: String,
        /// The same with the words of others; none where there are none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        full: Option<String>,
    },
    /// Words of others, such as those of a sub-agent of the host.
    Others(String),
}

impl Note {
    /// Creates a note of the program, which the report may repeat.
    pub fn own(told: impl Into<String>) -> Self {
        Self::Own {
            told: told.into(),
            full: None,
        }
    }

    /// Sets the full text, for everything but the report.
    #[must_use]
    pub fn in_full(self, words: impl Into<String>) -> Self {
        match self {
            Self::Own { told, .. } => Self::Own {
                told,
                full: Some(words.into()),
            },
            Self::Others(_) => Self::Others(words.into()),
        }
    }

    /// Returns what the report says; `None` for words of others.
    pub fn told(&self) -> Option<&str> {
        match self {
            Self::Own { told, .. } => Some(told),
            Self::Others(_) => None,
        }
    }

    /// Creates the note of a failure: for the report with the kind of the error, in full with its
    /// text.
    pub fn failed(what: &str, error: &Error) -> Self {
        Self::own(format!("{what}: {}", clause(&error.user_message())))
            .in_full(format!("{what}: {error}"))
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

/// Returns a sentence as a clause of another: without its capital and its full stop.
pub fn clause(sentence: &str) -> String {
    let mut letters = sentence.trim_end_matches('.').chars();
    letters
        .next()
        .into_iter()
        .flat_map(char::to_lowercase)
        .chain(letters)
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn notes_come_back_from_json_and_plain_texts_are_words_of_others() {
        let notes = [
            Note::own("a"),
            Note::own("a").in_full("a: b"),
            Note::from("c"),
        ];
        let written = json!(notes);
        assert_eq!(
            written,
            json!([{"told": "a"}, {"told": "a", "full": "a: b"}, "c"])
        );
        assert_eq!(serde_json::from_value::<Vec<Note>>(written).unwrap(), notes);
        assert_eq!(
            notes.map(|note| note.told().map(str::to_owned)),
            [Some("a".into()), Some("a".into()), None]
        );
    }

    #[test]
    fn a_failure_is_reported_by_its_kind() {
        let error = Error::UnknownTool {
            name: "999 records".into(),
            suggestion: None,
            known: Vec::new(),
        };
        let note = Note::failed("a call failed", &error);
        assert!(note.to_string().contains("999"), "{note}");
        let told =
            "a call failed: a data tool refused a call or returned something that cannot be used";
        assert_eq!(note.told(), Some(told));
    }
}

//! Schemes by which documents and passages get their ids.

use serde::{Deserialize, Serialize};

/// A scheme of ids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IdScheme {
    /// The name that the thing has itself, such as the id of a record, if it can be cited. A second
    /// one with the same name gets `-2`.
    Own,
    /// A prefix and a number from 1: `S1`, `E7`.
    Counted(String),
    /// A prefix, the first eight characters of the id of the run, and a number of three digits or
    /// more, without gaps: `ev-1a2b3c4d-003`.
    Run {
        /// The prefix.
        prefix: String,
        /// The id of the run.
        run: String,
    },
}

impl IdScheme {
    /// Returns the id of the thing with this number, beginning at 1. `own` is its own name, and
    /// `is_taken` tells whether another thing has an id.
    pub(crate) fn id(&self, own: &str, number: usize, is_taken: impl Fn(&str) -> bool) -> String {
        match self {
            Self::Own => {
                let own = own_id(own);
                let later = (2..).map(|n| format!("{own}-{n}"));

                [own.clone()]
                    .into_iter()
                    .chain(later)
                    .find(|id| !is_taken(id))
                    .unwrap_or_default()
            }

            Self::Counted(prefix) => format!("{prefix}{number}"),
            Self::Run { prefix, run } => {
                let run: String = run
                    .chars()
                    .filter(char::is_ascii_alphanumeric)
                    .take(8)
                    .collect();
                format!("{prefix}-{run}-{number:03}")
            }
        }
    }
}

/// Returns a name as an id that can be cited: characters that cannot be in a citation become `-`.
fn own_id(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || "._:-".contains(c) {
                c
            } else {
                '-'
            }
        })
        .take(40)
        .collect();
    if plain.chars().any(char::is_alphanumeric) {
        plain
    } else {
        "doc".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_follow_their_scheme() {
        let run = IdScheme::Run {
            prefix: "ev".into(),
            run: "1a2b3c4d-5e6f".into(),
        };
        assert_eq!(run.id("", 3, |_| false), "ev-1a2b3c4d-003");
        assert_eq!(run.id("", 1000, |_| false), "ev-1a2b3c4d-1000");
        assert_eq!(IdScheme::Counted("S".into()).id("x", 12, |_| false), "S12");
        assert_eq!(IdScheme::Own.id("docs/a b", 1, |_| false), "docs-a-b");
        assert_eq!(IdScheme::Own.id("4711", 2, |id| id == "4711"), "4711-2");
        assert_eq!(IdScheme::Own.id("東京", 1, |_| false), "doc");
    }
}

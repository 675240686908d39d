//! The reasons why a sentence does not follow from its passages.

use serde::{Deserialize, Serialize};

/// The reason why a sentence does not follow from its passages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "reason", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Mismatch {
    /// A number, date or version is in none of the passages, or has another unit or bound there.
    #[error("no passage gives “{value}”")]
    Value {
        /// The value as written.
        value: String,
    },
    /// A number is stated of something else in the passage.
    #[error("the passage gives “{value}” to something else than “{of}”")]
    OtherOwner {
        /// The value as written.
        value: String,
        /// What the sentence states it of.
        of: String,
    },
    /// A name, a code or a quoted part is in none of the passages.
    #[error("no passage names “{name}”")]
    Name {
        /// The name as written.
        name: String,
    },
    /// The sentence denies what its passage states, or states what it denies.
    #[error("“{words}” is denied in one and not in the other")]
    Denied {
        /// The word that is denied.
        words: String,
    },
    /// The sentence has a word whose opposite is in the passage.
    #[error("it says “{said}” where the passage says “{held}”")]
    Opposite {
        /// The word of the sentence.
        said: String,
        /// The word of the passage.
        held: String,
    },
    /// Two parts of the passage are exchanged.
    #[error("“{first}” and “{second}” are exchanged")]
    Exchanged {
        /// What is first in the sentence.
        first: String,
        /// What is second in the sentence.
        second: String,
    },
    /// The sentence states a cause that the passage does not state.
    #[error("the passage does not say “{words}”")]
    AddedCause {
        /// The words that state a cause.
        words: String,
    },
    /// The passage states it under a condition that the sentence leaves out.
    #[error("it leaves out the condition “{words}”")]
    DroppedCondition {
        /// The words that begin the condition.
        words: String,
    },
    /// The sentence joins parts of several sources to a statement that none of them makes.
    #[error("no single source says this of “{subject}”")]
    Merged {
        /// What the statement is about.
        subject: String,
    },
    /// Most words of the sentence are in none of the passages.
    #[error("its passages do not say this; they lack {}", missing.join(", "))]
    NotCarried {
        /// The words that are missing.
        missing: Vec<String>,
    },
    /// A quote is not in its passage word for word.
    #[error("the quote is not in passage {passage}")]
    QuoteNotFound {
        /// Id of the passage.
        passage: String,
    },
    /// The passage does not exist.
    #[error("there is no passage {passage}")]
    UnknownPassage {
        /// Id that was given.
        passage: String,
    },
    /// The stored text of a passage or of its document is not what was read.
    #[error("passage {passage} was changed after it was read")]
    Damaged {
        /// Id of the passage.
        passage: String,
    },
    /// The sentence names no passage.
    #[error("it names no passage")]
    NoPassage,
}

impl Mismatch {
    /// Returns whether the passage says something else of the same thing.
    pub(crate) fn contradicts(&self) -> bool {
        matches!(
            self,
            Self::OtherOwner { .. }
                | Self::Denied { .. }
                | Self::Opposite { .. }
                | Self::Exchanged { .. }
        )
    }
}

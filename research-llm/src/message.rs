//! Messages: who says what to whom.

use serde::{Deserialize, Serialize};

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Role {
    /// The program: standing instructions.
    System,
    /// The one who asks.
    User,
    /// The model.
    Assistant,
}

/// A piece of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Part {
    /// Plain text.
    #[non_exhaustive]
    Text {
        /// The text.
        text: String,
    },
}

impl Part {
    /// A piece of plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }
}

/// One turn of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said, in order.
    pub parts: Vec<Part>,
}

impl Message {
    /// A turn of one text.
    pub fn new(role: Role, text: impl Into<String>) -> Self {
        Self { role, parts: vec![Part::text(text)] }
    }

    /// A standing instruction.
    pub fn system(text: impl Into<String>) -> Self {
        Self::new(Role::System, text)
    }

    /// A turn of the one who asks.
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, text)
    }

    /// A turn of the model.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::new(Role::Assistant, text)
    }

    /// Adds a piece.
    #[must_use]
    pub fn part(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }

    /// All text of the turn, its pieces joined without a separator.
    #[must_use]
    pub fn text(&self) -> String {
        self.parts.iter().map(|Part::Text { text }| text.as_str()).collect()
    }
}

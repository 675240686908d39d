//! Ids of runs.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Number of characters of a short id.
const SHORT: usize = 8;

/// The id of a run: 128 random bits as 32 hexadecimal digits. It is looked up, and never used as a
/// path.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RunId(String);

impl RunId {
    /// Creates a random id.
    ///
    /// # Errors
    ///
    /// When the system gives no random numbers.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0_u8; 16];
        getrandom::fill(&mut bytes)?;
        Ok(Self(
            bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        ))
    }

    /// Parses an id. `None` unless it consists of 32 hexadecimal digits in lower case.
    pub fn parse(text: &str) -> Option<Self> {
        let is_id = text.len() == 32
            && text
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        is_id.then(|| Self(text.to_owned()))
    }

    /// Returns the id.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the first eight digits, which ids of evidence contain and answers show.
    pub fn short(&self) -> &str {
        self.0.get(..SHORT).unwrap_or(&self.0)
    }
}

impl TryFrom<String> for RunId {
    type Error = String;

    /// An empty id is that of no run.
    fn try_from(text: String) -> Result<Self, String> {
        match text.is_empty() {
            true => Ok(Self::default()),
            false => Self::parse(&text).ok_or_else(|| format!("`{text}` is not the id of a run")),
        }
    }
}

impl From<RunId> for String {
    fn from(id: RunId) -> Self {
        id.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

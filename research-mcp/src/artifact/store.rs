//! The trait of a store for large results, and the names of what it keeps.

use std::str::FromStr;
use std::{fmt, io};

use serde::{Deserialize, Serialize};

use crate::future::BoxFuture;

/// A place for results that are too large; see [`Overflow::Keep`](crate::Overflow::Keep).
pub trait ArtifactStore: Send + Sync {
    /// Stores bytes under a new random name.
    ///
    /// # Errors
    ///
    /// When they cannot be stored, or the store is full.
    fn put(&self, bytes: Vec<u8>) -> BoxFuture<'_, io::Result<ArtifactId>>;

    /// The bytes of this name.
    ///
    /// # Errors
    ///
    /// When there are none, or they cannot be read.
    fn get(&self, id: ArtifactId) -> BoxFuture<'_, io::Result<Vec<u8>>>;
}

/// Name of an artifact: 128 random bits, written as 32 hexadecimal digits. Nothing of it comes from a server, and it is no path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ArtifactId(u128);

impl ArtifactId {
    /// A name that was never used before.
    ///
    /// # Errors
    ///
    /// When the operating system has no randomness to give.
    pub fn random() -> io::Result<Self> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Self(u128::from_be_bytes(bytes)))
    }
}

impl fmt::Display for ArtifactId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for ArtifactId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ArtifactId({self})")
    }
}

/// What is no name of an artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the name of an artifact is 32 hexadecimal digits")]
pub struct NoArtifactId;

impl FromStr for ArtifactId {
    type Err = NoArtifactId;

    fn from_str(text: &str) -> Result<Self, NoArtifactId> {
        let is_name = text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if !is_name {
            return Err(NoArtifactId);
        }
        u128::from_str_radix(text, 16).map(Self).map_err(|_| NoArtifactId)
    }
}

impl TryFrom<String> for ArtifactId {
    type Error = NoArtifactId;

    fn try_from(text: String) -> Result<Self, NoArtifactId> {
        text.parse()
    }
}

impl From<ArtifactId> for String {
    fn from(id: ArtifactId) -> Self {
        id.to_string()
    }
}

/// A result that was stored whole: a JSON object of `content` (a list of [`Content`](crate::Content) blocks), `structured` and
/// `is_error`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Artifact {
    /// Its name in the [`ArtifactStore`].
    pub id: ArtifactId,
    /// Its size in bytes.
    pub bytes: usize,
}

impl Artifact {
    pub(crate) fn new(id: ArtifactId, bytes: usize) -> Self {
        Self { id, bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_never_a_path() {
        let id = ArtifactId::random().unwrap();
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_ne!(ArtifactId::random().unwrap(), id);
        for bad in
            ["", "..", "../../etc/passwd", "0", &"g".repeat(32), &"A".repeat(32), &format!("+{}", "0".repeat(31))]
        {
            assert_eq!(bad.parse::<ArtifactId>(), Err(NoArtifactId), "{bad}");
        }
    }
}

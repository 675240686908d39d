//! Why a file was not read.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::read::format::Format;

/// The reason why a file was not read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case", tag = "reason")]
#[non_exhaustive]
pub enum ReadError {
    /// The file is larger than the limit.
    #[error("it is larger than {limit} bytes; raise the limit on the size of files to read it")]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// The file unpacks to more than the limit.
    #[error("it unpacks to more than {limit} bytes")]
    Unpacked {
        /// The limit in bytes.
        limit: u64,
    },
    /// The text is longer than the limit.
    #[error("its text is longer than {limit} bytes")]
    TextTooLong {
        /// The limit in bytes.
        limit: usize,
    },
    /// Elements are nested deeper than the limit.
    #[error("its elements are nested more than {limit} deep")]
    TooDeep {
        /// The limit.
        limit: usize,
    },
    /// The reader took longer than the limit.
    #[error("reading it took longer than {} ms", limit.as_millis())]
    TooSlow {
        /// The limit.
        limit: Duration,
    },
    /// Too many readers hang, so that no further one is started.
    #[error("{count} readers hang in other files, and no further one is started")]
    Busy {
        /// Number of readers that hang.
        count: usize,
    },
    /// The reader panicked.
    #[error("its reader failed: {message}")]
    Panicked {
        /// Message of the panic.
        message: String,
    },
    /// The file is encrypted.
    #[error("it is encrypted; remove its password to read it")]
    Encrypted,
    /// The file is damaged, or not of the format.
    #[error("it is not a valid {format} file: {problem}")]
    Malformed {
        /// The format.
        format: Format,
        /// What is wrong.
        problem: String,
    },
    /// The file contains no text, such as a scanned page.
    #[error("it contains no text")]
    NoText,
    /// No reader knows the format.
    #[error("no reader knows its format")]
    UnknownFormat,
    /// The program was built without the reader of the format.
    #[error("this program was built without a reader of {format} files")]
    NotBuilt {
        /// The format.
        format: Format,
    },
}

impl ReadError {
    /// Returns the reason as one word, for tables and events.
    pub fn code(&self) -> &'static str {
        match self {
            Self::TooLarge { .. } => "too_large",
            Self::Unpacked { .. } => "unpacked",
            Self::TextTooLong { .. } => "text_too_long",
            Self::TooDeep { .. } => "too_deep",
            Self::TooSlow { .. } => "too_slow",
            Self::Busy { .. } => "busy",
            Self::Panicked { .. } => "panicked",
            Self::Encrypted => "encrypted",
            Self::Malformed { .. } => "malformed",
            Self::NoText => "no_text",
            Self::UnknownFormat => "unknown_format",
            Self::NotBuilt { .. } => "not_built",
        }
    }

    pub(crate) fn malformed(format: Format, problem: impl ToString) -> Self {
        Self::Malformed {
            format,
            problem: problem.to_string(),
        }
    }
}

//! What can go wrong between a state and its bytes.

use std::error::Error;
use std::fmt;

/// Levels of nesting that a value may have.
///
/// Twice what `serde_json` reads, and few enough for the stack of a thread: a deserializer recurses once for each level.
pub(crate) const MAX_DEPTH: usize = 256;

/// What kind of failure it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CodecErrorKind {
    /// The type's `Serialize` refused the value.
    Encode,
    /// What is stored does not fit the type of the field.
    Decode,
    /// The value nests deeper than 256 levels.
    TooDeep,
    /// The value takes more than 4 GiB.
    TooLarge,
    /// What is stored is no value at all: it was cut off or damaged.
    Damaged,
    /// A stored update writes a field that the state does not have.
    UnknownField,
    /// What is stored can only be folded by another reducer than the field has.
    OtherReducer,
}

/// A field that could not be written to a checkpoint or read from it: which, what was wrong, and the cause.
#[derive(Debug)]
pub struct CodecError {
    /// Behind a pointer: the result of every task is as large as its largest error, and is moved several times in a step.
    details: Box<Details>,
}

#[derive(Debug)]
struct Details {
    field: String,
    kind: CodecErrorKind,
    source: Option<Box<dyn Error + Send + Sync>>,
    /// Other fields of the same state.
    others: Vec<CodecError>,
}

impl CodecError {
    #[cold]
    pub(crate) fn new(kind: CodecErrorKind) -> Self {
        let details = Details { field: String::new(), kind, source: None, others: Vec::new() };
        Self { details: Box::new(details) }
    }

    #[cold]
    pub(crate) fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.details.source = Some(source.into());
        self
    }

    /// The same error, of a field.
    #[cold]
    pub(crate) fn at(mut self, field: &str) -> Self {
        self.details.field = field.to_string();
        self
    }

    /// Of a stored update whose field the state does not have. Called by the derive macro's output.
    #[doc(hidden)]
    #[cold]
    pub fn unknown_field(field: &str) -> Self {
        Self::new(CodecErrorKind::UnknownField).at(field)
    }

    /// Of stored changes whose field folds in another way. Called by the derive macro's output.
    #[doc(hidden)]
    #[cold]
    pub fn other_reducer(field: &str) -> Self {
        Self::new(CodecErrorKind::OtherReducer).at(field)
    }

    /// The same error, with those of other fields of the same state.
    #[cold]
    pub(crate) fn with_others(mut self, others: impl IntoIterator<Item = Self>) -> Self {
        self.details.others.extend(others);
        self
    }

    /// Returns the errors of other fields of the same state that could not be read.
    pub fn others(&self) -> impl Iterator<Item = &Self> {
        self.details.others.iter()
    }

    /// Name of the field; empty where the damage is so great that it is not known.
    #[must_use]
    pub fn field(&self) -> &str {
        &self.details.field
    }

    /// What kind of failure it was.
    #[must_use]
    pub fn kind(&self) -> CodecErrorKind {
        self.details.kind
    }

    /// Whether a value of the state could not be written; otherwise something stored could not be read.
    #[must_use]
    pub fn is_encode(&self) -> bool {
        matches!(self.details.kind, CodecErrorKind::Encode | CodecErrorKind::TooDeep | CodecErrorKind::TooLarge)
    }
}

impl fmt::Display for CodecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.describe(f)?;
        self.details.others.iter().try_for_each(|other| {
            f.write_str("; ")?;
            other.describe(f)
        })
    }
}

impl CodecError {
    /// The reason that serde gives, in brackets.
    fn reason(&self) -> String {
        self.details.source.as_ref().map_or_else(String::new, |source| format!(" ({source})"))
    }

    fn describe(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = &self.details.field;
        match self.details.kind {
            CodecErrorKind::Encode => write!(
                f,
                "`{field}` cannot be written to a checkpoint: its type refuses to serialize this value{}; mend its \
                 `Serialize`, or mark the field `#[reduce(untracked)]`",
                self.reason()
            ),
            CodecErrorKind::Decode => write!(
                f,
                "`{field}` cannot be read from the checkpoint: what is stored does not fit its type{}; give what was \
                 added to the type `#[serde(default)]`, or migrate the thread",
                self.reason()
            ),
            CodecErrorKind::TooDeep => write!(
                f,
                "`{field}` nests deeper than {} levels, which a checkpoint does not take; store a flatter shape, \
                 or mark the field `#[reduce(untracked)]`",
                MAX_DEPTH
            ),
            CodecErrorKind::TooLarge => write!(
                f,
                "`{field}` takes more than 4 GiB, which a checkpoint does not take; keep the data elsewhere and a \
                 reference to it in the state"
            ),
            CodecErrorKind::Damaged if field.is_empty() => {
                f.write_str("stored data of a checkpoint are damaged; restore the store from a backup")
            }
            CodecErrorKind::Damaged => write!(
                f,
                "`{field}` cannot be read from the checkpoint: its data are damaged; restore the store from a backup"
            ),
            CodecErrorKind::UnknownField => write!(
                f,
                "a stored update writes the field `{field}`, which the state does not have; put the field back, or migrate \
                 the thread"
            ),
            CodecErrorKind::OtherReducer => write!(
                f,
                "what is stored of the field `{field}` was written under another reducer and cannot be folded by the one it \
                 has; put the reducer back, or migrate the thread"
            ),
        }
    }
}

impl Error for CodecError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.details.source.as_ref().map(|source| &**source as &(dyn Error + 'static))
    }
}

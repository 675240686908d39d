//! What names a field that no tool has a name for.

/// What names a field that is computed of others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Naming {
    /// The words of a concept.
    Concept(&'static str),
    /// These words of the question, in small letters.
    Phrase(Vec<String>),
}

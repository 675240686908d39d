//! What an answer says, and what is shown with it.

use research_agents_report::claim::Statement;

/// The answer to a question.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Answer {
    /// The finding in a few words, without a number.
    pub(crate) title: String,
    /// The answer, the first sentence first.
    pub(crate) statements: Vec<Statement>,
    /// The aggregation whose groups are shown.
    pub(crate) table: Option<String>,
    /// The records that are listed.
    pub(crate) records: Option<Listed>,
    /// How the question was read, one line each.
    pub(crate) read_as: Vec<String>,
    /// How well the question is answered, 0 to 1.
    pub(crate) confidence: f64,
    /// Whether what is asked has no value.
    pub(crate) is_empty: bool,
}

/// Records that an answer lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Listed {
    /// The ranking or count that they come from.
    pub(crate) table: String,
    /// Fields to show.
    pub(crate) columns: Vec<String>,
    /// Ids of the sources.
    pub(crate) sources: Vec<String>,
    /// Number of further records.
    pub(crate) more: u64,
}

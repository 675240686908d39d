//! A question that one searcher answers.

use serde::{Deserialize, Serialize};

/// A question for one searcher.
///
/// ```
/// use research_agents_fieldwork::assignment::Assignment;
///
/// let assignment = Assignment::new("q1", "How large may a page be?")
///     .with_queries(["maximum page size", "page size limit"])
///     .in_section("Limits");
/// assert_eq!(assignment.queries.len(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Assignment {
    /// Id within the run.
    pub id: String,
    /// The question.
    pub question: String,
    /// Queries to search with. Without one the question itself is the query.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queries: Vec<String>,
    /// Section of the outline that the answer belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// Names of the sources to search. Empty for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub origins: Vec<String>,
}

impl Assignment {
    /// Creates an assignment whose question is its query, in all sources.
    pub fn new(id: impl Into<String>, question: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            question: question.into(),
            ..Self::default()
        }
    }

    /// Sets the queries.
    #[must_use]
    pub fn with_queries<T: Into<String>>(mut self, queries: impl IntoIterator<Item = T>) -> Self {
        self.queries = queries.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the section of the outline.
    #[must_use]
    pub fn in_section(mut self, section: impl Into<String>) -> Self {
        self.section = Some(section.into());
        self
    }

    /// Sets the names of the sources to search.
    #[must_use]
    pub fn in_origins<T: Into<String>>(mut self, origins: impl IntoIterator<Item = T>) -> Self {
        self.origins = origins.into_iter().map(Into::into).collect();
        self
    }

    /// Returns the queries, or the question without any.
    pub fn searches(&self) -> Vec<&str> {
        if self.queries.is_empty() {
            vec![&self.question]
        } else {
            self.queries.iter().map(String::as_str).collect()
        }
    }

    /// Returns whether a source is to be searched.
    pub fn includes(&self, source: &str) -> bool {
        self.origins.is_empty() || self.origins.iter().any(|origin| origin == source)
    }
}

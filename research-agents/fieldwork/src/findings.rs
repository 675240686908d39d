//! What a searcher brings back.

use research_agents_report::passage::{Document, Found, Span};
use research_agents_sources::search::SourceError;
use serde::{Deserialize, Serialize};

/// A passage that may answer the question of an assignment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FieldPassage {
    /// Name of the source that gave it.
    pub source: String,
    /// The query that found it first.
    pub query: String,
    /// Its document. The site of the origin is that which publishes it.
    pub document: Document,
    /// Its place in the text of the document, in bytes.
    pub span: Span,
    /// How it was found.
    pub found: Found,
    /// Share of the content words of the question that are in the passage, its headings or its
    /// title, 0 to 1.
    pub share: f64,
    /// How credible the site is, 0 to 1.
    pub credibility: f64,
}

impl FieldPassage {
    /// Returns its text.
    pub fn text(&self) -> &str {
        let text = self.document.text.for_code();
        text.get(self.span.start..self.span.end).unwrap_or_default()
    }
}

/// What was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// A search.
    Search,
    /// A fetch of a hit.
    Fetch,
}

/// Why a call gave nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case", tag = "cause")]
#[non_exhaustive]
pub enum Cause {
    /// The source gave nothing.
    #[error(transparent)]
    Source {
        /// The error of the source, with its remedy.
        error: SourceError,
    },
    /// The run does not allow the call: its policy, its budget, or because it must stop.
    #[error("{problem}")]
    Run {
        /// The problem.
        problem: String,
    },
}

/// A call that failed. The others took place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{source_name}: {cause}")]
#[non_exhaustive]
pub struct FieldFailure {
    /// Name of the source.
    pub source_name: String,
    /// What was tried.
    pub step: Step,
    /// The query, or the id of the hit.
    pub what: String,
    /// Why it failed.
    pub cause: Cause,
}

/// What a searcher brings back from one assignment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FieldFindings {
    /// Id of the assignment.
    pub assignment: String,
    /// The passages, each place once, in the order in which they were found.
    pub passages: Vec<FieldPassage>,
    /// The calls that failed.
    pub failures: Vec<FieldFailure>,
    /// Number of searches that were answered.
    pub searches: usize,
    /// Number of hits of all answers, and of those that the limits left out.
    pub hits: usize,
    /// Number of hits that the limits left out.
    pub beyond: usize,
    /// Whether the run had to stop before all calls were made.
    pub is_cut: bool,
}

impl FieldFindings {
    /// Returns `true` if no search was answered: nothing is known about the question, which is
    /// something else than an answer without hits.
    pub fn is_dead_end(&self) -> bool {
        self.searches == 0
    }

    /// Returns the number of documents that passages are from.
    pub fn documents(&self) -> usize {
        let origin = |passage: &FieldPassage| {
            let origin = &passage.document.origin;
            (origin.site.clone(), origin.address.clone())
        };
        let origins: std::collections::BTreeSet<_> = self.passages.iter().map(origin).collect();
        origins.len()
    }
}

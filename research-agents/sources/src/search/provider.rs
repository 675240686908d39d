//! The port to sources.

use async_trait::async_trait;
use research_agents_runtime::job::Job;
use serde::{Deserialize, Serialize};

use crate::search::error::CallError;
use crate::search::model::{Fetched, Hit, Query, SearchResults};

/// The kind of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SourceKind {
    /// Documents of the user: folders and servers.
    Local,
    /// Pages of the web.
    Web,
}

impl SourceKind {
    /// Returns how many hits a query gets by default: 8 of local sources, 2 of the web.
    pub fn default_hits(self) -> usize {
        match self {
            Self::Local => 8,
            Self::Web => 2,
        }
    }
}

/// A source that can be searched, and that gives the documents it found. Implement it for a source
/// of a host.
#[async_trait]
pub trait SearchProvider: Send + Sync {
    /// Returns the name: letters, digits, `-`, `_` and `.`. Policies know its calls as
    /// `search_NAME` and `fetch_NAME`.
    fn name(&self) -> &str;

    /// Returns the kind of the source.
    fn kind(&self) -> SourceKind;

    /// Searches.
    ///
    /// # Errors
    ///
    /// When the source gives no answer, or the run does not allow the call.
    async fn search(&self, job: &Job, query: &Query) -> Result<SearchResults, CallError>;

    /// Fetches the document of a hit.
    ///
    /// # Errors
    ///
    /// When the source gives no document, or the run does not allow the call.
    async fn fetch(&self, job: &Job, hit: &Hit) -> Result<Fetched, CallError>;
}

/// Returns how many hits a query gets.
pub(crate) fn hits_of(query: &Query, kind: SourceKind) -> usize {
    query
        .limit
        .unwrap_or(kind.default_hits())
        .clamp(1, crate::search::model::MOST_HITS)
}

/// Returns the summary of an answer for events.
pub(crate) fn summary_of(results: &SearchResults) -> String {
    match results.hits.len() {
        1 => "1 hit".to_owned(),
        hits => format!("{hits} hits"),
    }
}

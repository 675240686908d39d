//! Queries, hits, and what is fetched.

use std::ops::Range;

use research_agents_report::text::Untrusted;
use serde::{Deserialize, Serialize};

use crate::read::ReadDocument;

/// Maximum number of hits of one query.
pub(crate) const MOST_HITS: usize = 50;

/// A query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Query {
    /// Words to search for.
    pub text: String,
    /// Maximum number of hits, 1 to 50. Defaults to that of the kind of source: 8 for folders and
    /// servers, 2 for the web.
    pub limit: Option<usize>,
}

impl Query {
    /// Creates a query with the default number of hits.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            limit: None,
        }
    }

    /// Sets the maximum number of hits. Numbers outside of 1 to 50 become the nearest one inside.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = Some(limit.clamp(1, MOST_HITS));
        self
    }
}

/// Something that a search found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Hit {
    /// Id by which the provider fetches it.
    pub id: String,
    /// Title; empty if it has none.
    pub title: Untrusted<String>,
    /// Web address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Text of the passage that was found, or what the service shows of the page.
    pub snippet: Untrusted<String>,
    /// Date as the service states it, as `YYYY`, `YYYY-MM` or `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Headings above the passage, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headings: Vec<String>,
    /// Bytes of the fetched document's text, if the provider knows the place of the passage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<Range<usize>>,
    /// Relevance. Comparable within one answer only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

/// The answer to a query.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SearchResults {
    /// Hits, the best first.
    pub hits: Vec<Hit>,
    /// Number of further hits that were beyond the limit.
    #[serde(default)]
    pub beyond: usize,
    /// Number of hits that were left out because they have no usable address or id.
    #[serde(default)]
    pub unusable: usize,
}

/// A document that was fetched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Fetched {
    /// Id of the hit.
    pub id: String,
    /// Address that it came from in the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Who publishes it: the name of a corpus or server, or the host of a page.
    pub site: String,
    /// The document.
    pub document: ReadDocument,
}

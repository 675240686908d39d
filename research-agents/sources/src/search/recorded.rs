//! A source in the replay of a run: what it answered is on the tape.

use async_trait::async_trait;
use research_agents_runtime::job::Job;
use serde_json::json;

use crate::search::error::{CallError, SourceError};
use crate::search::gate::{Call, gated};
use crate::search::model::{Fetched, Hit, Query, SearchResults};
use crate::search::provider::{SearchProvider, SourceKind, hits_of, summary_of};

/// A folder or search service of which only the name is known. In a replay it gives the recorded
/// answers; outside of one every call fails.
#[derive(Clone, Debug)]
pub struct RecordedSearch {
    name: String,
    search: String,
    fetch: String,
    kind: SourceKind,
}

impl RecordedSearch {
    /// Creates the source that a run had under this name.
    pub fn new(name: impl Into<String>, kind: SourceKind) -> Self {
        let name = name.into();
        Self {
            search: format!("search_{name}"),
            fetch: format!("fetch_{name}"),
            name,
            kind,
        }
    }

    fn absent(&self) -> SourceError {
        SourceError::Unreached {
            problem: format!("the source `{}` is known by its recording alone", self.name),
            is_transient: false,
        }
    }
}

#[async_trait]
impl SearchProvider for RecordedSearch {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> SourceKind {
        self.kind
    }

    async fn search(&self, job: &Job, query: &Query) -> Result<SearchResults, CallError> {
        let limit = hits_of(query, self.kind);
        let arguments = json!({"query": query.text, "limit": limit});
        let call = Call {
            name: &self.search,
            arguments: arguments.as_object().cloned().unwrap_or_default(),
            address: None,
        };
        gated(job, call, summary_of, || async { Err(self.absent()) }).await
    }

    async fn fetch(&self, job: &Job, hit: &Hit) -> Result<Fetched, CallError> {
        let arguments = match self.kind {
            SourceKind::Local => json!({"id": hit.id}),
            SourceKind::Web => json!({"url": hit.url.as_deref().unwrap_or(&hit.id)}),
        };
        let call = Call {
            name: &self.fetch,
            arguments: arguments.as_object().cloned().unwrap_or_default(),
            address: None,
        };
        let summary =
            |fetched: &Fetched| format!("{} bytes", fetched.document.text.for_code().len());
        gated(job, call, summary, || async { Err(self.absent()) }).await
    }
}

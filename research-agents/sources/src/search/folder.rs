//! A folder as a source.

use std::sync::Arc;

use async_trait::async_trait;
use research_agents_runtime::job::Job;
use serde_json::json;

use crate::corpus::{Corpus, PassageHit};
use crate::search::error::{CallError, SourceError};
use crate::search::gate::{Call, gated};
use crate::search::model::{Fetched, Hit, Query, SearchResults};
use crate::search::provider::{SearchProvider, SourceKind, hits_of, summary_of};

/// Searches a folder of documents. A hit is a passage.
#[derive(Clone, Debug)]
pub struct FolderSearch {
    corpus: Arc<Corpus>,
    search: String,
    fetch: String,
}

impl FolderSearch {
    /// Creates a source of a corpus.
    pub fn new(corpus: Arc<Corpus>) -> Self {
        Self {
            search: format!("search_{}", corpus.name()),
            fetch: format!("fetch_{}", corpus.name()),
            corpus,
        }
    }

    /// Returns the corpus.
    pub fn corpus(&self) -> &Corpus {
        &self.corpus
    }
}

#[async_trait]
impl SearchProvider for FolderSearch {
    fn name(&self) -> &str {
        self.corpus.name()
    }

    fn kind(&self) -> SourceKind {
        SourceKind::Local
    }

    async fn search(&self, job: &Job, query: &Query) -> Result<SearchResults, CallError> {
        let limit = hits_of(query, self.kind());
        let arguments = json!({"query": query.text, "limit": limit});
        let call = Call {
            name: &self.search,
            arguments: arguments.as_object().cloned().unwrap_or_default(),
            address: None,
        };

        let (corpus, text) = (Arc::clone(&self.corpus), query.text.clone());
        gated(job, call, summary_of, || async move {
            blocking(move || {
                let hits = corpus
                    .search(&text, limit)
                    .into_iter()
                    .map(Hit::from)
                    .collect();
                Ok(SearchResults {
                    hits,
                    ..SearchResults::default()
                })
            })
            .await
        })
        .await
    }

    async fn fetch(&self, job: &Job, hit: &Hit) -> Result<Fetched, CallError> {
        let arguments = json!({"id": hit.id});
        let call = Call {
            name: &self.fetch,
            arguments: arguments.as_object().cloned().unwrap_or_default(),
            address: None,
        };

        let (corpus, id) = (Arc::clone(&self.corpus), hit.id.clone());
        let summary =
            |fetched: &Fetched| format!("{} bytes", fetched.document.text.for_code().len());
        gated(job, call, summary, || async move {
            blocking(move || {
                let document = corpus
                    .document(&id)
                    .ok_or_else(|| SourceError::NoDocument {
                        service: corpus.name().to_owned(),
                        id: id.chars().take(120).collect(),
                    })?;
                Ok(Fetched {
                    id,
                    url: None,
                    site: corpus.name().to_owned(),
                    document,
                })
            })
            .await
        })
        .await
    }
}

impl From<PassageHit> for Hit {
    fn from(hit: PassageHit) -> Self {
        Self {
            id: hit.document,
            title: hit.title,
            url: None,
            snippet: hit.text,
            date: None,
            headings: hit.headings,
            range: Some(hit.passage.range),
            score: Some(f64::from(hit.score)),
        }
    }
}

/// Runs work that blocks its thread.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, SourceError> + Send + 'static,
) -> Result<T, SourceError> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|error| {
            Err(SourceError::Unreached {
                problem: format!("the search failed: {error}"),
                is_transient: false,
            })
        })
}

//! Scripted sources and answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use research_agents_runtime::job::Job;
use research_agents_runtime::offline::{OfflineAnswers, OfflineModel};
use research_agents_sources::corpus::{Corpus, CorpusOptions, CorpusSpec};
use research_agents_sources::read::{Format, ReadLimits, read};
use research_agents_sources::search::{
    CallError, Fetched, Hit, Query, SearchProvider, SearchResults, SourceError, SourceKind,
};
use research_agents_studio::offline::answers;
use research_agents_studio::tasks::{
    ANALYZE, EXTRACT, GAPS, PLAN, TRUST_CLAIMS, TRUST_VERIFY, WRITE,
};
use research_agents_studio::{Studio, StudioBuilder};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use tempfile::TempDir;

/// A folder with these files.
pub(crate) fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// A studio over folders, each a publisher.
pub(crate) fn over(folders: &[(&str, &TempDir)]) -> StudioBuilder {
    let mut builder = Studio::builder();
    for (name, folder) in folders {
        let spec = CorpusSpec::new(*name, folder.path()).unwrap();
        let corpus = Corpus::open(&spec, &CorpusOptions::default()).unwrap();
        builder = builder.corpus(Arc::new(corpus));
    }
    builder
}

/// A source that finds documents by query, counts its calls, and can be slow or fail.
#[derive(Clone, Default)]
pub(crate) struct Scripted {
    /// By query: the addresses and texts that it finds.
    pub(crate) found: Vec<(String, Vec<(String, String)>)>,
    /// Queries that fail.
    pub(crate) fails: Vec<String>,
    /// How long a search takes.
    pub(crate) takes: Duration,
    /// Number of searches, of those under way, and the most at once.
    pub(crate) counts: Arc<[AtomicUsize; 3]>,
}

impl Scripted {
    /// Number of searches.
    pub(crate) fn searches(&self) -> usize {
        self.counts[0].load(Ordering::SeqCst)
    }

    /// The most searches that were under way at once.
    pub(crate) fn at_once(&self) -> usize {
        self.counts[2].load(Ordering::SeqCst)
    }
}

fn hit(address: &str) -> Hit {
    let json = json!({
        "id": address,
        "title": address,
        "url": address,
        "snippet": "",
    });
    serde_json::from_value(json).unwrap()
}

#[async_trait]
impl SearchProvider for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    fn kind(&self) -> SourceKind {
        SourceKind::Local
    }

    async fn search(&self, _: &Job, query: &Query) -> Result<SearchResults, CallError> {
        self.counts[0].fetch_add(1, Ordering::SeqCst);
        let now = self.counts[1].fetch_add(1, Ordering::SeqCst) + 1;
        self.counts[2].fetch_max(now, Ordering::SeqCst);
        tokio::time::sleep(self.takes).await;
        self.counts[1].fetch_sub(1, Ordering::SeqCst);

        if self.fails.contains(&query.text) {
            return Err(SourceError::Status {
                service: "scripted".into(),
                status: 500,
            }
            .into());
        }
        let found = self.found.iter().filter(|(asked, _)| *asked == query.text);
        let pages = found.flat_map(|(_, pages)| pages);
        let hits: Vec<Hit> = pages.map(|(address, _)| hit(address)).collect();
        Ok(serde_json::from_value(json!({ "hits": hits })).unwrap())
    }

    async fn fetch(&self, _: &Job, hit: &Hit) -> Result<Fetched, CallError> {
        let mut pages = self.found.iter().flat_map(|(_, pages)| pages);
        let (address, text) = pages.find(|(address, _)| *address == hit.id).unwrap();
        let document = read(text.as_bytes(), Some(Format::Text), &ReadLimits::default()).unwrap();
        let site = address.split('/').nth(2).unwrap_or_default();
        let fetched = json!({
            "id": address,
            "url": address,
            "site": site,
            "document": document,
        });
        Ok(serde_json::from_value(fetched).unwrap())
    }
}

/// How often each task was asked, in the order analyze, plan, extract, gaps, claims, verify, write.
pub(crate) type Calls = Arc<[AtomicUsize; 7]>;

/// The tasks, in the order of [`Calls`].
pub(crate) const TASKS: [&str; 7] = [
    ANALYZE,
    PLAN,
    EXTRACT,
    GAPS,
    TRUST_CLAIMS,
    TRUST_VERIFY,
    WRITE,
];

/// Returns the numbers of calls.
pub(crate) fn counted(calls: &Calls) -> [usize; 7] {
    std::array::from_fn(|at| calls[at].load(Ordering::SeqCst))
}

/// A table of answers that counts.
#[derive(Default)]
pub(crate) struct Script {
    pub(crate) calls: Calls,
    answers: OfflineAnswers,
}

impl Script {
    /// Answers a task with a function. The first function of a task counts.
    pub(crate) fn on<I, O>(
        mut self,
        task: &'static str,
        answer: impl Fn(&I) -> O + Send + Sync + 'static,
    ) -> Self
    where
        I: DeserializeOwned,
        O: Serialize,
    {
        let calls = Arc::clone(&self.calls);
        let at = TASKS.iter().position(|known| *known == task).unwrap();
        self.answers = self.answers.with(task, move |input: &I| {
            calls[at].fetch_add(1, Ordering::SeqCst);
            answer(input)
        });
        self
    }

    /// The model, which computes what has no function.
    pub(crate) fn model(self) -> Arc<OfflineModel> {
        Arc::new(OfflineModel::new(self.answers.join(answers())))
    }
}

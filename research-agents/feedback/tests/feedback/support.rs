//! Scripted models and sources.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use futures::executor::block_on;
use research_agents_feedback::config::FeedbackConfig;
use research_agents_feedback::offline::answers;
use research_agents_feedback::{FeedbackAgent, FeedbackBuilder};
use research_agents_runtime::job::Job;
use research_agents_runtime::offline::OfflineModel;
use research_agents_sources::corpus::{Corpus, CorpusOptions, CorpusSpec};
use research_agents_sources::search::{
    CallError, Fetched, Hit, Query, SearchProvider, SearchResults, SourceKind,
};
use research_llm::testing::{Reply, ScriptedModel};
use research_llm::{ChatModel, ModelInfo, ModelKind, Request, Task};
use serde_json::Value;
use tempfile::TempDir;

pub(crate) const QUESTION: &str = "Should we replace the nightly backup?";

/// Notes with facts, a problem, a proposal and a contradiction.
const NOTES: [(&str, &str); 4] = [
    (
        "backup.md",
        "# Backup\n\nThe nightly backup takes 6 hours. It writes 412 GB to tape.",
    ),
    (
        "incidents.md",
        "# Incidents of the backup\n\nThe nightly backup fails on full disks. It failed on \
         2024-03-05.",
    ),
    (
        "plan.md",
        "# Plan\n\nWe recommend to replace the nightly backup by snapshots. Snapshots need 3 TB \
         of storage.",
    ),
    ("wiki.md", "# Wiki\n\nThe nightly backup takes 9 hours."),
];

/// A folder of notes.
pub(crate) fn notes() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in NOTES {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// A workflow over a folder.
pub(crate) fn over(folder: &TempDir) -> FeedbackBuilder {
    let spec = CorpusSpec::new("notes", folder.path()).unwrap();
    let corpus = Corpus::open(&spec, &CorpusOptions::default()).unwrap();
    FeedbackAgent::builder().corpus(Arc::new(corpus))
}

/// A workflow over a folder that asks a model, with settings.
pub(crate) fn asking(
    folder: &TempDir,
    model: &Arc<ScriptedModel>,
    config: FeedbackConfig,
) -> FeedbackAgent {
    let model = Arc::clone(model) as _;
    let builder = over(folder).model(model).config(config);
    builder.build().unwrap()
}

/// A language model that gives the answers of the rules, and others where `other` has one.
pub(crate) fn model(
    other: impl Fn(&Task) -> Option<Value> + Send + Sync + 'static,
) -> Arc<ScriptedModel> {
    let rules = OfflineModel::new(answers());
    let info = ModelInfo::new("scripted", "scripted", ModelKind::Language);
    let model = ScriptedModel::named(info);

    Arc::new(model.otherwise(move |request: &Request| {
        let task = request.task.as_ref()?;
        if let Some(answer) = other(task) {
            return Some(Reply::json(answer));
        }
        let answer = block_on(rules.complete(request)).ok()?;
        Some(Reply::text(answer.text))
    }))
}

/// The last message of a request.
pub(crate) fn prompt(request: &Request) -> String {
    request.messages.last().unwrap().text()
}

/// A source without hits that counts how many searches are under way.
#[derive(Clone, Default)]
pub(crate) struct Slow {
    /// Number of searches, of those under way, and the most at one time.
    counts: Arc<[AtomicUsize; 3]>,
}

impl Slow {
    pub(crate) fn searches(&self) -> usize {
        self.counts[0].load(Ordering::SeqCst)
    }

    pub(crate) fn most(&self) -> usize {
        self.counts[2].load(Ordering::SeqCst)
    }
}

#[async_trait]
impl SearchProvider for Slow {
    fn name(&self) -> &str {
        "slow"
    }

    fn kind(&self) -> SourceKind {
        SourceKind::Local
    }

    async fn search(&self, _: &Job, _: &Query) -> Result<SearchResults, CallError> {
        self.counts[0].fetch_add(1, Ordering::SeqCst);
        let now = self.counts[1].fetch_add(1, Ordering::SeqCst) + 1;
        self.counts[2].fetch_max(now, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(30)).await;
        self.counts[1].fetch_sub(1, Ordering::SeqCst);
        Ok(SearchResults::default())
    }

    async fn fetch(&self, _: &Job, hit: &Hit) -> Result<Fetched, CallError> {
        unreachable!("{} was never found", hit.id)
    }
}

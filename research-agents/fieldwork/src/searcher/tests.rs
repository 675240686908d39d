//! Tests of the searcher over folders and a source that fails.

use std::sync::Mutex;

use async_trait::async_trait;
use research_agents_runtime::job::{Kit, PlainLoop, Settings};
use research_agents_runtime::limits::Policy;
use research_agents_runtime::offline::{OfflineAnswers, OfflineModel};
use research_agents_sources::corpus::{Corpus, CorpusOptions, CorpusSpec, IndexPlace};
use research_agents_sources::search::{FolderSearch, SearchResults, SourceError};
use research_mcp::{BoxFuture, CallOutput, McpError, Object, ToolListing, ToolSource};

use super::*;

struct NoTools;

impl ToolSource for NoTools {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        Box::pin(async { Ok(ToolListing::default()) })
    }

    fn call_tool<'a>(
        &'a self,
        name: &'a str,
        _: Object,
    ) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        Box::pin(async move { Ok(CallOutput::error("", name, "no tools")) })
    }
}

/// A source that answers no query, and notes the limit of each.
#[derive(Default)]
struct Broken {
    limits: Mutex<Vec<Option<usize>>>,
}

#[async_trait]
impl SearchProvider for Broken {
    fn name(&self) -> &str {
        "broken"
    }

    fn kind(&self) -> SourceKind {
        SourceKind::Web
    }

    async fn search(&self, _: &Job, query: &Query) -> Result<SearchResults, CallError> {
        self.limits.lock().unwrap().push(query.limit);
        Err(SourceError::JsonDisabled.into())
    }

    async fn fetch(&self, _: &Job, hit: &Hit) -> Result<Fetched, CallError> {
        Err(SourceError::NoDocument {
            service: "broken".into(),
            id: hit.id.clone(),
        }
        .into())
    }
}

fn folder(name: &str, files: &[(&str, &str)]) -> (tempfile::TempDir, Arc<dyn SearchProvider>) {
    let folder = tempfile::tempdir().unwrap();
    for (file, text) in files {
        std::fs::write(folder.path().join(file), text).unwrap();
    }
    let options = CorpusOptions::default().index(IndexPlace::Memory);
    let corpus = Corpus::open(&CorpusSpec::new(name, folder.path()).unwrap(), &options).unwrap();
    (folder, Arc::new(FolderSearch::new(Arc::new(corpus))))
}

fn job(policy: Policy) -> Job {
    let model = Arc::new(OfflineModel::new(OfflineAnswers::new()));
    let kit = Kit::new(model, Arc::new(NoTools), Settings::new(policy));
    Job::new(PlainLoop::new(), &kit, "fieldwork", false).in_role("searcher")
}

fn allowed() -> Job {
    job(Policy::new().role("searcher", ["search_*", "fetch_*"]))
}

const PUMP: &str =
    "# Manual\n\n## Pump\n\nThe seal of the pump is worn.\n\n## Valve\n\nThe valve is new.\n";

#[tokio::test]
async fn every_passage_is_at_its_place() {
    let (_kept, source) = folder(
        "manuals",
        &[("pump.md", PUMP), ("other.md", "Nothing here.")],
    );
    let searcher = Searcher::new([source]);
    let assignment = Assignment::new("q1", "Which seal of the pump is worn?")
        .with_queries(["worn seal", "pump seal"]);

    let findings = searcher.work(&allowed(), &assignment).await;
    assert_eq!(findings.searches, 2);
    assert_eq!(
        (findings.documents(), findings.passages.len()),
        (1, 1),
        "each place once"
    );

    let passage = &findings.passages[0];
    assert!(passage.text().ends_with("The seal of the pump is worn."));
    assert_eq!(passage.found.section, ["Manual", "Pump"]);
    assert_eq!((passage.share, passage.query.as_str()), (1.0, "worn seal"));
}

#[tokio::test]
async fn a_source_that_fails_costs_its_own_answer_only() {
    let (_kept, source) = folder("manuals", &[("pump.md", PUMP)]);
    let broken = Arc::new(Broken::default());
    let searcher = Searcher::new([Arc::clone(&broken) as Arc<dyn SearchProvider>, source]);

    let findings = searcher
        .work(&allowed(), &Assignment::new("q1", "worn seal of a pump"))
        .await;
    assert_eq!(
        (findings.passages.len(), findings.is_dead_end()),
        (1, false)
    );
    assert_eq!(
        *broken.limits.lock().unwrap(),
        [Some(2)],
        "two hits of the web"
    );

    let failure = &findings.failures[0];
    assert_eq!(
        (failure.step, failure.what.as_str()),
        (Step::Search, "worn seal of a pump")
    );
    let error = SourceError::JsonDisabled;
    assert_eq!(failure.cause, Cause::Source { error });
}

#[tokio::test]
async fn without_an_answer_it_is_a_dead_end() {
    let searcher = Searcher::new([Arc::new(Broken::default()) as Arc<dyn SearchProvider>]);
    let findings = searcher
        .work(&allowed(), &Assignment::new("q1", "seal"))
        .await;
    assert!(findings.is_dead_end());
}

#[tokio::test]
async fn the_policy_of_the_run_decides() {
    let (_kept, source) = folder("manuals", &[("pump.md", PUMP)]);
    let searcher = Searcher::new([source]);
    let job = job(Policy::new().role("searcher", ["search_*"]));

    let findings = searcher
        .work(&job, &Assignment::new("q1", "worn seal"))
        .await;
    assert!(findings.passages.is_empty());
    assert_eq!(findings.failures[0].step, Step::Fetch);
    assert!(matches!(findings.failures[0].cause, Cause::Run { .. }));
}

#[tokio::test]
async fn an_assignment_names_its_sources() {
    let (_one, first) = folder("one", &[("pump.md", PUMP)]);
    let (_two, second) = folder("two", &[("pump.md", PUMP)]);
    let searcher = Searcher::new([first, second]);

    let assignment = Assignment::new("q1", "worn seal").in_origins(["two"]);
    let findings = searcher.work(&allowed(), &assignment).await;
    let sites: Vec<&str> = findings
        .passages
        .iter()
        .map(|passage| passage.document.origin.site.as_str())
        .collect();
    assert_eq!(sites, ["two"]);
}

#[tokio::test]
async fn passages_without_words_of_the_question_are_left_out() {
    let (_kept, source) = folder("manuals", &[("pump.md", PUMP)]);
    let assignment = Assignment::new("q1", "colour of painted doors").with_queries(["new valve"]);

    let strict = Searcher::new([Arc::clone(&source)]);
    assert!(
        strict
            .work(&allowed(), &assignment)
            .await
            .passages
            .is_empty()
    );
    let open = Searcher::new([source]).limits(SearcherLimits::default().least_share(0.0));
    assert_eq!(open.work(&allowed(), &assignment).await.passages.len(), 1);
}

/// A source whose hits have no scores, as those of servers, and maybe no places, as those of the
/// web.
struct Bare {
    inner: Arc<dyn SearchProvider>,
    has_places: bool,
}

#[async_trait]
impl SearchProvider for Bare {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn kind(&self) -> SourceKind {
        self.inner.kind()
    }

    async fn search(&self, job: &Job, query: &Query) -> Result<SearchResults, CallError> {
        let mut found = self.inner.search(job, query).await?;
        for hit in &mut found.hits {
            hit.score = None;
            hit.range = hit.range.take().filter(|_| self.has_places);
        }
        Ok(found)
    }

    async fn fetch(&self, job: &Job, hit: &Hit) -> Result<Fetched, CallError> {
        self.inner.fetch(job, hit).await
    }
}

#[tokio::test]
async fn passages_of_all_pages_are_ranked_as_those_of_their_folder() {
    let files = [
        (
            "a.md",
            "The pump is new, and the pump is loud. A pump needs oil.",
        ),
        ("b.md", "The seal of the pump is worn."),
        (
            "c.md",
            "The valve of the pump was worn before, and the seal was not.",
        ),
    ];
    let (_kept, folder) = folder("manuals", &files);
    let assignment = Assignment::new("q1", "worn seal of the pump");
    let ranked = async |source: Arc<dyn SearchProvider>| -> Vec<String> {
        let found = Searcher::new([source]).work(&allowed(), &assignment).await;
        let mut passages = found.passages;
        assert!(passages.iter().all(|one| one.found.score > Some(0.0)));
        passages.sort_by(|a, b| b.found.score.unwrap().total_cmp(&a.found.score.unwrap()));
        let addresses = passages.into_iter().map(|one| one.document.origin.address);
        addresses.collect()
    };

    let expected = ranked(Arc::clone(&folder)).await;
    assert_eq!(expected, ["b.md", "c.md", "a.md"]);
    for has_places in [true, false] {
        let inner = Arc::clone(&folder);
        assert_eq!(ranked(Arc::new(Bare { inner, has_places })).await, expected);
    }
}

//! The folder, `corpus_server`, SearXNG and `mcp-searxng` find the same passages.

use std::sync::Arc;

use research_agents_report::text::words;
use research_agents_runtime::job::{Job, Kit, PlainLoop, Settings};
use research_agents_runtime::limits::Policy;
use research_agents_runtime::limits::policy::Egress;
use research_agents_runtime::offline::{OfflineAnswers, OfflineModel};
use research_agents_sources::corpus::{Corpus, passages_of};
use research_agents_sources::search::{FolderSearch, Hit, McpSearch, Query, SearchProvider, WebSearch};
use research_mcp::ToolSource;

use crate::doors::{Doors, ORIGIN};
use crate::watched;

/// Passages of an answer, of which the best one of each page is compared.
const HITS: usize = 10;
/// Pages of an answer.
const PAGES: usize = 5;

const QUERIES: [&str; 10] = [
    "memory ownership rules",
    "borrow a mutable reference",
    "private key encryption password",
    "certificate extensions",
    "daylight saving time Mexico",
    "leap seconds",
    "thread pool panics",
    "UTF-16 decoding performance",
    "automaton prefix search",
    "rounding of durations and time zones",
];

/// A passage: its origin, its page and its words.
#[derive(Debug, PartialEq)]
struct Found {
    site: String,
    page: String,
    words: String,
}

/// Words without case, white space and punctuation.
fn normalised(text: &str) -> String {
    words(text).iter().map(|word| word.text.to_lowercase()).collect::<Vec<_>>().join(" ")
}

fn job(tools: Arc<dyn ToolSource>) -> Job {
    let policy = Policy::new().role("researcher", ["*"]).egress(Egress::Public);
    let model = Arc::new(OfflineModel::new(OfflineAnswers::new()));
    let kit = Kit::new(model, tools, Settings::new(policy));
    Job::new(PlainLoop::new(), &kit, "search", false).in_role("researcher")
}

/// The best passage of each page, for hits that name the bytes of their passage.
async fn at_their_places(provider: &dyn SearchProvider, job: &Job, query: &str) -> Vec<Found> {
    let hits = provider.search(job, &Query::new(query).limit(HITS)).await.unwrap().hits;
    let mut found: Vec<Found> = Vec::new();
    for hit in hits {
        if found.len() == PAGES || found.iter().any(|one| one.page == hit.id) {
            continue;
        }
        let fetched = provider.fetch(job, &hit).await.unwrap();
        let text = fetched.document.slice(hit.range.as_ref().unwrap());
        assert_eq!(text, hit.snippet.for_code());
        found.push(Found { site: fetched.site, page: hit.id, words: normalised(text) });
    }
    found
}

/// The passages of pages that the fetcher reads again and whose words the service shows.
async fn on_their_pages(web: &WebSearch, job: &Job, hits: Vec<Hit>, corpus: &Corpus) -> Vec<Found> {
    let mut found = Vec::new();
    for hit in hits.into_iter().take(PAGES) {
        let fetched = web.fetch(job, &hit).await.unwrap();
        let page = fetched.url.unwrap().rsplit('/').next().unwrap().to_string();
        let own = corpus.document(&page).unwrap();
        assert_eq!((&fetched.document.text, &fetched.document.file_hash), (&own.text, &own.file_hash));

        let shown = normalised(hit.snippet.for_code());
        let passages = passages_of(&fetched.document);
        let passages: Vec<String> =
            passages.iter().map(|passage| normalised(fetched.document.slice(&passage.range))).collect();
        let words = passages.into_iter().find(|words| *words == shown).expect("a passage of the page");
        found.push(Found { site: fetched.site, page, words });
    }
    found
}

#[tokio::test]
async fn four_ways_give_the_same_passages() {
    watched(async {
        let doors = Doors::open().await;
        let folder = FolderSearch::new(Arc::clone(&doors.corpus));
        let (served, serving) = (McpSearch::new(ORIGIN), job(Arc::clone(&doors.of_corpus) as Arc<dyn ToolSource>));
        let npm = (
            McpSearch::with_tools("searxng", Doors::tools()),
            job(Arc::clone(&doors.of_searxng) as Arc<dyn ToolSource>),
        );
        npm.0.check(&npm.1).await.unwrap();

        let mut compared = 0;
        for text in QUERIES {
            let expected = at_their_places(&folder, &serving, text).await;
            assert!(!expected.is_empty(), "{text}");
            compared += expected.len();
            assert_eq!(at_their_places(&served, &serving, text).await, expected, "corpus_server: {text}");

            let query = Query::new(text).limit(HITS);
            let hits = doors.web.search(&serving, &query).await.unwrap().hits;
            assert_eq!(on_their_pages(&doors.web, &serving, hits, &doors.corpus).await, expected, "SearXNG: {text}");
            let hits = npm.0.search(&npm.1, &query).await.unwrap().hits;
            assert_eq!(on_their_pages(&doors.web, &npm.1, hits, &doors.corpus).await, expected, "mcp-searxng: {text}");
        }
        assert!(compared >= 30, "{compared} passages");
        println!("{} queries, {compared} passages of {} pages, four ways", QUERIES.len(), doors.site.pages);
        doors.close().await;
    })
    .await;
}

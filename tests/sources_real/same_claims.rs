//! The studio states the same through the folder, `corpus_server`, SearXNG, and `mcp-searxng` over it.

use std::collections::BTreeSet;
use std::sync::Arc;

use research_agents::fieldwork::searcher::SearcherLimits;
use research_agents::runtime::run::{replay, verify};
use research_agents::studio::config::StudioConfig;
use research_agents::studio::{Studio, StudioBuilder};
use research_agents_report::text::words;
use research_agents_sources::search::McpSearch;
use research_mcp::ToolSource;

use crate::doors::{Doors, ORIGIN};
use crate::watched;

/// Pages and passages that a query takes through every door.
const HITS: usize = 10;

const QUESTIONS: [&str; 10] = [
    "How is the default number of threads determined?",
    "Which method of rayon works like chunk_by?",
    "What is the default signed receipt format?",
    "Which crate feature makes mutexes spin on the main browser thread?",
    "Which digest algorithm is the default for the signing key?",
    "What does the option -utf8 do?",
    "When did Mexico end daylight saving time?",
    "What is the minimum supported Rust version of bumpalo?",
    "What are the minimum Rust version requirements of encoding_rs?",
    "Which option specifies the configuration file?",
];

/// A studio that takes as much of the web as of a folder.
fn studio() -> StudioBuilder {
    let mut config = StudioConfig::default();
    config.searcher = SearcherLimits::default().hits(HITS, HITS);
    Studio::builder().config(config)
}

/// The words of the verified claims.
async fn claims(studio: &Studio, question: &str) -> BTreeSet<String> {
    let ended = studio.run(question).await.unwrap();
    let verified = ended.state.claims().iter().filter(|claim| claim.mark.is_some());
    let texts = verified.map(|claim| words(&claim.text).iter().map(|word| word.text.to_lowercase()).collect());
    texts.map(|words: Vec<String>| words.join(" ")).collect()
}

#[tokio::test]
async fn four_doors_give_the_same_claims() {
    watched(async {
        let doors = Doors::open().await;
        let folder = studio().corpus(Arc::clone(&doors.corpus)).build().unwrap();
        let tools = Arc::clone(&doors.of_corpus) as Arc<dyn ToolSource>;
        let served = studio().mcp(McpSearch::new(ORIGIN)).tools(tools).build().unwrap();
        let web = studio().source(Arc::new(doors.web.clone())).build().unwrap();
        let tools = Arc::clone(&doors.of_searxng) as Arc<dyn ToolSource>;
        let npm = McpSearch::with_tools("npm", Doors::tools()).pages(doors.fetcher.clone());
        let npm = studio().mcp(npm).tools(tools).build().unwrap();

        let mut compared = 0;
        for question in QUESTIONS {
            let expected = claims(&folder, question).await;
            assert!(!expected.is_empty(), "{question}");
            compared += expected.len();
            for (door, studio) in [("corpus_server", &served), ("SearXNG", &web), ("mcp-searxng", &npm)] {
                assert_eq!(claims(studio, question).await, expected, "{door}: {question}");
            }
        }
        for (door, studio) in [("corpus_server", &served), ("SearXNG", &web), ("mcp-searxng", &npm)] {
            let bundle = studio.run(QUESTIONS[0]).record().await.unwrap().bundle.unwrap();
            assert!(verify::<Studio>(&bundle).unwrap().holds(), "{door}");
            let again = replay::<Studio>(&bundle).unwrap().await.unwrap();
            assert_eq!(again.markdown(), bundle.markdown, "{door}");
        }
        println!("{} questions, {compared} claims of {} pages, four doors", QUESTIONS.len(), doors.site.pages);
        doors.close().await;
    })
    .await;
}

//! A real SearXNG server that gives nothing says why, and what to do about it.

use research_agents_sources::fetch::Fetcher;
use research_agents_sources::search::{SearchResults, SearchShape, SourceError, WebSearch};

use crate::started::{Listening, Setup, corpus_server, searxng, valkey};
use crate::watched;

async fn asked(server: &Listening, query: &str) -> Result<SearchResults, SourceError> {
    let shape = SearchShape::named("searxng").unwrap();
    let search = WebSearch::builder(shape).address(server.address());
    search.build(Fetcher::builder().build().unwrap()).unwrap().ask(query, 5).await
}

/// A server without a `corpus_server` behind it.
fn alone(formats: &'static str) -> Setup {
    Setup {
        formats,
        asked: "http://127.0.0.1:9/mcp".to_string(),
        site: "http://localhost:9".to_string(),
        limiter: None,
    }
}

#[tokio::test]
async fn without_json_the_setting_is_named() {
    watched(async {
        let server = searxng(&alone("html")).await;

        let error = asked(&server, "pump").await.unwrap_err();
        assert_eq!(error, SourceError::JsonDisabled);
        assert!(error.to_string().contains("add `json` to `search.formats`"), "{error}");
    })
    .await;
}

#[tokio::test]
async fn a_limiter_is_named_with_its_remedy() {
    watched(async {
        let counts = valkey().await;
        let server = searxng(&Setup { limiter: Some(counts.port), ..alone("html, json") }).await;

        let error = asked(&server, "pump").await.unwrap_err();
        assert!(matches!(error, SourceError::RateLimited { .. }) && error.is_transient(), "{error}");
        assert!(error.to_string().contains("botdetection.ip_lists.pass_ip"), "{error}");
    })
    .await;
}

#[tokio::test]
async fn an_empty_page_tells_nothing_found_from_no_answer() {
    watched(async {
        // Its only engine cannot be reached.
        let server = searxng(&alone("html, json")).await;
        let error = asked(&server, "pump").await.unwrap_err();
        assert!(matches!(error, SourceError::NoEngines { .. }), "{error}");
        assert!(error.to_string().contains("corpus: ") && error.to_string().contains("`outgoing`"), "{error}");

        // Its only engine answers that there is nothing.
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("pump.md"), "The seal of the pump is worn.").unwrap();
        let served = corpus_server(&folder.path().display().to_string()).await;
        let setup = Setup { asked: format!("{}/mcp", served.address()), ..alone("html, json") };
        let server = searxng(&setup).await;
        assert!(asked(&server, "bicycle").await.unwrap().hits.is_empty());
        assert_eq!(asked(&server, "pump").await.unwrap().hits.len(), 1);
    })
    .await;
}

//! One site through four doors: its folder, `corpus_server`, SearXNG, and `mcp-searxng` over it.

use std::sync::Arc;
use std::time::Duration;

use research_agents_sources::corpus::{Corpus, CorpusOptions, CorpusSpec};
use research_agents_sources::fetch::{FetchLimits, Fetcher};
use research_agents_sources::search::{McpTools, SearchShape, WebSearch};
use research_mcp::{HttpServer, Hub};

use crate::site::Site;
use crate::started::{Listening, Setup, corpus_server, mcp_searxng, searxng};

/// Name of the origin behind all doors: the host of the site.
pub const ORIGIN: &str = "localhost";

/// The doors, which close with the test.
pub struct Doors {
    pub site: Site,
    pub corpus: Arc<Corpus>,
    pub web: WebSearch,
    /// What reads the pages of the site.
    pub fetcher: Fetcher,
    /// The servers `corpus_server` and `mcp-searxng`.
    pub of_corpus: Arc<Hub>,
    pub of_searxng: Arc<Hub>,
    _listening: [Listening; 2],
}

impl Doors {
    /// Starts the site, and all that searches it.
    pub async fn open() -> Self {
        let site = Site::start().await;
        let folder = format!("{ORIGIN}={}", site.folder.path().display());
        let spec: CorpusSpec = folder.parse().unwrap();
        let corpus = Arc::new(Corpus::open(&spec, &CorpusOptions::default()).unwrap());
        assert_eq!(corpus.report().read.len(), site.pages);

        let served = corpus_server(&folder).await;
        let asked = format!("{}/mcp", served.address());
        let setup = Setup { formats: "html, json", asked: asked.clone(), site: site.address(), ..Setup::default() };
        let searxng = searxng(&setup).await;
        let of_corpus = Hub::builder().http("corpus", HttpServer::new(asked)).connect().await.unwrap();
        let of_searxng = Hub::builder().stdio("searxng", mcp_searxng(&searxng)).connect().await.unwrap();

        let fetcher = Fetcher::builder()
            .allow_host(format!("{ORIGIN}:{}", site.server.port).parse().unwrap())
            .limits(FetchLimits::default().pace(Duration::ZERO))
            .build()
            .unwrap();
        let web = WebSearch::builder(SearchShape::named("searxng").unwrap());
        Self {
            site,
            corpus,
            web: web.address(searxng.address()).build(fetcher.clone()).unwrap(),
            fetcher,
            of_corpus: Arc::new(of_corpus),
            of_searxng: Arc::new(of_searxng),
            _listening: [served, searxng],
        }
    }

    /// The tools of `mcp-searxng`.
    pub fn tools() -> McpTools {
        McpTools::new("searxng_web_search", "web_url_read").id("url")
    }

    /// Ends the connections.
    pub async fn close(self) {
        self.of_corpus.close().await;
        self.of_searxng.close().await;
    }
}

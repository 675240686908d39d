//! Searches folders and a SearXNG server, and fetches what they find: each call through policy, budget and events.

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use research_agents::offline::OfflineModel;
use research_agents::runtime::event::RunEvent;
use research_agents::runtime::job::{Job, Kit, PlainLoop, Settings};
use research_agents::runtime::limits::policy::Egress;
use research_agents::runtime::limits::{BudgetLimits, Policy};
use research_agents_sources::corpus::{Corpus, CorpusOptions, CorpusSpec};
use research_agents_sources::fetch::{AllowedHost, Fetcher};
use research_agents_sources::search::{CallError, Fetched, FolderSearch, Hit, Query, SearchProvider};
use research_agents_sources::search::{SearchShape, WebSearch};
use research_examples::cli::{self, plain, say};
use research_mcp::Hub;

/// Characters of a document that are printed.
const SHOWN: usize = 400;

/// Search folders and a SearXNG server, and fetch what they find.
#[derive(Debug, Parser)]
#[command(
    name = "search_sources",
    after_help = "Examples:
  search_sources \"worn seals\" --corpus docs
  search_sources \"worn seals\" --searxng http://localhost:8888 --fetch
  search_sources \"worn seals\" --searxng http://localhost:8888 --fetch --allow-host localhost:8080

Only https pages of the public network are fetched. What else may be, such as http or a server on this machine, is named by
--allow-host."
)]
struct Arguments {
    /// Words to search for.
    query: String,
    /// Folder to search, as `[NAME=]PATH`. May be repeated.
    #[arg(long, value_name = "[NAME=]PATH")]
    corpus: Vec<CorpusSpec>,
    /// Address of a SearXNG server that answers as JSON.
    #[arg(long, value_name = "URL")]
    searxng: Option<String>,
    /// Fetch the document of each hit.
    #[arg(long)]
    fetch: bool,
    /// Host that pages may be fetched from although its address is private or its scheme is http. May be repeated.
    #[arg(long, value_name = "HOST:PORT")]
    allow_host: Vec<AllowedHost>,
    /// Most hits of each source.
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// What may be used, as in `calls=20`.
    #[arg(long, value_name = "LIMITS")]
    budget: Option<BudgetLimits>,
}

fn main() -> ExitCode {
    cli::run(program())
}

async fn program() -> ExitCode {
    match run(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(format_args!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let sources = sources(&arguments)?;
    if sources.is_empty() {
        return Err("name a source: --corpus PATH or --searxng URL".into());
    }
    let job = job(arguments.budget).await?;
    let mut query = Query::new(&arguments.query);
    if let Some(limit) = arguments.limit {
        query = query.limit(limit);
    }

    let mut failed = 0;
    for source in &sources {
        match source.search(&job, &query).await {
            Ok(found) => {
                println!("{}: {} hits, {} more", source.name(), found.hits.len(), found.beyond);
                for hit in &found.hits {
                    print_hit(hit);
                    if arguments.fetch {
                        failed += usize::from(!print_fetched(source.fetch(&job, hit).await));
                    }
                }
            }
            Err(error) => {
                failed += 1;
                say(format_args!("{}: {error}", source.name()));
            }
        }
    }
    if failed > 0 { Err(format!("{failed} calls failed").into()) } else { Ok(()) }
}

fn sources(arguments: &Arguments) -> Result<Vec<Box<dyn SearchProvider>>, Box<dyn Error>> {
    let mut sources: Vec<Box<dyn SearchProvider>> = Vec::new();
    for folder in &arguments.corpus {
        let corpus = Corpus::open(folder, &CorpusOptions::default())?;
        for file in &corpus.report().not_read {
            say(format_args!("not read: {}: {}", file.path, file.reason));
        }
        sources.push(Box::new(FolderSearch::new(Arc::new(corpus))));
    }

    if let Some(address) = &arguments.searxng {
        let mut fetcher = Fetcher::builder();
        for host in &arguments.allow_host {
            fetcher = fetcher.allow_host(host.clone());
        }
        let shape = SearchShape::named("searxng").ok_or("the shape of SearXNG is not known")?;
        sources.push(Box::new(WebSearch::builder(shape).address(address).build(fetcher.build()?)?));
    }
    Ok(sources)
}

/// A job whose role may search and fetch. It has no tools and no model.
async fn job(budget: Option<BudgetLimits>) -> Result<Job, Box<dyn Error>> {
    let policy = Policy::new().role("searcher", ["search_*", "fetch_*"]).egress(Egress::Public);
    let mut settings = Settings::new(policy);
    if let Some(budget) = budget {
        settings = settings.budget(budget);
    }
    let tools = Arc::new(Hub::builder().connect().await?);
    let kit = Kit::new(Arc::new(OfflineModel::new()), tools, settings);
    let context = PlainLoop::with_listener(|event| {
        if let RunEvent::ToolResult { tool, ok: true, ms, summary } = event {
            say(format_args!("{tool}: {summary} in {ms} ms"));
        }
    });
    Ok(Job::new(context, &kit, "search", false).in_role("searcher"))
}

fn print_hit(hit: &Hit) {
    let place = hit.url.as_deref().unwrap_or(&hit.id);
    println!("- {} ({})", plain(hit.title.for_code()), plain(place));
    println!("  {}", plain(&cut(hit.snippet.for_code())));
}

/// Returns whether there is a document.
fn print_fetched(fetched: Result<Fetched, CallError>) -> bool {
    match fetched {
        Ok(fetched) => {
            let text = fetched.document.text.for_code();
            println!("  fetched: {} bytes, SHA-256 {}", text.len(), fetched.document.file_hash);
            println!("  {}", plain(&cut(text)));
            true
        }
        Err(error) => {
            println!("  not fetched: {}", plain(&error.to_string()));
            false
        }
    }
}

fn cut(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(SHOWN).collect()
}

//! The sources from the command line: folders, search services and MCP servers.

use std::error::Error;
use std::sync::Arc;

use research_agents::mcp::{HttpServer, Hub, StdioServer};
use research_agents::sources::corpus::{Corpus, CorpusOptions, CorpusSpec, IndexPlace};
use research_agents::sources::fetch::Fetcher;
use research_agents::sources::search::{McpTools, SearchShape, WebSearch};
use research_agents::studio::StudioBuilder;

use super::args::Args;

/// The folders that are shipped, by publisher.
const SHIPPED: [&str; 2] = ["sqlite", "sqlalchemy"];

/// What was opened.
pub struct Opened {
    /// The studio with its sources.
    pub builder: StudioBuilder,
    /// The MCP server.
    pub hub: Arc<Hub>,
}

/// Opens everything that is named.
pub async fn open(args: &Args, mut builder: StudioBuilder) -> Result<Opened, Box<dyn Error>> {
    let place = if args.cache { IndexPlace::Cache } else { IndexPlace::Memory };
    let options = CorpusOptions::default().index(place);
    for spec in folders(args)? {
        builder = builder.corpus(Arc::new(Corpus::open(&spec, &options)?));
    }

    for service in &args.search {
        builder = match service.strip_prefix("mcp:") {
            Some(name) => builder.mcp(name, tools(args, name)?),
            None => builder.source(Arc::new(searxng(args, service)?)),
        };
    }
    let hub = Arc::new(hub(args).await?);
    builder = builder.tools(Arc::clone(&hub) as _);
    Ok(Opened { builder, hub })
}

/// The folders that are named, or those that are shipped.
fn folders(args: &Args) -> Result<Vec<CorpusSpec>, Box<dyn Error>> {
    if !args.corpus.is_empty() || !args.search.is_empty() {
        return Ok(args.corpus.clone());
    }
    let data = research_examples::data().join("studio");
    let specs = SHIPPED.iter().map(|name| CorpusSpec::new(*name, data.join(name)));
    Ok(specs.collect::<Result<_, _>>()?)
}

fn searxng(args: &Args, address: &str) -> Result<WebSearch, Box<dyn Error>> {
    let mut fetcher = Fetcher::builder();
    for host in &args.allow_host {
        fetcher = fetcher.allow_host(host.clone());
    }
    let shape = SearchShape::named("searxng").ok_or("the shape of SearXNG is not known")?;
    Ok(WebSearch::builder(shape).address(address).build(fetcher.build()?)?)
}

fn tools(args: &Args, name: &str) -> Result<McpTools, Box<dyn Error>> {
    if args.mcp_command.is_none() && args.mcp_url.is_none() {
        return Err(format!("--search mcp:{name} needs a server: name it with --mcp-command or --mcp-url").into());
    }
    let (search, fetch) = args
        .mcp_tools
        .split_once(',')
        .ok_or("--mcp-tools wants the tool that searches and the tool that fetches, as in search,fetch")?;
    Ok(McpTools::new(search.trim(), fetch.trim()))
}

async fn hub(args: &Args) -> Result<Hub, Box<dyn Error>> {
    let builder = Hub::builder();
    let builder = match (&args.mcp_command, &args.mcp_url) {
        (Some(command), _) => {
            let words = shell_words::split(command)?;
            let (program, rest) = words.split_first().ok_or("--mcp-command is empty; name a program")?;
            builder.stdio("mcp", StdioServer::new(program).args(rest))
        }
        (None, Some(url)) => builder.http("mcp", HttpServer::new(url)),
        (None, None) => builder,
    };
    Ok(builder.connect().await?)
}

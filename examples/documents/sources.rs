//! The sources from the command line: folders, search services and MCP servers.

use std::error::Error;
use std::sync::Arc;

use clap::Args;
use research_agents::fieldwork::source_set::SourceSet;
use research_agents::mcp::{HttpServer, Hub, StdioServer};
use research_agents::sources::corpus::{Corpus, CorpusOptions, CorpusSpec, IndexPlace};
use research_agents::sources::fetch::{AllowedHost, Fetcher};
use research_agents::sources::search::{McpSearch, McpTools, SearchShape, WebSearch};

/// The folders that are shipped, by publisher.
const SHIPPED: [&str; 2] = ["sqlite", "sqlalchemy"];

/// The options about sources.
#[derive(Debug, Args)]
pub struct SourceArgs {
    /// Folder of documents, as [NAME=]PATH; may be repeated. Each name is a publisher of its own [default: the shipped documents]
    #[arg(long, value_name = "[NAME=]PATH")]
    pub corpus: Vec<CorpusSpec>,

    /// Keep the index of the folders in the user's cache, so that the next start does not read all files again
    #[arg(long)]
    pub cache: bool,

    /// Search service: the address of a SearXNG server, or mcp:NAME for the server of --mcp-command or --mcp-url
    #[arg(long, value_name = "URL|mcp:NAME")]
    pub search: Vec<String>,

    /// MCP server to start: a command and its arguments, split like a shell would, run without one
    #[arg(long, value_name = "CMD ARGS…")]
    pub mcp_command: Option<String>,

    /// Address of an MCP server, over streamable HTTP
    #[arg(long, value_name = "URL", conflicts_with = "mcp_command")]
    pub mcp_url: Option<String>,

    /// Tools of the MCP server that search and fetch, when they are not named so. With SEARCH alone, the pages of its hits are read
    /// without the server, as those of a search service
    #[arg(long, value_name = "SEARCH[,FETCH]", default_value = "search,fetch")]
    pub mcp_tools: String,

    /// Host that pages may be fetched from although its address is private or its scheme is http; may be repeated
    #[arg(long, value_name = "HOST:PORT")]
    pub allow_host: Vec<AllowedHost>,
}

/// What was opened.
pub struct Opened {
    /// The sources.
    pub sources: SourceSet,
    /// The MCP server.
    pub hub: Arc<Hub>,
}

impl SourceArgs {
    /// Whether the shipped documents are searched.
    pub fn is_shipped(&self) -> bool {
        self.corpus.is_empty() && self.search.is_empty()
    }
}

/// Opens everything that is named.
pub async fn open(args: &SourceArgs) -> Result<Opened, Box<dyn Error>> {
    let mut sources = SourceSet::default();
    let place = if args.cache { IndexPlace::Cache } else { IndexPlace::Memory };
    let options = CorpusOptions::default().index(place);
    for spec in folders(args)? {
        sources.add_corpus(Arc::new(Corpus::open(&spec, &options)?));
    }

    for service in &args.search {
        match service.strip_prefix("mcp:") {
            Some(name) => sources.add_mcp(server(args, name)?),
            None => sources.add(Arc::new(searxng(args, service)?)),
        }
    }
    let hub = Arc::new(hub(args).await?);
    Ok(Opened { sources, hub })
}

/// The folders that are named, or those that are shipped.
fn folders(args: &SourceArgs) -> Result<Vec<CorpusSpec>, Box<dyn Error>> {
    if !args.is_shipped() {
        return Ok(args.corpus.clone());
    }
    let data = crate::data().join("studio");
    let specs = SHIPPED.iter().map(|name| CorpusSpec::new(*name, data.join(name)));
    Ok(specs.collect::<Result<_, _>>()?)
}

fn searxng(args: &SourceArgs, address: &str) -> Result<WebSearch, Box<dyn Error>> {
    let shape = SearchShape::named("searxng").ok_or("the shape of SearXNG is not known")?;
    Ok(WebSearch::builder(shape).address(address).build(fetcher(args)?)?)
}

/// What reads pages of the web.
fn fetcher(args: &SourceArgs) -> Result<Fetcher, Box<dyn Error>> {
    let mut fetcher = Fetcher::builder();
    for host in &args.allow_host {
        fetcher = fetcher.allow_host(host.clone());
    }
    Ok(fetcher.build()?)
}

/// The MCP server as a source.
fn server(args: &SourceArgs, name: &str) -> Result<McpSearch, Box<dyn Error>> {
    if args.mcp_command.is_none() && args.mcp_url.is_none() {
        return Err(format!("--search mcp:{name} needs a server: name it with --mcp-command or --mcp-url").into());
    }
    let named: Vec<&str> = args.mcp_tools.split(',').map(str::trim).collect();
    match named[..] {
        [search, fetch] => Ok(McpSearch::with_tools(name, McpTools::new(search, fetch))),
        [search] => {
            let tools = McpTools::new(search, McpTools::default().fetch);
            Ok(McpSearch::with_tools(name, tools).pages(fetcher(args)?))
        }
        _ => Err("--mcp-tools wants the tool that searches and the one that fetches, as in search,fetch".into()),
    }
}

async fn hub(args: &SourceArgs) -> Result<Hub, Box<dyn Error>> {
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

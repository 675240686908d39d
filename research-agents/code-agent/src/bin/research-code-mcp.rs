//! Serves code research as an MCP server with one tool.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use research_agents_code_agent::lsp::{ServerSpec, Servers};
use research_agents_code_agent::program::{fail, open_model, parse_cache, run, say};
use research_agents_code_agent::server::CodeServer;
use research_mcp::server::HttpListen;
use tokio_util::sync::CancellationToken;

const EXAMPLES: &str = "\
In a client that has `mcpServers`:
  {\"mcpServers\": {\"code\": {\"command\": \"research-code-mcp\"}}}
Claude Code:
  claude mcp add code -- research-code-mcp

The code base is --root, else the first root of the client, else the folder in which the server was
started, unless that is / or the home folder. The server writes nothing into it, and ends when its
standard input ends, and over HTTP with Ctrl-C.";

/// Answers questions about a code base as the MCP tool `code_deep_research`.
#[derive(Debug, Parser)]
#[command(name = "research-code-mcp", version, after_help = EXAMPLES)]
struct Args {
    /// Folder of the code base
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,

    /// The model: `offline` computes its answers and needs no key and no network; PROVIDER:MODEL or
    /// the address of a local server is a language model
    #[arg(
        long,
        value_name = "SPEC",
        env = "RESEARCH_MODEL",
        default_value = "offline"
    )]
    model: String,

    /// Language server that may be asked, such as 'c,h=/usr/bin/clangd'; may be repeated
    #[arg(long = "language-server", value_name = "EXTENSIONS=PROGRAM ARGS…")]
    language_servers: Vec<ServerSpec>,

    /// Folder in which facts of files are kept between runs, or `memory`. It only saves time
    /// [default: the cache folder of the user]
    #[arg(long, value_name = "DIR")]
    cache: Option<String>,

    /// Keep the runs of the last hour as files of this folder, outside of the code base
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,

    /// Serve over HTTP on 127.0.0.1, on this port; 0 takes a free one. The address is printed on
    /// standard error
    #[arg(long, value_name = "PORT")]
    http: Option<u16>,
}

fn main() -> ExitCode {
    run(async {
        match work(Args::parse()).await {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(&*error),
        }
    })
}

async fn work(args: Args) -> Result<(), Box<dyn Error>> {
    let mut server = CodeServer::new()
        .model(open_model(&args.model).await?)
        .language_servers(Servers::new(args.language_servers));
    if let Some(root) = args.root {
        server = server.root(root.canonicalize().map_err(|error| {
            format!(
                "--root {}: {error}; name a folder that can be read",
                root.display()
            )
        })?);
    } else if let Some(folder) = started_in() {
        server = server.fallback_root(folder);
    }
    if let Some(cache) = args.cache.as_deref() {
        server = server.cache(parse_cache(cache));
    }
    if let Some(folder) = args.store {
        server = server.store(folder);
    }
    let server = server.build()?;

    match args.http {
        Some(port) => {
            let running = server.serve_http(HttpListen::loopback(port)).await?;
            stop_at_ctrl_c(running.stopper());
            say(format_args!("listening on {}", running.url()));
            running.ended().await;
        }
        None => {
            let stop = CancellationToken::new();
            stop_at_ctrl_c(stop.clone());
            server.serve_stdio_until(stop).await?;
        }
    }
    Ok(())
}

/// Returns the folder in which the program was started, unless it is too wide to be meant.
fn started_in() -> Option<PathBuf> {
    let folder = std::env::current_dir().ok()?.canonicalize().ok()?;
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let home = home.and_then(|home| home.canonicalize().ok());
    let is_meant = folder != Path::new("/") && home.as_deref() != Some(&folder);
    is_meant.then_some(folder)
}

fn stop_at_ctrl_c(stop: CancellationToken) {
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            stop.cancel();
        }
    });
}

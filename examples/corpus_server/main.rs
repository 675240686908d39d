//! Serves the documents of a folder as the MCP tools `search` and `fetch`, over standard input and output or over HTTP.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use research_agents_sources::corpus::{Corpus, CorpusOptions, CorpusSpec, IndexPlace, PassageHit};
use research_examples::cli::{self, say};
use research_mcp::server::{HttpListen, ServerTool, ToolFailure, ToolReply, ToolServer};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// Passages of one answer.
const HITS: usize = 10;
/// Bytes of a document that one answer holds.
const MOST_TEXT: usize = 800_000;

/// Serve the documents of a folder as the MCP tools `search` and `fetch`.
#[derive(Debug, Parser)]
#[command(
    name = "corpus_server",
    after_help = "Examples:
  corpus_server docs                        the folder `docs`
  corpus_server manuals=/srv/docs           under another name
  corpus_server docs --http 8000            at http://127.0.0.1:8000/mcp
  corpus_server docs --index docs.sqlite    reads only what changed since the last start

What is not read, and why, is printed on standard error. The server ends when its standard input ends, and over HTTP
with Ctrl-C."
)]
struct Arguments {
    /// Folder to serve, as `[NAME=]PATH`.
    #[arg(value_name = "[NAME=]PATH")]
    folder: CorpusSpec,
    /// Serve over HTTP on 127.0.0.1, on this port; 0 takes a free one. The address is printed on standard error.
    #[arg(long, value_name = "PORT")]
    http: Option<u16>,
    /// Keep the index in this file.
    #[arg(long, value_name = "FILE")]
    index: Option<PathBuf>,
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
    let place = arguments.index.map_or(IndexPlace::Memory, IndexPlace::File);
    let options = CorpusOptions::default().index(place);
    let corpus = Corpus::open(&arguments.folder, &options)?;
    let report = corpus.report();
    for file in &report.not_read {
        say(format_args!("not read: {}: {}", file.path, file.reason));
    }
    let (read, passages) = (report.read.len(), report.passages);
    say(format_args!("serving {read} documents ({passages} passages) of `{}`", corpus.name()));

    let server = server_of(Arc::new(corpus))?;
    let stop = CancellationToken::new();
    match arguments.http {
        Some(port) => {
            let running = server.serve_http(HttpListen::loopback(port)).await?;
            stop_at_ctrl_c(running.stopper());
            eprintln!("listening on {}", running.url());
            running.ended().await;
        }
        None => {
            stop_at_ctrl_c(stop.clone());
            server.serve_stdio_until(stop).await?;
        }
    }
    Ok(())
}

/// What to search for.
#[derive(Deserialize, JsonSchema)]
struct Search {
    /// Words to search for.
    query: String,
}

/// What to fetch.
#[derive(Deserialize, JsonSchema)]
struct Fetch {
    /// Id of a search result.
    id: String,
}

fn server_of(corpus: Arc<Corpus>) -> Result<ToolServer, Box<dyn Error>> {
    let searched = Arc::clone(&corpus);
    let search = ServerTool::typed(
        "search",
        "Searches the documents and returns the best passages, each with the id of its document.",
        move |search: Search, _| {
            let corpus = Arc::clone(&searched);
            async move {
                // The best passages are computed on a thread that may block.
                let hits = tokio::task::spawn_blocking(move || corpus.search(&search.query, HITS)).await;
                let hits = hits.map_err(|error| ToolFailure::new(error.to_string()))?;
                let results: Vec<Value> = hits.iter().map(result_of).collect();
                Ok(ToolReply::structured(json!({"results": results})))
            }
        },
    );

    let fetch = ServerTool::typed("fetch", "Returns the text of a document.", move |fetch: Fetch, _| {
        let corpus = Arc::clone(&corpus);
        async move { document_of(&corpus, &fetch.id).map_err(ToolFailure::new) }
    });
    Ok(ToolServer::builder("corpus", env!("CARGO_PKG_VERSION"))
        .tool(search.read_only(true))
        .tool(fetch.read_only(true))
        .build()?)
}

fn result_of(hit: &PassageHit) -> Value {
    let title = hit.title.for_code();
    json!({
        "id": hit.document,
        "title": if title.is_empty() { &hit.document } else { title },
        "url": format!("doc:{}", hit.document),
        "text": hit.text.for_code(),
        "metadata": {"headings": hit.headings, "start": hit.passage.range.start, "end": hit.passage.range.end},
    })
}

fn document_of(corpus: &Corpus, id: &str) -> Result<ToolReply, String> {
    // A document is found by its entry in the index: no id is ever a path.
    let document = corpus.document(id).ok_or("there is no document of this id; use an id of a search result")?;
    let whole = document.text.for_code();
    let mut end = whole.len().min(MOST_TEXT);
    while !whole.is_char_boundary(end) {
        end -= 1;
    }
    let title = document.title.for_code();
    Ok(ToolReply::structured(json!({
        "id": id,
        "title": if title.is_empty() { id } else { title },
        "text": whole[..end],
        "url": format!("doc:{id}"),
        "metadata": {
            "date": document.date,
            "language": document.language,
            "file_hash": document.file_hash,
            "reader": document.reader.to_string(),
            "is_cut": end < whole.len(),
        },
    })))
}

fn stop_at_ctrl_c(stop: CancellationToken) {
    // Where the signal cannot be watched for, it ends the program by itself.
    let Ok(mut presses) = cli::ctrl_c() else { return };
    tokio::spawn(async move {
        if presses.recv().await.is_some() {
            stop.cancel();
        }
    });
}

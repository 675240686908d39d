//! Serves a CSV, JSON or JSONL file as one MCP tool, over standard input and output or over HTTP.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use research_examples::cli::{self, say};
use research_examples::dataset::{self, DEFAULT_TOOL, Dataset, LoadError, LoadOptions};
use research_mcp::server::{HttpListen, ServeError, ToolServer};
use tokio_util::sync::CancellationToken;

/// Serve a CSV, JSON, JSONL or SQLite file as one MCP tool, over standard input and output or over HTTP.
#[derive(Debug, Parser)]
#[command(
    name = "dataset_server",
    after_help = "Examples:
  dataset_server                             the 10,000 wildlife strikes of the examples
  dataset_server sales.csv                   a file of your own
  dataset_server log.jsonl --tool-name logs  under another tool name
  dataset_server sales.csv --http 8000       at http://127.0.0.1:8000/mcp
  dataset_server shop.db --table orders      a table or view of an SQLite database, which is only read
  dataset_server - --http 8000 < sales.csv   from standard input

The server ends when its standard input ends, and over HTTP with Ctrl-C. To ask it questions:
  cargo run --example dataset_research -- --mcp-command \"dataset_server sales.csv\" \"…\""
)]
struct Arguments {
    /// File to serve: CSV (any usual delimiter and encoding), a JSON array of objects, JSON lines, an SQLite database, or `-` for
    /// standard input.
    file: Option<PathBuf>,
    /// Table or view of an SQLite database; not needed when there is one table.
    #[arg(long, value_name = "NAME", requires = "file")]
    table: Option<String>,
    /// Most bytes of the file, such as 500MB or 8GiB.
    #[arg(long, value_name = "SIZE", default_value = "4GiB", value_parser = LoadOptions::parse_size)]
    max_size: u64,
    /// Leave out lines that are not valid JSON, and say how many.
    #[arg(long)]
    skip_bad_lines: bool,
    /// Name of the tool.
    #[arg(long, value_name = "NAME", default_value = DEFAULT_TOOL, value_parser = tool_name)]
    tool_name: String,
    /// Serve over HTTP on 127.0.0.1, on this port; 0 takes a free one. The address is printed on standard error.
    #[arg(long, value_name = "PORT")]
    http: Option<u16>,
}

fn tool_name(name: &str) -> Result<String, String> {
    let fits = (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if fits { Ok(name.to_owned()) } else { Err("a tool name is 1 to 64 letters, digits, `_` or `-`".to_owned()) }
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
    let dataset = load(&arguments).await?;
    for warning in &dataset.warnings {
        say(format_args!("warning: {warning}"));
    }
    say(format_args!(
        "serving {} records with {} fields of `{}` as `{}`",
        dataset.len(),
        dataset.fields.len(),
        dataset.name,
        arguments.tool_name
    ));
    let server = dataset::dataset_server(dataset, arguments.tool_name)?;
    match arguments.http {
        Some(port) => serve_http(server, port).await?,
        None => serve_stdio(server).await?,
    }
    Ok(())
}

/// Loads the data on another thread, so that a signal is seen meanwhile.
async fn load(arguments: &Arguments) -> Result<Dataset, Box<dyn Error>> {
    let Some(file) = arguments.file.clone() else { return Ok(dataset::shipped()?) };
    if file == Path::new("-") && arguments.http.is_none() {
        return Err("`-` needs --http: without it standard input belongs to the client".into());
    }
    let options = LoadOptions {
        max_bytes: arguments.max_size,
        skip_bad_lines: arguments.skip_bad_lines,
        table: arguments.table.clone(),
        ..LoadOptions::default()
    };
    let loading = tokio::task::spawn_blocking(move || dataset::load_with(&file, &options));
    Ok(loading.await?.map_err(|error: LoadError| error.to_string())?)
}

/// Serves until the client closes our standard input, or Ctrl-C.
async fn serve_stdio(server: ToolServer) -> Result<(), ServeError> {
    let stop = CancellationToken::new();
    stop_at_ctrl_c(&stop);
    server.serve_stdio_until(stop).await
}

/// Serves until Ctrl-C, and then lets calls in flight end.
async fn serve_http(server: ToolServer, port: u16) -> Result<(), ServeError> {
    let running = server.serve_http(HttpListen::loopback(port)).await?;
    stop_at_ctrl_c(&running.stopper());
    eprintln!("listening on {}", running.url());
    running.ended().await;
    Ok(())
}

fn stop_at_ctrl_c(stop: &CancellationToken) {
    // Where the signal cannot be watched for, it ends the program by itself.
    let Ok(mut presses) = cli::ctrl_c() else { return };
    let stop = stop.clone();
    tokio::spawn(async move {
        if presses.recv().await.is_some() {
            stop.cancel();
        }
    });
}

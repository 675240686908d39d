//! Serves a CSV, JSON or JSONL file as one MCP tool over standard input and output.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use research_examples::dataset::{self, DEFAULT_TOOL, Dataset, DatasetServer, LoadError};
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio;

/// Serve a CSV, JSON or JSONL file as one MCP tool over standard input and output.
#[derive(Debug, Parser)]
#[command(
    name = "dataset_server",
    after_help = "Examples:
  dataset_server                             the 10,000 wildlife strikes of the examples
  dataset_server sales.csv                   a file of your own
  dataset_server log.jsonl --tool-name logs  under another tool name

The server ends when its standard input ends. To ask it questions:
  cargo run --example dataset_research -- --mcp-command \"dataset_server sales.csv\" \"…\""
)]
struct Arguments {
    /// File to serve: CSV (any usual delimiter and encoding), a JSON array of objects, or JSON lines.
    file: Option<PathBuf>,
    /// Name of the tool.
    #[arg(long, value_name = "NAME", default_value = DEFAULT_TOOL, value_parser = tool_name)]
    tool_name: String,
}

fn tool_name(name: &str) -> Result<String, String> {
    let fits = (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if fits { Ok(name.to_owned()) } else { Err("a tool name is 1 to 64 letters, digits, `_` or `-`".to_owned()) }
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match load(&arguments) {
        Ok(dataset) => serve(dataset, arguments.tool_name).await,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn load(arguments: &Arguments) -> Result<Dataset, LoadError> {
    match &arguments.file {
        Some(file) => dataset::load(file),
        None => dataset::shipped(),
    }
}

/// Serves until the client closes our standard input, or Ctrl-C.
async fn serve(dataset: Dataset, tool_name: String) -> ExitCode {
    for warning in &dataset.warnings {
        eprintln!("warning: {warning}");
    }
    eprintln!(
        "serving {} records with {} fields of `{}` as `{tool_name}`",
        dataset.documents.len(),
        dataset.fields.len(),
        dataset.name
    );
    let server = DatasetServer::new(dataset, tool_name);
    let session = async {
        let running = rmcp::serve_server(server, stdio()).await?;
        // The reason of the end does not matter: the client is gone.
        drop(running.waiting().await);
        Ok::<(), ServerInitializeError>(())
    };
    tokio::select! {
        outcome = session => match outcome {
            Ok(()) | Err(ServerInitializeError::ConnectionClosed(_)) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("error: the client did not complete the MCP handshake: {error}");
                ExitCode::FAILURE
            }
        },
        _ = tokio::signal::ctrl_c() => ExitCode::SUCCESS,
    }
}

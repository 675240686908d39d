//! Model and tools from the command line.

use std::error::Error;
use std::fs::OpenOptions;
use std::path::Path;
use std::sync::Arc;

use research_agents::llm::{ChatModel, Providers};
use research_agents::mcp::{Hub, StdioServer};
use research_agents::offline::OfflineModel;
use research_examples::dataset::{self, DatasetServer};

use super::args::Args;

/// Opens a model by its specification.
pub fn model(spec: &str) -> Result<Arc<dyn ChatModel>, Box<dyn Error>> {
    Ok(Providers::new().with("offline", OfflineModel::open).open(spec)?)
}

/// Connects to the server that the arguments name, or serves the file in process.
pub async fn hub(args: &Args) -> Result<Arc<Hub>, Box<dyn Error>> {
    let builder = match &args.mcp_command {
        Some(command) => Hub::builder().stdio("data", server_command(command)?),
        None => {
            let data = match &args.data {
                Some(file) => dataset::load(file)?,
                None => dataset::shipped()?,
            };
            data.warnings.iter().for_each(|warning| eprintln!("warning: {warning}"));
            Hub::builder().in_process("data", DatasetServer::new(data, args.tool_name()))
        }
    };
    Ok(Arc::new(builder.connect().await?))
}

/// Splits a command as a shell would, and leaves out the shell.
fn server_command(command: &str) -> Result<StdioServer, Box<dyn Error>> {
    let words = shell_words::split(command).map_err(|error| format!("--mcp-command cannot be split into words: {error}"))?;
    let Some((program, arguments)) = words.split_first() else {
        return Err("--mcp-command is blank; give the command that starts the server".into());
    };
    Ok(StdioServer::new(program).args(arguments))
}

/// The fields of a comma-separated list.
pub fn split_fields(list: &str) -> Vec<String> {
    list.split(',').map(str::trim).filter(|field| !field.is_empty()).map(str::to_string).collect()
}

/// Finds out before the work that the report can be written after it.
pub fn check_writable(path: &Path) -> Result<(), Box<dyn Error>> {
    let opened = OpenOptions::new().create(true).append(true).open(path);
    opened.map_err(|error| format!("the report cannot be written to {}: {error}", path.display()))?;
    Ok(())
}

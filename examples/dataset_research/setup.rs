//! Tools from the command line.

use std::error::Error;
use std::io;
use std::path::Path;
use std::sync::Arc;

use research_agents::mcp::{Hub, StdioServer};
use research_examples::dataset::{self, Dataset, DatasetServer, LoadError};

use super::args::Args;
use super::view::tell;

/// Connects to the server that the arguments name, or serves the file in process.
pub async fn hub(args: &Args) -> Result<Arc<Hub>, Box<dyn Error>> {
    let builder = match &args.mcp_command {
        Some(command) => {
            let (name, server) = server_command(command)?;
            Hub::builder().stdio(name, server)
        }
        None => {
            let data = match &args.data {
                Some(file) => load(file)?,
                None => dataset::shipped()?,
            };
            data.warnings.iter().for_each(|warning| tell(format_args!("warning: {warning}")));
            Hub::builder().in_process(data.name.clone(), DatasetServer::new(data, args.tool_name()))
        }
    };
    Ok(Arc::new(builder.connect().await?))
}

fn load(file: &Path) -> Result<Dataset, Box<dyn Error>> {
    let path = file.display();
    if file.is_dir() {
        return Err(format!("--data {path} is a directory; name a CSV, JSON or JSON Lines file in it").into());
    }
    dataset::load(file).map_err(|error| match &error {
        LoadError::Read { source, .. } if source.kind() == io::ErrorKind::NotFound => {
            format!("--data {path}: there is no such file; check the path").into()
        }
        _ => error.into(),
    })
}

/// Splits a command as a shell would, and leaves out the shell. The server is called by the name of its program.
fn server_command(command: &str) -> Result<(String, StdioServer), Box<dyn Error>> {
    let words = shell_words::split(command)
        .map_err(|error| format!("--mcp-command {command}: {error}; it cannot be split into words"))?;
    let program = words.first().filter(|program| !program.trim().is_empty());
    let Some(program) = program else {
        return Err("--mcp-command is blank; give the command that starts the server".into());
    };
    let name =
        Path::new(program).file_stem().map_or_else(|| program.clone(), |name| name.to_string_lossy().into_owned());
    Ok((name, StdioServer::new(program).args(words[1..].iter().cloned())))
}

/// The fields of a comma-separated list.
pub fn split_fields(list: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let fields: Vec<String> =
        list.split(',').map(str::trim).filter(|field| !field.is_empty()).map(str::to_string).collect();
    if fields.is_empty() {
        return Err("--group-by names no field; --list-fields shows which there are".into());
    }
    Ok(fields)
}

//! The servers from the command line: a file in this process, a command, an address, or a file of servers.

use std::error::Error;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use research_agents::mcp::{
    ConfigError, Endpoint, HttpServer, Hub, HubBuilder, Limits, McpConfig, McpError, ServerState, StdioServer,
};
use research_examples::cli::{register_config, register_variables};
use research_examples::dataset::{self, Dataset, LoadError, LoadOptions, Stop, dataset_server};
use research_llm::redact::register_secret;
use serde_json::json;

use super::args::Args;
use super::view::tell;
use research_examples::cli::model;

type Failure = Box<dyn Error>;

/// Connects to the servers that the arguments name, or serves the file in process. A server among several that cannot be used
/// is told and left out.
pub async fn hub(args: &Args) -> Result<Arc<Hub>, Failure> {
    let builder = match (&args.mcp_command, &args.mcp_url, &args.mcp_config) {
        (Some(command), ..) => {
            let (name, server) = of_command(command)?;
            Hub::builder().stdio(name, server)
        }
        (_, Some(url), _) => Hub::builder().http(model::host(url), of_url(url, args)?),
        (.., Some(file)) => of_config(file)?,
        _ => in_process(args).await?,
    };
    let hub = Arc::new(builder.connect().await?);
    for status in hub.servers() {
        if let (ServerState::NeedsAuth { reason }, true) = (&status.state, args.mcp_url.is_some()) {
            let reason = format!("{reason}; --mcp-bearer-env names the variable with the token");
            hub.close().await;
            return Err(research_agents::Error::from(McpError::NeedsAuth { server: status.name, reason }).into());
        }
    }
    Ok(hub)
}

async fn in_process(args: &Args) -> Result<HubBuilder, Failure> {
    if args.tool.len() > 1 {
        return Err("--tool: a file has one tool; give one name".into());
    }
    let data = match &args.data {
        Some(file) => load(file, args).await?,
        None => dataset::shipped()?,
    };
    data.warnings.iter().for_each(|warning| tell(format_args!("warning: {warning}")));
    Ok(Hub::builder().in_process(data.name.clone(), dataset_server(data, args.tool_name())?))
}

/// Loads a file on another thread, so that Ctrl-C ends it.
async fn load(file: &Path, args: &Args) -> Result<Dataset, Failure> {
    let path = file.display();
    if file.is_dir() {
        return Err(format!("--data {path} is a directory; name a CSV, JSON or JSON Lines file in it").into());
    }
    let options = LoadOptions {
        max_bytes: args.max_size,
        skip_bad_lines: args.skip_bad_lines,
        table: args.table.clone(),
        ..LoadOptions::default()
    };
    let _stop = StopOnDrop(options.stop.clone());
    let owned = file.to_owned();
    let loading = tokio::task::spawn_blocking(move || dataset::load_with(&owned, &options));
    loading.await?.map_err(|error| match &error {
        LoadError::Read { source, .. } if source.kind() == io::ErrorKind::NotFound => {
            format!("--data {path}: there is no such file; check the path").into()
        }
        _ => error.into(),
    })
}

/// Ends the reading of a file when no one waits for it any longer.
struct StopOnDrop(Stop);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Splits a command as a shell would, and leaves out the shell. The server is called by the name of its program.
fn of_command(command: &str) -> Result<(String, StdioServer), Failure> {
    let words = shell_words::split(command)
        // The command may hold a secret, and is not repeated.
        .map_err(|error| format!("--mcp-command: {error}; it cannot be split into words"))?;
    let program = words.first().filter(|program| !program.trim().is_empty());
    let Some(program) = program else {
        return Err("--mcp-command is blank; give the command that starts the server".into());
    };
    let name =
        Path::new(program).file_stem().map_or_else(|| program.clone(), |name| name.to_string_lossy().into_owned());
    Ok((name, StdioServer::new(program).args(words[1..].iter().cloned())))
}

/// A server at an address, with headers whose values come from the environment: a command line is there for everyone to see.
fn of_url(url: &str, args: &Args) -> Result<HttpServer, Failure> {
    if !url.starts_with("http://") && !url.starts_with("https://") {
        // What has more than a host and a path may hold a secret, and is not repeated.
        let is_plain = |c: char| c.is_ascii_alphanumeric() || ".:/-_".contains(c);
        let shown = if url.chars().all(is_plain) { format!(" {url}") } else { String::new() };
        return Err(format!("--mcp-url{shown} is no address; write one such as http://127.0.0.1:8000/mcp").into());
    }
    let mut headers = serde_json::Map::new();
    for header in &args.mcp_header {
        // What follows the colon may be a secret, and is not repeated.
        let Some((name, value)) = header.split_once(':').map(|(name, value)| (name.trim(), value.trim())) else {
            return Err("--mcp-header has no colon; write 'NAME: ${VARIABLE}'".into());
        };
        if !value.contains("${") {
            return Err(format!(
                "--mcp-header {name}: the value stands in the command line, where others can read it; put it into a variable of \
                 the environment and write '{name}: ${{VARIABLE}}'"
            )
            .into());
        }
        register_variables(value);
        headers.insert(name.to_owned(), value.into());
    }
    // The same expansion of variables as in a file of servers.
    let config: McpConfig = json!({"mcpServers": {"url": {"url": url, "headers": headers}}}).to_string().parse()?;
    if let Some(ConfigError::Entry { reason, .. }) = config.errors.first() {
        return Err(format!("--mcp-header: {}", reason.trim_start_matches("`headers`: ")).into());
    }
    let Some(Endpoint::Http(server)) = config.servers.into_iter().next().map(|server| server.endpoint) else {
        return Err("--mcp-url cannot be used; write an address such as http://127.0.0.1:8000/mcp".into());
    };
    match &args.mcp_bearer_env {
        None => Ok(server),
        Some(name) => match std::env::var(name) {
            Ok(token) if !token.trim().is_empty() => {
                register_secret(token.trim());
                Ok(server.bearer(token.trim()))
            }
            _ => Err(format!("--mcp-bearer-env: the variable `{name}` is not set; set it to the token").into()),
        },
    }
}

/// The servers of a file. Entries that cannot be used are told; it is an error when none can.
fn of_config(file: &Path) -> Result<HubBuilder, Failure> {
    register_config(file);
    let config = McpConfig::from_file(file).map_err(|error| match error {
        ConfigError::Read { source, .. } if source.kind() == io::ErrorKind::NotFound => {
            format!("--mcp-config {}: there is no such file; check the path", file.display())
        }
        ConfigError::Read { source, .. } => {
            format!("--mcp-config {}: {source}; name a file that can be read", file.display())
        }
        other => format!("--mcp-config {}: {other}", file.display()),
    })?;
    config.warnings.iter().for_each(|warning| tell(format_args!("warning: {warning}")));
    if config.servers.is_empty() {
        let off = config.disabled.iter().map(|name| format!("MCP server `{name}` is switched off"));
        let reasons: Vec<String> = config.errors.iter().map(ToString::to_string).chain(off).collect();
        let reasons = if reasons.is_empty() { "it names none".to_owned() } else { reasons.join("; ") };
        return Err(format!("--mcp-config {}: no server can be used: {reasons}", file.display()).into());
    }
    config.errors.iter().for_each(|error| tell(format_args!("warning: {error}")));
    // Which tool is used must not depend on which server was the faster one: each is waited for as long as it may take to start.
    let own = config.servers.iter().filter_map(|server| server.policy.limits.as_ref()).map(|limits| limits.connect);
    let limits = Limits::default();
    let longest = own.fold(limits.connect, Duration::max);
    Ok(config.into_builder().limits(limits.settle(longest)))
}

//! The server under test: what the suite expects to find, on HTTP at a free port of loopback.
//!
//! Its address is the only line on standard output. It serves until it is stopped.

mod contents;
mod prompts;
mod resources;
mod rounds;
mod samples;
mod talk;

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use research_mcp::server::{HttpListen, ServeError, ToolServer};

#[tokio::main]
async fn main() -> ExitCode {
    match serve().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve() -> Result<(), ServeError> {
    let mut builder = ToolServer::builder("conformance-server", env!("CARGO_PKG_VERSION"))
        .instructions("Tools, resources and prompts that the conformance suite asks for.")
        .changes()
        .subscriptions()
        .logging()
        .cache(Duration::from_secs(60), true)
        .completion(resources::complete);
    for tool in contents::tools().into_iter().chain(talk::tools()).chain(rounds::tools()) {
        builder = builder.tool(tool);
    }
    for prompt in prompts::prompts() {
        builder = builder.prompt(prompt);
    }
    for resource in resources::fixed() {
        builder = builder.resource(resource);
    }
    let running = builder.resource_template(resources::template()).build()?.serve_http(HttpListen::loopback(0)).await?;
    println!("{}", running.url());
    // Whoever started this reads the line at once; when nobody does, there is nobody to serve.
    if std::io::stdout().flush().is_ok() {
        running.ended().await;
    }
    Ok(())
}

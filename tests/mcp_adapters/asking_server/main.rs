//! An MCP server over standard input and output whose tools ask the user, return hostile pages, and log what they are called with.

#[path = "../../fixtures/fixture_server/log.rs"]
mod log;
mod tools;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use rmcp::transport::stdio;

use crate::log::CallLog;
use crate::tools::AskingServer;

/// What the server shall do.
#[derive(Clone, Debug, Parser)]
#[command(name = "asking_server")]
struct Arguments {
    /// What `read` returns.
    #[arg(long, default_value = "Graz lies on the Mur.")]
    page: String,
    /// What `read` says of itself.
    #[arg(long, default_value = "Reads a page.")]
    describe: String,
    /// Have so many more tools.
    #[arg(long, default_value_t = 0)]
    many: usize,
    /// Append a line of JSON for each call, with its arguments and answers.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let log = match arguments.log.as_deref().map(CallLog::open).transpose() {
        Ok(log) => log,
        Err(error) => {
            eprintln!("asking_server: cannot open the log: {error}");
            return ExitCode::FAILURE;
        }
    };
    match rmcp::serve_server(AskingServer::new(arguments, log), stdio()).await {
        Ok(running) => {
            drop(running.waiting().await);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("asking_server: {error}");
            ExitCode::FAILURE
        }
    }
}

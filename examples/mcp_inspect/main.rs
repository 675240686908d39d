//! Looks at MCP servers from the command line.

mod answer;
mod args;
mod people;

use std::error::Error;
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use research_examples::cli::{self, say};
use research_mcp::{Limits, McpConfig};

use answer::{Problems, answer};
use args::Args;

fn main() -> ExitCode {
    cli::run(program())
}

async fn program() -> ExitCode {
    let args = Args::parse();
    match run(&args).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(format_args!("error: {error}"));
            ExitCode::from(2)
        }
    }
}

async fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    cli::register_config(&args.config);
    let config = McpConfig::from_file(&args.config)?;
    config.warnings.iter().for_each(|warning| say(format_args!("warning: {warning}")));
    let problems = Problems::of(&config);
    let limit = Duration::from_secs(args.timeout);
    // Every server is waited for as long as it may take: the question is how each of them stands.
    let limits = Limits::default().connect(limit).list(limit).call(limit).settle(limit);
    let hub = config.into_builder().limits(limits).build()?;
    let answered = tokio::select! {
        // Before anything is started that an interrupt would leave behind.
        biased;
        _ = tokio::signal::ctrl_c() => Err("interrupted".into()),
        answered = async {
            hub.connect().await;
            answer(&hub, &problems, &args.question).await
        } => answered,
    };
    hub.close().await;
    let answered = answered?;
    let mut text = if args.json { cli::json(&answered)? + "\n" } else { people::text(&answered) };
    if !text.ends_with('\n') {
        text.push('\n');
    }
    match std::io::stdout().write_all(text.as_bytes()) {
        // The reader has seen enough.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

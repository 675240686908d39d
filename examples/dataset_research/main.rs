//! Answers a question about a data set from the command line.

mod args;
mod fields;
mod setup;
mod view;

use std::error::Error;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use futures::StreamExt;
use research_agents::dataset::{DatasetAgent, DatasetConfig, DatasetEvent, DatasetEventKind, DatasetRun, parse_filters};
use research_agents::core::{IdSource, RandomIds};
use research_agents::ErrorCategory;
use tokio_util::sync::CancellationToken;

use args::Args;
use view::{Json, People, View};

#[tokio::main]
async fn main() -> ExitCode {
    let args = Args::parse();
    let mut view: Box<dyn View> =
        if args.json { Box::new(Json(io::stdout())) } else { Box::new(People::new(io::stdout())) };
    match work(&args, &mut *view).await {
        Ok(code) => code,
        Err(error) => {
            // Nobody is left to tell when the view itself is broken.
            let _ = view.show(&before_the_run(&*error));
            ExitCode::FAILURE
        }
    }
}

async fn work(args: &Args, view: &mut dyn View) -> Result<ExitCode, Box<dyn Error>> {
    let filters = args.filters.as_deref().map(parse_filters).transpose()?;
    let group_by = args.group_by.as_deref().map(setup::split_fields);
    let model = setup::model(&args.model)?;
    if let Some(path) = &args.report {
        setup::check_writable(path)?;
    }
    let hub = setup::hub(args).await?;

    let outcome = if args.list_fields {
        fields::print(&*hub, args.tool.as_deref(), args.json).await.map(|()| ExitCode::SUCCESS)
    } else {
        let config = DatasetConfig { max_iterations: args.max_iterations, ..DatasetConfig::default() };
        let agent = DatasetAgent::builder(model, std::sync::Arc::clone(&hub)).config(config).build()?;
        let mut run = agent.run(args.question()).tools(args.tool.clone());
        if let Some(filters) = filters {
            run = run.filters(filters);
        }
        if let Some(fields) = group_by {
            run = run.group_by(fields);
        }
        watch(run, view, args.report.as_deref()).await
    };
    hub.close().await;
    outcome
}

/// Shows the events of the run until it has ended. The first Ctrl-C ends it with a report of what was found, the second at
/// once.
async fn watch(run: DatasetRun, view: &mut dyn View, report: Option<&Path>) -> Result<ExitCode, Box<dyn Error>> {
    let cancel = CancellationToken::new();
    let mut events = run.cancel(cancel.clone()).stream();
    let mut interrupts = 0;
    loop {
        let event = tokio::select! {
            event = events.next() => event,
            interrupt = tokio::signal::ctrl_c() => {
                interrupt?;
                interrupts += 1;
                if interrupts > 1 {
                    return Ok(ExitCode::from(130));
                }
                eprintln!("stopping: the report covers what was found so far (Ctrl-C again to stop at once)");
                cancel.cancel();
                continue;
            }
        };
        let Some(event) = event else { break };
        view.show(&event)?;
    }
    match (events.outcome().await, report) {
        (Ok(outcome), Some(path)) => {
            std::fs::File::create(path)
                .and_then(|mut file| file.write_all(outcome.markdown.as_bytes()))
                .map_err(|error| format!("the report could not be written to {}: {error}", path.display()))?;
            Ok(ExitCode::SUCCESS)
        }
        (Ok(_), None) => Ok(ExitCode::SUCCESS),
        // The view has shown it as the terminal event.
        (Err(_), _) => Ok(ExitCode::FAILURE),
    }
}

/// The terminal event of a run that could not even start.
fn before_the_run(error: &(dyn Error + 'static)) -> DatasetEvent {
    let typed = error.downcast_ref::<research_agents::Error>();
    let mut message = error.to_string();
    let mut source = error.source().filter(|_| typed.is_none());
    while let Some(cause) = source {
        message = format!("{message}: {cause}");
        source = cause.source();
    }
    DatasetEvent {
        seq: 0,
        ts: format!("{:.3}", jiff::Timestamp::now()),
        run_id: RandomIds.run_id(),
        kind: DatasetEventKind::Error {
            category: typed.map_or(ErrorCategory::Unknown, research_agents::Error::category),
            message,
            retryable: typed.is_some_and(research_agents::Error::is_retryable),
            fatal: true,
        },
    }
}

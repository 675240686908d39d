//! Answers a question about a data set from the command line.

mod args;
mod fields;
mod interrupt;
mod model;
mod report_file;
mod setup;
mod teller;
mod view;

use std::error::Error;
use std::io;
use std::pin::pin;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use futures::StreamExt;
use research_agents::dataset::{DatasetAgent, DatasetConfig, DatasetEventKind, DatasetRun, parse_filters};
use tokio_util::sync::CancellationToken;

use args::Args;
use interrupt::{Interrupted, Interrupts};
use report_file::ReportFile;
use teller::Teller;
use view::{Json, People, View};

#[tokio::main]
async fn main() -> ExitCode {
    let args = Args::parse();
    let view: Box<dyn View> =
        if args.json { Box::new(Json(io::stdout())) } else { Box::new(People::new(io::stdout())) };
    let mut teller = Teller::new(view);
    match work(&args, &mut teller, Interrupts::listen()).await {
        Ok(code) => code,
        Err(error) if is_broken_pipe(&*error) => ExitCode::FAILURE,
        Err(error) => {
            teller.fail(&*error);
            if error.is::<Interrupted>() { ExitCode::from(interrupt::STATUS) } else { ExitCode::FAILURE }
        }
    }
}

/// Whoever read our output has gone, as `head` does; there is nothing to say and nobody to say it to.
fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

async fn work(args: &Args, teller: &mut Teller, interrupts: Interrupts) -> Result<ExitCode, Box<dyn Error>> {
    let question = args.question();
    if question.trim().is_empty() {
        return Err(research_agents::Error::BlankQuestion.into());
    }
    let filters = args.filters.as_deref().map(parse_filters).transpose()?;
    let group_by = args.group_by.as_deref().map(setup::split_fields).transpose()?;
    let model = tokio::select! {
        model = model::open(args) => model?,
        () = interrupts.clone().reach(1) => return Err(Interrupted.into()),
    };
    let report_file = args.report.as_deref().map(ReportFile::open).transpose()?;
    let hub = tokio::select! {
        hub = setup::hub(args) => hub?,
        () = interrupts.clone().reach(1) => return Err(Interrupted.into()),
    };

    let outcome = if args.list_fields {
        tokio::select! {
            printed = fields::print(&*hub, args.tool.as_deref(), args.json) => printed.map(|()| ExitCode::SUCCESS),
            () = interrupts.clone().reach(1) => Err(Interrupted.into()),
        }
    } else {
        model.notice.iter().for_each(|line| teller.note(line));
        let config = DatasetConfig {
            max_iterations: args.max_iterations,
            parallel_extractions: model.parallel,
            budget: model.budget,
            ..DatasetConfig::default()
        };
        let agent = DatasetAgent::builder(model.model, Arc::clone(&hub)).config(config).build()?;
        let mut run = agent.run(question).tools(args.tool.clone());
        if let Some(filters) = filters {
            run = run.filters(filters);
        }
        if let Some(fields) = group_by {
            run = run.group_by(fields);
        }
        watch(run, teller, report_file.as_ref(), &interrupts).await
    };
    // A server that does not end by itself gets some time to; who has pressed Ctrl-C twice does not want to wait for that.
    tokio::select! {
        () = hub.close() => {}
        () = interrupts.reach(2) => {}
    }
    outcome
}

/// Shows the events of the run until it has ended. The first Ctrl-C ends it with a report of what was found, the second at
/// once.
async fn watch(
    run: DatasetRun,
    teller: &mut Teller,
    report_file: Option<&ReportFile>,
    interrupts: &Interrupts,
) -> Result<ExitCode, Box<dyn Error>> {
    let cancel = CancellationToken::new();
    let mut events = run.cancel(cancel.clone()).stream();
    let mut first = pin!(interrupts.clone().reach(1));
    let mut second = pin!(interrupts.clone().reach(2));
    loop {
        let event = tokio::select! {
            // Events come first: once the terminal one was told, Ctrl-C must not lead to another.
            biased;
            event = events.next() => event,
            () = &mut first, if !cancel.is_cancelled() => {
                teller.note("stopping: the report will cover what was found so far (Ctrl-C again to stop at once)");
                cancel.cancel();
                continue;
            }
            () = &mut second => return Err(Interrupted.into()),
        };
        let Some(event) = event else { break };
        // A report that cannot be written is a failure, so it is written before the event that says all went well.
        if let (DatasetEventKind::ReportEnd { report, document }, Some(file)) = (&event.kind, report_file) {
            file.write(report, document.as_deref())?;
        }
        teller.tell(&event)?;
    }
    // What went wrong was told by the terminal event.
    Ok(match events.outcome().await {
        Ok(_) => ExitCode::SUCCESS,
        Err(_) if cancel.is_cancelled() => ExitCode::from(interrupt::STATUS),
        Err(_) => ExitCode::FAILURE,
    })
}

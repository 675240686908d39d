//! Answers a question about a data set from the command line.

mod args;
mod choice;
mod fields;
mod interrupt;
mod model;
mod report_file;
mod servers;
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
use research_agents::mcp::Hub;
use research_core_sqlite::SqliteCheckpointer;
use tokio_util::sync::CancellationToken;

use args::Args;
use interrupt::{Interrupted, Interrupts, Kept};
use model::Opened;
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
            if interrupt::ended(&*error) { ExitCode::from(interrupt::STATUS) } else { ExitCode::FAILURE }
        }
    }
}

/// Whoever read our output has gone, as `head` does; there is nothing to say and nobody to say it to.
fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

async fn work(args: &Args, teller: &mut Teller, interrupts: Interrupts) -> Result<ExitCode, Box<dyn Error>> {
    if args.question().trim().is_empty() {
        return Err(research_agents::Error::BlankQuestion.into());
    }
    // What is written wrongly is told before anything is started.
    args.filters.as_deref().map(parse_filters).transpose()?;
    args.group_by.as_deref().map(setup::split_fields).transpose()?;
    let model = tokio::select! {
        model = model::open(args) => model?,
        () = interrupts.clone().reach(1) => return Err(Interrupted.into()),
    };
    let report_file = args.report.as_deref().map(ReportFile::open).transpose()?;
    let hub = tokio::select! {
        hub = servers::hub(args) => hub?,
        () = interrupts.clone().reach(1) => return Err(Interrupted.into()),
    };
    let outcome = answer(args, model, &hub, teller, report_file.as_ref(), &interrupts).await;
    // A server that does not end by itself gets some time to; who has pressed Ctrl-C twice does not want to wait for that.
    tokio::select! {
        () = hub.close() => {}
        () = interrupts.reach(2) => {}
    }
    outcome
}

/// Lists the fields of the tools, or runs the question through them.
async fn answer(
    args: &Args,
    model: Opened,
    hub: &Arc<Hub>,
    teller: &mut Teller,
    report_file: Option<&ReportFile>,
    interrupts: &Interrupts,
) -> Result<ExitCode, Box<dyn Error>> {
    let stopped = || async {
        interrupts.clone().reach(1).await;
        Interrupted
    };
    if args.list_fields && args.tool.is_empty() {
        return tokio::select! {
            printed = fields::print(&**hub, args.json) => printed.map(|()| ExitCode::SUCCESS),
            stopped = stopped() => Err(stopped.into()),
        };
    }
    let (tools, named) = tokio::select! {
        chosen = choice::choose(hub, &args.tool) => chosen?,
        stopped = stopped() => return Err(stopped.into()),
    };
    if args.list_fields {
        return fields::print(&*tools, args.json).await.map(|()| ExitCode::SUCCESS);
    }
    model.notice.iter().for_each(|line| teller.note(line));
    let config = DatasetConfig {
        max_iterations: args.max_iterations,
        parallel_extractions: model.parallel,
        budget: model.budget,
        format: args.format.into(),
        ..DatasetConfig::default()
    };
    let mut agent = DatasetAgent::builder(model.model, tools).config(config);
    if let Some(url) = &args.db {
        let store = SqliteCheckpointer::from_url(url).await;
        agent = agent.checkpointer(store.map_err(|error| format!("--db {url}: {error}"))?);
    }
    let mut run = agent.build()?.run(args.question()).tools(named);
    if let Some(thread) = &args.thread {
        run = run.thread(thread);
    }
    if let Some(filters) = args.filters.as_deref().map(parse_filters).transpose()? {
        run = run.filters(filters);
    }
    if let Some(fields) = args.group_by.as_deref().map(setup::split_fields).transpose()? {
        run = run.group_by(fields);
    }
    watch(run, args.thread.is_some(), teller, report_file, interrupts).await
}

/// Shows the events of the run until it has ended. The first Ctrl-C ends it with a report of what was found, the second at
/// once. A run that is kept ends at the first: it can be gone on with.
async fn watch(
    run: DatasetRun,
    is_kept: bool,
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
                if is_kept {
                    return Err(Kept.into());
                }
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

//! Answers a question about a data set from the command line.

mod args;
mod bundle_file;
mod choice;
mod clarify;
mod fields;
mod servers;
mod setup;
mod teller;
mod view;

use std::error::Error;
use std::io;
use std::pin::pin;
use std::process::ExitCode;
use std::sync::Arc;

use futures::StreamExt;
use research_agents::dataset::{DatasetAgent, DatasetConfig, DatasetStream, EventKind, RunEvent, parse_filters};
use research_agents::mcp::Hub;
use research_core_sqlite::SqliteCheckpointer;
use research_examples::cli::interrupt::{self, Interrupted, Interrupts, Kept};
use research_examples::cli::model::{self, Opened};
use research_examples::cli::report_file::ReportFile;
use research_examples::cli::{self, whole_file};
use tokio_util::sync::CancellationToken;

use args::Args;
use bundle_file::{BundleFile, open_replay};
use clarify::{AtTerminal, Manner};
use teller::Teller;
use view::{Json, People, View};

/// What a language model gets to see.
const SENT: &str =
    "the question, the tools with their fields and values, statistics, and the records that match, at most 300";

fn main() -> ExitCode {
    cli::run(program())
}

async fn program() -> ExitCode {
    let args = Args::read();
    let view: Box<dyn View> =
        if args.json { Box::new(Json(io::stdout())) } else { Box::new(People::new(io::stdout(), args.steps)) };
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
    if let Some(path) = &args.replay {
        let files = Files { report: args.report.as_deref().map(ReportFile::open).transpose()?, bundle: None };
        return tokio::select! {
            biased;
            () = interrupts.clone().reach(1) => Err(Interrupted.into()),
            end = watch(open_replay(path)?, CancellationToken::new(), false, teller, &files, &interrupts) => {
                end.map(|(status, _)| status)
            }
        };
    }
    if args.question().trim().is_empty() {
        return Err(research_agents::Error::BlankQuestion.into());
    }
    // What is written wrongly is told before anything is started.
    args.filters.as_deref().map(parse_filters).transpose()?;
    args.group_by.as_deref().map(setup::split_fields).transpose()?;
    let model = tokio::select! {
        model = model::open(&args.model, args.budget, SENT) => model?,
        () = interrupts.clone().reach(1) => return Err(Interrupted.into()),
    };
    let files = Files {
        report: args.report.as_deref().map(ReportFile::open).transpose()?,
        bundle: args.export.as_deref().map(BundleFile::open).transpose()?,
    };
    let hub = tokio::select! {
        hub = servers::hub(args) => hub?,
        () = interrupts.clone().reach(1) => return Err(Interrupted.into()),
    };
    let outcome = answer(args, model, &hub, teller, &files, &interrupts).await;
    // A server that does not end by itself gets some time to; who has pressed Ctrl-C twice does not want to wait for that.
    tokio::select! {
        () = hub.close() => {}
        () = interrupts.reach(2) => {}
    }
    outcome
}

/// What is written beside standard output.
struct Files {
    report: Option<ReportFile>,
    bundle: Option<BundleFile>,
}

/// Lists the fields of the tools, or runs the question through them.
async fn answer(
    args: &Args,
    model: Opened,
    hub: &Arc<Hub>,
    teller: &mut Teller,
    files: &Files,
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
        language: args.language,
        ..DatasetConfig::default()
    };
    let manner = Manner::of(args);
    let config = manner.put_into(config);
    let mut agent = DatasetAgent::builder(model.model, tools).config(config);
    if let Some(url) = &args.db {
        agent = agent.checkpointer(open_store(url).await?);
    }
    let agent = agent.build()?;
    let mut run = match (&args.thread, &args.answer, &args.question) {
        (Some(thread), Some(answer), None) => agent.resume(thread, answer),
        (_, Some(answer), _) => agent.run(args.question()).answer(answer),
        (_, None, _) => agent.run(args.question()),
    };
    run = run.tools(named);
    if let Some(thread) = &args.thread {
        run = run.thread(thread);
    }
    if let Some(filters) = args.filters.as_deref().map(parse_filters).transpose()? {
        run = run.filters(filters);
    }
    if let Some(fields) = args.group_by.as_deref().map(setup::split_fields).transpose()? {
        run = run.group_by(fields);
    }
    loop {
        if manner.at_terminal {
            run = run.clarifier(AtTerminal);
        }
        if files.bundle.is_some() {
            run = run.record();
        }
        let cancel = CancellationToken::new();
        let events = run.cancel(cancel.clone()).stream();
        let (status, waiting) = watch(events, cancel, args.thread.is_some(), teller, files, interrupts).await?;
        // A thread may wait since a run that had nobody to ask.
        let Some(thread) = waiting else { return Ok(status) };
        if !manner.at_terminal {
            teller.note("answer with the same --thread and --db and --answer \"…\": the number of an option, or words");
            return Ok(status);
        }
        let answer = tokio::select! {
            answer = clarify::read_line() => answer,
            () = interrupts.clone().reach(1) => return Err(Kept.into()),
        };
        let Some(answer) = answer else { return Ok(status) };
        run = agent.resume(thread, answer);
    }
}

/// Shows the events of the run until it has ended. The first Ctrl-C ends it with a report of what was found, the second at
/// once. A run that is kept ends at the first: it can be gone on with. Beside the exit status stands the thread that waits for an
/// answer.
async fn watch(
    mut events: DatasetStream,
    cancel: CancellationToken,
    is_kept: bool,
    teller: &mut Teller,
    files: &Files,
    interrupts: &Interrupts,
) -> Result<(ExitCode, Option<String>), Box<dyn Error>> {
    let mut last = None;
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
        if let (EventKind::Run(RunEvent::ReportEnd { report, document }), Some(file)) = (&event.kind, &files.report) {
            file.write(report, document.as_deref())?;
        }
        if matches!(event.kind, EventKind::Run(RunEvent::RunCompleted { .. })) {
            last = Some(event);
            break;
        }
        teller.tell(&event)?;
    }
    let outcome = events.outcome().await;
    if let (Ok(report), Some(file)) = (&outcome, &files.bundle) {
        file.write(report, teller).await?;
    }
    if let Some(event) = last {
        teller.tell(&event)?;
    }
    // What went wrong was told by the terminal event.
    Ok(match outcome {
        Ok(_) => (ExitCode::SUCCESS, None),
        Err(research_agents::Error::ClarificationRequired { thread, .. }) => {
            (ExitCode::from(clarify::WAITS), Some(thread))
        }
        Err(_) if cancel.is_cancelled() => (ExitCode::from(interrupt::STATUS), None),
        Err(_) => (ExitCode::FAILURE, None),
    })
}

/// Opens the store of threads. A new file is for its owner alone, because runs and their data are in it.
async fn open_store(url: &str) -> Result<SqliteCheckpointer, Box<dyn Error>> {
    // What is no such address may hold a password, and is not repeated.
    let path = url.strip_prefix("sqlite:").map(|path| path.strip_prefix("//").unwrap_or(path));
    let path = path.filter(|path| !path.contains('?'));
    let path = path.ok_or("--db is not the address of an SQLite file; write sqlite:PATH, without options")?;
    if !path.is_empty() && path != ":memory:" {
        // A file that is there keeps its readers; one that cannot be created is told by the store.
        drop(whole_file::create_new(path.as_ref()));
    }
    Ok(SqliteCheckpointer::from_url(url).await.map_err(|error| format!("--db {url}: {error}"))?)
}

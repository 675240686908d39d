//! Researches a question in documents from the command line.

mod args;
mod sources;
mod view;

use std::error::Error;
use std::fs::File;
use std::io::{self, BufRead, IsTerminal};
use std::path::Path;
use std::pin::pin;
use std::process::ExitCode;

use clap::Parser;
use futures::StreamExt;
use research_agents::kernel::{Bundle, Clarification, Clarifier};
use research_agents::mcp::BoxFuture;
use research_agents::runtime::clarify::ClarificationPolicy;
use research_agents::runtime::event::{EventKind, RunEvent};
use research_agents::runtime::job::Steering;
use research_agents::runtime::run::{Run, RunStream, replay};
use research_agents::studio::Studio;
use research_agents::studio::config::StudioConfig;
use research_core_sqlite::SqliteCheckpointer;
use research_examples::cli::interrupt::{Interrupted, Interrupts, Kept, STATUS, ended};
use research_examples::cli::report_file::{ReportFile, not_written, writable};
use research_examples::cli::{self, model, whole_file};
use tokio_util::sync::CancellationToken;

use args::{Args, Clarify};
use view::{Json, People, View};

/// What a language model gets to see.
const SENT: &str = "the question, and the passages that are found for it";
/// Exit status of a run that waits for an answer.
const WAITS: u8 = 3;

fn main() -> ExitCode {
    cli::run(program())
}

async fn program() -> ExitCode {
    let args = Args::parse();
    let mut view: Box<dyn View> =
        if args.json { Box::new(Json(io::stdout())) } else { Box::new(People::new(io::stdout(), args.steps)) };
    match work(&args, &mut *view, Interrupts::listen()).await {
        Ok(code) => code,
        Err(error) if ended(&*error) => {
            view.note(&error.to_string());
            ExitCode::from(STATUS)
        }
        Err(error) => cli::fail(&*error),
    }
}

async fn work(args: &Args, view: &mut dyn View, interrupts: Interrupts) -> Result<ExitCode, Box<dyn Error>> {
    let files = Files::open(args)?;
    if let Some(path) = &args.replay {
        let events = open_replay(path)?;
        return watch(events, CancellationToken::new(), false, view, &files, &interrupts).await;
    }
    if args.question().trim().is_empty() {
        return Err(research_agents::Error::BlankQuestion.into());
    }

    let model = model::open(&args.model, args.budget, SENT).await?;
    model.notice.iter().for_each(|line| view.note(line));
    let is_asked = asks(args);
    let mut config = StudioConfig::default();
    config.stops.max_iterations = args.max_iterations;
    config.stops.stop_confidence = args.stop_confidence;
    config.budget = model.budget;
    config.approve_plan = args.approve;
    if is_asked || args.approve {
        config.clarification = ClarificationPolicy::Ask;
    }
    if !is_asked {
        config.max_clarifications = 0;
    }

    let builder = Studio::builder().model(model.model).config(config);
    let opened = tokio::select! {
        opened = sources::open(args, builder) => opened?,
        () = interrupts.clone().reach(1) => return Err(Interrupted.into()),
    };
    let mut studio = opened.builder.build()?;
    if let Some(url) = &args.db {
        studio = studio.with_checkpointer(
            SqliteCheckpointer::from_url(url)
                .await
                .map_err(|error| format!("--db {url}: {error}; write sqlite:PATH"))?,
        );
    }

    let cancel = CancellationToken::new();
    let events = run_of(args, &studio, &files, cancel.clone()).stream();
    let outcome = watch(events, cancel, args.thread.is_some(), view, &files, &interrupts).await;
    tokio::select! {
        () = opened.hub.close() => {}
        () = interrupts.reach(2) => {}
    }
    outcome
}

/// Whether the user is asked what is meant.
fn asks(args: &Args) -> bool {
    match args.clarify {
        Some(how) => how == Clarify::Ask,
        None => is_at_terminal(args),
    }
}

fn is_at_terminal(args: &Args) -> bool {
    !args.json && io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// The run that the arguments describe.
fn run_of(args: &Args, studio: &Studio, files: &Files, cancel: CancellationToken) -> Run<Studio> {
    let mut run = match (&args.thread, &args.answer, &args.question) {
        (Some(thread), Some(answer), None) => studio.resume(thread).answer(answer.as_str()),
        (_, Some(answer), _) => studio.run(args.question()).answer(answer.as_str()),
        (_, None, _) => studio.run(args.question()),
    };
    if let Some(thread) = &args.thread {
        run = run.thread(thread);
    }
    if is_at_terminal(args) {
        run = run.clarifier(AtTerminal);
    }
    if files.bundle.is_some() {
        run = run.record();
    }
    let steering = Steering::default();
    args.steer.iter().for_each(|text| steering.send(text));
    run.steering(steering).cancel(cancel)
}

/// What is written next to standard output.
struct Files {
    report: Option<ReportFile>,
    bundle: Option<std::path::PathBuf>,
}

impl Files {
    /// Finds out before the work that the files can be written after it.
    fn open(args: &Args) -> Result<Self, Box<dyn Error>> {
        if let Some(path) = &args.export {
            writable(path).map_err(|error| not_written("--export", path, &error))?;
        }
        Ok(Self { report: args.report.as_deref().map(ReportFile::open).transpose()?, bundle: args.export.clone() })
    }

    /// Writes the bundle of a run, which says whether it replays: that is tried at once.
    async fn export(&self, bundle: &Bundle, view: &mut dyn View) -> Result<(), Box<dyn Error>> {
        let Some(path) = &self.bundle else { return Ok(()) };
        let mut bundle = Bundle::from_json(&bundle.to_json()?)?;
        let tried = match replay::<Studio>(&bundle) {
            Ok(replay) => replay.await.map(drop),
            Err(error) => Err(error),
        };
        bundle.replays = tried.is_ok();
        whole_file::write(path, &bundle.to_json()?).map_err(|error| not_written("--export", path, &error))?;
        let documents = bundle.evidence.passages.documents().len();
        view.note(&format!("exported to {}: {documents} documents", path.display()));
        if let Err(error) = tried {
            view.note(&format!("WARNING: this bundle does not replay, and says so: {error}"));
        }
        Ok(())
    }
}

fn open_replay(path: &Path) -> Result<RunStream<Studio>, Box<dyn Error>> {
    let told = |error: &dyn Error| format!("--replay {}: {error}", path.display());
    let file = File::open(path).map_err(|error| told(&error))?;
    let bundle = Bundle::read(file).map_err(|error| told(&error))?;
    Ok(replay::<Studio>(&bundle).map(|replay| replay.stream()).map_err(|error| told(&error))?)
}

/// Reads answers from standard input. The view shows the question.
struct AtTerminal;

impl Clarifier for AtTerminal {
    fn ask(&self, _: Clarification) -> BoxFuture<'_, Option<String>> {
        Box::pin(async {
            let (sender, line) = tokio::sync::oneshot::channel();
            std::thread::spawn(move || {
                let mut text = String::new();
                let read = io::stdin().lock().read_line(&mut text).is_ok_and(|bytes| bytes > 0);
                // Nobody listens any more when the run was stopped meanwhile.
                drop(sender.send(read.then(|| text.trim().to_owned())));
            });
            line.await.ok().flatten()
        })
    }
}

/// Shows the events of the run until it has ended. The first Ctrl-C ends it with a report of what was found, the second at
/// once. A run that is kept ends at the first: it can be gone on with.
async fn watch(
    mut events: RunStream<Studio>,
    cancel: CancellationToken,
    is_kept: bool,
    view: &mut dyn View,
    files: &Files,
    interrupts: &Interrupts,
) -> Result<ExitCode, Box<dyn Error>> {
    let mut last = None;
    let mut first = pin!(interrupts.clone().reach(1));
    let mut second = pin!(interrupts.clone().reach(2));
    loop {
        let event = tokio::select! {
            biased;
            event = events.next() => event,
            () = &mut first, if !cancel.is_cancelled() => {
                if is_kept {
                    return Err(Kept.into());
                }
                view.note("stopping: the report will cover what was found so far (Ctrl-C again to stop at once)");
                cancel.cancel();
                continue;
            }
            () = &mut second => return Err(Interrupted.into()),
        };
        let Some(event) = event else { break };
        if let (EventKind::Run(RunEvent::ReportEnd { report, document }), Some(file)) = (&event.kind, &files.report) {
            file.write(report, document.as_deref())?;
        }
        if matches!(event.kind, EventKind::Run(RunEvent::RunCompleted { .. })) {
            last = Some(event);
            break;
        }
        view.show(&event)?;
    }

    let outcome = events.outcome().await;
    if let Ok(ended) = &outcome
        && let Some(bundle) = &ended.bundle
    {
        files.export(bundle, view).await?;
    }
    if let Some(event) = last {
        view.show(&event)?;
    }
    // What went wrong was told by the terminal event.
    Ok(match outcome {
        Ok(_) => ExitCode::SUCCESS,
        Err(research_agents::Error::ClarificationRequired { .. }) => {
            view.note("answer with the same --thread and --db and --answer \"…\"");
            ExitCode::from(WAITS)
        }
        Err(_) => ExitCode::FAILURE,
    })
}

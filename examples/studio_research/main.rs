//! Researches a question in documents from the command line.

mod args;

use std::error::Error;
use std::io::{self, BufRead, IsTerminal};
use std::process::ExitCode;

use clap::Parser;
use research_agents::kernel::{Clarification, Clarifier};
use research_agents::mcp::BoxFuture;
use research_agents::runtime::clarify::ClarificationPolicy;
use research_agents::runtime::job::Steering;
use research_agents::runtime::run::Run;
use research_agents::studio::Studio;
use research_agents::studio::config::StudioConfig;
use research_agents::studio::event::StudioEvent;
use research_core_sqlite::SqliteCheckpointer;
use research_examples::cli::interrupt::{Interrupted, Interrupts};
use research_examples::cli::line::Line;
use research_examples::cli::{self, model};
use research_examples::documents::program::{Files, open_replay, present, watch};
use research_examples::documents::sources;
use research_examples::documents::view::{View, style};
use tokio_util::sync::CancellationToken;

use args::{Args, Clarify};

/// What a language model gets to see.
const SENT: &str = "the question, and the passages that are found for it";

fn main() -> ExitCode {
    cli::run(program())
}

async fn program() -> ExitCode {
    let args = Args::parse();
    let work = async |view: &mut dyn View<StudioEvent>, interrupts| work(&args, view, interrupts).await;
    present((args.json, args.steps), own, work).await
}

async fn work(
    args: &Args,
    view: &mut dyn View<StudioEvent>,
    interrupts: Interrupts,
) -> Result<ExitCode, Box<dyn Error>> {
    let files = Files::open(args.report.as_deref(), args.export.as_deref())?;
    if let Some(path) = &args.replay {
        let events = open_replay::<Studio>(path)?;
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

    let opened = tokio::select! {
        opened = sources::open(&args.sources) => opened?,
        () = interrupts.clone().reach(1) => return Err(Interrupted.into()),
    };
    let builder = Studio::builder().model(model.model).config(config).sources(opened.sources);
    let mut studio = builder.tools(std::sync::Arc::clone(&opened.hub) as _).build()?;
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

/// The lines of an event that only the studio has.
fn own(event: &StudioEvent) -> Vec<Line> {
    match event {
        StudioEvent::Plan { questions, .. } => {
            let line = |text: &str| Line::marked(style().cyan(), "   ? ").text(text);
            questions.iter().map(|question| line(&question.question)).collect()
        }
        StudioEvent::Gap { gap } => vec![Line::marked(style().yellow(), "   … ").text(&gap.description)],
        _ => Vec::new(),
    }
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
    if files.has_bundle() {
        run = run.record();
    }
    let steering = Steering::default();
    args.steer.iter().for_each(|text| steering.send(text));
    run.steering(steering).cancel(cancel)
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

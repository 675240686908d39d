//! Researches towards a decision from the command line.

mod args;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use research_agents::feedback::FeedbackAgent;
use research_agents::feedback::config::FeedbackConfig;
use research_agents::feedback::event::FeedbackEvent;
use research_core_sqlite::SqliteCheckpointer;
use research_examples::cli::interrupt::{Interrupted, Interrupts};
use research_examples::cli::line::Line;
use research_examples::cli::{self, model};
use research_examples::documents::program::{Files, open_replay, present, watch};
use research_examples::documents::sources;
use research_examples::documents::view::{View, style};
use tokio_util::sync::CancellationToken;

use args::Args;

/// What a language model gets to see.
const SENT: &str = "the question, and the passages that are found for it";

fn main() -> ExitCode {
    cli::run(program())
}

async fn program() -> ExitCode {
    let args = Args::parse();
    let work = async |view: &mut dyn View<FeedbackEvent>, interrupts| work(&args, view, interrupts).await;
    present((args.json, args.steps), own, work).await
}

async fn work(
    args: &Args,
    view: &mut dyn View<FeedbackEvent>,
    interrupts: Interrupts,
) -> Result<ExitCode, Box<dyn Error>> {
    let files = Files::open(args.report.as_deref(), args.export.as_deref())?;
    if let Some(path) = &args.replay {
        let events = open_replay::<FeedbackAgent>(path)?;
        return watch(events, CancellationToken::new(), false, view, &files, &interrupts).await;
    }
    let question = args.question().filter(|question| !question.trim().is_empty());
    let question = question.ok_or(research_agents::Error::BlankQuestion)?;

    let model = model::open(&args.model, args.budget, SENT).await?;
    model.notice.iter().for_each(|line| view.note(line));
    let mut config = FeedbackConfig::default();
    config.max_iterations = args.max_iterations;
    config.verify = !args.no_verify;
    config.budget = model.budget;
    config.memo.structure = args.sections.into();
    config.memo.early_decision = args.early.into();
    config.memo.history = args.history.map(Into::into);

    let opened = tokio::select! {
        opened = sources::open(&args.sources) => opened?,
        () = interrupts.clone().reach(1) => return Err(Interrupted.into()),
    };
    let builder = FeedbackAgent::builder().model(model.model).config(config).sources(opened.sources);
    let mut agent = builder.tools(Arc::clone(&opened.hub) as _).build()?;
    if let Some(url) = &args.db {
        let store = SqliteCheckpointer::from_url(url).await;
        agent = agent.with_checkpointer(store.map_err(|error| format!("--db {url}: {error}; write sqlite:PATH"))?);
    }

    let cancel = CancellationToken::new();
    let mut run = agent.run(question).cancel(cancel.clone());
    if let Some(thread) = &args.thread {
        run = run.thread(thread);
    }
    if files.has_bundle() {
        run = run.record();
    }
    let outcome = watch(run.stream(), cancel, args.thread.is_some(), view, &files, &interrupts).await;
    tokio::select! {
        () = opened.hub.close() => {}
        () = interrupts.reach(2) => {}
    }
    outcome
}

/// The lines of an event that only this workflow has.
fn own(event: &FeedbackEvent) -> Vec<Line> {
    match event {
        FeedbackEvent::Plan { tasks, .. } => {
            let line = |text: &str| Line::marked(style().cyan(), "   ? ").text(text);
            tasks.iter().map(|task| line(&task.description)).collect()
        }
        FeedbackEvent::Decision { decision, .. } => {
            let what = if decision.needs_more_research { "continue: " } else { "enough: " };
            vec![Line::marked(style().yellow(), "   = ").text(format!("{what}{}", decision.reasoning))]
        }
        _ => Vec::new(),
    }
}

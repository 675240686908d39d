//! Keeps a memo of situation, complication and resolution while findings arrive.

mod args;

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use research_agents::kernel::Bundle;
use research_agents::runtime::run::{Ended, Hosted, RunState, replay};
use research_agents::scr::lines::read_lines;
use research_agents::scr::memo::{Finding, Scr};
use research_agents::scr::synthesizer::ScrConfig;
use research_agents::scr::system::{MemoInput, MemoState, MemoWorkflow, memo_system};
use research_agents::scr::update::{Change, ChangeKind, Delivery};
use research_examples::cli::interrupt::{Interrupted, Interrupts};
use research_examples::cli::report_file::{ReportFile, not_written, writable};
use research_examples::cli::{self, model, plain, say, whole_file};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use args::Args;

/// What a language model gets to see.
const SENT: &str = "the question, the findings and the memo";

fn main() -> ExitCode {
    cli::run(program())
}

async fn program() -> ExitCode {
    match work(&Args::parse()).await {
        Ok(code) => code,
        Err(error) => cli::fail(&*error),
    }
}

async fn work(args: &Args) -> Result<ExitCode, Box<dyn Error>> {
    let report = args.report.as_deref().map(ReportFile::open).transpose()?;
    if let Some(path) = &args.export {
        writable(path).map_err(|error| not_written("--export", path, &error))?;
    }
    let ended = match (&args.replay, &args.findings) {
        (Some(path), _) => replayed(path).await?,
        (None, Some(findings)) => written(args, findings).await?,
        (None, None) => return Err("name a file of findings with --findings, or - for standard input".into()),
    };

    let (memo, delivery) = (ended.state.memo(), ended.state.delivery());
    if let Some(path) = args.state.as_ref().filter(|path| !delivery.is_unchanged() || !path.exists()) {
        let json = serde_json::to_string_pretty(memo)? + "\n";
        whole_file::write(path, &json).map_err(|error| format!("--state {}: {error}", path.display()))?;
    }
    if let Some(file) = &report {
        file.write(ended.markdown(), ended.state.document())?;
    }
    if let (Some(path), Some(bundle)) = (&args.export, &ended.bundle) {
        export(bundle, path).await?;
    }

    let text = if args.json {
        cli::json(&json!({"delivery": delivery, "memo": memo}))? + "\n"
    } else if args.diff {
        changes(memo, delivery)
    } else {
        memo.to_markdown()
    };
    match &args.output {
        Some(path) => whole_file::write(path, &text).map_err(|error| format!("-o {}: {error}", path.display()))?,
        None => io::stdout().write_all(text.as_bytes())?,
    }
    summary(memo, delivery);
    Ok(if delivery.problem.is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Delivers findings to the memo. Ctrl-C lets rules write what is left, a second one ends the program.
async fn written(args: &Args, findings: &Path) -> Result<Ended<MemoState>, Box<dyn Error>> {
    let memo = open(args)?;
    let findings = read(findings)?;
    if findings.is_empty() && memo.findings.is_empty() {
        return Err("there is no finding: write one JSON object a line, with `text` and `source`".into());
    }

    let model = model::open(&args.model, args.budget, SENT).await?;
    model.notice.iter().for_each(|line| say(format_args!("! {line}")));
    let mut config = ScrConfig::default();
    config.early_decision = args.early.into();
    config.history = args.history.map(Into::into);
    config.budget = model.budget;
    let system = memo_system(model.model, config)?;

    let cancel = CancellationToken::new();
    let mut run = system.run(MemoInput::new(memo, findings).with_config(config)).cancel(cancel.clone());
    if args.export.is_some() {
        run = run.record();
    }
    let interrupts = Interrupts::listen();
    let stopping = async {
        interrupts.clone().reach(1).await;
        say(format_args!("! stopping: rules write what is left (Ctrl-C again to stop at once)"));
        cancel.cancel();
        interrupts.reach(2).await;
    };
    tokio::select! {
        biased;
        ended = run => Ok(ended?),
        () = stopping => Err(Interrupted.into()),
    }
}

async fn replayed(path: &Path) -> Result<Ended<MemoState>, Box<dyn Error>> {
    let told = |error: &dyn Error| format!("--replay {}: {error}", path.display());
    let file = File::open(path).map_err(|error| told(&error))?;
    let bundle = Bundle::read(file).map_err(|error| told(&error))?;
    Ok(replay::<Hosted<MemoWorkflow>>(&bundle).map_err(|error| told(&error))?.await.map_err(|error| told(&error))?)
}

/// Writes the bundle of a run, which says whether it replays.
async fn export(bundle: &Bundle, path: &Path) -> Result<(), Box<dyn Error>> {
    let mut bundle = Bundle::from_json(&bundle.to_json()?)?;
    let tried = match replay::<Hosted<MemoWorkflow>>(&bundle) {
        Ok(replay) => replay.await.map(drop),
        Err(error) => Err(error),
    };
    bundle.replays = tried.is_ok();
    whole_file::write(path, &bundle.to_json()?).map_err(|error| not_written("--export", path, &error))?;
    if let Err(error) = tried {
        say(format_args!("! WARNING: this bundle does not replay, and says so: {error}"));
    }
    Ok(())
}

/// Opens the memo of the state, or begins one.
fn open(args: &Args) -> Result<Scr, Box<dyn Error>> {
    let kept = args.state.as_ref().filter(|path| path.exists());
    let Some(path) = kept else {
        let decision = args.decision.as_deref().filter(|decision| !decision.trim().is_empty());
        let decision = decision.ok_or("say what is to be decided, as in scr_report \"Should we move?\"")?;
        return Ok(Scr::new(decision).with_structure(args.sections.map(Into::into).unwrap_or_default()));
    };
    let told = |error: &dyn Error| format!("--state {}: {error}", path.display());
    let text = fs::read_to_string(path).map_err(|error| told(&error))?;
    let memo: Scr = serde_json::from_str(&text).map_err(|error| told(&error))?;
    if args.sections.is_some_and(|sections| memo.structure != sections.into()) {
        return Err(format!(
            "--state {}: its memo has other sections, and keeps them; leave --sections out, or name another file",
            path.display()
        )
        .into());
    }
    match &args.decision {
        Some(decision) if *decision != memo.question => Err(format!(
            "--state {}: it is about “{}”; leave the decision out, or name another file",
            path.display(),
            memo.question
        )
        .into()),
        _ => Ok(memo),
    }
}

/// Reads the findings of a file. What is no finding is named, and the others are read.
fn read(path: &Path) -> Result<Vec<Finding>, Box<dyn Error>> {
    let mut text = String::new();
    if path.as_os_str() == "-" {
        io::stdin().read_to_string(&mut text)?;
    } else {
        text = fs::read_to_string(path).map_err(|error| format!("--findings {}: {error}", path.display()))?;
    }
    let lines = read_lines(&text);
    lines.problems.iter().for_each(|problem| say(format_args!("! {}: {problem}", path.display())));
    Ok(lines.findings)
}

/// The changes, one a line, each with the source of the finding that caused it.
fn changes(memo: &Scr, delivery: &Delivery) -> String {
    let line = |change: &Change| {
        let mark = match change.kind {
            ChangeKind::Added => "+",
            ChangeKind::Supported => "=",
            ChangeKind::Rewritten => "~",
            ChangeKind::Contradicted => "-",
            _ => "?",
        };
        let finding = memo.findings.iter().find(|finding| finding.id == change.finding);
        let source = finding.map_or("", |finding| finding.source.for_code());
        let text = change.statement.text.for_code();
        let before = change.before.as_ref().map(|before| format!("  was: {}\n", plain(before.for_code())));
        let line = format!("{mark} {} {} ({})\n", change.statement.id, plain(text), plain(source));
        line + &before.unwrap_or_default()
    };
    delivery.changes.iter().map(line).collect()
}

fn summary(memo: &Scr, delivery: &Delivery) {
    if let Some(problem) = &delivery.problem {
        say(format_args!("! the memo is not complete: {problem}; the same command continues there"));
    }
    say(format_args!(
        "{} new findings, {} known, {} changes; version {}",
        delivery.new,
        delivery.known,
        delivery.changes.len(),
        memo.version
    ));
    if memo.by_model {
        let spent = &memo.spent;
        say(format_args!(
            "so far {} questions to the model, {} new tokens and {} repeated ones; prompts with all findings would have had {} \
             new ones; {} sentences withheld",
            spent.section_calls + spent.reflection_calls,
            spent.fresh_tokens,
            spent.repeated_tokens,
            spent.regeneration_tokens,
            memo.withheld.len()
        ));
    }
}

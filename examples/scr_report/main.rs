//! Keeps a memo of situation, complication and resolution while findings arrive.

use std::error::Error;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use research_agents::scr::lines::read_lines;
use research_agents::scr::memo::Scr;
use research_agents::scr::update::{Change, ChangeKind, Delivery, Resolution};
use research_examples::cli::{self, plain, say, whole_file};
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  scr_report \"Should we move to version 16?\" --findings findings.jsonl
      A memo of the findings: one JSON object a line, with `text` and `source`
  scr_report --findings new.jsonl --state memo.json --diff
      Reads only what memo.json does not know, keeps the rest byte for byte, and prints what changed and why
  studio_research --json \"…\" | scr_report \"Which page size?\" --findings -
      The claims of a research run; findings of dataset_research --json are read too
  scr_report --findings new.jsonl --state memo.json --hold
      Keeps proposals back until a call without --hold";

/// Keeps a memo of situation, complication and resolution while findings arrive. No language model is used: every statement is a
/// sentence of a finding.
#[derive(Debug, Parser)]
#[command(name = "scr_report", version, after_help = EXAMPLES)]
struct Args {
    /// What is to be decided [default: that of --state]
    decision: Option<String>,
    /// File of findings, one JSON object a line, or `-` for standard input
    #[arg(long, value_name = "FILE")]
    findings: PathBuf,
    /// File of the memo: it is read if it is there, and written
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Keep proposals back: the resolution is written by a later call
    #[arg(long)]
    hold: bool,
    /// Print what changed, and because of what, instead of the memo
    #[arg(long, conflicts_with = "json")]
    diff: bool,
    /// Print the changes and the memo as one JSON object
    #[arg(long)]
    json: bool,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

fn main() -> ExitCode {
    match work(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => cli::fail(&*error),
    }
}

fn work(args: &Args) -> Result<(), Box<dyn Error>> {
    let mut memo = open(args)?;
    let lines = read_lines(&read(&args.findings)?);
    lines.problems.iter().for_each(|problem| say(format_args!("! {}: {problem}", args.findings.display())));
    if lines.findings.is_empty() && memo.findings.is_empty() {
        return Err(format!("{}: there is no finding in it", args.findings.display()).into());
    }

    let resolution = if args.hold { Resolution::OnRequest } else { Resolution::WithDelivery };
    let delivery = memo.update(lines.findings, resolution);
    if let Some(path) = args.state.as_ref().filter(|path| !delivery.is_unchanged() || !path.exists()) {
        let json = serde_json::to_string_pretty(&memo)? + "\n";
        whole_file::write(path, &json).map_err(|error| format!("--state {}: {error}", path.display()))?;
    }

    let text = if args.json {
        cli::json(&json!({"delivery": delivery, "memo": memo}))? + "\n"
    } else if args.diff {
        changes(&memo, &delivery)
    } else {
        memo.to_markdown()
    };
    match &args.output {
        Some(path) => whole_file::write(path, &text).map_err(|error| format!("-o {}: {error}", path.display()))?,
        None => io::stdout().write_all(text.as_bytes())?,
    }
    say(format_args!(
        "{} new findings, {} known, {} changes; version {}",
        delivery.new,
        delivery.known,
        delivery.changes.len(),
        memo.version
    ));
    Ok(())
}

/// Opens the memo of the state, or begins one.
fn open(args: &Args) -> Result<Scr, Box<dyn Error>> {
    let kept = args.state.as_ref().filter(|path| path.exists());
    let Some(path) = kept else {
        let decision = args.decision.as_deref().filter(|decision| !decision.trim().is_empty());
        return Ok(Scr::new(decision.ok_or("say what is to be decided, as in scr_report \"Should we move?\"")?));
    };
    let told = |error: &dyn Error| format!("--state {}: {error}", path.display());
    let text = fs::read_to_string(path).map_err(|error| told(&error))?;
    let memo: Scr = serde_json::from_str(&text).map_err(|error| told(&error))?;
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

fn read(path: &Path) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    if path.as_os_str() == "-" {
        io::stdin().read_to_string(&mut text)?;
    } else {
        text = fs::read_to_string(path).map_err(|error| format!("--findings {}: {error}", path.display()))?;
    }
    Ok(text)
}

/// The changes, one a line, each with the source of the finding that caused it.
fn changes(memo: &Scr, delivery: &Delivery) -> String {
    let line = |change: &Change| {
        let mark = match change.kind {
            ChangeKind::Added => "+",
            ChangeKind::Supported => "=",
            ChangeKind::Contradicted => "-",
            _ => "?",
        };
        let finding = memo.findings.iter().find(|finding| finding.id == change.finding);
        let source = finding.map_or("", |finding| finding.source.for_code());
        let text = change.statement.text.for_code();
        format!("{mark} {} {} ({})\n", change.statement.id, plain(text), plain(source))
    };
    delivery.changes.iter().map(line).collect()
}

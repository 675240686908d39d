//! Evaluates the dataset agent: questions about data whose answers are known, and measures of its reports.

mod args;
mod case;
mod compare;
mod generate;
mod glob;
mod meter;
mod metric;
mod model;
mod records;
mod results;
mod run;
mod score;
mod shelf;
mod show;
mod spoil;
mod unusable;

use std::error::Error;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use research_examples::cli::{self, fail, say};

use args::Args;
use compare::{Tolerance, compare};
use results::Results;
use run::{Job, Runner};
use unusable::Unusable;

/// Exit code of a program that cannot do what it was given.
const UNUSABLE: u8 = 2;
/// Exit code of a program that Ctrl-C ended: 128 and the number of the signal.
const STOPPED: u8 = 130;

fn main() -> ExitCode {
    cli::run(program())
}

async fn program() -> ExitCode {
    match work(&Args::parse()).await {
        Ok(code) => code,
        Err(error) => match error.downcast_ref::<Unusable>() {
            Some(unusable) => {
                say(format_args!("error: {unusable}"));
                ExitCode::from(UNUSABLE)
            }
            None if error.is::<io::Error>() => fail(&*error),
            None => {
                fail(&*error);
                ExitCode::from(UNUSABLE)
            }
        },
    }
}

async fn work(args: &Args) -> Result<ExitCode, Box<dyn Error>> {
    if let Some(folder) = &args.write_data {
        generate::write(folder)?;
        return Ok(ExitCode::SUCCESS);
    }
    // What is wrong with the files is told before a model is asked.
    let baseline = args.baseline.as_deref().map(Results::read).transpose()?;
    for path in [&args.json, &args.markdown, &args.write_baseline].into_iter().flatten() {
        can_write(path)?;
    }
    let jobs = jobs(args)?;
    if args.list {
        return list(&jobs);
    }
    let opened = model::open(args, jobs.len()).await?;
    let planned = jobs.len();
    let runner = Runner::new(opened.model, opened.budget, opened.parallel);
    let mut cases = Vec::new();
    let is_stopped = tokio::select! {
        () = runner.run(jobs, |result| {
            let verdict = if result.passed { "right" } else if result.error.is_some() { "ERROR" } else { "wrong" };
            say(format_args!("{}/{planned} {} {verdict}", cases.len() + 1, result.id));
            cases.push(result);
        }) => false,
        pressed = tokio::signal::ctrl_c() => pressed.is_ok(),
    };
    let results = Results::new(opened.name, cases);
    let comparison = match (&baseline, is_stopped && results.cases.is_empty()) {
        (Some(baseline), false) => {
            Some(compare(&results, baseline, Tolerance { share: args.tolerance, usage: args.usage_tolerance })?)
        }
        _ => None,
    };
    let mut out = show::text(&results, planned);
    if let Some(comparison) = &comparison {
        out.push_str(&show::compared(comparison, "\n", "  "));
    }
    if let Some(path) = &args.json {
        results.write(path)?;
    }
    if let Some(path) = &args.markdown {
        let text = show::markdown(&results, planned, comparison.as_ref());
        fs::write(path, text).map_err(|error| Unusable::file(&path.display().to_string(), &error))?;
    }
    if let (Some(path), false) = (&args.write_baseline, is_stopped) {
        results.baseline().write(path)?;
    }
    io::stdout().write_all(out.as_bytes())?;
    let is_worse = comparison.is_some_and(|comparison| !comparison.worse.is_empty());
    let has_report = results.cases.iter().any(|case| case.error.is_none());
    Ok(match (is_stopped, is_worse || !has_report) {
        (true, _) => ExitCode::from(STOPPED),
        (false, true) => ExitCode::FAILURE,
        (false, false) => ExitCode::SUCCESS,
    })
}

/// The cases that the arguments ask for, with their data.
fn jobs(args: &Args) -> Result<Vec<Job>, Unusable> {
    let suites = shelf::open(args.cases.as_deref())?;
    let mut jobs = Vec::new();
    let mut known = Vec::new();
    for suite in suites {
        for case in suite.cases {
            known.extend(case.tags.iter().cloned());
            if case.is_wanted(&args.case, &args.tag) {
                jobs.push((Arc::clone(&suite.data), case));
            }
        }
    }
    known.sort();
    known.dedup();
    if jobs.is_empty() {
        let tags = known.join(", ");
        return Err(Unusable::new(format!(
            "no case fits --case and --tag; --list shows all, and the tags are: {tags}"
        )));
    }
    Ok(jobs)
}

fn list(jobs: &[Job]) -> Result<ExitCode, Box<dyn Error>> {
    let mut out = String::new();
    for (data, case) in jobs {
        let tags: Vec<&str> = case.tags.iter().map(String::as_str).collect();
        let filters =
            case.filters.as_ref().map(|filters| format!("  with {}", serde_json::Value::from(filters.clone())));
        out.push_str(&format!("{} ({}; {} records; {})\n", case.id, data.file, data.records.len(), tags.join(", ")));
        out.push_str(&format!("  {}{}\n", case.question, filters.unwrap_or_default()));
    }
    io::stdout().write_all(out.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Finds out before the work that a file can be written after it, and leaves no empty one behind.
fn can_write(path: &Path) -> Result<(), Unusable> {
    let is_new = !path.exists();
    let opened = OpenOptions::new().append(true).create(true).open(path);
    opened.map_err(|error| Unusable::file(&path.display().to_string(), &error))?;
    if is_new {
        drop(fs::remove_file(path));
    }
    Ok(())
}

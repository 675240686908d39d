//! Evaluates a system: cases whose answers are known, and measures of what the system makes of them.

mod args;
mod dataset;
mod harness;
mod model;

use std::error::Error;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use research_examples::cli::{self, fail, say};
use sha2::{Digest, Sha256};

use args::Args;
use dataset::generate;
use dataset::suite::DatasetSuite;
use harness::compare::{Tolerance, compare};
use harness::glob::matches;
use harness::results::Results;
use harness::run::Runner;
use harness::show;
use harness::suite::{Case, Suite};
use harness::unusable::Unusable;

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
    let suite = DatasetSuite::open(args.cases.as_deref(), args.data.as_deref(), args.spoil)?;
    evaluate(&suite, args, baseline).await
}

/// Runs the cases of a suite that the arguments ask for, and shows, compares and writes what they measure.
async fn evaluate<S: Suite>(suite: &S, args: &Args, baseline: Option<Results>) -> Result<ExitCode, Box<dyn Error>> {
    let wanted = wanted(suite, args)?;
    if args.list {
        return list(suite, &wanted);
    }

    let opened = model::open(args, wanted.len()).await?;
    let planned = wanted.len();
    let runner = Runner::new(suite, opened.model, opened.budget, opened.parallel);
    let mut cases = Vec::new();
    let is_stopped = tokio::select! {
        () = runner.run(wanted, |result| {
            let verdict = if result.passed { "right" } else if result.error.is_some() { "ERROR" } else { "wrong" };
            say(format_args!("{}/{planned} {} {verdict}", cases.len() + 1, result.id));
            cases.push(result);
        }) => false,
        pressed = tokio::signal::ctrl_c() => pressed.is_ok(),
    };

    let results = Results::new(S::METRICS, opened.name, cases);
    let tolerance = Tolerance { share: args.tolerance, usage: args.usage_tolerance };
    let comparison = match (&baseline, is_stopped && results.cases.is_empty()) {
        (Some(baseline), false) => Some(compare(S::METRICS, &results, baseline, tolerance)?),
        _ => None,
    };

    let mut out = show::text::<S>(&results, planned);
    if let Some(comparison) = &comparison {
        out.push_str(&show::compared(comparison, "\n", "  "));
    }
    if let Some(path) = &args.json {
        results.write(path)?;
    }
    if let Some(path) = &args.markdown {
        let text = show::markdown::<S>(&results, planned, comparison.as_ref());
        fs::write(path, text).map_err(|error| Unusable::file(&path.display().to_string(), &error))?;
    }
    if let (Some(path), false) = (&args.write_baseline, is_stopped) {
        results.baseline().write(path)?;
    }
    io::stdout().write_all(out.as_bytes())?;

    let is_worse = comparison.is_some_and(|comparison| !comparison.worse.is_empty());
    let has_outcome = results.cases.iter().any(|case| case.error.is_none());
    Ok(match (is_stopped, is_worse || !has_outcome) {
        (true, _) => ExitCode::from(STOPPED),
        (false, true) => ExitCode::FAILURE,
        (false, false) => ExitCode::SUCCESS,
    })
}

/// The cases that the arguments ask for. Nothing named is everything.
fn wanted<'s, S: Suite>(suite: &'s S, args: &Args) -> Result<Vec<&'s S::Case>, Unusable> {
    let is_wanted = |case: &&S::Case| {
        (args.case.is_empty() || args.case.iter().any(|glob| matches(glob, case.id())))
            && (args.tag.is_empty() || args.tag.iter().any(|tag| case.tags().contains(tag)))
    };
    let mut wanted: Vec<&S::Case> = suite.cases().iter().filter(is_wanted).collect();
    if let Some(most) = args.sample {
        wanted = sampled(wanted, usize::from(most), &args.seed);
    }
    if wanted.is_empty() {
        let mut known: Vec<&str> = suite.cases().iter().flat_map(|case| case.tags()).map(String::as_str).collect();
        known.sort_unstable();
        known.dedup();
        return Err(Unusable::new(format!(
            "no case fits --case and --tag; --list shows all, and the tags are: {}",
            known.join(", ")
        )));
    }
    Ok(wanted)
}

/// So many of the cases, in their order. Which ones follows from the seed and from their names alone.
fn sampled<'s, C: Case>(cases: Vec<&'s C>, most: usize, seed: &str) -> Vec<&'s C> {
    let place = |case: &C| Sha256::digest(format!("{seed}/{}", case.id()).as_bytes());
    let mut places: Vec<_> = cases.iter().map(|case| place(case)).collect();
    places.sort_unstable();
    let last = places.into_iter().take(most).next_back();
    cases.into_iter().filter(|case| last.is_some_and(|last| place(case) <= last)).collect()
}

fn list<S: Suite>(suite: &S, cases: &[&S::Case]) -> Result<ExitCode, Box<dyn Error>> {
    let out: String = cases.iter().map(|case| suite.listing(case)).collect();
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

//! Asks the studio questions about manuals that nobody tuned it for, and counts what it finds.
//!
//! `examples/evaluate/studio/fetch` gets the manuals; [the README](../evaluate/README.md) says how to read the figures.

mod case;
mod judge;

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::File;
use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Parser, ValueEnum};
use research_agents::kernel::BudgetLimits;
use research_agents::report::passage::PassageRegistry;
use research_agents::sources::corpus::{Corpus, CorpusOptions, CorpusSpec};
use research_agents::studio::config::StudioConfig;
use research_agents::studio::{Studio, extract};
use research_examples::cli::{self, model, say};

use case::Case;
use judge::{Judged, Tally};

/// Asks the studio every question of a folder, and counts right and wrong answers.
#[derive(Debug, Parser)]
#[command(name = "evaluate_studio")]
struct Args {
    /// Folder of the questions, a JSON file for each manual
    #[arg(long, value_name = "FOLDER", default_value = "examples/evaluate/studio/questions")]
    cases: PathBuf,
    /// Folder of the manuals
    #[arg(long, value_name = "FOLDER", default_value = "target/evaluation-data/studio")]
    data: PathBuf,
    /// The half to ask: the sealed one is for the end
    #[arg(long, value_enum, default_value_t = Half::Open)]
    half: Half,
    /// Only questions whose id begins so
    #[arg(long, value_name = "ID")]
    only: Option<String>,
    /// Ask this many of the questions, spread evenly over them
    #[arg(long, value_name = "N")]
    sample: Option<NonZeroUsize>,
    /// The model: `offline` computes its answers; PROVIDER:MODEL or the address of a local server is a language model
    #[arg(long, value_name = "SPEC", default_value = "offline")]
    model: String,
    /// What each question may use at most, such as tokens=200000,calls=50,time=20m,usd=0.50
    #[arg(long, value_name = "LIMITS")]
    budget: Option<BudgetLimits>,
    /// Most rounds of research
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=10))]
    max_iterations: u32,
    /// Print every question with its answer
    #[arg(long)]
    show: bool,
    /// Write the sentences that may answer each question to a file, a line of JSON for each question
    #[arg(long, value_name = "FILE")]
    candidates: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Half {
    /// The questions that may be looked at
    Open,
    /// The others
    Sealed,
    /// All
    All,
}

fn main() -> ExitCode {
    cli::run(async {
        match work(&Args::parse()).await {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => cli::fail(&*error),
        }
    })
}

async fn work(args: &Args) -> Result<(), Box<dyn Error>> {
    let cases = case::read(&args.cases)?;
    let is_asked = |case: &&Case| match args.half {
        Half::Open => !case.sealed,
        Half::Sealed => case.sealed,
        Half::All => true,
    };
    let is_named = |case: &&Case| args.only.as_ref().is_none_or(|id| case.id.starts_with(id));
    let cases: Vec<&Case> = cases.iter().filter(is_asked).filter(is_named).collect();
    let cases = sample(cases, args.sample);

    let model =
        model::open(&args.model, args.budget, "the questions, and the passages that are found for them").await?;
    model.notice.iter().for_each(|line| say(format_args!("! {line}")));
    let mut config = StudioConfig::default();
    config.stops.max_iterations = args.max_iterations;
    config.budget = model.budget;

    let mut corpora: BTreeMap<String, Arc<Corpus>> = BTreeMap::new();
    let mut candidates = args.candidates.as_ref().map(File::create).transpose()?;
    let mut tally = Tally::default();
    for case in cases {
        let mut builder = Studio::builder().model(Arc::clone(&model.model)).config(config.clone());
        for name in &case.corpora {
            builder = builder.corpus(open(&mut corpora, args, name)?);
        }
        let ended = match builder.build()?.run(&case.question).await {
            Ok(ended) => ended,
            Err(error) => {
                print!("{tally}");
                return Err(format!("{}: {error}; above is what was asked before", case.id).into());
            }
        };
        if let Some(file) = &mut candidates {
            write_candidates(file, case, ended.state.passages())?;
        }
        let judged = Judged::new(case, &ended.state);
        if args.show {
            let read = if judged.read { "read" } else { "not read" };
            println!("{} {} {} ({read})\n  expected {:?}", judged.word(), case.id, case.question, case.answers);
            judged.said.iter().for_each(|said| println!("  said {said}"));
        }
        tally.add(case, &judged, &ended.stats());
    }
    print!("{tally}");
    Ok(())
}

/// Returns so many of the cases, spread evenly over them, or all.
fn sample(cases: Vec<&Case>, number: Option<NonZeroUsize>) -> Vec<&Case> {
    let number = number.map_or(cases.len(), |number| number.get().min(cases.len()));
    (0..number).map(|at| cases[at * cases.len() / number]).collect()
}

/// Writes what the ranking of sentences is fitted to: a question, and its candidates with whether each is right.
fn write_candidates(file: &mut File, case: &Case, passages: &PassageRegistry) -> Result<(), Box<dyn Error>> {
    let candidates = extract::candidates(&case.question, passages);
    let right: Vec<bool> = candidates.iter().map(|one| judge::is_right(case, &one.quote)).collect();
    let features: Vec<_> = candidates.iter().map(|one| &one.features).collect();
    let line = serde_json::json!({"id": case.id, "kind": case.kind, "right": right, "features": features});
    writeln!(file, "{line}")?;
    Ok(())
}

/// Opens a manual once.
fn open(corpora: &mut BTreeMap<String, Arc<Corpus>>, args: &Args, name: &str) -> Result<Arc<Corpus>, Box<dyn Error>> {
    if let Some(known) = corpora.get(name) {
        return Ok(Arc::clone(known));
    }
    let folder = args.data.join(name);
    if !folder.is_dir() {
        return Err(format!("{} is not there: run examples/evaluate/studio/fetch", folder.display()).into());
    }
    let corpus = Arc::new(Corpus::open(&CorpusSpec::new(name, folder)?, &CorpusOptions::default())?);
    corpora.insert(name.to_owned(), Arc::clone(&corpus));
    Ok(corpus)
}

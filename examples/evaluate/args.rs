//! The command line.

use std::path::PathBuf;

use clap::Parser;
use research_agents::kernel::BudgetLimits;

use crate::dataset::spoil::Spoil;

const EXAMPLES: &str = "\
Examples:
  evaluate
      Every case with the model that computes: no key, no network
  evaluate --model http://127.0.0.1:8080/v1 --tag small
      The cheap cases with a language model on this machine
  evaluate --baseline examples/evaluate/baselines/offline.json
      Names what got worse than in the baseline; exit code 1 when something did
  evaluate --write-baseline mine.json --model openai:gpt-5-mini --budget usd=2
      What a later run is compared with; all cases together may cost two dollars
  evaluate --case 'pumps/*' --markdown pumps.md --json pumps.json
  evaluate --cases my-cases/ --list
      Your own cases: JSON files with the data beside them, in the form of examples/evaluate/cases
  examples/evaluate/fetch && evaluate --cases examples/evaluate/unseen/questions --data target/evaluation-data
      Questions about real data sets that the agent has never seen
  evaluate --spoil numbers --baseline examples/evaluate/baselines/offline.json
      Changes the numbers in the model's answers, to see that the evaluation notices

Exit codes: 0 evaluated, 1 something is worse than in the baseline or no case gave a report, 2 cannot be used as given,
130 stopped by Ctrl-C";

/// Asks the dataset agent questions about data whose answers are known, and measures its reports.
///
/// The truth is counted from the data files by this program, never taken from the agent. The table goes to standard output, progress
/// to standard error. Time is told and decides nothing.
#[derive(Debug, Parser)]
#[command(name = "evaluate", version, after_help = EXAMPLES)]
pub struct Args {
    /// The model: `offline` computes its answers; PROVIDER:MODEL or the address of a local server is a language model
    #[arg(long, value_name = "SPEC", env = "RESEARCH_MODEL", default_value = "offline")]
    pub model: String,

    /// Only cases whose id matches; `*` stands for any characters. May be repeated
    #[arg(long, value_name = "GLOB")]
    pub case: Vec<String>,

    /// Only cases with this tag. May be repeated; a case needs one of them
    #[arg(long, value_name = "TAG")]
    pub tag: Vec<String>,

    /// Only so many of these cases, chosen by --seed
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub sample: Option<u16>,

    /// What chooses the cases of --sample: the same text chooses the same cases
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub seed: String,

    /// Folder with case files and their data, instead of the cases that come with the program
    #[arg(long, value_name = "DIR")]
    pub cases: Option<PathBuf>,

    /// Folder of the data files of --cases, where they are not beside the cases
    #[arg(long, value_name = "DIR", requires = "cases")]
    pub data: Option<PathBuf>,

    /// Cases in progress at once [default: 1 with a language model, else 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub parallel: Option<u16>,

    /// Write the results to this file as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,

    /// Write the tables to this file as Markdown
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,

    /// Compare with the results in this file, metric by metric, over the cases that both have
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,

    /// How much lower a share may be than in the baseline, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.02, value_parser = share)]
    pub tolerance: f64,

    /// How much more calls, tokens and money may be used than in the baseline, as a share of it
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = share)]
    pub usage_tolerance: f64,

    /// Write the results to this file as a baseline: without what differs from run to run, such as time
    #[arg(long, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,

    /// What one case may use at most, such as tokens=200000,calls=50,time=20m; usd is for all cases together [default:
    /// tokens=1000000,calls=1000, usd=5 where the price of the model is known, and time=20m; time=4h with a language model]
    #[arg(long, value_name = "LIMITS")]
    pub budget: Option<BudgetLimits>,

    /// Spoil the model's answers or the report, to see that the evaluation notices a worse agent
    #[arg(long, value_name = "WHAT")]
    pub spoil: Option<Spoil>,

    /// List the cases, and stop
    #[arg(long)]
    pub list: bool,

    /// Write the generated data files to this folder, and stop
    #[arg(long, value_name = "DIR")]
    pub write_data: Option<PathBuf>,
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("must be a number from 0 to 1".to_owned()),
    }
}

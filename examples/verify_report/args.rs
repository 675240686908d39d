//! The command line.

use std::path::PathBuf;

use clap::Parser;

const EXAMPLES: &str = "\
Examples:
  dataset_research --export strikes.bundle.json \"Strikes by state\"
      Writes a bundle: the report with all that it rests on
  verify_report strikes.bundle.json
      Checks it; the exit code is 0 when everything holds, 1 when something does not, 2 when it cannot be read
  verify_report --verbose strikes.bundle.json
      Every check, and every line that no check covers
  verify_report --json strikes.bundle.json | jq '.checks[] | select(.outcome == \"fails\")'";

/// Checks a bundle that a research program wrote with `--export`: every number, quote, citation and source of its report, against the
/// recorded answers of the tools, without a model and without asking anybody.
///
/// A digest finds changes; it is no signature. Who wrote the bundle has to be known from where it came, and whether the data
/// source said what was recorded, from asking it again.
#[derive(Debug, Parser)]
#[command(name = "verify_report", version, after_help = EXAMPLES)]
pub struct Args {
    /// The bundle; `-` reads it from standard input
    #[arg(value_name = "BUNDLE")]
    pub bundle: PathBuf,

    /// Print one JSON object instead of a table
    #[arg(long)]
    pub json: bool,

    /// List every check, and every line that no check covers
    #[arg(long, conflicts_with = "json")]
    pub verbose: bool,
}

//! The command line.

use std::path::PathBuf;

use clap::Parser;
use research_agents::kernel::BudgetLimits;
use research_examples::documents::memo::{Early, How, Sections};

const EXAMPLES: &str = "\
Examples:
  scr_report \"Should we move to version 16?\" --findings findings.jsonl
      A memo of the findings: one JSON object a line, with `text` and `source`
  scr_report --findings new.jsonl --state memo.json --diff
      Reads only what memo.json does not know, keeps the rest byte for byte, and prints what changed and why
  studio_research --json \"…\" | scr_report \"Which page size?\" --findings -
      The claims of a research run; those of feedback_research --json and the findings of dataset_research --json are read too
  scr_report --findings new.jsonl --state memo.json --early complication
      Leaves the resolution to a call without --early: someone decides first whether more is needed
  scr_report --findings new.jsonl --state memo.json --model anthropic:claude-sonnet-4-5
      A language model words the statements and joins findings; code checks each against its findings, and loses no number
  scr_report --findings new.jsonl --state memo.json --export run.json
      Memo, findings and all traffic in one file: verify_report checks it, --replay gives the memo again";

/// Keeps a memo of situation, complication and resolution while findings arrive.
///
/// Without a model every statement is a sentence of a finding, chosen by rules. With one, code checks every statement. The memo
/// goes to standard output, progress to standard error.
#[derive(Debug, Parser)]
#[command(name = "scr_report", version, after_help = EXAMPLES)]
pub struct Args {
    /// What is to be decided [default: that of --state]
    pub decision: Option<String>,

    /// File of findings, one JSON object a line, or `-` for standard input
    #[arg(long, value_name = "FILE", required_unless_present = "replay")]
    pub findings: Option<PathBuf>,

    /// File of the memo: it is read if it is there, and written
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,

    /// The sections of a new memo: situation, complication and resolution, or one summary [default: scr]
    #[arg(long, value_name = "SECTIONS", value_enum)]
    pub sections: Option<Sections>,

    /// The section after which the memo waits for a decision; `off` writes all sections
    #[arg(long, value_name = "SECTION", value_enum, default_value_t = Early::Off)]
    pub early: Early,

    /// The model: `offline` chooses sentences by rules; PROVIDER:MODEL or the address of a local server is a language model
    #[arg(long, value_name = "SPEC", env = "RESEARCH_MODEL", default_value = "offline")]
    pub model: String,

    /// What the run may use at most, such as tokens=200000,calls=50,time=20m,usd=0.50
    #[arg(long, value_name = "LIMITS")]
    pub budget: Option<BudgetLimits>,

    /// What prompts repeat [default: append for models that cache, else compact]
    #[arg(long, value_name = "HOW", value_enum)]
    pub history: Option<How>,

    /// Print what changed, and because of what, instead of the memo
    #[arg(long, conflicts_with = "json")]
    pub diff: bool,

    /// Print the changes and the memo as one JSON object
    #[arg(long)]
    pub json: bool,

    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Also write a report whose sentences have their quotes: as HTML, JSON or Markdown, by its ending (.html, .json, .md)
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Also write the run to this file: memo, findings, and the traffic with the model
    #[arg(long, value_name = "BUNDLE")]
    pub export: Option<PathBuf>,

    /// Go through the run of this file again: no model is asked, and the memo is the same byte for byte
    #[arg(long, value_name = "BUNDLE", conflicts_with_all = ["decision", "findings", "state", "export"])]
    pub replay: Option<PathBuf>,
}

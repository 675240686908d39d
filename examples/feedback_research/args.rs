//! The command line.

use std::path::PathBuf;

use clap::Parser;
use research_agents::kernel::BudgetLimits;
use research_examples::documents::memo::{Early, How, Sections};
use research_examples::documents::sources::SourceArgs;

/// What is asked when no question is given.
const DEFAULT_QUESTION: &str = "Should we use WAL mode?";

const EXAMPLES: &str = "\
Examples:
  feedback_research
      A decision about the shipped documents on SQLite
  feedback_research --corpus docs \"Should we replace the nightly backup?\"
      Any folder of HTML, Markdown, text, PDF and Office files
  feedback_research --model anthropic:claude-sonnet-4-5 --corpus docs \"Should we replace the nightly backup?\"
      A language model plans, reads, writes and decides; code checks every sentence against the documents
  feedback_research --corpus docs --thread backup --db sqlite:runs.db \"Should we replace the nightly backup?\"
      Ended by Ctrl-C or a crash, the same command continues at the step where it was
  feedback_research --report memo.html \"Should we use WAL mode?\"
      A page with its sources; .json for programs, .md for everything else
  feedback_research --export run.json \"Should we use WAL mode?\"
      Report, documents and all traffic in one file: verify_report checks it, --replay gives the report again
  feedback_research --json \"Should we use WAL mode?\" | scr_report \"What about WAL?\" --findings - --state memo.json
      The verified statements, as findings of a memo that is kept";

/// Researches towards a decision: a memo of situation, complication and resolution, in passes that follow what the pass before
/// did not find.
///
/// The report goes to standard output, progress to standard error. Ctrl-C ends the research with a report of what was found.
#[derive(Debug, Parser)]
#[command(name = "feedback_research", version, after_help = EXAMPLES)]
pub struct Args {
    /// What is to be decided [default: a question about the shipped documents]
    pub question: Option<String>,

    #[command(flatten)]
    pub sources: SourceArgs,

    /// The model: `offline` computes its answers and needs no key and no network; PROVIDER:MODEL or the address of a local
    /// server is a language model
    #[arg(long, value_name = "SPEC", env = "RESEARCH_MODEL", default_value = "offline")]
    pub model: String,

    /// What the run may use at most, such as tokens=200000,calls=50,time=20m,usd=0.50; calls are those of the model and of
    /// searches and fetches together
    #[arg(long, value_name = "LIMITS")]
    pub budget: Option<BudgetLimits>,

    /// Most passes of research
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=10))]
    pub max_iterations: u32,

    /// The sections of the memo: situation, complication and resolution, or one summary
    #[arg(long, value_name = "SECTIONS", value_enum, default_value_t = Sections::Scr)]
    pub sections: Sections,

    /// The section after which it is decided whether research continues; the sections after it are written once, at the end
    #[arg(long, value_name = "SECTION", value_enum, default_value_t = Early::Complication)]
    pub early: Early,

    /// What prompts to a model repeat [default: append for models that cache, else compact]
    #[arg(long, value_name = "HOW", value_enum)]
    pub history: Option<How>,

    /// Leave out the verification of statements, and their marks
    #[arg(long)]
    pub no_verify: bool,

    /// Keep the run on this thread of --db: the same question asked again continues where the run stopped, or prints its report
    #[arg(long, value_name = "ID", requires = "db")]
    pub thread: Option<String>,

    /// The database of --thread: `sqlite:PATH`; the file is made when it is not there
    #[arg(long, value_name = "URL", requires = "thread")]
    pub db: Option<String>,

    /// Print the events of the run as JSON, one object a line, instead of the report
    #[arg(long)]
    pub json: bool,

    /// Show every step on the terminal, and not only one line of progress; a log has every step anyway
    #[arg(long)]
    pub steps: bool,

    /// Also write the report to this file: as HTML, JSON or Markdown, by its ending (.html, .json, .md)
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Also write the run to this file: report, statements, documents, and the traffic with model and sources
    #[arg(long, value_name = "BUNDLE")]
    pub export: Option<PathBuf>,

    /// Go through the run of this file again: no model is asked, no source is searched, and the report is the same byte for byte
    #[arg(long, value_name = "BUNDLE", conflicts_with_all = ["question", "corpus", "search", "thread", "export"])]
    pub replay: Option<PathBuf>,
}

impl Args {
    /// The question, or one about the shipped documents.
    pub fn question(&self) -> Option<&str> {
        match &self.question {
            None if self.sources.is_shipped() => Some(DEFAULT_QUESTION),
            question => question.as_deref(),
        }
    }
}

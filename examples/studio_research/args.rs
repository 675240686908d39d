//! The command line.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use research_agents::kernel::BudgetLimits;
use research_examples::documents::sources::SourceArgs;

/// What is asked when no question is given.
pub const DEFAULT_QUESTION: &str = "Which version of SQLite added upserts? What is the maximum size of a database? \
    What is the default page size? What does a support contract cost?";

const EXAMPLES: &str = "\
Examples:
  studio_research
      A question about the shipped documents on SQLite, of two publishers
  studio_research --corpus docs \"What is the default timeout?\"
      Any folder of HTML, Markdown, text, PDF and Office files
  studio_research --corpus old=manual-1.0 --corpus new=manual-2.0 \"What is the default timeout?\"
      Two folders are two publishers: what both say is marked ✓✓, and what they say differently is shown from both sides
  studio_research --search http://localhost:8888 \"When was WAL added to SQLite?\"
      A SearXNG server; pages are fetched from https of the public network alone, and from what --allow-host names
  studio_research --mcp-command \"corpus_server docs\" --search mcp:docs \"What is the default timeout?\"
      Any MCP server with the tools `search` and `fetch`
  studio_research --model anthropic:claude-sonnet-4-5 --corpus docs \"How does recovery work?\"
      A language model plans, reads and writes; code checks every sentence against the documents
  studio_research --thread wal --db sqlite:runs.db --approve \"How does WAL work?\"
      Stops after planning with exit status 3; --answer ok goes on, --answer \"a; b\" researches other questions
  studio_research --report report.html \"What is the default page size?\"
      A page with its sources; .json for programs, .md for everything else
  studio_research --export run.json \"What is the default page size?\"
      Report, documents and all traffic in one file: verify_report checks it, --replay gives the report again
  studio_research --json \"What is the default page size?\" | jq -r 'select(.event==\"claim\").text'";

/// Researches a question in documents: every sentence of the report has its quote, every mark is computed, and every gap and
/// every disagreement is named.
///
/// The report goes to standard output, progress to standard error. Ctrl-C ends the research with a report of what was found.
#[derive(Debug, Parser)]
#[command(name = "studio_research", version, after_help = EXAMPLES)]
pub struct Args {
    /// What to find out [default: a question about the shipped documents]
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

    /// Most rounds of research
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=10))]
    pub max_iterations: u32,

    /// The confidence that is enough, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.85)]
    pub stop_confidence: f64,

    /// Show the plan, and wait until it is approved or edited
    #[arg(long)]
    pub approve: bool,

    /// What to do when the question can be read in several ways [default: ask at a terminal, otherwise assume]
    #[arg(long, value_name = "HOW", value_enum)]
    pub clarify: Option<Clarify>,

    /// Keep the run on this thread of --db: the same question asked again goes on where the run stopped, or prints its report;
    /// another question follows on the one before and reads its evidence
    #[arg(long, value_name = "ID", requires = "db")]
    pub thread: Option<String>,

    /// The database of --thread: `sqlite:PATH`; the file is made when it is not there
    #[arg(long, value_name = "URL", requires = "thread")]
    pub db: Option<String>,

    /// The answer that the run on --thread waits for: the number of an option, its words, or other words; for a plan, `ok` or the
    /// questions to research, separated by semicolons
    #[arg(long, value_name = "TEXT", requires = "thread")]
    pub answer: Option<String>,

    /// Add this question while the run is under way, as if it were typed then; may be repeated
    #[arg(long, value_name = "TEXT")]
    pub steer: Vec<String>,

    /// Print the events of the run as JSON, one object a line, instead of the report
    #[arg(long)]
    pub json: bool,

    /// Show every step on the terminal, and not only one line of progress; a log has every step anyway
    #[arg(long)]
    pub steps: bool,

    /// Also write the report to this file: as HTML, JSON or Markdown, by its ending (.html, .json, .md)
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Also write the run to this file: report, claims, documents, and the traffic with model and sources
    #[arg(long, value_name = "BUNDLE")]
    pub export: Option<PathBuf>,

    /// Go through the run of this file again: no model is asked, no source is searched, and the report is the same byte for byte
    #[arg(long, value_name = "BUNDLE", conflicts_with_all = ["question", "corpus", "search", "thread", "export", "answer"])]
    pub replay: Option<PathBuf>,
}

/// What `--clarify` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Clarify {
    /// Ask: at a terminal, or by ending with status 3 until --answer brings the answer to the --thread
    Ask,
    /// Take the question as it is
    Assume,
}

impl Args {
    /// The question, or a sensible one.
    pub fn question(&self) -> String {
        match &self.question {
            Some(question) => question.clone(),
            None if self.sources.is_shipped() => DEFAULT_QUESTION.to_owned(),
            None => "Overview".to_owned(),
        }
    }
}

//! The command line.

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{CommandFactory, FromArgMatches, Parser, ValueEnum};
use research_agents::dataset::record::ReportFormat;
use research_agents::kernel::{BudgetLimits, Language};
use research_examples::dataset::{DEFAULT_TOOL, LoadOptions};

use super::clarify::Clarify;

/// What is asked when no question is given.
pub const DEFAULT_QUESTION: &str = "Bird strikes on approach at 120 knots by wildlife size";

const EXAMPLES: &str = "\
Examples:
  dataset_research
      A question about the shipped data: 10,000 wildlife strikes reported to the FAA
  dataset_research \"Strikes at night by phase of flight\"
  dataset_research --data sales.csv \"Orders by region since 2024\"
      Any CSV, JSON array or JSON Lines file
  dataset_research --filters '{\"Time of day\": \"Dusk\"}' --group-by \"Wildlife Size,Phase of flight\"
  dataset_research --mcp-command \"my-server --read-only\" --tool search_events \"Events in India by theme\"
      Any MCP server that speaks over standard input and output
  dataset_research --mcp-url https://mcp.example/mcp --mcp-bearer-env TOKEN \"Events in India by theme\"
      A server that is reached over streamable HTTP; the variable TOKEN holds what it asks for
  dataset_research --mcp-config mcp.json --tool events/search \"Events in India by theme\"
      The servers of a file with `mcpServers`, as desktop clients have it; a tool of one of them
  dataset_research --model http://127.0.0.1:8080/v1 \"Strikes at night by phase of flight\"
      A language model plans and drafts: of a server on this machine, or openai:…, anthropic:…, ollama:…
  dataset_research --report report.html \"Strikes by state\"
      A report with charts for the browser; .json for programs, .md for everything else
  dataset_research --format comprehensive \"Strikes at night by phase of flight\"
      All parts: the answer, findings from records, an analysis; --format bullets gives a list
  dataset_research --budget calls=50,time=2m \"Strikes by state\"
      At most 50 calls and two minutes; then the report says what was read by then
  dataset_research --thread strikes --db sqlite:runs.db \"Strikes by state\"
      Kept as it goes: after a crash or Ctrl-C the same command goes on, and nothing is asked or read twice
  dataset_research --export strikes.bundle.json \"Strikes by state\"
      Report, evidence and all traffic in one file; verify_report strikes.bundle.json checks every number again
  dataset_research --replay strikes.bundle.json
      The same report again, byte for byte, without a model and without a tool
  dataset_research --thread strikes --db sqlite:runs.db \"and only those at night?\"
      Follows on the question before: it keeps its filters and grouping where the new one names none
  dataset_research --list-fields
  dataset_research --json \"Strikes by state\" | jq -r 'select(.event==\"finding\").claim'";

/// Answers a question about a data set: plans, counts, reads every matching record, and writes a report whose numbers and
/// citations are checked.
///
/// The report goes to standard output, progress to standard error. Ctrl-C ends the research with a report of what was found.
#[derive(Debug, Parser)]
#[command(name = "dataset_research", version, after_help = EXAMPLES)]
pub struct Args {
    /// What to find out [default: a question about the shipped data, or an overview of the given data]
    pub question: Option<String>,

    /// CSV, JSON array, JSON Lines or SQLite file to research, or `-` for standard input [default: the shipped wildlife strikes]
    #[arg(long, value_name = "FILE", group = "source")]
    pub data: Option<PathBuf>,

    /// Table or view of an SQLite file; not needed when there is one table
    #[arg(long, value_name = "NAME", requires = "data")]
    pub table: Option<String>,

    /// Most bytes of the file, such as 500MB or 8GiB
    #[arg(long, value_name = "SIZE", default_value = "4GiB", value_parser = LoadOptions::parse_size)]
    pub max_size: u64,

    /// Leave out lines of the file that are not valid JSON, and say how many
    #[arg(long, requires = "data")]
    pub skip_bad_lines: bool,

    /// Filters to use instead of the planner's: a JSON object of field and value, list of values, or {"gte": …, "lt": …}
    #[arg(long, value_name = "JSON")]
    pub filters: Option<String>,

    /// Fields to group by instead of the planner's choice, separated by commas
    #[arg(long, value_name = "FIELDS")]
    pub group_by: Option<String>,

    /// MCP server to start and use instead of a file: a command and its arguments, split like a shell would, run without one
    #[arg(long, value_name = "CMD ARGS…", group = "source")]
    pub mcp_command: Option<String>,

    /// Address of an MCP server to use instead of a file, over streamable HTTP
    #[arg(long, value_name = "URL", group = "source")]
    pub mcp_url: Option<String>,

    /// Header for the server at --mcp-url, such as 'X-Key: ${KEY}'; the variable is read from the environment. May be repeated
    #[arg(long, value_name = "NAME: ${VAR}", requires = "mcp_url")]
    pub mcp_header: Vec<String>,

    /// Variable of the environment that holds the bearer token for the server at --mcp-url
    #[arg(long, value_name = "VAR", requires = "mcp_url")]
    pub mcp_bearer_env: Option<String>,

    /// File with `mcpServers`, as desktop clients have it: all its servers are connected, those that fail are told and left out
    #[arg(long, value_name = "FILE", group = "source")]
    pub mcp_config: Option<PathBuf>,

    /// Tool of the server to use; may be repeated [default: the one that looks like a data tool; for a file: analyze_events]
    #[arg(long, value_name = "[SERVER/]TOOL")]
    pub tool: Vec<String>,

    /// The model: `offline` computes its answers and needs no key and no network; PROVIDER:MODEL or the address of a local
    /// server is a language model
    #[arg(long, value_name = "SPEC", env = "RESEARCH_MODEL", default_value = "offline")]
    pub model: String,

    /// What the run may use at most, such as tokens=200000,calls=50,time=20m,usd=0.50; calls are those of the model and of tools
    /// together. When it is used up, the report covers what was found by then [default:
    /// tokens=1000000,calls=1000,time=20m, and usd=5 where the price of the model is known; time=4h for a model on this machine]
    #[arg(long, value_name = "LIMITS")]
    pub budget: Option<BudgetLimits>,

    /// Language of the report, by its code, such as de, es or fr [default: that of the question; the offline model writes English]
    #[arg(long, value_name = "CODE")]
    pub language: Option<Language>,

    /// How often the planner may be asked
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub max_iterations: u32,

    /// Keep the run on this thread of --db: the same question asked again goes on where the run stopped, or prints its report;
    /// another question follows on the one before, once that is answered
    #[arg(long, value_name = "ID", requires = "db")]
    pub thread: Option<String>,

    /// The database of --thread: `sqlite:PATH`; the file is made when it is not there
    #[arg(long, value_name = "URL", requires = "thread")]
    pub db: Option<String>,

    /// What to do when the question can be read in several ways [default: ask at a terminal, otherwise assume]
    #[arg(long, value_name = "HOW", value_enum)]
    pub clarify: Option<Clarify>,

    /// The answer that the run on --thread waits for: the number of an option, its words, or other words
    #[arg(long, value_name = "TEXT", requires = "thread")]
    pub answer: Option<String>,

    /// List the fields that can be filtered and grouped by, and stop
    #[arg(long)]
    pub list_fields: bool,

    /// Print the events of the run as JSON, one object a line, instead of the report
    #[arg(long)]
    pub json: bool,

    /// Show every step on the terminal, and not only one line of progress; a log has every step anyway
    #[arg(long)]
    pub steps: bool,

    /// Shape of the report: all parts, one page, or the findings without an analysis
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub format: Format,

    /// Also write the report to this file: as HTML with charts, JSON or Markdown, by its ending (.html, .json, .md)
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Also write the run to this file: report, claims, the text of every record read, and the traffic with model and tools
    #[arg(long, value_name = "BUNDLE")]
    pub export: Option<PathBuf>,

    /// Go through the run of this file again: no model is asked, no tool is called, and the report is the same byte for byte
    #[arg(long, value_name = "BUNDLE", conflicts_with_all = NOT_REPLAYED)]
    pub replay: Option<PathBuf>,
}

/// The shapes of a report, by short names and by those that the library has for them.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum Format {
    /// The answer, findings from records, an answer to each sub-question, conclusion
    #[value(alias = "comprehensive_report")]
    Comprehensive,
    /// The answer on one page
    #[default]
    #[value(alias = "executive_summary")]
    Executive,
    /// At most eight findings
    #[value(alias = "bullet_points")]
    Bullets,
}

impl From<Format> for ReportFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Comprehensive => Self::ComprehensiveReport,
            Format::Executive => Self::ExecutiveSummary,
            Format::Bullets => Self::BulletPoints,
        }
    }
}
/// What a run is given and a replay has from its file. The model may also be named in the environment, which is no conflict.
const NOT_REPLAYED: [&str; 10] = [
    "question",
    "source",
    "filters",
    "group_by",
    "tool",
    "budget",
    "max_iterations",
    "thread",
    "list_fields",
    "export",
];

impl Args {
    /// Reads the command line; ends the program when it cannot be used.
    pub fn read() -> Self {
        let mut command = Self::command();
        let matches = command.get_matches_mut();
        let is_given = |name| matches.value_source(name) == Some(ValueSource::CommandLine);
        if is_given("replay") && is_given("model") {
            let text = "the argument '--replay <BUNDLE>' cannot be used with '--model <SPEC>': a replay asks no model";
            command.error(ErrorKind::ArgumentConflict, text).exit();
        }
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }

    /// The question, or a sensible one.
    pub fn question(&self) -> String {
        self.question.clone().unwrap_or_else(|| {
            if self.data.is_none() && !self.has_server() { DEFAULT_QUESTION } else { "What does this data set show?" }
                .to_string()
        })
    }

    /// The name under which a file is served.
    pub fn tool_name(&self) -> &str {
        self.tool.first().map_or(DEFAULT_TOOL, String::as_str)
    }

    /// Whether servers are used, and not a file.
    pub fn has_server(&self) -> bool {
        self.mcp_command.is_some() || self.mcp_url.is_some() || self.mcp_config.is_some()
    }
}

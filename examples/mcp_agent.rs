//! A model answers a question with the help of the MCP servers of a configuration file, as far as they are allowed.
//!
//! ```sh
//! cargo run --example mcp_agent -- --config mcp.json --allow 'files/read_*' --model ollama:qwen2.5:7b "What is in notes.txt?"
//! ```
//!
//! When a tool asks the user something, the program ends with the question. The run is kept in a file, and goes on with the answer.

use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use futures::StreamExt;
use research_agents::core::EventKind;
use research_agents::mcp::{
    AllowList, ElicitAnswer, HubTools, Interviewer, McpConfig, ToolPattern, ToolProgress, Wanted, asked,
};
use research_agents::tool_loop::{ToolAgent, ToolAnswer, ToolLoopEnd, ToolLoopEvent, ToolRun};
use research_core_sqlite::SqliteCheckpointer;
use research_examples::cli::{self, ModelArgs, fail, plain, say};
use research_llm::tool::Toolbox;
use serde_json::Value;

/// Exit code when a tool asks the user.
const ASKING: u8 = 3;

/// Answers a question with the help of MCP servers.
///
/// The file is the one that desktop clients use: {"mcpServers": {"name": {"command": …} or {"url": …}}}. No tool may be called unless it is
/// allowed. The exit code is 3 when a tool asks the user something.
#[derive(Parser)]
#[command(
    name = "mcp_agent",
    after_help = "Examples:
  mcp_agent --config mcp.json --allow 'files/read_*' --model openai:gpt-5-mini \"What is in notes.txt?\"
  mcp_agent --config mcp.json --allow 'rail/*' --deny 'rail/cancel_*' --keep run.db \"Book a seat to Graz.\"
      A tool may ask something; the run waits in run.db
  mcp_agent --config mcp.json --allow 'rail/*' --keep run.db --answer '{\"seat\": \"12A\"}'
      Goes on with the answer; `yes`, `decline` and `cancel` are answers too"
)]
struct Args {
    #[command(flatten)]
    model: ModelArgs,
    /// The configuration file with the servers
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    /// Tools that may be called; `*` stands for any characters
    #[arg(long, value_name = "SERVER/TOOL")]
    allow: Vec<ToolPattern>,
    /// Tools that may not, even if they are allowed
    #[arg(long, value_name = "SERVER/TOOL")]
    deny: Vec<ToolPattern>,
    /// Keep the run in this file, so that a tool can ask the user
    #[arg(long, value_name = "FILE")]
    keep: Option<PathBuf>,
    /// Go on with the run that is kept, with this answer; once for each question, in their order
    #[arg(long, value_name = "ANSWER", requires = "keep", conflicts_with = "question")]
    answer: Vec<String>,
    /// How often the model may be asked
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..))]
    max_iterations: u32,
    /// What to ask
    #[arg(required_unless_present = "answer")]
    question: Option<String>,
}

/// The thread of the kept run.
const THREAD: &str = "mcp_agent";

fn main() -> ExitCode {
    cli::run(program())
}

async fn program() -> ExitCode {
    match work(Args::parse()).await {
        Ok(code) => code,
        Err(error) => fail(&*error),
    }
}

async fn work(args: Args) -> Result<ExitCode, Box<dyn Error>> {
    let model = args.model.open().await?;
    cli::register_config(&args.config);
    let config = McpConfig::from_file(&args.config)?;
    config.errors.iter().for_each(|error| say(format_args!("warning: {error}")));
    config.warnings.iter().for_each(|warning| say(format_args!("warning: {warning}")));
    // Only a run that is kept can wait for an answer; without one, servers are told that they cannot ask.
    let interviewer = args.keep.as_ref().map(|_| Arc::new(Interviewer::new()));
    let builder = match &interviewer {
        Some(interviewer) => config.into_builder().answer_later().elicitor(Arc::clone(interviewer) as _),
        None => config.into_builder(),
    };
    let hub = Arc::new(builder.connect().await?);
    let mut list = AllowList::new();
    (list.allow, list.deny) = (args.allow.clone(), args.deny.clone());
    let mut tools = HubTools::builder(Arc::clone(&hub)).allow_list(list);
    if let Some(interviewer) = interviewer {
        tools = tools.interviewer(interviewer);
    }
    let answered = async {
        let tools = tools.build().await?;
        tell_tools(&tools);
        let mut agent = ToolAgent::builder(model, Toolbox::new()).hub(tools).max_iterations(args.max_iterations);
        if let Some(file) = &args.keep {
            agent = agent.checkpointer(SqliteCheckpointer::open(file).await?);
        }
        let agent = agent.build()?;
        show(run(&agent, &args).await?).await
    };
    let answered = answered.await;
    hub.close().await;
    let answer = answered?;
    if answer.end == ToolLoopEnd::Asking {
        tell_questions(&answer);
        return Ok(ExitCode::from(ASKING));
    }
    if answer.end == ToolLoopEnd::IterationLimit {
        say("the model was asked as often as allowed and had to answer with what it had");
    }
    Ok(ExitCode::SUCCESS)
}

/// Says what may be called, and what was allowed in vain.
fn tell_tools(tools: &HubTools) {
    let names: Vec<&str> = tools.tools().map(|tool| tool.exposed_name.as_str()).collect();
    match names.is_empty() {
        true => say("no tool may be called; allow some with --allow SERVER/TOOL"),
        false => say(format_args!("tools: {}", names.join(", "))),
    }
    tools.unmatched().iter().for_each(|pattern| say(format_args!("warning: `{pattern}` matches no tool")));
    for tool in tools.left_out() {
        say(format_args!("warning: {:?} of `{}` is left out: {}", tool.name, tool.server, tool.reason));
    }
}

/// The run of a new question, or of the kept one with its answers.
async fn run(agent: &ToolAgent, args: &Args) -> Result<ToolRun, Box<dyn Error>> {
    if args.answer.is_empty() {
        let run = agent.run(args.question.clone().unwrap_or_default());
        return Ok(if args.keep.is_some() { run.thread(THREAD) } else { run });
    }
    let kept = agent.graph().thread(THREAD).state().await?.ok_or("no run is kept in this file")?;
    if kept.questions.len() != args.answer.len() {
        let (open, given) = (kept.questions.len(), args.answer.len());
        return Err(format!("{open} questions are open and {given} answers given; give --answer once for each").into());
    }
    let mut run = agent.resume(THREAD);
    for (question, answer) in kept.questions.iter().zip(&args.answer) {
        run = run.answer_to(&question.id, serde_json::to_value(read(answer)?)?);
    }
    Ok(run)
}

/// An answer as it is typed.
fn read(answer: &str) -> Result<ElicitAnswer, String> {
    Ok(match answer {
        "yes" => ElicitAnswer::Accept(Value::Null),
        "decline" => ElicitAnswer::Decline,
        "cancel" => ElicitAnswer::Cancel,
        json => match serde_json::from_str(json) {
            Ok(Value::Object(fields)) => ElicitAnswer::Accept(fields.into()),
            _ => return Err(format!("{json:?} is no answer; write a JSON object, `yes`, `decline` or `cancel`")),
        },
    })
}

/// Shows a run while it goes on.
async fn show(run: ToolRun) -> Result<ToolAnswer, Box<dyn Error>> {
    let mut events = run.stream();
    let mut out = io::stdout();
    let mut has_text = false;
    while let Some(event) = events.next().await {
        if let EventKind::Message { text, .. } = &event.kind {
            has_text = true;
            write!(out, "{}", plain(text))?;
            out.flush()?;
        }
        match event.custom::<ToolLoopEvent>() {
            Some(ToolLoopEvent::ToolStarted { tool, arguments, .. }) => say(format_args!("→ {tool} {arguments}")),
            Some(ToolLoopEvent::ToolFinished { tool, ok: false, .. }) => {
                say(format_args!("✗ {tool} failed; the model is told why"))
            }
            _ => {}
        }
        if let Some(ToolProgress { tool, progress, total, .. }) = event.custom::<ToolProgress>() {
            let of = total.map(|total| format!(" of {total}")).unwrap_or_default();
            say(format_args!("  {tool:?}: {progress}{of}"));
        }
    }
    if has_text {
        writeln!(out)?;
    }
    Ok(ToolAnswer::from_finished(events.finish().await.map_err(research_agents::Error::from)?))
}

/// Says what is asked. The words are the server's: they are shown in quotes, with everything in them that could steer a terminal escaped.
fn tell_questions(answer: &ToolAnswer) {
    for question in answer.questions.iter().filter_map(asked) {
        say(format_args!("? the server `{}` asks: {:?}", question.server, question.message));
        match &question.wanted {
            Wanted::Form { schema, .. } => say(format_args!("  it wants an object of this schema: {schema}")),
            Wanted::Url { url, .. } => say(format_args!("  it wants you to visit {url:?}; nothing here opens it")),
            _ => {}
        }
    }
    say("answer with --keep FILE --answer '{…}', once for each question; or `yes`, `decline`, `cancel`");
}

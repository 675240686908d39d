//! A research system of a host on the runtime: which word is in most of five texts?
//!
//! ```sh
//! cargo run --example survey_system
//! cargo run --example survey_system -- --db survey.db --thread bees "Which word is in most texts?"
//! cargo run --example survey_system -- --db survey.db --thread bees --answer 2
//! cargo run --example survey_system -- --export run.json "Which word of at least 4 letters is in most texts?"
//! cargo run --example survey_system -- --verify run.json
//! cargo run --example survey_system -- --replay run.json
//! ```

use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use research_agents::mcp::{BoxFuture, CallOutput, McpError, Object, Tool, ToolListing, ToolSource};
use research_agents::runtime::bundle::Bundle;
use research_agents::runtime::limits::BudgetLimits;
use research_agents::runtime::offline::OfflineModel;
use research_agents::runtime::run::{Hosted, QuestionInput, Run, replay, verify};
use research_core_sqlite::SqliteCheckpointer;
use research_examples::cli::fail;
use serde_json::json;

mod survey;

use survey::{Words, answers};

const TEXTS: [&str; 5] = [
    "A forager that finds clover returns to the hive and dances.",
    "The angle of the dance gives the direction of the clover.",
    "Rain keeps foragers in the hive, and nobody dances.",
    "Near the hive a round dance is enough: clover, close by.",
    "Smoke calms a colony before its home is opened.",
];

/// Reports the word that is in most of five texts.
#[derive(Parser)]
#[command(name = "survey_system")]
struct Args {
    /// Keep the run in this file
    #[arg(long, value_name = "FILE", requires = "thread")]
    db: Option<PathBuf>,
    /// Name of the run in the file; the same name resumes it
    #[arg(long, value_name = "NAME", requires = "db")]
    thread: Option<String>,
    /// Answer the question that the run waits for
    #[arg(long, value_name = "TEXT", requires = "thread")]
    answer: Option<String>,
    /// Write the run into a bundle
    #[arg(long, value_name = "FILE")]
    export: Option<PathBuf>,
    /// Check everything in a bundle
    #[arg(long, value_name = "FILE")]
    verify: Option<PathBuf>,
    /// Go through a recorded run again, without model and tools
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    /// Write a line for each text that is read
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Time that a text takes, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 0)]
    delay: u64,
    /// What to ask
    #[arg(default_value = "Which word of at least 4 letters is in most texts?")]
    question: String,
}

/// The texts as a source of tools.
struct Texts {
    log: Option<PathBuf>,
    delay: Duration,
}

impl Texts {
    async fn read(&self, id: &str) -> Result<CallOutput, McpError> {
        tokio::time::sleep(self.delay).await;
        if let Some(log) = &self.log
            && let Ok(mut file) = fs::OpenOptions::new().create(true).append(true).open(log)
        {
            // One write, so that the lines of two texts read side by side are not mixed.
            file.write_all(format!("{id}\n").as_bytes()).ok();
        }
        let number: usize = id.trim_start_matches('t').parse().unwrap_or_default();
        Ok(match TEXTS.get(number.wrapping_sub(1)) {
            Some(text) => CallOutput::structured("texts", "read_text", json!({"id": id, "text": text})),
            None => CallOutput::error("texts", "read_text", format!("there is no text {id:?}")),
        })
    }
}

impl ToolSource for Texts {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        let tool = |name: &str| Tool::new("texts", name, Object::new());
        Box::pin(async move { Ok(ToolListing::new(vec![tool("list_texts"), tool("read_text")])) })
    }

    fn call_tool<'a>(&'a self, name: &'a str, arguments: Object) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        Box::pin(async move {
            match name {
                "list_texts" => Ok(CallOutput::structured("texts", name, json!(["t1", "t2", "t3", "t4", "t5"]))),
                _ => self.read(arguments.get("id").and_then(|id| id.as_str()).unwrap_or_default()).await,
            }
        })
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    match work(Args::parse()).await {
        Ok(code) => code,
        Err(error) => fail(&*error),
    }
}

async fn work(args: Args) -> Result<ExitCode, Box<dyn Error>> {
    if let Some(file) = &args.verify {
        let verification = verify::<Hosted<Words>>(&Bundle::from_json(&fs::read_to_string(file)?)?)?;
        for failure in verification.failures() {
            println!("{}: {} {:?}", failure.place, failure.what, failure.outcome);
        }
        let holds = verification.holds();
        println!("{}", if holds { "everything holds" } else { "it does not hold" });
        return Ok(if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    if let Some(file) = &args.replay {
        let bundle = Bundle::from_json(&fs::read_to_string(file)?)?;
        println!("{}", replay::<Hosted<Words>>(&bundle)?.await?.markdown());
        return Ok(ExitCode::SUCCESS);
    }

    let tools = Texts { log: args.log, delay: Duration::from_millis(args.delay) };
    let mut system =
        Hosted::<Words>::new(Arc::new(OfflineModel::new(answers())), Arc::new(tools), BudgetLimits::default())?;
    if let Some(file) = &args.db {
        system = system.checkpointer(SqliteCheckpointer::open(file).await?);
    }
    let mut run = match (&args.thread, &args.answer) {
        (Some(thread), Some(answer)) => Run::resume(system, thread).answer(answer.as_str()),
        (Some(thread), None) => {
            system.run(QuestionInput { question: args.question, ..Default::default() }).thread(thread)
        }
        _ => system.run(QuestionInput { question: args.question, ..Default::default() }),
    };
    if args.export.is_some() {
        run = run.record();
    }
    let ended = run.await?;
    println!("{}", ended.markdown());
    if let (Some(file), Some(bundle)) = (&args.export, &ended.bundle) {
        fs::write(file, bundle.to_json()?)?;
    }
    Ok(ExitCode::SUCCESS)
}

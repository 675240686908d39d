//! Asks a model once and prints its answer.
//!
//! ```sh
//! cargo run --example chat -- --model ollama:qwen2.5:1.5b "Why is the sky blue?"
//! cargo run --example chat -- --model openai:gpt-5-mini --json "Why is the sky blue?" | jq .usage
//! echo "Summarise this." | cat - letter.txt | cargo run --example chat -- --model anthropic:claude-sonnet-4-5
//! ```

use std::error::Error;
use std::io::{self, IsTerminal, Read, Write};
use std::process::ExitCode;

use clap::Parser;
use research_examples::cli::{ModelArgs, fail, plain, say};
use research_llm::{ChatModel, FinishReason, Request};

/// Asks a model once and prints its answer.
#[derive(Parser)]
#[command(
    name = "chat",
    after_help = "Examples:
  chat --model http://127.0.0.1:8080/v1 \"Why is the sky blue?\"
  chat --model openai:gpt-5-mini --json \"Why is the sky blue?\" | jq .usage
  chat --model echo hello"
)]
struct Args {
    #[command(flatten)]
    model: ModelArgs,
    /// What to ask [default: what comes on standard input]
    question: Vec<String>,
    /// A standing instruction
    #[arg(long, value_name = "TEXT")]
    system: Option<String>,
    /// The longest answer, in tokens
    #[arg(long, value_name = "N")]
    max_tokens: Option<u32>,
    /// 0 for the likeliest answer; more for more variety
    #[arg(long, value_name = "T")]
    temperature: Option<f32>,
    /// Print the whole response as one JSON object: text, usage, finish reason, model, metadata
    #[arg(long)]
    json: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    match work(Args::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&*error),
    }
}

async fn work(args: Args) -> Result<(), Box<dyn Error>> {
    let model = args.model.open().await?;
    let mut request = Request::new();
    if let Some(system) = &args.system {
        request = request.system(system);
    }
    request = request.user(question(&args.question)?);
    request.max_output_tokens = args.max_tokens;
    request.temperature = args.temperature;
    let response = model.complete(&request).await?;
    let mut out = io::stdout();
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&response)?)?;
        return Ok(());
    }
    writeln!(out, "{}", plain(response.text.trim_end()))?;
    if response.finish == FinishReason::Length {
        say("the answer is cut: it reached its limit of tokens");
    }
    Ok(())
}

fn question(words: &[String]) -> Result<String, Box<dyn Error>> {
    let mut text = words.join(" ");
    if words.is_empty() && !io::stdin().is_terminal() {
        io::stdin().read_to_string(&mut text)?;
    }
    if text.trim().is_empty() {
        return Err("there is nothing to ask; write a question behind the options".into());
    }
    Ok(text)
}

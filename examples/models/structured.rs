//! Asks for an answer as a Rust type: the schema goes with the question, and an answer that does not fit is asked for again.
//!
//! ```sh
//! cargo run --example structured -- --model ollama:qwen2.5:1.5b "Kick-off in Graz on 3 May, Ada and Karl come, lunch for 12 euros."
//! ```

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use research_examples::cli::{ModelArgs, fail, say};
use research_llm::{ChatModelExt, Request};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Reads a note and gives it as JSON of a fixed shape.
#[derive(Parser)]
#[command(
    name = "structured",
    after_help = "Examples:
  structured --model http://127.0.0.1:8080/v1 \"Dentist on Friday at 9, bring the X-rays\"
  structured --model openai:gpt-5-mini | jq .people"
)]
struct Args {
    #[command(flatten)]
    model: ModelArgs,
    /// The note to read
    #[arg(
        default_value = "Kick-off for the bridge project in Graz on 3 May 2027: Ada leads, Karl and Mira join. Lunch is 12.50 euros each."
    )]
    note: String,
}

/// What a note says of an event. What it does not say is left out, never invented.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Event {
    /// What happens, in a few words.
    title: String,
    /// City or building.
    place: Option<String>,
    /// As the note writes it.
    date: Option<String>,
    /// Names of those who take part.
    people: Vec<String>,
    /// Price for one person, without the currency.
    price: Option<f64>,
    /// What kind of event it is.
    kind: Kind,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Work,
    Health,
    Leisure,
    Other,
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
    let request = Request::new()
        .system("Read the note and fill in what it says. Leave out what it does not say.")
        .user(&args.note)
        .max_output_tokens(400);
    let answer = model.structured::<Event>(request).await?;
    writeln!(io::stdout(), "{}", serde_json::to_string_pretty(&answer.value)?)?;
    let tries = if answer.attempts == 1 {
        "the first answer fits".to_owned()
    } else {
        format!("answer {} fits", answer.attempts)
    };
    say(format_args!("{tries} · {} tokens read, {} written", answer.usage.input_tokens, answer.usage.output_tokens));
    Ok(())
}

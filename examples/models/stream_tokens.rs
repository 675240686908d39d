//! Prints an answer as it is made, and what it took.
//!
//! ```sh
//! cargo run --example stream_tokens -- --model ollama:qwen2.5:1.5b "Tell me of the bees."
//! ```
//!
//! Text goes to standard output; reasoning, tool calls and the numbers go to standard error. Ctrl-C drops the stream, which
//! closes the connection: the server stops working on an answer that nobody reads.

use std::error::Error;
use std::io::{self, Write};
use std::pin::pin;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use futures::StreamExt;
use research_examples::cli::{ModelArgs, fail, plain, say};
use research_llm::{Accumulated, ChatModel, Request, Response, StreamEvent};

/// Prints an answer as it is made, and what it took.
#[derive(Parser)]
#[command(
    name = "stream_tokens",
    after_help = "Examples:
  stream_tokens --model http://127.0.0.1:8080/v1 \"Tell me of the bees.\"
  stream_tokens --model anthropic:claude-sonnet-4-5 --max-tokens 200"
)]
struct Args {
    #[command(flatten)]
    model: ModelArgs,
    /// What to ask
    #[arg(default_value = "How do bees tell each other the way to the flowers? Answer in a few sentences.")]
    question: String,
    /// The longest answer, in tokens
    #[arg(long, value_name = "N", default_value_t = 400)]
    max_tokens: u32,
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
    let request = Request::new().user(&args.question).max_output_tokens(args.max_tokens);
    let start = Instant::now();
    let mut first = None;
    let mut answer = Accumulated::new(&model.info().name);
    let mut events = model.stream(request);
    let mut out = io::stdout();
    // One future for the whole stream: it also hears a Ctrl-C that comes while an event is printed.
    let mut pressed = pin!(tokio::signal::ctrl_c());
    loop {
        let event = tokio::select! {
            event = events.next() => event,
            _ = &mut pressed => {
                writeln!(out)?;
                say(format_args!("stopped after {} characters", answer.so_far().text.chars().count()));
                return Ok(());
            }
        };
        match event {
            None => break,
            // What had arrived is printed already; the error says why there is no more.
            Some(Err(error)) => {
                writeln!(out)?;
                return Err(answer.interrupted(error).into());
            }
            Some(Ok(event)) => {
                match &event {
                    StreamEvent::Text(text) => {
                        first.get_or_insert_with(|| start.elapsed());
                        out.write_all(plain(text).as_bytes())?;
                        out.flush()?;
                    }
                    StreamEvent::Reasoning(text) => io::stderr().write_all(plain(text).as_bytes())?,
                    _ => {}
                }
                answer.add(event);
            }
        }
    }
    writeln!(out)?;
    tell(&answer.finish()?, first, start.elapsed());
    Ok(())
}

fn tell(response: &Response, first: Option<Duration>, whole: Duration) {
    let first =
        first.map_or_else(|| "no text".to_owned(), |first| format!("first text after {:.1} s", first.as_secs_f64()));
    say(format_args!(
        "{} · {} tokens read, {} written · {first} · {:.1} s in all",
        response.model,
        response.usage.input_tokens,
        response.usage.output_tokens,
        whole.as_secs_f64(),
    ));
}

//! A model answers a question with the help of tools over real data: 10,000 wildlife strikes reported to the FAA.
//!
//! ```sh
//! cargo run --example tool_loop -- --model ollama:qwen2.5:7b "What share of the strikes happened at dusk?"
//! ```
//!
//! The model sees the schemas of the tools, which come from the types of their arguments. It cannot reach anything else, and
//! what the tools return is marked as data before the model reads it.

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use futures::StreamExt;
use research_agents::core::EventKind;
use research_agents::tool_loop::{ToolAgent, ToolAnswer, ToolLoopEnd, ToolLoopEvent};
use research_examples::cli::{ModelArgs, fail, plain, say};
use research_examples::dataset::{self, Dataset, Object, Query, QueryError};
use research_llm::tool::{Toolbox, tool_fn};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Answers a question about 10,000 wildlife strikes with the help of tools.
#[derive(Parser)]
#[command(
    name = "tool_loop",
    after_help = "Examples:
  tool_loop --model openai:gpt-5-mini \"At which time of day do most strikes happen?\"
  tool_loop --model http://127.0.0.1:8080/v1 --max-iterations 4"
)]
struct Args {
    #[command(flatten)]
    model: ModelArgs,
    /// What to ask
    #[arg(default_value = "How many of the wildlife strikes happened at dusk, and what share of all of them is that?")]
    question: String,
    /// How often the model may be asked
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..))]
    max_iterations: u32,
}

/// Counts the strikes in which a field has a value.
#[derive(Deserialize, JsonSchema)]
struct Count {
    /// Name of the field, such as `Time of day` or `Wildlife Size`. `list_fields` lists them.
    field: String,
    /// The value, such as `Dusk`.
    value: String,
}

/// Takes no arguments.
#[derive(Deserialize, JsonSchema)]
struct Nothing {}

/// Divides one number by another.
#[derive(Deserialize, JsonSchema)]
struct Divide {
    dividend: f64,
    divisor: f64,
}

fn tools(data: Dataset) -> Toolbox {
    let data = Arc::new(data);
    let fields = data.fields.iter().map(|field| field.name.clone()).collect::<Vec<_>>();
    Toolbox::new()
        .with(tool_fn("list_fields", "Lists the fields of a strike.", move |_: Nothing| {
            let fields = fields.clone();
            async move { Ok::<_, io::Error>(json!(fields)) }
        }))
        .with(tool_fn(
            "count",
            "Counts the strikes in which a field has a value, and all strikes.",
            move |count: Count| {
                let data = Arc::clone(&data);
                async move { strikes(&data, &count) }
            },
        ))
        .with(tool_fn("divide", "Divides one number by another.", |numbers: Divide| async move {
            match numbers.divisor {
                0.0 => Err("a number cannot be divided by 0"),
                divisor => Ok(json!(numbers.dividend / divisor)),
            }
        }))
}

fn strikes(data: &Dataset, count: &Count) -> Result<Value, QueryError> {
    let mut filters = Object::new();
    filters.insert(count.field.clone(), count.value.clone().into());
    let mut arguments = Object::new();
    arguments.insert("filters".to_owned(), filters.into());
    arguments.insert("page_size".to_owned(), 1.into());
    let answer = dataset::answer(data, &Query::parse(data, &arguments)?)?;
    Ok(json!({"matching": answer["data_context"]["unique_ids_matched"], "all": data.len()}))
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
    let agent = ToolAgent::builder(model, tools(dataset::shipped()?))
        .system("Answer from what the tools count. Do not guess numbers.")
        .max_iterations(args.max_iterations)
        .build()?;
    let mut events = agent.run(args.question).stream();
    let mut out = io::stdout();
    while let Some(event) = events.next().await {
        if let EventKind::Message { text, .. } = &event.kind {
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
    }
    let answer = ToolAnswer::from_finished(events.finish().await.map_err(research_agents::Error::from)?);
    writeln!(out)?;
    if answer.end == ToolLoopEnd::IterationLimit {
        say("the model was asked as often as allowed and had to answer with what it had");
    }
    say(format_args!(
        "asked {} times · {} tokens read, {} written",
        answer.iterations, answer.usage.input_tokens, answer.usage.output_tokens
    ));
    Ok(())
}

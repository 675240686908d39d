//! Asks one question after the other until the budget is spent, and shows what each cost.
//!
//! ```sh
//! cargo run --example budget -- --model openai:gpt-5-mini --max-cost 0.01
//! cargo run --example budget -- --model http://127.0.0.1:8080/v1 --max-tokens 500
//! ```
//!
//! What a call may need at most is reserved before it is sent, and what it used is settled after it. So the budget is never
//! exceeded: the call that would not fit is refused before anything leaves the machine.

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use research_examples::cli::{ModelArgs, fail, plain, remedy, say};
use research_llm::layer::{Budget, BudgetLimits};
use research_llm::price::{PriceTable, Usd};
use research_llm::{ChatModel, ChatModelExt, ErrorKind, Request};

const TOPICS: [&str; 8] = ["gull", "hawk", "goose", "starling", "swan", "swift", "heron", "owl"];

/// Asks one question after the other until the budget is spent, and shows what each cost.
#[derive(Parser)]
#[command(
    name = "budget",
    after_help = "Examples:
  budget --model http://127.0.0.1:8080/v1 --max-tokens 500
  budget --model anthropic:claude-sonnet-4-5 --max-cost 0.02"
)]
struct Args {
    #[command(flatten)]
    model: ModelArgs,
    /// Tokens that may be used, read and written together
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    max_tokens: u64,
    /// US dollars that may be spent, such as 0.05; needs a model whose price is known
    #[arg(long, value_name = "USD")]
    max_cost: Option<Usd>,
    /// The longest answer, in tokens
    #[arg(long, value_name = "N", default_value_t = 60)]
    answer_tokens: u32,
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
    let price = PriceTable::standard().price_of(model.info());
    match price {
        Some(price) => say(format_args!(
            "{}: {} for a million tokens read, {} for a million written",
            model.info().id(),
            price.input,
            price.output
        )),
        None => say(format_args!("{}: no price is known, so that tokens alone are counted", model.info().id())),
    }
    let mut limits = BudgetLimits::new().tokens(args.max_tokens);
    if let Some(cost) = args.max_cost {
        limits = limits.cost(cost);
    }
    let budget = Budget::new(limits);
    let model = model.with(budget.layer());
    let mut out = io::stdout();
    for bird in TOPICS {
        let before = budget.snapshot().spent;
        let request =
            Request::new().user(format!("Describe the {bird} in one sentence.")).max_output_tokens(args.answer_tokens);
        let answer = match model.complete(&request).await {
            Ok(answer) => answer,
            Err(error) if error.kind() == ErrorKind::Budget => {
                say(format_args!("stopped before `{bird}`: {error}"));
                remedy(&error).iter().for_each(say);
                break;
            }
            Err(error) => return Err(error.into()),
        };
        let spent = budget.snapshot().spent;
        let cost =
            if price.is_some() { format!(", {}", spent.cost.saturating_sub(before.cost)) } else { String::new() };
        writeln!(out, "{bird}: {} ({} tokens{cost})", plain(answer.text.trim()), spent.tokens - before.tokens)?;
    }
    let end = budget.snapshot();
    let cost = if price.is_some() { format!(" and {}", end.spent.cost) } else { String::new() };
    writeln!(out, "spent: {} of {} tokens{cost} in {} calls", end.spent.tokens, args.max_tokens, end.spent.calls)?;
    Ok(())
}

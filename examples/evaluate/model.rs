//! The model from the command line, with the layers that long answers need.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use research_agents::kernel::BudgetLimits;
use research_examples::cli::{self, say};
use research_llm::layer::{Concurrency, Timeout};
use research_llm::price::PriceTable;
use research_llm::{ChatModel, ChatModelExt};

use super::args::Args;
use super::dataset::spoil::Spoiled;

/// The longest time for an answer: a server on this machine may have a slow processor alone.
const ANSWER: Duration = Duration::from_secs(600);
/// The time of a case with a language model, unless the user says otherwise.
const CASE: Duration = Duration::from_secs(4 * 3_600);
/// Cases at once with the model that computes.
const COMPUTED: usize = 2;

/// A model that is ready.
pub struct Opened {
    /// The model with its layers.
    pub model: Arc<dyn ChatModel>,
    /// What it is called in the results.
    pub name: String,
    /// What a case may use; money is for all together.
    pub budget: BudgetLimits,
    /// Cases at once.
    pub parallel: usize,
}

/// Opens the model that the arguments name, and tells on standard error what it may use.
///
/// # Errors
/// When there is no such model, or it cannot be used as things are.
pub async fn open(args: &Args, cases: usize) -> Result<Opened, Box<dyn Error>> {
    let mut model = cli::open(&args.model).await?;
    let info = model.info().clone();
    let (mut budget, mut parallel) = (BudgetLimits::default(), COMPUTED);
    if info.is_language_model() {
        (budget, parallel) = (budget.time(CASE), 1);
    }
    let budget = args.budget.unwrap_or(budget);
    let parallel = args.parallel.map_or(parallel, usize::from);
    if info.is_language_model() {
        model = Arc::new(model.with(Timeout::new(ANSWER)).with(Concurrency::new(parallel)));
        let money = PriceTable::standard().price_of(&info).map(|_| format!(", all together {}", budget.money()));
        say(format_args!(
            "language model {}: each of {cases} cases may use {} tokens and {} calls{}; it is sent the questions and the \
             records that match, at most 300 a case",
            info.id(),
            budget.tokens,
            budget.calls,
            money.unwrap_or_default()
        ));
    }
    let mut name = info.id();
    if let Some(what) = args.spoil {
        model = Arc::new(Spoiled::new(model, what));
        name = format!("{name}, {} spoiled", what.name());
    }
    Ok(Opened { model, name, budget, parallel })
}

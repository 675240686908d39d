//! Runs the cases, some at once, and hands them back in their own order.

use std::sync::Arc;
use std::time::Instant;

use futures::stream::{self, StreamExt};
use research_agents::kernel::BudgetLimits;
use research_llm::ChatModel;
use research_llm::price::Usd;

use super::meter::Metered;
use super::metric::{AVG_DURATION, COST, MODEL_CALLS, SUCCESS_RATE, TOKENS_IN, TOKENS_OUT, TOOL_CALLS};
use super::results::CaseResult;
use super::score::Score;
use super::suite::{Means, Suite, Usage};

/// How cases are run.
pub struct Runner<'s, S> {
    suite: &'s S,
    model: Metered,
    budget: BudgetLimits,
    parallel: usize,
}

impl<'s, S: Suite> Runner<'s, S> {
    /// Runs so many cases at once with this model. What the budget says of money is for all cases together, the rest for each.
    pub fn new(suite: &'s S, model: Arc<dyn ChatModel>, budget: BudgetLimits, parallel: usize) -> Self {
        Self { suite, model: Metered::new(model), budget, parallel: parallel.max(1) }
    }

    /// Runs the cases. Each result is handed on as soon as it and all before it are there.
    pub async fn run(&self, cases: Vec<&S::Case>, mut done: impl FnMut(CaseResult)) {
        let mut results = stream::iter(cases).map(|case| self.one(case)).buffered(self.parallel);
        while let Some(result) = results.next().await {
            done(result);
        }
    }

    async fn one(&self, case: &S::Case) -> CaseResult {
        let started = Instant::now();
        // Its own meter: other cases may run at the same time.
        let model = Metered::new(Arc::new(self.model.clone()));
        let outcome = match self.limits() {
            Some(budget) => {
                let means = Means { model: model.clone(), budget, parallel: self.parallel };
                self.suite.run(case, means).await
            }
            None => Err(format!("the money for all cases, {}, is used up", self.budget.money())),
        };
        let seconds = started.elapsed().as_secs_f64();

        let (mut score, error) = match &outcome {
            Ok(outcome) => (self.suite.score(case, outcome), None),
            Err(error) => (self.suite.missing(case), Some(error.clone())),
        };
        let is_right = error.is_none() && score.failures.is_empty();
        score.measures.add(&SUCCESS_RATE, usize::from(is_right), 1);

        // What a run used that failed is unknown, but for its money.
        if let Ok(outcome) = &outcome {
            add_usage(&mut score, self.suite.usage(outcome));
        }
        if let Some(usd) = model.spent() {
            score.measures.add_number(&COST, usd.nanos() as f64 / 1e9, 1.0);
        }
        score.measures.add_number(&AVG_DURATION, seconds, 1.0);
        CaseResult::new(case, score, error)
    }

    /// What a case may use: of the money its part of what is left. `None` when nothing is.
    fn limits(&self) -> Option<BudgetLimits> {
        match self.model.spent() {
            None => Some(self.budget),
            Some(spent) => {
                let left = self.budget.money().saturating_sub(spent);
                let part = Usd::from_nanos(left.nanos() / self.parallel as u64);
                (part > Usd::ZERO).then(|| self.budget.usd(part))
            }
        }
    }
}

fn add_usage(score: &mut Score, usage: Usage) {
    let mut add = |metric, number: u64| score.measures.add_number(metric, number as f64, 1.0);
    add(&MODEL_CALLS, usage.model_calls);
    add(&TOOL_CALLS, usage.tool_calls);
    add(&TOKENS_IN, usage.tokens_in);
    add(&TOKENS_OUT, usage.tokens_out);
}

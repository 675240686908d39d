//! Runs the cases, some at once, and hands them back in their own order.

use std::sync::Arc;
use std::time::Instant;

use futures::stream::{self, StreamExt};
use research_agents::dataset::{DatasetAgent, DatasetConfig, DatasetReport, RunStats};
use research_agents::kernel::BudgetLimits;
use research_agents::mcp::Hub;
use research_examples::dataset::{DEFAULT_TOOL, dataset_server};
use research_llm::ChatModel;
use research_llm::price::Usd;

use super::case::Case;
use super::meter::Metered;
use super::metric::Metric;
use super::results::CaseResult;
use super::score::{self, Score};
use super::shelf::Data;

/// How cases are run.
pub struct Runner {
    model: Metered,
    budget: BudgetLimits,
    parallel: usize,
}

/// A case with its data.
pub type Job = (Arc<Data>, Case);

impl Runner {
    /// Runs so many cases at once with this model. What the budget says of money is for all cases together, the rest for each.
    pub fn new(model: Arc<dyn ChatModel>, budget: BudgetLimits, parallel: usize) -> Self {
        Self { model: Metered::new(model), budget, parallel: parallel.max(1) }
    }

    /// Runs the cases. Each result is handed on as soon as it and all before it are there.
    pub async fn run(&self, jobs: Vec<Job>, mut done: impl FnMut(CaseResult)) {
        let mut results = stream::iter(jobs).map(|(data, case)| self.one(data, case)).buffered(self.parallel);
        while let Some(result) = results.next().await {
            done(result);
        }
    }

    async fn one(&self, data: Arc<Data>, case: Case) -> CaseResult {
        let started = Instant::now();
        // Its own meter: other cases may run at the same time.
        let model = Metered::new(Arc::new(self.model.clone()));
        let outcome = match self.limits() {
            Some(limits) => ask(&data, &case, model.clone(), limits, self.parallel).await,
            None => Err(format!("the money for all cases, {}, is used up", self.budget.money())),
        };
        let (mut score, error) = match &outcome {
            Ok(report) => (score::score(&case, &data.records, report), None),
            Err(error) => (score::missing(&case, &data.records), Some(error.clone())),
        };
        // What a run took that failed is not known, but for its money.
        if let Ok(report) = &outcome {
            add_usage(&mut score, &report.stats);
        }
        if let Some(usd) = model.spent() {
            score.measures.add_number(Metric::Cost, usd.nanos() as f64 / 1e9, 1.0);
        }
        score.measures.add_number(Metric::AvgDuration, started.elapsed().as_secs_f64(), 1.0);
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

/// Asks the question of a case through a server in this process.
///
/// # Errors
/// Why there is no report, in words.
pub async fn ask(
    data: &Data,
    case: &Case,
    model: Metered,
    budget: BudgetLimits,
    parallel: usize,
) -> Result<DatasetReport, String> {
    let server = dataset_server(data.served.clone(), DEFAULT_TOOL).map_err(|error| error.to_string())?;
    let hub = Hub::builder().in_process(data.served.name.clone(), server).connect().await;
    let hub = Arc::new(hub.map_err(|error| error.to_string())?);
    // Cases that run at once share the model.
    let at_once =
        if model.info().is_language_model() { parallel } else { DatasetConfig::default().parallel_extractions };
    let config = DatasetConfig { budget, parallel_extractions: at_once, ..DatasetConfig::default() };
    let agent = DatasetAgent::builder(model, Arc::clone(&hub)).config(config).build();
    let report = match agent {
        Ok(agent) => {
            let mut run = agent.run(case.question.as_str());
            if let Some(filters) = &case.filters {
                run = run.filters(filters.clone());
            }
            if let Some(fields) = &case.group_by {
                run = run.group_by(fields.iter().cloned());
            }
            run.await.map_err(|error| error.to_string())
        }
        Err(error) => Err(error.to_string()),
    };
    hub.close().await;
    report
}

fn add_usage(score: &mut Score, stats: &RunStats) {
    let mut add = |metric, number: u64| score.measures.add_number(metric, number as f64, 1.0);
    add(Metric::ModelCalls, stats.llm_calls);
    add(Metric::ToolCalls, stats.mcp_calls);
    add(Metric::TokensIn, stats.tokens_in);
    add(Metric::TokensOut, stats.tokens_out);
}

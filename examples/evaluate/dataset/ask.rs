//! Asks the agent the question of a case.

use std::sync::Arc;

use research_agents::dataset::record::ReportFormat;
use research_agents::dataset::{DatasetAgent, DatasetConfig, DatasetReport};
use research_agents::mcp::Hub;
use research_examples::dataset::{DEFAULT_TOOL, dataset_server};
use research_llm::ChatModel;

use super::case::Case;
use super::shelf::Data;
use crate::harness::suite::Means;

/// Asks the question of a case through a server in this process.
///
/// # Errors
/// Why there is no report, in words.
pub async fn ask(data: &Data, case: &Case, means: Means) -> Result<DatasetReport, String> {
    let Means { model, budget, parallel } = means;
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
            // A stranger's question gets the short report, a case of counts and findings the long one.
            let format = match &case.answer {
                Some(_) => ReportFormat::ExecutiveSummary,
                None => ReportFormat::ComprehensiveReport,
            };
            let mut run = agent.run(case.question.as_str()).format(format);
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

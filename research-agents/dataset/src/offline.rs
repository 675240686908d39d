//! The answers of the offline model to the tasks of the dataset agent.
//!
//! Every statement of the offline model is extracted: counts, shares, statistics and quotations.
//! Connecting words come from templates; every content word, number and name comes from the data,
//! the tool's schema or the question.

pub(crate) mod answer;
pub(crate) mod conditions;
pub(crate) mod decompose;
pub(crate) mod extract;
#[cfg(test)]
mod fixture;
pub(crate) mod insights;
pub(crate) mod perspectives;
pub(crate) mod plan;
pub(crate) mod review;
pub(crate) mod sampled;
pub(crate) mod say;
pub(crate) mod synthesize;

use research_agents_runtime::offline::OfflineAnswers;

use crate::data::task::{
    DECOMPOSE, EXTRACT, GAPS, INSIGHTS, PERSPECTIVES, PLAN, SYNTHESIZE, VALIDATE,
};

/// Returns the tasks of the dataset agent with the functions that answer them without a language
/// model.
///
/// ```
/// use research_agents_dataset::offline;
/// use research_agents_dataset::task::{
///     DECOMPOSE, DecomposeTask, DecomposerOutput, FieldFacts, ToolFacts,
/// };
/// use research_agents_runtime::offline::OfflineModel;
/// use research_llm::{ChatModelExt, Request, Task};
/// use serde_json::json;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let colour = FieldFacts {
///     name: "colour".into(),
///     values: vec![json!("red"), json!("blue")],
///     ..Default::default()
/// };
/// let flowers =
///     ToolFacts { name: "flowers".into(), fields: vec![colour], ..Default::default() };
/// let task = DecomposeTask {
///     query: "Red flowers".into(),
///     max_questions: 7,
///     tools: vec![flowers],
///     ..Default::default()
/// };
///
/// let request = Request::new().task(Task::of(DECOMPOSE, &task)?);
/// let model = OfflineModel::new(offline::answers());
/// let answer = model.structured::<DecomposerOutput>(request).await?;
/// assert_eq!(answer.value.sub_questions[0].question, "How many flowers match colour red?");
/// # Ok::<(), research_llm::ModelError>(()) }).unwrap();
/// ```
pub fn answers() -> OfflineAnswers {
    OfflineAnswers::new()
        .with(PLAN, plan::plan)
        .with(DECOMPOSE, decompose::decompose)
        .with(PERSPECTIVES, perspectives::perspectives)
        .with(INSIGHTS, insights::insights)
        .with(EXTRACT, extract::extract)
        .with(VALIDATE, review::validate)
        .with(GAPS, review::gaps)
        .with(SYNTHESIZE, synthesize::synthesize)
}

#[cfg(test)]
mod tests;

//! The model that needs neither key nor network: it computes its answers from the material in the request.
//!
//! It implements [`ChatModel`] for the tasks of the agents, and for nothing else: a request without one of these tasks is
//! refused with a typed error. What it says is extracted: counts, shares, statistics and quotations. Connecting words come
//! from templates; every content word, number and name comes from the data, the tool's schema or the question. It is
//! deterministic, takes milliseconds, uses no tokens, and cannot infer or write; its reports say so.

mod ambiguity;
mod conditions;
mod continuation;
mod decompose;
mod extract;
#[cfg(test)]
mod fixture;
mod heard;
mod insights;
mod interpret;
mod lexicon;
mod perspectives;
mod plan;
mod rank;
mod review;
mod say;
mod synthesize;
mod text;
mod topics;

use std::sync::Arc;

use research_llm::{
    ChatModel, EventStream, ModelError, ModelInfo, ModelKind, ModelSpec, Request, Response, Task, async_trait,
    replay_lazily,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::dataset::task::{DECOMPOSE, EXTRACT, GAPS, INSIGHTS, PERSPECTIVES, PLAN, SYNTHESIZE, VALIDATE};

pub(crate) use ambiguity::doubts;
pub(crate) use heard::heard;

/// The tasks that the offline model answers.
const TASKS: &[&str] = &[PLAN, DECOMPOSE, PERSPECTIVES, INSIGHTS, EXTRACT, VALIDATE, GAPS, SYNTHESIZE];

/// Provider in the model's [`ModelInfo`], and the name under which it is registered.
const PROVIDER: &str = "offline";

/// What the model is called.
const NAME: &str = "extractive";

/// A model that computes its answers from the material in the request.
///
/// ```
/// use research_agents::dataset::task::{DECOMPOSE, DecomposeTask, DecomposerOutput, FieldFacts, ToolFacts};
/// use research_agents::llm::{ChatModelExt, Request, Task};
/// use research_agents::offline::OfflineModel;
/// use serde_json::json;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let fields = vec![FieldFacts { name: "colour".into(), values: vec![json!("red"), json!("blue")], ..Default::default() }];
/// let tools = vec![ToolFacts { name: "flowers".into(), fields, ..Default::default() }];
/// let task = DecomposeTask { query: "Red flowers".into(), max_questions: 7, tools, ..Default::default() };
///
/// let request = Request::new().task(Task::of(DECOMPOSE, &task)?);
/// let answer = OfflineModel::new().structured::<DecomposerOutput>(request).await?;
/// assert_eq!(answer.value.sub_questions[0].question, "How many flowers match colour red?");
/// # Ok::<(), research_agents::llm::ModelError>(()) }).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct OfflineModel {
    info: ModelInfo,
}

impl OfflineModel {
    /// The model.
    #[must_use]
    pub fn new() -> Self {
        Self { info: ModelInfo::new(PROVIDER, NAME, ModelKind::Extractive) }
    }

    /// Opens it by a specification: `offline`, or `offline:extractive`.
    ///
    /// # Errors
    /// [`ModelError::UnknownModel`] for any other name.
    pub fn open(spec: &ModelSpec) -> Result<Arc<dyn ChatModel>, ModelError> {
        match spec.model() {
            None | Some(NAME) => Ok(Arc::new(Self::new())),
            Some(other) => {
                let problem = format!("the provider `{PROVIDER}` has no model `{other}`");
                Err(ModelError::unknown_model(spec.to_string(), problem, vec![PROVIDER.to_owned()]))
            }
        }
    }

    fn answer(&self, request: &Request) -> Result<Response, ModelError> {
        let Some(task) = &request.task else {
            return Err(ModelError::unsupported_task(self.info.id(), None, TASKS));
        };
        let text = match task.name.as_str() {
            PLAN => compute(task, plan::plan),
            DECOMPOSE => compute(task, decompose::decompose),
            PERSPECTIVES => compute(task, perspectives::perspectives),
            INSIGHTS => compute(task, insights::insights),
            EXTRACT => compute(task, extract::extract),
            VALIDATE => compute(task, review::validate),
            GAPS => compute(task, review::gaps),
            SYNTHESIZE => compute(task, synthesize::synthesize),
            other => Err(ModelError::unsupported_task(self.info.id(), Some(other), TASKS)),
        }?;
        Ok(Response::new(NAME, text))
    }
}

/// Reads the input of a task, computes the answer, and writes it as JSON.
fn compute<I: DeserializeOwned, O: Serialize>(task: &Task, answer: fn(&I) -> O) -> Result<String, ModelError> {
    let answer = answer(&task.parse()?);
    serde_json::to_string(&answer)
        .map_err(|error| ModelError::other(format!("the answer to `{}` is no JSON", task.name), Some(Arc::new(error))))
}

impl Default for OfflineModel {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl ChatModel for OfflineModel {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        self.answer(request)
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        replay_lazily(async move { self.answer(&request) })
    }
}

#[cfg(test)]
mod tests;

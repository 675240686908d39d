//! The offline model, with the answers of every built-in system.

use std::sync::Arc;

use research_agents_runtime::offline as runtime;
use research_llm::{
    ChatModel, EventStream, ModelError, ModelInfo, ModelSpec, Request, Response, async_trait,
};

pub use research_agents_runtime::offline::OfflineAnswers;

/// Returns the tasks of all built-in systems, with the functions that answer them without a
/// language model. A host joins the table of a system that it has written.
pub fn answers() -> OfflineAnswers {
    let answers = OfflineAnswers::new();
    #[cfg(feature = "dataset")]
    let answers = answers.join(research_agents_dataset::offline::answers());
    #[cfg(feature = "studio")]
    let answers = answers.join(research_agents_studio::offline::answers());
    #[cfg(feature = "scr")]
    let answers = answers.join(research_agents_scr::synthesizer::answers());
    #[cfg(feature = "feedback")]
    let answers = answers.join(research_agents_feedback::offline::answers());
    #[cfg(feature = "code")]
    let answers = answers.join(research_agents_code_agent::agent::answers());
    answers
}

/// A model that needs neither key nor network: it computes its answers to the tasks of the built-in
/// systems from the material in the request. Cheap to clone.
///
/// ```
/// use research_agents::offline::OfflineModel;
/// use research_agents::llm::{ChatModel, ModelKind};
///
/// assert_eq!(OfflineModel::new().info().kind, ModelKind::Extractive);
/// ```
#[derive(Clone, Debug)]
pub struct OfflineModel(runtime::OfflineModel);

impl OfflineModel {
    /// Creates a model that answers the tasks of the built-in systems.
    #[must_use]
    pub fn new() -> Self {
        Self(runtime::OfflineModel::new(answers()))
    }

    /// Opens the model by a specification: `offline`, or `offline:extractive`.
    ///
    /// # Errors
    ///
    /// [`ModelError::UnknownModel`] for any other name.
    pub fn open(spec: &ModelSpec) -> Result<Arc<dyn ChatModel>, ModelError> {
        Ok(Arc::new(Self(runtime::OfflineModel::open(
            spec,
            answers(),
        )?)))
    }
}

impl Default for OfflineModel {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl ChatModel for OfflineModel {
    fn info(&self) -> &ModelInfo {
        self.0.info()
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        self.0.complete(request).await
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        self.0.stream(request)
    }
}

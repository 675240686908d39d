//! A model that needs neither key nor network: it computes its answers from the material in the
//! request.
//!
//! Each system has a table of [`OfflineAnswers`], one function per task. A task that no table has
//! is refused with a typed error. The model is deterministic and uses no tokens; it extracts and
//! counts, and cannot infer or write. Its [kind](ModelKind::Extractive) says so, and reports repeat
//! it.

use std::fmt;
use std::sync::Arc;

use research_llm::{
    ChatModel, EventStream, ModelError, ModelInfo, ModelKind, ModelSpec, Request, Response, Task,
    async_trait, replay_lazily,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Provider in the model's [`ModelInfo`], and the name under which it is registered.
const PROVIDER: &str = "offline";

/// Name of the model.
const NAME: &str = "extractive";

type AnswerFn = Arc<dyn Fn(&Task) -> Result<String, ModelError> + Send + Sync>;

/// The tasks that an [`OfflineModel`] answers, with the function that computes each answer.
///
/// ```
/// use research_agents_runtime::offline::{OfflineAnswers, OfflineModel};
/// use research_llm::{ChatModelExt, Request, Task};
/// use schemars::JsonSchema;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize)]
/// struct Texts { texts: Vec<String> }
/// #[derive(Serialize, Deserialize, JsonSchema)]
/// struct Longest { text: String }
///
/// fn longest(input: &Texts) -> Longest {
///     let text = input.texts.iter().max_by_key(|text| text.len());
///     Longest { text: text.cloned().unwrap_or_default() }
/// }
///
/// # futures::executor::block_on(async {
/// let model = OfflineModel::new(OfflineAnswers::new().with("texts.longest", longest));
/// let input = Texts { texts: vec!["short".into(), "longer".into()] };
/// let request = Request::new().task(Task::of("texts.longest", &input)?);
/// assert_eq!(model.structured::<Longest>(request).await?.value.text, "longer");
/// # Ok::<(), research_llm::ModelError>(()) }).unwrap();
/// ```
#[derive(Clone, Default)]
pub struct OfflineAnswers(Vec<(&'static str, AnswerFn)>);

impl OfflineAnswers {
    /// Creates an empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a task and the function that computes its answer from its input. The first function of
    /// a task counts.
    #[must_use]
    pub fn with<I, O>(
        mut self,
        task: &'static str,
        answer: impl Fn(&I) -> O + Send + Sync + 'static,
    ) -> Self
    where
        I: DeserializeOwned,
        O: Serialize,
    {
        let compute = move |task: &Task| {
            serde_json::to_string(&answer(&task.parse()?)).map_err(|error| {
                let problem = format!("the answer to `{}` cannot be written as JSON", task.name);
                ModelError::other(problem, Some(Arc::new(error)))
            })
        };
        self.0.push((task, Arc::new(compute)));
        self
    }

    /// Adds the tasks of another table.
    #[must_use]
    pub fn join(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Returns the names of the tasks.
    pub fn tasks(&self) -> Vec<&'static str> {
        self.0.iter().map(|(task, _)| *task).collect()
    }

    fn get(&self, task: &str) -> Option<&AnswerFn> {
        self.0
            .iter()
            .find_map(|(name, answer)| (*name == task).then_some(answer))
    }
}

impl fmt::Debug for OfflineAnswers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OfflineAnswers")
            .field(&self.tasks())
            .finish()
    }
}

/// A model that computes its answers from the material in the request. Cheap to clone.
#[derive(Clone, Debug)]
pub struct OfflineModel {
    info: ModelInfo,
    answers: Arc<OfflineAnswers>,
}

impl OfflineModel {
    /// Creates the model that answers the tasks of a table.
    pub fn new(answers: OfflineAnswers) -> Self {
        Self {
            info: ModelInfo::new(PROVIDER, NAME, ModelKind::Extractive),
            answers: Arc::new(answers),
        }
    }

    /// Opens the model by a specification: `offline`, or `offline:extractive`.
    ///
    /// # Errors
    ///
    /// [`ModelError::UnknownModel`] for any other name.
    pub fn open(spec: &ModelSpec, answers: OfflineAnswers) -> Result<Self, ModelError> {
        match spec.model() {
            None | Some(NAME) => Ok(Self::new(answers)),
            Some(other) => {
                let problem = format!("the provider `{PROVIDER}` has no model `{other}`");
                let known = vec![PROVIDER.to_owned()];
                Err(ModelError::unknown_model(spec.to_string(), problem, known))
            }
        }
    }

    fn answer(&self, request: &Request) -> Result<Response, ModelError> {
        let unsupported =
            |name| ModelError::unsupported_task(self.info.id(), name, &self.answers.tasks());
        let task = request.task.as_ref().ok_or_else(|| unsupported(None))?;
        let compute = self
            .answers
            .get(&task.name)
            .ok_or_else(|| unsupported(Some(&task.name)))?;
        Ok(Response::new(NAME, compute(task)?))
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

//! What a host builds and runs.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use research_agents_code::CodeError;
use research_agents_code::base::{CacheAt, CodeBase};
use research_agents_code::tree::Scope;
use research_agents_runtime::bundle::Bundle;
use research_agents_runtime::error::Error;
use research_agents_runtime::event::{RunEvent, rfc3339};
use research_agents_runtime::job::{Job, Kit, PlainLoop};
use research_agents_runtime::offline::OfflineModel;
use research_agents_runtime::run::{Beginning, Run, RunState, System, bundle};
use research_core::{Checkpointer, FieldSet, Update};
use research_llm::ChatModel;
use research_mcp::{BoxFuture, CallOutput, McpError, Object, ToolListing, ToolSource};
use tokio_util::sync::CancellationToken;

use crate::actions::{ActionRegistry, RegistryError};
use crate::agent::input::CodeInput;
use crate::agent::offline::answers;
use crate::agent::state::CodeState;
use crate::agent::system::{CodeSystem, phase};
use crate::lsp::Servers;
use crate::run::{AgentConfig, ConfigError, ResearchRun, RunId};

/// Maximum length of a question in bytes.
const MAX_QUESTION: usize = 32 * 1024;

/// Why an agent cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// The code base cannot be opened.
    #[error(transparent)]
    Code(#[from] CodeError),
    /// The actions cannot be used.
    #[error(transparent)]
    Actions(#[from] RegistryError),
    /// A setting is out of its range.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The runtime refuses the system.
    #[error(transparent)]
    Runtime(#[from] Error),
}

/// The code research agent on one code base. Cheap to clone.
///
/// ```
/// use research_agents_code_agent::CodeAgent;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("a.rs"), "fn run() {}\nfn main() { run(); }\n")?;
///
/// let agent = CodeAgent::builder(folder.path())?.build()?;
/// let run = agent.research("Who calls `run`?").await?;
/// assert!(run.answer.unwrap_or_default().contains("`run`"));
/// assert_eq!(run.cited.len(), 2);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct CodeAgent {
    system: CodeSystem,
}

/// An agent that is being built.
pub struct CodeAgentBuilder {
    base: Arc<CodeBase>,
    model: Option<Arc<dyn ChatModel>>,
    config: AgentConfig,
    actions: Option<ActionRegistry>,
    servers: Servers,
}

impl CodeAgentBuilder {
    /// Sets the model. Defaults to the offline model, which computes its answers.
    #[must_use]
    pub fn model(mut self, model: Arc<dyn ChatModel>) -> Self {
        self.model = Some(model);
        self
    }

    /// Sets the limits.
    #[must_use]
    pub fn config(mut self, config: AgentConfig) -> Self {
        self.config = config;
        self
    }

    /// Sets the actions. Defaults to [`ActionRegistry::standard`].
    #[must_use]
    pub fn actions(mut self, actions: ActionRegistry) -> Self {
        self.actions = Some(actions);
        self
    }

    /// Sets the language servers that the actions of this crate may ask. Defaults to none.
    #[must_use]
    pub fn language_servers(mut self, servers: Servers) -> Self {
        self.servers = servers;
        self
    }

    /// Builds the agent.
    ///
    /// # Errors
    ///
    /// [`AgentError`] when a setting is out of its range or the actions cannot be used.
    pub fn build(self) -> Result<CodeAgent, AgentError> {
        self.config.validate()?;
        let actions = match self.actions {
            Some(actions) => actions,
            None => ActionRegistry::with_servers(self.servers).build()?,
        };
        let model = self
            .model
            .unwrap_or_else(|| Arc::new(OfflineModel::new(answers())));
        let tools = Arc::new(NoTools);
        let system = CodeSystem::new(model, tools, self.config, actions, Some(self.base))?;
        Ok(CodeAgent { system })
    }
}

impl fmt::Debug for CodeAgentBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CodeAgentBuilder")
            .field("config", &self.config)
            .field("actions", &self.actions)
            .finish_non_exhaustive()
    }
}

impl CodeAgent {
    /// Starts building an agent on the code base in a folder.
    ///
    /// # Errors
    ///
    /// [`AgentError::Code`] when the folder cannot be opened.
    pub fn builder(root: impl AsRef<Path>) -> Result<CodeAgentBuilder, AgentError> {
        Ok(Self::on(Arc::new(CodeBase::open(root, &CacheAt::Default)?)))
    }

    /// Starts building an agent on a code base that is open.
    pub fn on(base: Arc<CodeBase>) -> CodeAgentBuilder {
        CodeAgentBuilder {
            base,
            model: None,
            config: AgentConfig::default(),
            actions: None,
            servers: Servers::default(),
        }
    }

    /// Answers a question in a plain loop.
    ///
    /// # Errors
    ///
    /// As [`Research::run`].
    pub async fn research(&self, question: &str) -> Result<ResearchRun, Error> {
        Ok(self.ask(question).run().await?.run)
    }

    /// Prepares a question.
    pub fn ask(&self, question: &str) -> Research {
        Research {
            system: self.system.clone(),
            question: question.to_owned(),
            scope: String::new(),
            budget: None,
            run_id: None,
            cancel: CancellationToken::new(),
            is_recorded: false,
            listener: None,
        }
    }

    /// Keeps the runs of the [graph](Research::graph) that have a thread in a store. A run that was
    /// cut off resumes there, and no recorded step is repeated.
    #[must_use]
    pub fn with_checkpointer(self, store: impl Checkpointer) -> Self {
        Self {
            system: self.system.with_checkpointer(store),
        }
    }

    /// Returns the limits.
    pub fn config(&self) -> &AgentConfig {
        &self.system.config
    }

    /// Returns the agent as a system of the runtime, for threads, sessions and streams.
    pub fn system(&self) -> &CodeSystem {
        &self.system
    }
}

/// A question that was not asked yet.
#[must_use = "a question does nothing until it is run"]
pub struct Research {
    system: CodeSystem,
    question: String,
    scope: String,
    budget: Option<i64>,
    run_id: Option<RunId>,
    cancel: CancellationToken,
    is_recorded: bool,
    listener: Option<Arc<dyn Fn(RunEvent) + Send + Sync>>,
}

/// A run that has ended.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Researched {
    /// The run.
    pub run: ResearchRun,
    /// The run in one file, if it was recorded.
    pub bundle: Option<Arc<Bundle>>,
}

impl Research {
    /// Limits the search to a glob.
    pub fn scope(mut self, scope: impl Into<String>) -> Self {
        self.scope = scope.into();
        self
    }

    /// Sets the number of steps, clamped to 1 to 20. Defaults to that of the settings.
    pub fn budget(mut self, steps: i64) -> Self {
        self.budget = Some(steps);
        self
    }

    /// Sets the id of the run. Defaults to a random one.
    pub fn run_id(mut self, id: RunId) -> Self {
        self.run_id = Some(id);
        self
    }

    /// Sets the token that ends the run with what it has.
    pub fn cancel(mut self, token: CancellationToken) -> Self {
        self.cancel = token;
        self
    }

    /// Records the run, so that it can be exported, verified and replayed.
    pub fn record(mut self) -> Self {
        self.is_recorded = true;
        self
    }

    /// Sets a function that gets every event of the run in a loop.
    pub fn listener(mut self, listener: impl Fn(RunEvent) + Send + Sync + 'static) -> Self {
        self.listener = Some(Arc::new(listener));
        self
    }

    fn input(&self) -> Result<CodeInput, Error> {
        if self.question.trim().is_empty() {
            return Err(Error::other("the question is empty; ask about the code"));
        }
        if self.question.len() > MAX_QUESTION {
            return Err(Error::other(format!(
                "the question has {} bytes; ask one of at most {MAX_QUESTION}",
                self.question.len()
            )));
        }
        let scope = Scope::parse(&self.scope).map_err(Error::other)?;

        let mut notes = Vec::new();
        let budget = match self.budget {
            None => self.system.config.max_steps,
            Some(requested) => {
                let (budget, is_clamped) = AgentConfig::clamp_budget(requested);
                if is_clamped {
                    notes.push(format!("the budget {requested} was set to {budget}"));
                }
                budget
            }
        };
        let run_id = match &self.run_id {
            Some(id) => id.clone(),
            None => RunId::random().map_err(Error::other)?,
        };
        Ok(CodeInput {
            question: self.question.clone(),
            scope: scope.as_str().to_owned(),
            budget,
            run_id,
            notes,
            ..CodeInput::default()
        })
    }

    /// Answers the question in a plain loop.
    ///
    /// # Errors
    ///
    /// For a blank or very long question, and for a scope that is not valid. A run that fails later
    /// is a run with the status `error`.
    pub async fn run(self) -> Result<Researched, Error> {
        let created_at = rfc3339(SystemTime::now());
        let mut state = CodeState::from(self.input()?);
        let system = &self.system;
        let kit = Kit::new(system.model(), system.tools(), system.limits());
        let kit = kit.with_cancel(self.cancel.clone());
        if self.is_recorded {
            state.set_beginning(Beginning {
                input: state.to_input(false),
                settings: serde_json::to_value(system.config())?,
                model: kit.model().clone(),
                marker: kit.marker().word().to_owned(),
            });
        }

        let kit = system.resources(kit);
        let listener = self.listener.clone().unwrap_or_else(|| Arc::new(drop));
        loop {
            for name in ["decide", "execute", "check"] {
                state = self.step(name, state, &kit, &listener).await?;
            }
            if state.should_stop() {
                break;
            }
        }
        state = self.step("finish", state, &kit, &listener).await?;

        let bundle = bundle::<CodeSystem>(&state).map(Arc::new);
        let mut run = state.run;
        run.created_at = created_at;
        run.completed_at = Some(rfc3339(SystemTime::now()));
        Ok(Researched { run, bundle })
    }

    async fn step(
        &self,
        name: &str,
        mut state: CodeState,
        kit: &crate::agent::kit::CodeKit,
        listener: &Arc<dyn Fn(RunEvent) + Send + Sync>,
    ) -> Result<CodeState, Error> {
        let listener = Arc::clone(listener);
        let context = PlainLoop::with_listener(move |event| listener(event));
        let is_recorded = state.beginning().is_some();
        let job = Job::new(context, kit.as_ref(), state.place(name, 0), is_recorded);
        let update = phase(name, &job, &state, kit).await?;
        CodeState::record(update, job.done()).fold(&mut state, FieldSet::EMPTY);
        Ok(state)
    }

    /// Returns the question as a run of the graph, for threads, streams and replay.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run), for the question and the scope.
    pub fn graph(self) -> Result<Run<CodeSystem>, Error> {
        let state = CodeState::from(self.input()?);
        let run = Run::new(self.system, state).cancel(self.cancel);
        Ok(if self.is_recorded { run.record() } else { run })
    }
}

impl fmt::Debug for Research {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Research")
            .field("question", &self.question)
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}

/// The agent calls no tools: it reads the code base by its actions.
struct NoTools;

impl ToolSource for NoTools {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        Box::pin(async { Ok(ToolListing::new(Vec::new())) })
    }

    fn call_tool<'a>(
        &'a self,
        _: &'a str,
        _: Object,
    ) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        Box::pin(async {
            Err(McpError::NoServer {
                reasons: vec!["the code agent calls no tool".to_owned()],
            })
        })
    }
}

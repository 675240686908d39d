//! The agent with tools and its builder: built once, then asked any number of questions.

use std::fmt;
use std::sync::Arc;

use research_core::{Checkpointer, CompiledGraph};
use research_llm::tool::Toolbox;
use research_llm::{ChatModel, Message, ToolDefinition};

use crate::bundle::expected::Expected;
use crate::error::model::Error;
use crate::error::suggest::closest;
use crate::job::Settings;
use crate::limits::{Policy, RetryPolicy};
use crate::tools::agent::nodes::graph;
use crate::tools::agent::plan::Plan;
use crate::tools::agent::recording::ToolRecording;
use crate::tools::agent::run::ToolRun;
use crate::tools::agent::services::{AgentTools, ROLE, ToolServices};
use crate::tools::agent::state::{ToolLoopState, ToolLoopStateUpdate};
use crate::tools::hub::model::HubTools;

/// Default maximum number of times that the model is asked.
const MAX_ITERATIONS: u32 = 8;
/// Default maximum length of an answer in tokens; half of the context window if that is smaller.
const MAX_OUTPUT: u32 = 8_192;
/// Default maximum number of characters of a tool's result that the model is shown.
const RESULT_CAP: usize = 20_000;
/// Default maximum number of tools that run concurrently.
const PARALLEL: usize = 5;

/// Answers questions with the help of tools. Cheap to clone.
#[derive(Clone)]
pub struct ToolAgent {
    graph: CompiledGraph<ToolLoopState, ToolServices>,
    plan: Arc<Plan>,
}

impl ToolAgent {
    /// Creates a builder of an agent that asks this model and runs these tools.
    pub fn builder(model: impl ChatModel + 'static, tools: Toolbox) -> ToolAgentBuilder {
        ToolAgentBuilder {
            model: Arc::new(model),
            tools,
            hub: None,
            allowed: None,
            settings: None,
            is_recorded: false,
            system: String::new(),
            max_iterations: MAX_ITERATIONS,
            max_output_tokens: None,
            result_cap: RESULT_CAP,
            parallel: PARALLEL,
            graph: graph().map_err(Error::from),
        }
    }

    /// Creates a run that answers a question. Nothing happens until the run is awaited or its
    /// stream is read.
    pub fn run(&self, question: impl Into<String>) -> ToolRun {
        self.ask(ToolLoopState::update().messages(vec![Message::user(question)]))
    }

    /// Creates a run that resumes an interrupted question on the [thread](ToolRun::thread) that
    /// keeps it.
    pub fn resume(&self, thread: &str) -> ToolRun {
        self.start(self.graph.resume(), None).thread(thread)
    }

    /// Creates a run that answers a recorded question again, without the model and without tools.
    /// Awaiting it fails with [`Error::Diverged`] when it takes another path than the recording, or
    /// its answer differs.
    pub fn replay(&self, recording: &ToolRecording) -> ToolRun {
        let mut messages = recording.history.clone();
        messages.push(Message::user(recording.question.clone()));
        let input = question_update(
            ToolLoopState::update()
                .messages(messages)
                .marker(recording.marker.clone()),
            false,
        );
        let expected = Arc::new(recording.to_expected());
        self.start(self.graph.run(input), Some(expected))
    }

    /// Returns the graph, to draw it or to run it as a part of another.
    pub fn graph(&self) -> &CompiledGraph<ToolLoopState, ToolServices> {
        &self.graph
    }

    fn ask(&self, input: ToolLoopStateUpdate) -> ToolRun {
        let input = question_update(input, self.plan.is_recorded);
        self.start(self.graph.run(input), None)
    }

    fn start(
        &self,
        run: research_core::Run<ToolLoopState, ToolServices, research_core::MissingResources>,
        expected: Option<Arc<Expected>>,
    ) -> ToolRun {
        // Every time the model is asked takes one step, and its tools another.
        let steps = u64::from(self.plan.max_iterations) * 2 + 2;
        let run = run
            .step_limit(steps)
            .max_concurrency(self.plan.settings.parallel_calls);
        ToolRun::new(run, Arc::clone(&self.plan), expected)
    }
}

/// Adds the start of a new question.
fn question_update(update: ToolLoopStateUpdate, is_recorded: bool) -> ToolLoopStateUpdate {
    update
        .iteration(0)
        .active_ms(0)
        .is_recorded(is_recorded)
        .clear_answer()
        .clear_finish()
        .clear_stopped_by()
}

impl fmt::Debug for ToolAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools: Vec<&str> = self
            .plan
            .definitions
            .iter()
            .map(|tool| tool.name.as_str())
            .collect();
        f.debug_struct("ToolAgent")
            .field("model", &self.plan.model.info().id())
            .field("tools", &tools)
            .finish_non_exhaustive()
    }
}

/// Builds a [`ToolAgent`].
#[must_use]
pub struct ToolAgentBuilder {
    model: Arc<dyn ChatModel>,
    tools: Toolbox,
    hub: Option<HubTools>,
    allowed: Option<Vec<String>>,
    settings: Option<Settings>,
    is_recorded: bool,
    system: String,
    max_iterations: u32,
    max_output_tokens: Option<u32>,
    result_cap: usize,
    parallel: usize,
    graph: Result<CompiledGraph<ToolLoopState, ToolServices>, Error>,
}

impl ToolAgentBuilder {
    /// Sets the standing instruction. A line on marked data is added to it.
    pub fn system(mut self, text: impl Into<String>) -> Self {
        self.system = text.into();
        self
    }

    /// Adds the tools of MCP servers. Their progress becomes
    /// [`ToolProgress`](crate::tools::hub::ToolProgress) events; a question of a server
    /// [interrupts](crate::tools::agent::ToolLoopEnd::Asking) a run that has a thread.
    pub fn hub(mut self, tools: HubTools) -> Self {
        self.hub = Some(tools);
        self
    }

    /// Restricts the agent to these tools, by name. The model is shown no others, and a call of
    /// another is refused. Defaults to all tools of the box.
    pub fn allow<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.allowed = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the budget, the policy and the retries of each question. The policy judges every call
    /// in the role `tool_loop`, with the hosts and paths in its arguments. Defaults to the default
    /// budget, no retries, and no policy but the list of [allowed](Self::allow) tools.
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = Some(settings);
        self
    }

    /// Records what runs do outside, so that their answers can be [replayed](ToolAgent::replay).
    pub fn recorded(mut self) -> Self {
        self.is_recorded = true;
        self
    }

    /// Sets the maximum number of times that the model is asked, at least 1. The last time it
    /// cannot call tools. Defaults to 8.
    pub fn max_iterations(mut self, iterations: u32) -> Self {
        self.max_iterations = iterations;
        self
    }

    /// Sets the maximum length of one answer, in tokens. Defaults to 8,192, and at most half of
    /// what the model can hold.
    pub fn max_output_tokens(mut self, tokens: u32) -> Self {
        self.max_output_tokens = Some(tokens);
        self
    }

    /// Sets the maximum number of characters of a tool's result that the model is shown. Defaults
    /// to 20,000.
    pub fn result_cap(mut self, characters: usize) -> Self {
        self.result_cap = characters;
        self
    }

    /// Sets the maximum number of tools that run concurrently, at least 1. Defaults to 5.
    pub fn parallel_tools(mut self, tools: usize) -> Self {
        self.parallel = tools;
        self
    }

    /// Keeps runs that have a [thread](ToolRun::thread) in a store.
    pub fn checkpointer(mut self, store: impl Checkpointer) -> Self {
        self.graph = self.graph.map(|graph| graph.with_checkpointer(store));
        self
    }

    /// Checks the settings and builds the agent.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] when a setting is out of its range, [`Error::UnknownTool`] when a tool is
    /// allowed that the box does not have, and [`Error::Model`] when providers would not accept a
    /// tool of the box.
    pub fn build(self) -> Result<ToolAgent, Error> {
        for (key, value) in [
            ("max_iterations", self.max_iterations as usize),
            ("parallel_tools", self.parallel),
        ] {
            if value == 0 {
                return Err(Error::Config {
                    key,
                    problem: "must be at least 1".to_owned(),
                });
            }
        }

        // Names are checked over the tools of the box and of the servers together.
        let all = match &self.hub {
            Some(hub) => hub.put_into(self.tools.clone()),
            None => self.tools.clone(),
        };
        let definitions = allowed(all.checked()?.definitions(), self.allowed.as_deref())?;

        // The answer leaves space for the conversation.
        let info = self.model.info();
        let half = info.context_tokens.map_or(MAX_OUTPUT, |tokens| tokens / 2);
        let most = MAX_OUTPUT
            .min(half)
            .min(info.max_output_tokens.unwrap_or(MAX_OUTPUT));
        let max_output_tokens = self.max_output_tokens.unwrap_or(most).max(1);

        let has_policy = self.settings.is_some();
        let settings = self
            .settings
            .unwrap_or_else(default_settings)
            .parallel_calls(self.parallel);
        let plan = Plan {
            model: self.model,
            tools: AgentTools {
                toolbox: Arc::new(self.tools),
                hub: self.hub,
            },
            definitions: definitions.into(),
            system: self.system.into(),
            settings,
            has_policy,
            is_recorded: self.is_recorded,
            max_iterations: self.max_iterations,
            max_output_tokens,
            result_cap: self.result_cap,
        };
        Ok(ToolAgent {
            graph: self.graph?,
            plan: Arc::new(plan),
        })
    }
}

/// Returns the settings of an agent whose host sets none. A model that retries does so by itself.
fn default_settings() -> Settings {
    let policy = Policy::new().role(ROLE, ["*"]);
    Settings::new(policy).retry(RetryPolicy::default().retries(0))
}

fn allowed(
    all: Vec<ToolDefinition>,
    names: Option<&[String]>,
) -> Result<Vec<ToolDefinition>, Error> {
    let Some(names) = names else { return Ok(all) };
    let known: Vec<String> = all.iter().map(|tool| tool.name.clone()).collect();
    match names.iter().find(|name| !known.contains(name)) {
        Some(name) => Err(Error::UnknownTool {
            name: name.clone(),
            suggestion: closest(name, known.iter().map(String::as_str)).map(str::to_owned),
            known,
        }),
        None => Ok(all
            .into_iter()
            .filter(|tool| names.contains(&tool.name))
            .collect()),
    }
}

impl fmt::Debug for ToolAgentBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolAgentBuilder")
            .field("model", &self.model.info().id())
            .finish_non_exhaustive()
    }
}

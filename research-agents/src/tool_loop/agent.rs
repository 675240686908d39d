//! The agent with tools as a host uses it: put together once, then asked any number of questions.

use std::fmt;
use std::sync::Arc;

use research_core::{Checkpointer, CompiledGraph};
use research_llm::tool::Toolbox;
use research_llm::{ChatModel, Message, ToolDefinition};

use super::nodes::{ToolServices, graph};
use super::run::ToolRun;
use super::state::ToolLoopState;
use crate::Error;
use crate::mcp::HubTools;
use crate::suggest::closest;

/// Times that the model is asked unless the host says otherwise.
const MAX_ITERATIONS: u32 = 8;
/// The longest answer in tokens unless the host says otherwise; half of the context of a model that holds less than twice
/// of it.
const MAX_OUTPUT: u32 = 8_192;
/// Characters of a tool's result that the model is shown unless the host says otherwise.
const RESULT_CAP: usize = 20_000;
/// Tools in flight at once unless the host says otherwise.
const PARALLEL: usize = 5;

/// Answers questions with the help of tools. Cheap to clone.
#[derive(Clone)]
pub struct ToolAgent {
    graph: CompiledGraph<ToolLoopState, ToolServices>,
    services: Arc<ToolServices>,
    parallel: usize,
}

impl ToolAgent {
    /// Starts to build an agent that asks this model and runs these tools.
    pub fn builder(model: impl ChatModel + 'static, tools: Toolbox) -> ToolAgentBuilder {
        ToolAgentBuilder {
            model: Arc::new(model),
            tools,
            hub: None,
            allowed: None,
            system: String::new(),
            max_iterations: MAX_ITERATIONS,
            max_output_tokens: None,
            result_cap: RESULT_CAP,
            parallel: PARALLEL,
            graph: graph().map_err(Error::from),
        }
    }

    /// Prepares to answer a question. Nothing happens until the run is awaited or its stream is read.
    pub fn run(&self, question: impl Into<String>) -> ToolRun {
        let input =
            ToolLoopState::update().messages(vec![Message::user(question)]).iteration(0).clear_answer().clear_finish();
        self.start(self.graph.run(input))
    }

    /// Prepares to go on with a question whose run broke off, on the [thread](ToolRun::thread) that keeps it.
    pub fn resume(&self, thread: &str) -> ToolRun {
        self.start(self.graph.resume()).thread(thread)
    }

    /// The graph, to draw it or to run it as a part of another.
    pub fn graph(&self) -> &CompiledGraph<ToolLoopState, ToolServices> {
        &self.graph
    }

    fn start(&self, run: research_core::Run<ToolLoopState, ToolServices, research_core::MissingResources>) -> ToolRun {
        // Every time the model is asked takes one step, and its tools another.
        let steps = u64::from(self.services.max_iterations) * 2 + 2;
        let run = run.resources(Arc::clone(&self.services)).step_limit(steps).max_concurrency(self.parallel);
        ToolRun::new(run)
    }
}

impl fmt::Debug for ToolAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools: Vec<&str> = self.services.definitions.iter().map(|tool| tool.name.as_str()).collect();
        f.debug_struct("ToolAgent")
            .field("model", &self.services.model.info().id())
            .field("tools", &tools)
            .finish_non_exhaustive()
    }
}

/// Puts a [`ToolAgent`] together.
#[must_use]
pub struct ToolAgentBuilder {
    model: Arc<dyn ChatModel>,
    tools: Toolbox,
    hub: Option<HubTools>,
    allowed: Option<Vec<String>>,
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

    /// Adds the tools of MCP servers. Their progress becomes [`ToolProgress`](crate::mcp::ToolProgress) events; what they ask the user
    /// [interrupts](super::ToolLoopEnd::Asking) a run that has a thread.
    pub fn hub(mut self, tools: HubTools) -> Self {
        self.hub = Some(tools);
        self
    }

    /// Restricts the agent to these tools, by name. The model is told of no others, and a call of another is refused.
    /// Without a list all tools of the box may be called.
    pub fn allow<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.allowed = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Sets how often the model is asked. At least 1; default 8. The last time it cannot call tools.
    pub fn max_iterations(mut self, iterations: u32) -> Self {
        self.max_iterations = iterations;
        self
    }

    /// Sets the longest answer of one asking, in tokens. Default 8,192, and at most half of what the model can hold.
    pub fn max_output_tokens(mut self, tokens: u32) -> Self {
        self.max_output_tokens = Some(tokens);
        self
    }

    /// Sets how much of a tool's result the model is shown, in characters. Default 20,000.
    pub fn result_cap(mut self, characters: usize) -> Self {
        self.result_cap = characters;
        self
    }

    /// Sets how many tools may be in flight at once. At least 1; default 5.
    pub fn parallel_tools(mut self, tools: usize) -> Self {
        self.parallel = tools;
        self
    }

    /// Keeps runs that have a [thread](ToolRun::thread) in a store.
    pub fn checkpointer(mut self, store: impl Checkpointer) -> Self {
        self.graph = self.graph.map(|graph| graph.with_checkpointer(store));
        self
    }

    /// Checks the settings.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] when a setting is out of its range, and [`Error::UnknownTool`] when a tool is allowed that the box
    /// does not have, and [`Error::Model`] when providers would not take a tool of the box.
    pub fn build(self) -> Result<ToolAgent, Error> {
        for (key, value) in [("max_iterations", self.max_iterations as usize), ("parallel_tools", self.parallel)] {
            if value == 0 {
                return Err(Error::Config { key, problem: "must be at least 1".to_owned() });
            }
        }
        let tools = match &self.hub {
            Some(hub) => hub.put_into(self.tools),
            None => self.tools,
        };
        let tools = tools.checked()?;
        let definitions = allowed(tools.definitions(), self.allowed.as_deref())?;
        let info = self.model.info();
        let half = info.context_tokens.map_or(MAX_OUTPUT, |tokens| tokens / 2);
        let most = MAX_OUTPUT.min(half).min(info.max_output_tokens.unwrap_or(MAX_OUTPUT));
        let services = ToolServices {
            max_output_tokens: self.max_output_tokens.unwrap_or(most).max(1),
            model: self.model,
            tools: Arc::new(tools),
            hub: self.hub,
            definitions: definitions.into(),
            system: self.system.into(),
            max_iterations: self.max_iterations,
            result_cap: self.result_cap,
        };
        Ok(ToolAgent { graph: self.graph?, services: Arc::new(services), parallel: self.parallel })
    }
}

fn allowed(all: Vec<ToolDefinition>, names: Option<&[String]>) -> Result<Vec<ToolDefinition>, Error> {
    let Some(names) = names else { return Ok(all) };
    let known: Vec<String> = all.iter().map(|tool| tool.name.clone()).collect();
    match names.iter().find(|name| !known.contains(name)) {
        Some(name) => Err(Error::UnknownTool {
            name: name.clone(),
            suggestion: closest(name, known.iter().map(String::as_str)).map(str::to_owned),
            known,
        }),
        None => Ok(all.into_iter().filter(|tool| names.contains(&tool.name)).collect()),
    }
}

impl fmt::Debug for ToolAgentBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolAgentBuilder").field("model", &self.model.info().id()).finish_non_exhaustive()
    }
}

//! Systems that consist of a graph over the [`Kit`] alone.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use research_agents_report::evidence::Evidence;
use research_core::{Checkpointer, CompiledGraph, Persist, State};
use research_llm::ChatModel;
use research_mcp::ToolSource;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::bundle::model::Bundle;
use crate::bundle::verify::origins::Origins;
use crate::error::model::Error;
use crate::event::vocabulary::{NoEvent, RunStats};
use crate::job::{Kit, Settings};
use crate::run::options::Run;
use crate::run::session::Session;
use crate::run::state::{RunInput, RunState};
use crate::run::system::{Ended, System};

/// A research system that is a graph over the [`Kit`]: its nodes need no other resources, it emits
/// only the shared events, and the outcome of a run is its final state. [`Hosted`] makes it a
/// [`System`].
pub trait Workflow: Send + Sync + Sized + 'static {
    /// The name under which bundles keep runs of this system, in snake case.
    const NAME: &'static str;

    /// The state of its graph.
    type State: RunState + Into<<Self::State as State>::Update>;
    /// Its settings, which bundles keep.
    type Config: Clone + Serialize + DeserializeOwned + Send + Sync + 'static;

    /// Builds the graph.
    ///
    /// # Errors
    ///
    /// When the graph is invalid.
    fn graph() -> Result<CompiledGraph<Self::State, Kit>, Error>;

    /// Returns the limits and policies of a run.
    fn limits(config: &Self::Config) -> Settings;

    /// Returns the evidence that the report of a run rests on.
    fn evidence(state: &Self::State) -> Evidence;

    /// Reads the recorded answers of tools in a bundle again, and returns the sources and tables
    /// that follow from them.
    fn origins(bundle: &Bundle) -> Origins;
}

/// A [`Workflow`] with the model, tools and settings that it runs on. Cheap to clone.
pub struct Hosted<W: Workflow> {
    graph: CompiledGraph<W::State, Kit>,
    model: Arc<dyn ChatModel>,
    tools: Arc<dyn ToolSource>,
    config: Arc<W::Config>,
    workflow: PhantomData<fn() -> W>,
}

impl<W: Workflow> Hosted<W> {
    /// Creates the system.
    ///
    /// # Errors
    ///
    /// When the graph is invalid.
    pub fn new(
        model: Arc<dyn ChatModel>,
        tools: Arc<dyn ToolSource>,
        config: W::Config,
    ) -> Result<Self, Error> {
        Ok(Self {
            graph: W::graph()?,
            model,
            tools,
            config: Arc::new(config),
            workflow: PhantomData,
        })
    }

    /// Keeps runs that have a thread in a store.
    #[must_use]
    pub fn checkpointer(mut self, store: impl Checkpointer) -> Self
    where
        W::State: Persist,
    {
        self.graph = self.graph.with_checkpointer(store);
        self
    }

    /// Creates a run with this input.
    pub fn run(&self, input: <W::State as RunState>::Input) -> Run<Self> {
        Run::new(self.clone(), W::State::from_input(input))
    }

    /// Returns the session of this system.
    pub fn session(&self) -> Session<Self> {
        Session::new(self.clone())
    }
}

impl<W: Workflow> System for Hosted<W>
where
    <W::State as RunState>::Input: RunInput,
{
    const NAME: &'static str = W::NAME;

    type State = W::State;
    type Resources = Kit;
    type Config = W::Config;
    type Event = NoEvent;
    type Outcome = Ended<W::State>;

    fn graph(&self) -> &CompiledGraph<W::State, Kit> {
        &self.graph
    }

    fn config(&self) -> &W::Config {
        &self.config
    }

    fn model(&self) -> Arc<dyn ChatModel> {
        Arc::clone(&self.model)
    }

    fn tools(&self) -> Arc<dyn ToolSource> {
        Arc::clone(&self.tools)
    }

    fn limits(&self) -> Settings {
        W::limits(&self.config)
    }

    fn resources(&self, kit: Kit) -> Kit {
        kit
    }

    fn evidence(state: &W::State) -> Evidence {
        W::evidence(state)
    }

    fn outcome(ended: Ended<W::State>) -> Ended<W::State> {
        ended
    }

    fn stats(outcome: &Ended<W::State>) -> RunStats {
        outcome.stats()
    }

    fn markdown(outcome: &Ended<W::State>) -> &str {
        outcome.markdown()
    }

    fn origins(bundle: &Bundle) -> Origins {
        W::origins(bundle)
    }

    fn for_replay(
        config: W::Config,
        model: Arc<dyn ChatModel>,
        tools: Arc<dyn ToolSource>,
    ) -> Result<Self, Error> {
        Self::new(model, tools, config)
    }
}

impl<W: Workflow> Clone for Hosted<W> {
    fn clone(&self) -> Self {
        Self {
            graph: self.graph.clone(),
            model: Arc::clone(&self.model),
            tools: Arc::clone(&self.tools),
            config: Arc::clone(&self.config),
            workflow: PhantomData,
        }
    }
}

impl<W: Workflow> fmt::Debug for Hosted<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hosted")
            .field("system", &W::NAME)
            .field("model", &self.model.info().id())
            .finish_non_exhaustive()
    }
}

//! What the nodes and sub-agents of a run work with: model, tools, registry, settings, and the way to stop.

mod ask;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use research_core::Cx;
use research_llm::ChatModel;
use research_llm::price::Usd;
use research_mcp::ToolSource;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::announced::Announced;
use super::clarify::Asking;
use super::config::DatasetConfig;
use super::effects::{Effects, Undone};
use super::event::{DatasetEventKind, Phase};
use super::fit::Room;
use super::reading::Reading;
use super::record::Finding;
use super::record::Object;
use super::recorded::RecordedTools;
use super::replay::Expected;
use super::state::{DatasetState, DatasetStateUpdate};
use super::stop::Stop;
use crate::kernel::tape::{Tape, TaskTape, Track};
use crate::kernel::{Budget, Marker, Meter, Policy, Source, Usage};
use crate::subagent::Registry;

use crate::Error;
pub use ask::Ask;
pub(crate) use ask::TooLittle;

/// Resources of the dataset graph, made anew for each run.
#[derive(Clone)]
pub struct Services {
    pub(super) model: Arc<dyn ChatModel>,
    pub(super) tools: Arc<dyn ToolSource>,
    pub(super) agents: Registry<DatasetCx>,
    pub(super) config: Arc<DatasetConfig>,
    pub(super) cancel: CancellationToken,
    pub(super) marker: Marker,
    slots: Arc<Semaphore>,
    percent: Arc<Mutex<u8>>,
    announced: Announced,
    room: Room,
    budget: Budget,
    policy: Arc<Policy>,
    /// What the run is gone through again from, when it is.
    pub(super) replays: Option<Arc<Expected>>,
    pub(super) asking: Asking,
}

/// The role under which tools are called that a plan names itself.
pub const TOOLS_ROLE: &str = "execute_tools";

/// What a run may touch unless something else is said: the agents that fetch data by their cards, and plans themselves, may
/// call the tools of the run.
fn standard_policy(agents: &Registry<DatasetCx>) -> Policy {
    let policy = Policy::new().role(TOOLS_ROLE, ["*"]);
    agents.cards().fold(policy, |policy, card| policy.role(card.name, card.fetches_data.then_some("*")))
}

impl Services {
    /// Resources for one run. When the token is cancelled, the run ends with a report of what it has.
    pub fn new(
        model: Arc<dyn ChatModel>,
        tools: Arc<dyn ToolSource>,
        agents: Registry<DatasetCx>,
        config: Arc<DatasetConfig>,
        cancel: CancellationToken,
    ) -> Self {
        let budget = Budget::new(config.budget);
        let policy = config.policy.clone().unwrap_or_else(|| standard_policy(&agents));
        Self {
            slots: Arc::new(Semaphore::new(config.parallel_calls)),
            room: Room::of(model.info()),
            model: budget.around(model),
            budget,
            policy: Arc::new(policy),
            tools,
            agents,
            config,
            cancel,
            marker: Marker::random(),
            percent: Arc::default(),
            announced: Announced::default(),
            replays: None,
            asking: Asking::default(),
        }
    }

    /// Sets who asks the user, and whether there is an answer already.
    pub(super) fn with_asking(mut self, asking: Asking) -> Self {
        self.asking = asking;
        self
    }

    /// Whether the user can be asked what is meant; in a replay, whether that was so.
    pub(super) fn can_ask(&self, has_thread: bool) -> bool {
        match &self.replays {
            Some(expected) => expected.could_ask(),
            None => self.asking.can_ask(&self.config, has_thread),
        }
    }

    /// Takes everything outside from a recording.
    pub(super) fn replaying(mut self, expected: Arc<Expected>) -> Self {
        self.marker = expected.marker();
        self.replays = Some(expected);
        self
    }

    /// Sets the marker of untrusted text, for tests that compare prompts.
    #[must_use]
    pub fn with_marker(mut self, marker: Marker) -> Self {
        self.marker = marker;
        self
    }
}

/// What a sub-agent gets: the state as the last step left it, model, tools, and a way to emit events.
#[derive(Clone)]
pub struct DatasetCx {
    cx: Cx<DatasetState, Services>,
    meter: Meter,
    effects: Effects,
    tape: TaskTape,
    may_fetch: bool,
    role: Arc<str>,
}

impl DatasetCx {
    /// The context of one task.
    pub(crate) fn new(cx: Cx<DatasetState, Services>) -> Self {
        let services = &cx.resources;
        // A run that goes on in another process has used what its state says.
        let worked = Duration::from_millis(cx.state.active_ms);
        services.budget.carry(&cx.state.usage, worked, services.model.info());
        let tape = match &services.replays {
            Some(expected) => Tape::Replaying(expected.recording()),
            None if cx.state.recorded.is_some() => Tape::Recording,
            None => Tape::Off,
        };
        // The place of a task does not depend on how often the run was interrupted.
        let (state, task) = (&cx.state, cx.task());
        let at = format!("{} {}.{}.{}", cx.node(), state.iteration, state.completed_calls.len(), task.index);
        let tape = TaskTape::new(at, tape);
        Self { cx, meter: Meter::default(), effects: Effects::default(), tape, may_fetch: true, role: Arc::default() }
    }

    /// The update of the task with what it did outside, where that is recorded.
    pub(crate) fn kept(&self, update: DatasetStateUpdate) -> DatasetStateUpdate {
        match self.tape.record() {
            Some(record) => update.recording([record]),
            None => update,
        }
    }

    /// The tape of the task.
    pub(super) fn tape(&self) -> &TaskTape {
        &self.tape
    }

    /// The same context in a role, by which the policy judges.
    pub(crate) fn in_role(&self, role: &str) -> Self {
        Self { role: role.into(), ..self.clone() }
    }

    /// The role; empty for nodes, which have no tools.
    pub(super) fn role(&self) -> &str {
        &self.role
    }

    /// What the run may touch.
    pub(super) fn policy(&self) -> &Policy {
        &self.services().policy
    }

    /// What the run may use.
    pub(crate) fn budget(&self) -> &Budget {
        &self.services().budget
    }

    /// The same context without tools, for agents that fetch no data by their card.
    pub(crate) fn without_tools(&self) -> Self {
        Self { may_fetch: false, ..self.clone() }
    }

    /// Whether tools may be called.
    pub(super) fn may_fetch(&self) -> bool {
        self.may_fetch
    }

    /// US dollars that the model has cost so far, when its price is known.
    pub(crate) fn cost(&self) -> Option<f64> {
        self.budget().cost(self.services().model.info()).map(Usd::as_dollars)
    }

    /// The state as the last step left it.
    pub fn state(&self) -> &DatasetState {
        &self.cx.state
    }

    /// The resources of the run.
    pub(crate) fn services(&self) -> &Services {
        &self.cx.resources
    }

    /// The settings.
    pub fn config(&self) -> &DatasetConfig {
        &self.services().config
    }

    /// How a tool is asked, walked and read.
    pub(crate) fn reading(&self, tool: &str) -> Reading {
        Reading::of(tool, self.state().listed_tool(tool), self.config())
    }

    /// The tools. Calls through it are counted and show up as events. An agent whose card does not say that it fetches data
    /// has none: every call is refused.
    pub fn tools(&self) -> Arc<dyn ToolSource> {
        Arc::new(RecordedTools::new(self.clone()))
    }

    /// Calls a tool and gives the JSON of its result. A call that failed for a passing reason is made again.
    ///
    /// # Errors
    ///
    /// When there is no result, when the tool reports an error, when the result is no JSON, when the policy or the budget
    /// does not allow the call, or when the run was asked to end.
    pub async fn call_tool(&self, name: &str, arguments: Object) -> Result<Value, Error> {
        self.call_tool_for(name, arguments).await.map(|(value, _)| value)
    }

    /// The same, with the arguments that were sent in the end.
    pub(crate) async fn call_tool_for(&self, name: &str, arguments: Object) -> Result<(Value, Object), Error> {
        let tools = RecordedTools::new(self.clone());
        let call = tools.call(name, arguments.clone());
        match self.unless_stopped(&format!("call {name}"), &arguments, call).await {
            Err(stop) => Err(stop.into()),
            Ok(answer) => {
                let (output, sent) = answer?;
                Ok((output.into_json()?, sent))
            }
        }
    }

    /// Does something outside once for the whole run, also when it is interrupted and goes on.
    pub(super) async fn once<T, E>(
        &self,
        what: &str,
        with: &impl Serialize,
        effect: impl AsyncFnOnce(&Track) -> Result<T, E>,
    ) -> Result<T, Undone<E>>
    where
        T: Serialize + DeserializeOwned,
    {
        self.effects.once(&self.cx, &self.tape, what, with, effect).await
    }

    /// Why gathering must end, if it must, as things stand.
    pub(super) fn must_stop(&self) -> Option<Stop> {
        if self.services().cancel.is_cancelled() {
            return Some(Stop::Cancelled);
        }
        self.budget().exceeded().map(Stop::Budget)
    }

    /// Waits until gathering must end.
    pub(super) async fn stopped(&self) -> Stop {
        tokio::select! {
            () = self.services().cancel.cancelled() => Stop::Cancelled,
            () = tokio::time::sleep_until(self.budget().gathering_deadline()) => {
                Stop::Budget(self.budget().exceeded().unwrap_or_else(|| self.budget().time_is_up()))
            }
        }
    }

    /// Writes an event.
    pub fn emit(&self, event: DatasetEventKind) {
        self.tape.tell(|| event.timeless());
        self.cx.emit(event);
    }

    /// Tells of records and findings, each that was not told yet.
    pub(crate) fn announce<'n>(
        &self,
        sources: impl IntoIterator<Item = &'n Source>,
        findings: impl IntoIterator<Item = &'n Finding>,
    ) {
        let announced = &self.services().announced;
        announced.sources(sources).into_iter().for_each(|event| self.emit(event));
        findings.into_iter().filter_map(|finding| announced.finding(finding)).for_each(|event| self.emit(event));
    }

    /// Says that another phase begins.
    pub(crate) fn phase(&self, phase: Phase) {
        self.emit(DatasetEventKind::Phase { phase });
    }

    /// Says how far the run is; an earlier, larger number stands.
    pub(crate) fn progress(&self, percent: u8, message: impl Into<String>) -> u8 {
        // Held until it is told: tasks that get on at once are told of in the order of their numbers.
        let mut so_far = self.services().percent.lock().unwrap_or_else(PoisonError::into_inner);
        *so_far = percent.max(*so_far).min(100);
        self.emit(DatasetEventKind::Progress { percent: *so_far, message: message.into() });
        *so_far
    }

    /// Says that something failed without ending the run.
    pub(crate) fn warn(&self, error: &Error) {
        self.emit(DatasetEventKind::Error {
            category: error.category(),
            message: error.to_string(),
            retryable: error.is_retryable(),
            fatal: false,
        });
    }

    /// Counts usage.
    pub(crate) fn count(&self, usage: Usage) {
        self.meter.add(usage);
    }

    /// What this task used so far.
    pub(crate) fn used(&self) -> Usage {
        self.meter.total()
    }

    /// What the model can hold, as far as it is known by now.
    pub(crate) fn room(&self) -> &Room {
        &self.services().room
    }

    /// What the model can hold by its own account.
    pub(super) fn base_room(&self) -> Room {
        Room::of(self.services().model.info())
    }

    /// The marker of untrusted text.
    pub(crate) fn marker(&self) -> &Marker {
        &self.services().marker
    }

    /// Waits until fewer calls than allowed are in flight.
    pub(crate) async fn slot(&self) -> Option<tokio::sync::OwnedSemaphorePermit> {
        Arc::clone(&self.services().slots).acquire_owned().await.ok()
    }
}

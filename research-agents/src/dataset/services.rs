//! What the nodes and sub-agents of a run work with: model, tools, registry, settings, and the way to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use research_core::Cx;
use research_llm::price::Usd;
use research_llm::{ChatModel, ChatModelExt, ErrorKind as ModelErrorKind, ModelError, Request, Task};
use research_mcp::ToolSource;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::announced::Announced;
use super::clarify::Asking;
use super::config::DatasetConfig;
use super::effects::{Effects, Undone};
use super::event::{DatasetEventKind, Phase};
use super::fit::{self, Room, Shrink};
use super::prompts;
use super::reading::Reading;
use super::record::Finding;
use super::record::Object;
use super::recorded::RecordedTools;
use super::replay::Expected;
use super::retry::{self, Changed};
use super::state::{DatasetState, DatasetStateUpdate};
use super::stop::Stop;
use crate::kernel::tape::{Exchange, Tape, TaskTape, Track};
use crate::kernel::{Budget, Marker, Meter, Policy, Prompt, Source, Template, Usage};
use crate::subagent::Registry;
use crate::{Error, ErrorCategory};

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
    percent: Arc<AtomicU8>,
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
        let percent = self.services().percent.fetch_max(percent, Ordering::AcqRel).max(percent).min(100);
        self.emit(DatasetEventKind::Progress { percent, message: message.into() });
        percent
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

    /// Asks the model: the prompt for a language model, the task beside it for a program that computes the answer.
    ///
    /// A prompt of this library is made to fit the model's context before it is sent, and is asked again,
    /// shorter, when the model refuses it all the same. A call that failed for a passing reason is made again after a pause.
    /// Both happen as often as the [policy](super::RetryPolicy) says.
    ///
    /// # Errors
    ///
    /// The model's error; [`ModelError::Cancelled`] when the run was asked to end.
    pub async fn ask<T>(&self, ask: Ask<'_, impl Serialize>) -> Result<T, Error>
    where
        T: Serialize + DeserializeOwned + JsonSchema + Send,
    {
        match self.once(ask.task, ask.input, async |track: &Track| self.answer::<T>(&ask, track).await).await {
            Ok(Answer { value, used }) => {
                self.count(used);
                Ok(value)
            }
            Err(Undone::Failed(error)) => Err(error),
            Err(Undone::Unrecorded(error)) => Err(Error::other(error.to_string())),
        }
    }

    async fn answer<T>(&self, ask: &Ask<'_, impl Serialize>, track: &Track) -> Result<Answer<T>, Error>
    where
        T: DeserializeOwned + JsonSchema + Send,
    {
        let mut spent = Usage::default();
        let answer = self.tries::<T>(ask, track, &mut spent).await;
        match answer {
            // What failed tries took belongs to the answer, so that it is known even when the run goes on in another process.
            Ok(Answer { value, mut used }) => {
                used += spent;
                Ok(Answer { value, used })
            }
            Err(error) => {
                self.count(spent);
                Err(error)
            }
        }
    }

    async fn tries<T>(
        &self,
        ask: &Ask<'_, impl Serialize>,
        track: &Track,
        spent: &mut Usage,
    ) -> Result<Answer<T>, Error>
    where
        T: DeserializeOwned + JsonSchema + Send,
    {
        let task = Task::of(ask.task, ask.input)?;
        let mut shrink = Shrink::default();
        let (mut refusals, mut failures) = (0, 0);
        loop {
            let base = self.base_room();
            let room = base.holding(track.context(self.room().tokens(), base.tokens()));
            let (prompt, used) = self.fitting::<T>(ask, shrink, &room)?;
            let mut request = Request::new().user(prompt).task(task.clone());
            request.max_output_tokens = room.answer();
            let error = match self.put(request, ask.despite_cancel, track, spent).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            if let Error::Model(refusal) = &error
                && refusal.kind() == ModelErrorKind::TokenLimit
            {
                self.room().learn(refusal);
                refusals += 1;
                let most = self.config().retry.retries;
                match used.next().filter(|next| *next <= ask.most && refusals <= most) {
                    Some(next) => shrink = next,
                    None => return Err(error),
                }
                retry::tell(self, ask.task, refusals, &error, ask.shrunk(used, shrink), Duration::ZERO);
                continue;
            }
            failures += 1;
            // Who can ask for less does so rather than wait for the same answer again.
            let is_for_caller = ask.is_divided && error.category() == ErrorCategory::Timeout;
            if is_for_caller || !self.pause(ask, track, failures, &error).await {
                return Err(error);
            }
        }
    }

    /// Waits before a call of the model is made again. `false` when there is to be none.
    async fn pause(&self, ask: &Ask<'_, impl Serialize>, track: &Track, failures: u32, error: &Error) -> bool {
        let budget = self.budget();
        // The report is written in the time that is kept for it.
        let deadline = if ask.despite_cancel { budget.deadline() } else { budget.gathering_deadline() };
        let pause = retry::again(self, track, ask.task, failures, error, Changed::new(), deadline);
        if ask.despite_cancel || track.is_replaying() {
            return pause.await;
        }
        tokio::select! {
            biased;
            // First, so that a pause that is cut off was told of.
            again = pause => again,
            stop = self.stopped() => {
                track.push(stop.exchange(true));
                false
            }
        }
    }

    /// The longest form of the prompt that fits, from a given one on; the shortest when none does.
    fn fitting<T: JsonSchema>(
        &self,
        ask: &Ask<'_, impl Serialize>,
        from: Shrink,
        room: &Room,
    ) -> Result<(String, Shrink), Error> {
        let room = room.prompt::<T>();
        let mut shrink = from;
        loop {
            let prompt = (ask.fill)(Prompt::new(ask.template, self.marker()), shrink).finish()?;
            let prompt = prompts::in_language(prompt, ask.template, self.state());
            let fits = room.is_none_or(|room| fit::tokens(&prompt) <= room);
            match shrink.next().filter(|next| !fits && *next <= ask.most) {
                Some(next) => shrink = next,
                None => return Ok((prompt, shrink)),
            }
        }
    }

    async fn put<T>(
        &self,
        request: Request,
        despite_cancel: bool,
        track: &Track,
        spent: &mut Usage,
    ) -> Result<Answer<T>, Error>
    where
        T: DeserializeOwned + JsonSchema + Send,
    {
        let budget = self.budget();
        let model = track.around(&self.services().model);
        if let Some(stop) = self.stop_before(despite_cancel, track) {
            return Err(stop.into_model_error());
        }
        if !budget.charges(model.info()) {
            budget.take_report_call();
        }
        let answer = if track.is_replaying() {
            loop {
                let answer = model.structured::<T>(request.clone()).await;
                // What was cut off, or waited for what others had reserved and was made again.
                let cut =
                    track.take_if(|next| matches!(next, Exchange::Stopped { begun: true, .. }) && answer.is_err());
                if let Some(stop) = cut.as_ref().and_then(Stop::of) {
                    return Err(stop.into_model_error());
                }
                let is_refused = answer.as_ref().err().is_some_and(|error| budget.refused(error).is_some());
                if !(is_refused && track.has_answer()) {
                    break answer;
                }
            }
        } else {
            let stop = async {
                if !despite_cancel {
                    return self.stopped().await;
                }
                tokio::time::sleep_until(budget.deadline()).await;
                Stop::Budget(budget.time_is_up())
            };
            tokio::select! {
                biased;
                stop = stop => {
                    track.push(stop.exchange(true));
                    return Err(stop.into_model_error());
                }
                answer = budget.patiently(|| model.structured::<T>(request.clone())) => answer,
            }
        };
        match answer {
            Ok(answer) => Ok(Answer { value: answer.value, used: used(answer.usage, u64::from(answer.attempts)) }),
            Err(error) => {
                // Gathering ends with the first call that does not fit.
                budget.refused(&error);
                let attempts = match &error {
                    ModelError::InvalidOutput(output) => output.attempts,
                    ModelError::ReaskFailed { before, .. } => before.attempts + 1,
                    _ => 1,
                };
                *spent += used(error.usage(), u64::from(attempts));
                Err(error.into())
            }
        }
    }

    /// Why a call of the model does not take place. A run that is being ended still writes its report, in the time that is
    /// left.
    fn stop_before(&self, despite_cancel: bool, track: &Track) -> Option<Stop> {
        if track.is_replaying() {
            let kept = track.take_if(|next| matches!(next, Exchange::Stopped { begun: false, .. }));
            return kept.as_ref().and_then(Stop::of);
        }
        let stop = if despite_cancel { None } else { self.must_stop() };
        track.push_all(stop.iter().map(|stop| stop.exchange(false)));
        stop
    }
}

/// A value that the model answered, and what it took.
#[derive(Serialize, Deserialize)]
struct Answer<T> {
    value: T,
    used: Usage,
}

fn used(usage: research_llm::Usage, calls: u64) -> Usage {
    Usage { tokens_in: usage.input_tokens, tokens_out: usage.output_tokens, llm_calls: calls, ..Usage::default() }
}

type Fill<'a> = Box<dyn for<'p> Fn(Prompt<'p>, Shrink) -> Prompt<'p> + Send + Sync + 'a>;

/// A question to the model.
pub struct Ask<'a, I> {
    template: &'a Template,
    task: &'static str,
    input: &'a I,
    fill: Fill<'a>,
    /// How far the prompt can shrink.
    most: Shrink,
    despite_cancel: bool,
    /// Who asks can divide the question.
    is_divided: bool,
    /// What the prompt lists: the name, how many usually, and how many at least.
    lists: &'static [(&'static str, usize, usize)],
}

impl<'a, I: Serialize> Ask<'a, I> {
    /// A question: the template of its prompt and what fills it, and the name and input of the task beside it.
    pub fn new(
        template: &'a Template,
        task: &'static str,
        input: &'a I,
        fill: impl for<'p> Fn(Prompt<'p>) -> Prompt<'p> + Send + Sync + 'a,
    ) -> Self {
        let ask = Self::shrinking(template, task, input, move |prompt, _| fill(prompt));
        Self { most: Shrink::default(), ..ask }
    }

    /// A question whose prompt can list less where the model cannot hold all of it.
    pub(crate) fn shrinking(
        template: &'a Template,
        task: &'static str,
        input: &'a I,
        fill: impl for<'p> Fn(Prompt<'p>, Shrink) -> Prompt<'p> + Send + Sync + 'a,
    ) -> Self {
        Self {
            template,
            task,
            input,
            fill: Box::new(fill),
            most: Shrink::MOST,
            despite_cancel: false,
            is_divided: false,
            lists: &[],
        }
    }

    /// Says that who asks divides the question when no answer comes in time.
    #[must_use]
    pub(crate) fn divided(mut self) -> Self {
        self.is_divided = true;
        self
    }

    /// Names what the prompt lists, with how many usually and how many at least, for the events of a retry.
    #[must_use]
    pub(crate) fn listing(mut self, lists: &'static [(&'static str, usize, usize)]) -> Self {
        self.lists = lists;
        self
    }

    /// What a shorter prompt lists less of.
    fn shrunk(&self, from: Shrink, to: Shrink) -> Changed {
        let values = |usual, least| [from.of(usual, least) as u64, to.of(usual, least) as u64];
        let lists = self.lists.iter().map(|(name, usual, least)| ((*name).to_owned(), values(*usual, *least)));
        lists.filter(|(_, [old, new])| new < old).collect()
    }

    /// Asks also when the run was asked to end.
    #[must_use]
    pub(crate) fn despite_cancel(mut self) -> Self {
        self.despite_cancel = true;
        self
    }
}

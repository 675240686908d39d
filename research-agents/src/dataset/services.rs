//! What the nodes and sub-agents of a run work with: model, tools, registry, settings, and the way to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use research_core::Cx;
use research_llm::{ChatModel, ChatModelExt, ErrorKind as ModelErrorKind, ModelError, Request, Task};
use research_mcp::ToolSource;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::announced::Announced;
use super::config::DatasetConfig;
use super::event::{DatasetEventKind, Phase};
use super::fit::{self, Room, Shrink};
use super::reading::Reading;
use super::record::Finding;
use super::record::Object;
use super::recorded::RecordedTools;
use super::state::DatasetState;
use crate::Error;
use crate::kernel::{Marker, Meter, Prompt, Source, Template, Usage};
use crate::subagent::Registry;

/// Resources of the dataset graph, made anew for each run.
#[derive(Clone)]
pub struct Services {
    pub(super) model: Arc<dyn ChatModel>,
    pub(super) tools: Arc<dyn ToolSource>,
    pub(super) agents: Registry<DatasetCx>,
    pub(super) config: Arc<DatasetConfig>,
    pub(super) cancel: CancellationToken,
    marker: Marker,
    slots: Arc<Semaphore>,
    percent: Arc<AtomicU8>,
    announced: Announced,
    room: Room,
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
        Self {
            slots: Arc::new(Semaphore::new(config.parallel_calls)),
            room: Room::of(model.info()),
            model,
            tools,
            agents,
            config,
            cancel,
            marker: Marker::random(),
            percent: Arc::default(),
            announced: Announced::default(),
        }
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
    may_fetch: bool,
}

impl DatasetCx {
    /// The context of one task.
    pub(crate) fn new(cx: Cx<DatasetState, Services>) -> Self {
        Self { cx, meter: Meter::default(), may_fetch: true }
    }

    /// The same context without tools, for agents that fetch no data by their card.
    pub(crate) fn without_tools(&self) -> Self {
        Self { may_fetch: false, ..self.clone() }
    }

    /// Whether tools may be called.
    pub(super) fn may_fetch(&self) -> bool {
        self.may_fetch
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

    /// Calls a tool and gives the JSON of its result.
    ///
    /// # Errors
    ///
    /// When there is no result, when the tool reports an error, when the result is no JSON, or when the run was asked to end.
    pub async fn call_tool(&self, name: &str, arguments: Object) -> Result<Value, Error> {
        let tools = self.tools();
        tokio::select! {
            biased;
            () = self.services().cancel.cancelled() => Err(Error::other("the run was stopped")),
            answer = tools.call_tool(name, arguments) => Ok(answer?.into_json()?),
        }
    }

    /// Whether the run was asked to end.
    pub fn is_cancelled(&self) -> bool {
        self.services().cancel.is_cancelled()
    }

    /// Writes an event.
    pub fn emit(&self, event: DatasetEventKind) {
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
    /// shorter, when the model refuses it all the same: at most twice, as X-03 of the requirements has it.
    ///
    /// # Errors
    ///
    /// The model's error; [`ModelError::Cancelled`] when the run was asked to end.
    pub async fn ask<T>(&self, ask: Ask<'_, impl Serialize>) -> Result<T, Error>
    where
        T: DeserializeOwned + JsonSchema + Send,
    {
        let task = Task::of(ask.task, ask.input)?;
        let mut shrink = Shrink::default();
        let mut refusals = 0;
        loop {
            let (prompt, used) = self.fitting::<T>(&ask, shrink)?;
            let mut request = Request::new().user(prompt).task(task.clone());
            request.max_output_tokens = self.room().answer();
            match self.put(request, ask.despite_cancel).await {
                Err(error) if error.kind() == ModelErrorKind::TokenLimit => {
                    self.room().learn(&error);
                    refusals += 1;
                    match used.next().filter(|next| *next <= ask.most && refusals <= REFUSALS) {
                        Some(next) => shrink = next,
                        None => return Err(error.into()),
                    }
                }
                answer => return Ok(answer?),
            }
        }
    }

    /// The longest form of the prompt that fits, from a given one on; the shortest when none does.
    fn fitting<T: JsonSchema>(&self, ask: &Ask<'_, impl Serialize>, from: Shrink) -> Result<(String, Shrink), Error> {
        let room = self.room().prompt::<T>();
        let mut shrink = from;
        loop {
            let prompt = (ask.fill)(Prompt::new(ask.template, self.marker()), shrink).finish()?;
            let fits = room.is_none_or(|room| fit::tokens(&prompt) <= room);
            match shrink.next().filter(|next| !fits && *next <= ask.most) {
                Some(next) => shrink = next,
                None => return Ok((prompt, shrink)),
            }
        }
    }

    async fn put<T>(&self, request: Request, despite_cancel: bool) -> Result<T, ModelError>
    where
        T: DeserializeOwned + JsonSchema + Send,
    {
        // A run that is being ended still writes its report.
        let stop = async {
            if despite_cancel { std::future::pending().await } else { self.services().cancel.cancelled().await }
        };
        let answer = tokio::select! {
            biased;
            () = stop => Err(ModelError::Cancelled),
            answer = self.services().model.structured::<T>(request) => answer,
        };
        match answer {
            Ok(answer) => {
                self.count_model(answer.usage, u64::from(answer.attempts));
                Ok(answer.value)
            }
            Err(error) => {
                let attempts = match &error {
                    ModelError::InvalidOutput(output) => output.attempts,
                    ModelError::ReaskFailed { before, .. } => before.attempts + 1,
                    _ => 1,
                };
                self.count_model(error.usage(), u64::from(attempts));
                Err(error)
            }
        }
    }

    fn count_model(&self, usage: research_llm::Usage, calls: u64) {
        self.count(Usage {
            tokens_in: usage.input_tokens,
            tokens_out: usage.output_tokens,
            llm_calls: calls,
            ..Usage::default()
        });
    }
}

/// Times that a prompt is made shorter because the model refused it.
const REFUSALS: u32 = 2;

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
        Self { template, task, input, fill: Box::new(fill), most: Shrink::MOST, despite_cancel: false }
    }

    /// Asks also when the run was asked to end.
    #[must_use]
    pub(crate) fn despite_cancel(mut self) -> Self {
        self.despite_cancel = true;
        self
    }
}

//! A run again from its bundle: without a model, without a tool, and to the same bytes.

use std::fmt;
use std::future::IntoFuture;
use std::pin::Pin;
use std::sync::Arc;

use async_trait::async_trait;
use research_llm::{ChatModel, EventStream, ModelError, ModelInfo, Request, Response, replay_lazily};
use research_mcp::{BoxFuture, CallOutput, McpError, Object, ToolListing, ToolSource};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::agent::DatasetAgent;
use super::agents::standard_agents;
use super::bundle::SYSTEM;
use super::config::DatasetConfig;
use super::run::{DatasetReport, DatasetRun, DatasetStream};
use super::services::DatasetCx;
use super::state::{DatasetState, RunInput};
use crate::Error;
use crate::kernel::tape::Recording;
use crate::kernel::{Bundle, Marker};
use crate::subagent::{Registry, SubAgent};

/// Goes through a recorded run again: the same graph with the same settings, where every answer of a model and every result of
/// a tool comes from the recording. No model is asked and no tool is called. Pauses take no time, and the limit on time does
/// not count; where the recorded run was stopped, so is this one.
///
/// # Errors
///
/// [`Error::NotReplayable`] when the bundle is of another system, or its settings cannot be read. The run itself ends with
/// [`Error::Diverged`] when it takes another way than the recording, or its Markdown differs in a byte.
///
/// ```no_run
/// use research_agents::dataset::replay;
/// use research_agents::kernel::Bundle;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let bundle = Bundle::from_json(&std::fs::read_to_string("events.bundle.json")?)?;
/// let report = replay(&bundle)?.await?;
/// assert_eq!(report.markdown, bundle.markdown);
/// # Ok(())
/// # }
/// ```
pub fn replay(bundle: &Bundle) -> Result<DatasetReplay, Error> {
    if bundle.system != SYSTEM {
        let problem = format!("it holds a run of the system `{}`; use the program of that system", bundle.system);
        return Err(Error::NotReplayable { problem });
    }
    let Settings { config, marker } = read("settings", &bundle.settings)?;
    let input: RunInput = read("input", &bundle.input)?;
    Ok(DatasetReplay {
        config,
        model: read("model", &bundle.model)?,
        agents: standard_agents(),
        expected: Expected {
            recording: Arc::new(Recording::of(&bundle.effects)),
            markdown: bundle.markdown.clone(),
            marker,
            could_ask: input.can_ask,
            answers: input.answers.clone(),
        },
        input,
    })
}

#[derive(Deserialize)]
struct Settings {
    config: DatasetConfig,
    marker: String,
}

fn read<T: DeserializeOwned>(part: &str, value: &Value) -> Result<T, Error> {
    serde_path_to_error::deserialize(value).map_err(|error| Error::NotReplayable {
        problem: format!("its {part} cannot be read: {error}; use the program that wrote it"),
    })
}

/// A recorded run that is about to be gone through again: await it, or read its [stream](Self::stream).
#[must_use = "a replay does nothing until it is awaited or its stream is read"]
pub struct DatasetReplay {
    config: DatasetConfig,
    input: RunInput,
    model: ModelInfo,
    agents: Registry<DatasetCx>,
    expected: Expected,
}

impl DatasetReplay {
    /// Adds a sub-agent of the host, which the recorded run had too.
    pub fn agent(mut self, agent: impl SubAgent<DatasetCx>) -> Self {
        self.agents.register(agent);
        self
    }

    /// The events of the run, in order.
    ///
    /// # Errors
    ///
    /// When the settings are out of their range.
    pub fn stream(self) -> Result<DatasetStream, Error> {
        Ok(self.into_run()?.stream())
    }

    fn into_run(self) -> Result<DatasetRun, Error> {
        let builder = DatasetAgent::builder(Nobody(self.model), Nothing).config(self.config);
        let mut agent = builder.agents(self.agents).build()?;
        agent.replays = Some(Arc::new(self.expected));
        Ok(DatasetRun::with_input(agent, DatasetState::from(self.input)))
    }
}

impl IntoFuture for DatasetReplay {
    type Output = Result<DatasetReport, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { self.into_run()?.await })
    }
}

impl fmt::Debug for DatasetReplay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DatasetReplay").field("question", &self.input.question).finish_non_exhaustive()
    }
}

/// What a replay comes from, and what it must come to.
#[derive(Debug)]
pub(super) struct Expected {
    recording: Arc<Recording>,
    markdown: String,
    marker: String,
    could_ask: bool,
    /// What the user answered.
    answers: Vec<String>,
}

impl Expected {
    /// Whether the user could be asked what is meant.
    pub(super) fn could_ask(&self) -> bool {
        self.could_ask
    }

    /// What the user answered to a question of this number, from 0.
    pub(super) fn answer(&self, round: u32) -> Option<String> {
        self.answers.get(round as usize).cloned()
    }

    pub(super) fn recording(&self) -> Arc<Recording> {
        Arc::clone(&self.recording)
    }

    pub(super) fn marker(&self) -> Marker {
        Marker::fixed(&self.marker)
    }

    /// Whether the run took the recorded way to the recorded report.
    pub(super) fn meets(&self, outcome: &Result<DatasetReport, Error>) -> Result<(), Error> {
        match outcome {
            Ok(report) => self.gives(&report.markdown),
            Err(error) => {
                self.has_diverged()?;
                match error.root() {
                    Error::Diverged { what } => Err(Error::Diverged { what: what.clone() }),
                    _ => Ok(()),
                }
            }
        }
    }

    fn has_diverged(&self) -> Result<(), Error> {
        let what = self.recording.diverged().map(|place| format!("it has nothing for {place}"));
        what.map_or(Ok(()), |what| Err(Error::Diverged { what }))
    }

    /// Whether this is the report that the recorded run came to, on the recorded way.
    pub(super) fn gives(&self, markdown: &str) -> Result<(), Error> {
        self.has_diverged()?;
        if markdown == self.markdown {
            return Ok(());
        }
        let lines = self.markdown.lines().zip(markdown.lines());
        let same = lines.take_while(|(recorded, now)| recorded == now).count();
        Err(Error::Diverged { what: format!("its report differs in line {}", same + 1) })
    }
}

/// Stands for the model of a replay, which nobody asks.
struct Nobody(ModelInfo);

#[async_trait]
impl ChatModel for Nobody {
    fn info(&self) -> &ModelInfo {
        &self.0
    }

    async fn complete(&self, _: &Request) -> Result<Response, ModelError> {
        Err(ModelError::other("a replay asks no model", None))
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        replay_lazily(async move { self.complete(&request).await })
    }
}

/// Stands for the tools of a replay, which nobody calls.
struct Nothing;

impl Nothing {
    fn refusal() -> McpError {
        McpError::NoServer { reasons: vec!["a replay calls no tool".to_owned()] }
    }
}

impl ToolSource for Nothing {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        Box::pin(async { Err(Self::refusal()) })
    }

    fn call_tool<'a>(&'a self, _: &'a str, _: Object) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        Box::pin(async { Err(Self::refusal()) })
    }
}

//! Replays a recorded run: without a model, without tools, and to the same bytes.

use std::fmt;
use std::future::IntoFuture;
use std::pin::Pin;
use std::sync::Arc;

use research_mcp::{BoxFuture, CallOutput, McpError, Object, ToolListing, ToolSource};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::bundle::expected::Expected;
use crate::bundle::model::Bundle;
use crate::error::model::Error;
use crate::job::kit::absent::NoModel;
use crate::run::export::check_system;
use crate::run::options::Run;
use crate::run::state::{RunInput, RunState};
use crate::run::stream::RunStream;
use crate::run::system::System;
use crate::tape::task::Recording;

/// Replays a recorded run: the same graph with the same settings, where every answer of a model and
/// every result of a tool comes from the recording. No model and no tool is called. Delays take no
/// time, and the time limit does not apply; where the recorded run was stopped, so is this one.
///
/// # Errors
///
/// [`Error::NotReplayable`] when the bundle is of another system, or its settings cannot be read.
/// The run itself fails with [`Error::Diverged`] when it takes another path than the recording, or
/// its Markdown differs in a byte.
pub fn replay<S: System>(bundle: &Bundle) -> Result<Replay<S>, Error> {
    check_system::<S>(bundle)?;
    let Recorded { config, marker } = read("settings", &bundle.settings)?;
    let input: <S::State as RunState>::Input = read("input", &bundle.input)?;
    let model = Arc::new(NoModel::new(
        read("model", &bundle.model)?,
        "a replay asks no model",
    ));

    let recording = Recording::from_effects(&bundle.effects);
    let expected = Expected::new(recording, &bundle.markdown, marker)
        .with_replies(input.can_ask(), input.replies().to_vec());
    let system = S::for_replay(config, model, Arc::new(NoTools))?;
    Ok(Replay {
        system,
        input,
        expected,
    })
}

#[derive(Deserialize)]
struct Recorded<C> {
    config: C,
    marker: String,
}

fn read<T: DeserializeOwned>(part: &str, value: &Value) -> Result<T, Error> {
    serde_path_to_error::deserialize(value).map_err(|error| Error::NotReplayable {
        problem: format!("its {part} cannot be read: {error}; use the program that wrote it"),
    })
}

/// A recorded run that is about to be replayed: await it, or read its [stream](Self::stream).
#[must_use = "a replay does nothing until it is awaited or its stream is read"]
pub struct Replay<S: System> {
    system: S,
    input: <S::State as RunState>::Input,
    expected: Expected,
}

impl<S: System> Replay<S> {
    /// Changes the system before the replay, such as by adding a sub-agent that the recorded run
    /// had.
    pub fn with_system(mut self, change: impl FnOnce(S) -> S) -> Self {
        self.system = change(self.system);
        self
    }

    /// Returns the events of the run, in order.
    pub fn stream(self) -> RunStream<S> {
        self.into_run().stream()
    }

    /// Returns the run that follows the recording.
    pub fn into_run(self) -> Run<S> {
        Run::new(self.system, S::State::from_input(self.input)).replaying(Arc::new(self.expected))
    }
}

impl<S: System> IntoFuture for Replay<S> {
    type Output = Result<S::Outcome, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        self.into_run().into_future()
    }
}

impl<S: System> fmt::Debug for Replay<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replay")
            .field("system", &S::NAME)
            .finish_non_exhaustive()
    }
}

/// The tools of a replay. Every call fails.
struct NoTools;

impl NoTools {
    fn refusal() -> McpError {
        McpError::NoServer {
            reasons: vec!["a replay calls no tool".to_owned()],
        }
    }
}

impl ToolSource for NoTools {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        Box::pin(async { Err(Self::refusal()) })
    }

    fn call_tool<'a>(
        &'a self,
        _: &'a str,
        _: Object,
    ) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        Box::pin(async { Err(Self::refusal()) })
    }
}

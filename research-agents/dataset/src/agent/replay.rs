//! Replays of recorded runs of the dataset agent, without a model and without tools.

use std::fmt;
use std::future::IntoFuture;
use std::pin::Pin;

use research_agents_runtime::bundle::Bundle;
use research_agents_runtime::error::Error;
use research_agents_runtime::run::{Replay, replay as replay_run};
use research_agents_runtime::tools::registry::SubAgent;

use crate::agent::builder::DatasetAgent;
use crate::agent::outcome::DatasetReport;
use crate::agent::run::DatasetStream;
use crate::cx::DatasetCx;

/// Replays a recorded run: the same graph with the same settings, where every answer of a model and
/// every result of a tool comes from the recording. No model and no tool is called. Delays take no
/// time, and the time limit does not apply. A run that was stopped is stopped at the same place.
///
/// # Errors
///
/// Returns [`Error::NotReplayable`] if the bundle belongs to another system, or if its settings
/// cannot be read. The replay itself fails with [`Error::Diverged`] if it takes another path than
/// the recording, or if its Markdown differs in a byte.
///
/// ```no_run
/// use research_agents_dataset::replay;
/// use research_agents_runtime::bundle::Bundle;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let bundle = Bundle::from_json(&std::fs::read_to_string("events.bundle.json")?)?;
/// let report = replay(&bundle)?.await?;
/// assert_eq!(report.markdown, bundle.markdown);
/// # Ok(())
/// # }
/// ```
pub fn replay(bundle: &Bundle) -> Result<DatasetReplay, Error> {
    Ok(DatasetReplay(replay_run(bundle)?))
}

/// A replay that has not started: await it, or read its [stream](Self::stream).
#[must_use = "a replay does nothing until it is awaited or its stream is read"]
pub struct DatasetReplay(Replay<DatasetAgent>);

impl DatasetReplay {
    /// Adds a sub-agent of the host, if the recorded run had it.
    pub fn agent(self, agent: impl SubAgent<DatasetCx>) -> Self {
        Self(self.0.with_system(|mut system| {
            system.agents.register(agent);
            system
        }))
    }

    /// Returns the events of the run, in order.
    pub fn stream(self) -> DatasetStream {
        self.0.stream()
    }
}

impl IntoFuture for DatasetReplay {
    type Output = Result<DatasetReport, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        self.0.into_future()
    }
}

impl fmt::Debug for DatasetReplay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DatasetReplay").field(&self.0).finish()
    }
}

//! Effects that are performed once: results are recorded as they arrive, so that a run that was
//! killed resumes without paying for them again.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use research_core::NodeError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::job::context::TaskContext;
use crate::tape::digest::digest_of;
use crate::tape::exchange::Exchange;
use crate::tape::task::TaskTape;
use crate::tape::track::Track;

/// Counts the effects of one task that succeeded. Clones belong to the same task.
#[derive(Clone, Debug, Default)]
pub(crate) struct Performed(Arc<Mutex<HashMap<String, u32>>>);

/// Why an effect gave no value.
#[derive(Debug)]
pub enum OnceError<E> {
    /// The effect failed.
    Failed(E),
    /// The recorded value cannot be read, or the effect may no longer take place.
    Unrecorded(NodeError),
}

impl Performed {
    /// Performs an effect, or returns the value that it gave before the run was interrupted. `what`
    /// and `with` distinguish it from the other effects of the task; the same pair again is another
    /// effect. Failures are not recorded, nor is anything in a run without a thread.
    ///
    /// The effect exchanges messages with the outside world over the track that it gets: the tape
    /// keeps them in a recorded run, failures included, and provides them in a replay.
    pub(crate) async fn once<T, E, F>(
        &self,
        context: &dyn TaskContext,
        tape: &TaskTape,
        what: &str,
        with: &(impl Serialize + Sync),
        effect: impl FnOnce(Track) -> F + Send,
    ) -> Result<T, OnceError<E>>
    where
        T: Serialize + DeserializeOwned + Send,
        E: Send,
        F: Future<Output = Result<T, E>> + Send,
    {
        let Some(track) = tape.begin(what, with) else {
            tape.cut(what).await;
            return Err(OnceError::Unrecorded(NodeError::from(
                "the recording has nothing of the kind",
            )));
        };
        if !context.is_durable() {
            return effect(track).await.map_err(OnceError::Failed);
        }

        // The engine records a plain value; the typed result leaves the future next to it.
        let digest = digest_of(with).map_err(|error| OnceError::Unrecorded(error.into()))?;
        let name = format!("{what} {digest}");
        let mut fresh = None;
        let recorded = {
            let (fresh, track) = (&mut fresh, track.clone());
            async move {
                let result = effect(track.clone()).await;
                let written = match &result {
                    Ok(value) => serde_json::to_value(value)
                        .and_then(|value| Recorded::wrap(value, &track))
                        .map_err(NodeError::from),
                    Err(_) => Err(NodeError::from("the effect failed")),
                };
                *fresh = Some(result);
                written
            }
        };
        let recorded = context.once(self.numbered(&name), Box::pin(recorded)).await;

        let result = match (fresh, recorded) {
            // A fresh result counts even if it could not be recorded: the store reports that
            // itself.
            (Some(result), _) => result.map_err(OnceError::Failed),
            (None, Ok(known)) => Recorded::unwrap(known, &track)
                .and_then(serde_json::from_value::<T>)
                .map_err(|error| OnceError::Unrecorded(error.into())),
            (None, Err(error)) => Err(OnceError::Unrecorded(error)),
        };
        if result.is_ok() {
            *self.counts().entry(name).or_default() += 1;
        }
        result
    }

    fn numbered(&self, name: &str) -> String {
        format!(
            "{name} {}",
            self.counts().get(name).copied().unwrap_or_default()
        )
    }

    fn counts(&self) -> MutexGuard<'_, HashMap<String, u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A value with the exchanges that led to it, as the thread of a recorded run keeps it.
#[derive(Serialize, Deserialize)]
struct Recorded {
    value: Value,
    exchanges: Vec<Exchange>,
}

impl Recorded {
    /// Adds the exchanges to a value if the run is recorded.
    fn wrap(value: Value, track: &Track) -> Result<Value, serde_json::Error> {
        if !track.is_recording() {
            return Ok(value);
        }
        serde_json::to_value(Self {
            value,
            exchanges: track.exchanges(),
        })
    }

    /// Returns the value; its exchanges go back to the track.
    fn unwrap(known: Value, track: &Track) -> Result<Value, serde_json::Error> {
        if !track.is_recording() {
            return Ok(known);
        }
        let Self { value, exchanges } = serde_json::from_value(known)?;
        track.fill(exchanges);
        Ok(value)
    }
}

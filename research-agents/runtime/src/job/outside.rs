//! Effects that are neither models nor tools: file reads, searches, fetches, and the user's
//! steering.

use std::future::Future;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::model::Error;
use crate::job::once::OnceError;
use crate::job::task::Job;
use crate::tape::exchange::Exchange;

impl Job {
    /// Performs an effect outside of the process that is neither a model nor a tool call, such as a
    /// file read, a search or a fetch. It is performed once for the whole run, recorded on the
    /// tape, and provided from there in a replay.
    ///
    /// `what` names the kind of effect, `with` its arguments; together they identify it.
    ///
    /// # Errors
    ///
    /// The effect's own error, which is not recorded: a replay of a run in which it failed
    /// diverges. Return what a replay must see again, failures included, as a value.
    pub async fn outside<T, F>(
        &self,
        what: &str,
        with: &(impl Serialize + Sync),
        effect: impl FnOnce() -> F + Send,
    ) -> Result<T, Error>
    where
        T: Serialize + DeserializeOwned + Send,
        F: Future<Output = Result<T, Error>> + Send,
    {
        let performed = self.once(what, with, |track| async move {
            if track.is_replaying() {
                return match track.take() {
                    Some(Exchange::Local { value }) => Ok(serde_json::from_value(value)?),
                    _ => Err(Error::other("the recording has no value of this effect")),
                };
            }
            let value = effect().await?;
            if track.is_recording() {
                track.push(Exchange::Local {
                    value: serde_json::to_value(&value)?,
                });
            }
            Ok(value)
        });

        match performed.await {
            Ok(value) => Ok(value),
            Err(OnceError::Failed(error)) => Err(error),
            Err(OnceError::Unrecorded(error)) => Err(Error::other(error.to_string())),
        }
    }

    /// Returns the messages that the user sent to the run since the last look, oldest first.
    /// `point` names the place in the workflow. What a recorded run read here, its replay reads
    /// again.
    ///
    /// # Errors
    ///
    /// When the messages cannot be recorded.
    pub async fn steering(&self, point: &str) -> Result<Vec<String>, Error> {
        let steering = self.kit.steering.clone();
        self.outside("steering", &point, || async move { Ok(steering.take()) })
            .await
    }
}

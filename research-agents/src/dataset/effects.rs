//! What a task does outside, done once: answers of the model and results of tools are recorded as they come, so that a run
//! that was killed goes on without paying for them again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use research_core::{Cx, NodeError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::services::Services;
use super::state::DatasetState;
use crate::kernel::tape::{Exchange, TaskTape, Track};

/// The effects of one task. Clones belong to the same task.
#[derive(Clone, Debug, Default)]
pub(super) struct Effects(Arc<Mutex<HashMap<String, u32>>>);

/// Why an effect gave nothing.
pub(super) enum Undone<E> {
    /// It failed.
    Failed(E),
    /// It could not be taken from the record, or may no longer take place.
    Unrecorded(NodeError),
}

impl Effects {
    /// Does something outside, or gives what it gave before the run was interrupted. `what` and `with` tell it from the other
    /// effects of the task; the same one again is another one. A failure is not recorded, nor is anything in a run without
    /// a thread.
    ///
    /// What goes on outside goes over the track that the effect gets: it is kept where the run is recorded, failures too, and
    /// comes from the recording where the run is gone through again.
    pub(super) async fn once<T, E>(
        &self,
        cx: &Cx<DatasetState, Services>,
        tape: &TaskTape,
        what: &str,
        with: &impl Serialize,
        effect: impl AsyncFnOnce(&Track) -> Result<T, E>,
    ) -> Result<T, Undone<E>>
    where
        T: Serialize + DeserializeOwned,
    {
        let Some(track) = tape.begin(what, with) else {
            tape.cut(what).await;
            return Err(Undone::Unrecorded(NodeError::from("the recording has nothing of the kind")));
        };
        if cx.thread().is_none() {
            return effect(&track).await.map_err(Undone::Failed);
        }
        let name = name(what, with).map_err(|error| Undone::Unrecorded(error.into()))?;
        let mut fresh = None;
        let recorded = async {
            let result = effect(&track).await;
            let written = match &result {
                Ok(value) => {
                    serde_json::to_value(value).and_then(|value| Kept::of(value, &track)).map_err(NodeError::from)
                }
                Err(_) => Err(NodeError::from("the effect failed")),
            };
            fresh = Some(result);
            written
        };
        let recorded = cx.once(self.numbered(&name), recorded).await;
        let result = match (fresh, recorded) {
            // What there is counts, even when it could not be recorded: the store tells of that by itself.
            (Some(result), _) => result.map_err(Undone::Failed),
            (None, Ok(known)) => Kept::into_value(known, &track)
                .and_then(serde_json::from_value::<T>)
                .map_err(|error| Undone::Unrecorded(error.into())),
            (None, Err(error)) => Err(Undone::Unrecorded(error)),
        };
        if result.is_ok() {
            *self.counts().entry(name).or_default() += 1;
        }
        result
    }

    fn numbered(&self, name: &str) -> String {
        format!("{name} {}", self.counts().get(name).copied().unwrap_or_default())
    }

    fn counts(&self) -> std::sync::MutexGuard<'_, HashMap<String, u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A value with the exchanges that brought it, as the thread of a recorded run keeps it.
#[derive(Serialize, Deserialize)]
struct Kept {
    value: Value,
    exchanges: Vec<Exchange>,
}

impl Kept {
    /// What is kept: with the exchanges where the run is recorded.
    fn of(value: Value, track: &Track) -> Result<Value, serde_json::Error> {
        if !track.is_recording() {
            return Ok(value);
        }
        serde_json::to_value(Self { value, exchanges: track.exchanges() })
    }

    /// The value again; its exchanges go back to the track.
    fn into_value(kept: Value, track: &Track) -> Result<Value, serde_json::Error> {
        if !track.is_recording() {
            return Ok(kept);
        }
        let Self { value, exchanges } = serde_json::from_value(kept)?;
        track.fill(exchanges);
        Ok(value)
    }
}

/// A name of bounded length: the words, and a hash of the rest whatever the order of its fields.
fn name(what: &str, with: &impl Serialize) -> Result<String, serde_json::Error> {
    let mut with = serde_json::to_value(with)?;
    sort(&mut with);
    let hash = Sha256::digest(serde_json::to_vec(&with)?);
    let hex: String = hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("{what} {hex}"))
}

fn sort(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.sort_keys();
            fields.values_mut().for_each(sort);
        }
        Value::Array(items) => items.iter_mut().for_each(sort),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::name;

    #[test]
    fn the_order_of_fields_makes_no_other_effect_and_a_value_does() {
        let of = |with| name("tool t", &with).unwrap();
        assert_eq!(of(json!({"a": 1, "b": {"c": 2, "d": 3}})), of(json!({"b": {"d": 3, "c": 2}, "a": 1})));
        assert_ne!(of(json!({"a": 1})), of(json!({"a": 2})));
        assert!(of(json!({})).starts_with("tool t "));
    }
}

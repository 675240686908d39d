//! Events as JSON, for logs and for readers in other processes.

use std::time::SystemTime;

use serde::ser::{Error, Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::entry::Event;
use super::kind::{EventKind, TaskSource};
use crate::checkpoint::chunks;
use crate::end::End;
use crate::persist::{CodecError, CodecErrorKind, Persist, from_bytes};
use crate::state::Update;

/// An event is a map: `seq`, `at` in milliseconds since 1970, `step`, `namespace`, `node` and `task` where it has them, `kind`, and what the
/// kind tells. Updates and values of the graph are maps by field without those that are `untracked`; an update also lists the fields
/// whose value it replaces. Those of a subgraph with another state are left out, and `type` names their type.
impl<S: Persist> Serialize for Event<S> {
    fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
        self.to_map().map_err(Z::Error::custom)?.serialize(serializer)
    }
}

impl<S: Persist> Event<S> {
    fn to_map(&self) -> Result<Map<String, Value>, CodecError> {
        let mut map = Map::new();
        map.insert("seq".to_string(), self.seq.into());
        map.insert("at".to_string(), milliseconds(self.at).into());
        map.insert("step".to_string(), self.step.into());
        map.insert("namespace".to_string(), (*self.namespace).into());
        if let Some(task) = &self.task {
            map.insert("node".to_string(), (*task.node).into());
            map.insert("task".to_string(), task.index.into());
        }

        let (kind, told) = self.kind.to_json()?;
        map.insert("kind".to_string(), kind.into());
        if let Value::Object(told) = told {
            map.extend(told);
        }
        Ok(map)
    }
}

impl<S: Persist> EventKind<S> {
    /// The name of the kind, and what it tells.
    fn to_json(&self) -> Result<(&'static str, Value), CodecError> {
        Ok(match self {
            Self::RunStarted { run_id } => ("run_started", json!({ "run_id": **run_id })),
            Self::Abandoned { questions } => ("abandoned", json!({ "questions": questions })),
            Self::StepStarted { tasks } => ("step_started", json!({ "tasks": tasks })),
            Self::TaskStarted => ("task_started", Value::Null),
            Self::Custom(custom) => ("custom", json!({ "value": custom.to_json().map_err(unwritable)? })),
            Self::Message { id, text } => ("message", json!({ "message": **id, "text": text })),
            Self::Updated(update) => ("updated", update_json::<S>(update)?),
            Self::ChildUpdated(update) => ("child_updated", json!({ "type": format!("{update:?}") })),
            Self::TaskFinished { error, source } => {
                ("task_finished", json!({ "error": error, "source": source_json(*source) }))
            }
            Self::Asked { questions } => ("asked", json!({ "questions": questions })),
            Self::Values(state) => ("values", json!({ "values": state_json(&**state)? })),
            Self::ChildValues(state) => ("child_values", json!({ "type": format!("{state:?}") })),
            Self::StepFinished => ("step_finished", Value::Null),
            Self::Checkpoint { id, parent } => {
                ("checkpoint", json!({ "checkpoint": id.0, "parent": parent.map(|parent| parent.0) }))
            }
            Self::Interrupted { questions } => ("interrupted", json!({ "questions": questions })),
            Self::BudgetSpent { counter } => ("budget_spent", json!({ "counter": counter })),
            Self::Gap { from, to } => ("gap", json!({ "from": from, "to": to })),
            Self::RunFinished { end } => ("run_finished", json!({ "end": end_json(end) })),
            Self::RunFailed { error } => ("run_failed", json!({ "error": error })),
        })
    }
}

fn update_json<S: Persist>(update: &S::Update) -> Result<Value, CodecError> {
    let mut bytes = Vec::new();
    S::write_update(update, &mut bytes)?;
    let mut written = Map::new();
    for chunk in chunks(&bytes) {
        let chunk = chunk.map_err(unwritable)?;
        written.insert(chunk.field.to_string(), from_bytes::<Value>(chunk.data)?);
    }
    let fields = update.overwritten();
    let replaced: Vec<&str> = fields.iter().filter_map(|field| Some(S::FIELDS.get(field)?.name)).collect();
    Ok(json!({ "update": written, "replaced": replaced }))
}

fn state_json<S: Persist>(state: &S) -> Result<Value, CodecError> {
    let mut values = Map::new();
    let stored = S::FIELDS.iter().enumerate().filter(|(_, field)| !field.untracked);
    for (position, field) in stored {
        let mut bytes = Vec::new();
        state.write(position, None, &mut bytes)?;
        values.insert(field.name.to_string(), from_bytes::<Value>(&bytes)?);
    }
    Ok(values.into())
}

fn source_json(source: TaskSource) -> &'static str {
    match source {
        TaskSource::Ran => "ran",
        TaskSource::Cached => "cached",
        TaskSource::Restored => "restored",
        TaskSource::Handled => "handled",
    }
}

fn end_json(end: &End) -> Value {
    match end {
        End::Complete => json!("complete"),
        End::Interrupted(questions) => json!({ "interrupted": questions }),
        End::Paused { before, after } => json!({ "paused": { "before": before, "after": after } }),
        End::Drained => json!("drained"),
        End::Spent { counter } => json!({ "spent": counter }),
    }
}

fn milliseconds(at: SystemTime) -> i64 {
    match at.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_millis()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_millis()).map_or(i64::MIN, |before| -before),
    }
}

fn unwritable(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> CodecError {
    CodecError::new(CodecErrorKind::Encode).with_source(error)
}

//! Threads that another version of the graph wrote.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::due::Due;
use crate::checkpoint::{BodyWriter, Loaded, Op, StoreError, fields};
use crate::error::NodeError;
use crate::handle::Fingerprint;
use crate::persist::from_bytes;

/// What happens when a thread was written by another version of the graph, as its [`Fingerprint`] tells.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum OnChange {
    /// The run is refused.
    Refuse,
    /// The run goes on when all that is stored still has its place: every due node and task, every join that waits, every field of the
    /// state. Otherwise it is refused with the list of what does not fit.
    #[default]
    ContinueIfCompatible,
    /// The migration changes what was read; then it must fit. It runs whenever the fingerprints differ, and where they do not
    /// whenever what is stored cannot be read: a change of types alone leaves no trace in a fingerprint. What it makes is
    /// written by the next checkpoint.
    Migrate(Migration),
}

impl fmt::Debug for OnChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Refuse => "Refuse",
            Self::ContinueIfCompatible => "ContinueIfCompatible",
            Self::Migrate(_) => "Migrate",
        })
    }
}

/// A function that makes a thread fit a new version of its graph.
///
/// ```
/// use research_core::Migration;
///
/// let migration = Migration::new(|thread| {
///     thread.rename_field("note", "notes");
///     if let Some(note) = thread.take_field("notes") {
///         thread.put_field("notes", [note]);
///     }
///     thread.rename_node("search", "look_up");
///     Ok(())
/// });
/// # let _ = migration;
/// ```
#[derive(Clone)]
pub struct Migration(Arc<Migrate>);

type Migrate = dyn Fn(&mut StoredThread) -> Result<(), NodeError> + Send + Sync;

impl Migration {
    /// A migration. It must be pure: it may run again on the same thread.
    pub fn new(migrate: impl Fn(&mut StoredThread) -> Result<(), NodeError> + Send + Sync + 'static) -> Self {
        Self(Arc::new(migrate))
    }
}

impl fmt::Debug for Migration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Migration(..)")
    }
}

/// What a checkpoint holds, by names, for a [`Migration`] to change.
#[derive(Clone, Debug)]
pub struct StoredThread {
    fields: BTreeMap<String, Stored>,
    due: Due,
}

/// A field: a value, and changes by id since.
#[derive(Clone, Debug, Default)]
struct Stored {
    value: Option<Vec<u8>>,
    changes: Vec<Vec<u8>>,
}

impl StoredThread {
    /// The version of the graph that wrote it.
    #[must_use]
    pub fn written_by(&self) -> Fingerprint {
        self.due.fingerprint
    }

    /// Returns the name of the graph that wrote it, where it is known: earlier versions of this library did not note it.
    #[must_use]
    pub fn graph(&self) -> Option<&str> {
        self.due.graph.as_deref()
    }

    /// Returns the [version](crate::Graph::version) that the graph which wrote it had given itself; 0 without one.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.due.version
    }

    /// Names of the stored fields, ascending.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.fields.keys().map(String::as_str)
    }

    /// A field's value as JSON, where JSON can say it. Changes by id that were not folded yet are not in it.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<Value> {
        from_bytes(self.fields.get(name)?.value.as_deref()?).ok()
    }

    /// Removes a field and gives its value as JSON.
    pub fn take_field(&mut self, name: &str) -> Option<Value> {
        let value = self.field(name);
        self.fields.remove(name);
        value
    }

    /// Sets a field to a value.
    pub fn put_field(&mut self, name: impl Into<String>, value: impl Into<Value>) {
        // A JSON value is always a MessagePack value.
        let value = rmp_serde::to_vec_named(&value.into()).ok();
        self.fields.insert(name.into(), Stored { value, changes: Vec::new() });
    }

    /// Gives a field another name.
    pub fn rename_field(&mut self, from: &str, to: impl Into<String>) {
        if let Some(stored) = self.fields.remove(from) {
            self.fields.insert(to.into(), stored);
        }
    }

    /// Names of the nodes and tasks that are due.
    #[must_use]
    pub fn due(&self) -> Vec<&str> {
        let Due { nodes, deferred, sends, .. } = &self.due;
        nodes.iter().chain(deferred).chain(sends.iter().map(|(name, _)| name)).map(String::as_str).collect()
    }

    /// Gives a node or task another name. What is recorded of it stays recorded, and its subgraph keeps what it remembers and
    /// the calls that have begun.
    pub fn rename_node(&mut self, from: &str, to: impl Into<String>) {
        let to = to.into();
        let Due { nodes, deferred, sends, .. } = &mut self.due;
        let names = nodes.iter_mut().chain(deferred).chain(sends.iter_mut().map(|(name, _)| name));
        names.filter(|name| *name == from).for_each(|name| name.clone_from(&to));
        if let Some(memory) = self.due.memories.known.remove(from) {
            self.due.memories.known.insert(to.clone(), memory);
        }
        self.due.renamed.push((from.to_string(), to));
    }

    /// The nodes whose subgraphs remember something over all calls, ascending.
    pub fn memories(&self) -> impl Iterator<Item = &str> {
        self.due.memories.known.keys().map(String::as_str)
    }

    /// Forgets what the subgraph of a node remembers: its next call begins with nothing.
    pub fn forget_memory(&mut self, node: &str) {
        self.due.memories.known.remove(node);
    }

    /// Makes a node due.
    pub fn add_due(&mut self, node: impl Into<String>) {
        self.due.nodes.push(node.into());
    }

    /// Drops a node that is due, and every task of that name.
    pub fn remove_due(&mut self, name: &str) {
        self.due.nodes.retain(|node| node != name);
        self.due.deferred.retain(|node| node != name);
        self.due.sends.retain(|(node, _)| node != name);
    }

    /// The inputs, as JSON, of the tasks of this name that are due, to be changed.
    pub fn map_inputs(&mut self, task: &str, change: impl Fn(Value) -> Value) {
        for (_, input) in self.due.sends.iter_mut().filter(|(name, _)| name == task) {
            if let Ok(value) = from_bytes::<Value>(input)
                && let Ok(bytes) = rmp_serde::to_vec_named(&change(value))
            {
                *input = bytes;
            }
        }
    }

    /// Forgets which sources joins have seen.
    pub fn reset_joins(&mut self) {
        self.due.joins.clear();
    }
}

impl StoredThread {
    /// What a checkpoint holds.
    pub(crate) fn new(loaded: &Loaded, due: Due) -> Result<Self, StoreError> {
        let folded = fields(loaded.bodies.iter().map(Vec::as_slice))?;
        let stored = folded.into_iter().map(|(name, history)| {
            let value = history.value().map(|value| value.into_owned());
            let changes = history.changes.iter().map(|changes| changes.to_vec()).collect();
            (name.to_string(), Stored { value, changes })
        });
        Ok(Self { fields: stored.collect(), due })
    }

    /// The state as a body, and what is due.
    pub(crate) fn into_parts(self) -> (Vec<u8>, Due) {
        let mut body = BodyWriter::default();
        for (name, Stored { value, changes }) in &self.fields {
            value.iter().for_each(|value| body.raw(Op::Set, name, value));
            changes.iter().for_each(|data| body.raw(Op::Changes, name, data));
        }
        (body.bytes, self.due)
    }
}

impl Migration {
    /// Runs the migration.
    pub(crate) fn run(&self, thread: &mut StoredThread) -> Result<(), NodeError> {
        (self.0)(thread)
    }
}

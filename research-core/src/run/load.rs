//! Reads a checkpoint for this version of the graph.

use std::sync::Arc;

use crate::checkpoint::Loaded;
use crate::codec::{Codec, LoadError, Restored, load};
use crate::error::{ErrorKind, ThreadError};
use crate::graph::Inner;
use crate::handle::Fingerprint;
use crate::state::State;
use crate::stored::{Due, Migration, OnChange, StoredThread, damaged, decode};

/// A checkpoint's state, what is due after it, and whether a migration has changed them.
pub(crate) struct Fitted<S: State> {
    pub(crate) restored: Restored<S>,
    pub(crate) due: Due,
    pub(crate) is_migrated: bool,
}

/// Reads a checkpoint. A migration runs where another version of the graph wrote it, and where this one cannot read it: types
/// can change without a trace in the fingerprint. `fits` says whether what is due can be read, for a run that goes on with it.
pub(crate) fn read<S: State, R>(
    graph: &Inner<S, R>,
    codec: &'static dyn Codec<S>,
    loaded: &Loaded,
    on_change: &OnChange,
    fits: impl Fn(&Due) -> bool,
) -> Result<Fitted<S>, ErrorKind> {
    let due = decode(&loaded.header.next).map_err(ErrorKind::Codec)?;
    let (stored, own) = (due.fingerprint, Fingerprint(graph.fingerprint));
    let changed = |misfits| ErrorKind::Thread(ThreadError::Changed { stored, graph: own, misfits });
    let is_other = due.graph.as_deref().is_some_and(|name| *name != *graph.name);
    let is_same = stored == own && !is_other;
    let fitted = match on_change {
        OnChange::Refuse if !is_same => return Err(changed(Vec::new())),
        OnChange::Migrate(migration) => {
            let as_it_is = is_same.then(|| load(codec, &loaded.bodies).ok()).flatten();
            match as_it_is.filter(|restored| misfits(graph, restored, &due).is_empty() && fits(&due)) {
                Some(restored) => Fitted { restored, due, is_migrated: false },
                None => migrate(codec, loaded, due, migration, changed)?,
            }
        }
        _ => {
            let load_error = |error| if is_same { load_error(error) } else { changed(error.misfits()) };
            Fitted { restored: load(codec, &loaded.bodies).map_err(load_error)?, due, is_migrated: false }
        }
    };
    let mut misfits = misfits(graph, &fitted.restored, &fitted.due);
    if is_other && !fitted.is_migrated {
        // Two graphs on one thread would take each other's state.
        let name = fitted.due.graph.as_deref().unwrap_or_default();
        misfits.push(format!("the thread belongs to the graph `{name}`, and this is `{}`", graph.name));
    }
    if misfits.is_empty() { Ok(fitted) } else { Err(changed(misfits)) }
}

fn migrate<S: State>(
    codec: &'static dyn Codec<S>,
    loaded: &Loaded,
    due: Due,
    migration: &Migration,
    changed: impl Fn(Vec<String>) -> ErrorKind,
) -> Result<Fitted<S>, ErrorKind> {
    let mut thread = StoredThread::new(loaded, due).map_err(|error| ErrorKind::Store(Arc::new(error)))?;
    migration
        .run(&mut thread)
        .map_err(|error| ErrorKind::Thread(ThreadError::Migration { reason: error.to_string() }))?;
    let (body, due) = thread.into_parts();
    let mut restored = load(codec, &[body]).map_err(|error| changed(error.misfits()))?;
    restored.recorder.force_full();
    Ok(Fitted { restored, due, is_migrated: true })
}

/// What is stored and has no place in this graph, whatever is due.
fn misfits<S: State, R>(graph: &Inner<S, R>, restored: &Restored<S>, due: &Due) -> Vec<String> {
    let fields = restored.unknown.iter();
    let fields = fields.map(|field| format!("the field `{field}` is stored and the state has none of this name"));
    let has_subgraph = |node: &str| graph.position(node).is_some_and(|node| graph.nodes[node as usize].child.is_some());
    let memories = due.memories.known.keys().filter(|node| !has_subgraph(node));
    let memories = memories
        .map(|node| format!("the subgraph of the node `{node}` remembers something and does not exist any more"));
    fields.chain(memories).collect()
}

fn load_error(error: LoadError) -> ErrorKind {
    match error {
        LoadError::Store(error) => ErrorKind::Store(Arc::new(error)),
        LoadError::Codec(errors) => {
            let mut errors = errors.into_iter();
            let first = errors.next().unwrap_or_else(damaged);
            ErrorKind::Codec(first.with_others(errors))
        }
    }
}

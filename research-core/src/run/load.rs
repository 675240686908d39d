//! Reads a checkpoint for this version of the graph.

use std::sync::Arc;

use crate::checkpoint::Loaded;
use crate::codec::{Codec, LoadError, Restored, load};
use crate::graph::Inner;
use crate::stored::{Due, OnChange, StoredThread, decode};
use crate::{ErrorKind, Fingerprint, State, ThreadError};

/// A checkpoint's state, and what is due after it.
pub(crate) fn read<S: State, R>(
    graph: &Inner<S, R>,
    codec: &'static dyn Codec<S>,
    loaded: &Loaded,
    on_change: &OnChange,
) -> Result<(Restored<S>, Due), ErrorKind> {
    let mut due = decode(&loaded.header.next).map_err(ErrorKind::Codec)?;
    let (stored, own) = (due.fingerprint, Fingerprint(graph.fingerprint));
    let changed = |misfits| ErrorKind::Thread(ThreadError::Changed { stored, graph: own, misfits });
    let restored = match on_change {
        _ if stored == own => load(codec, &loaded.bodies).map_err(load_error)?,
        OnChange::Refuse => return Err(changed(Vec::new())),
        OnChange::ContinueIfCompatible => {
            load(codec, &loaded.bodies).map_err(|error| changed(vec![error.to_string()]))?
        }
        OnChange::Migrate(migration) => {
            let mut thread = StoredThread::new(loaded, due).map_err(|error| ErrorKind::Store(Arc::new(error)))?;
            migration
                .run(&mut thread)
                .map_err(|error| ErrorKind::Thread(ThreadError::Migration { reason: error.to_string() }))?;
            let (body, migrated) = thread.into_parts();
            due = migrated;
            let mut restored = load(codec, &[body]).map_err(|error| changed(vec![error.to_string()]))?;
            restored.recorder.force_full();
            restored
        }
    };
    if !restored.unknown.is_empty() {
        let misfit = |field: &String| format!("the field `{field}` is stored and the state has none of this name");
        return Err(changed(restored.unknown.iter().map(misfit).collect()));
    }
    Ok((restored, due))
}

fn load_error(error: LoadError) -> ErrorKind {
    match error {
        LoadError::Store(error) => ErrorKind::Store(Arc::new(error)),
        LoadError::Codec(error) => ErrorKind::Codec(error),
    }
}

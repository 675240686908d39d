//! Pruning of a thread: what its checkpoints refer to stays, and what the calls of subgraphs left behind goes.

use std::collections::BTreeSet;

use crate::checkpoint::namespace::{is_within, place, split};
use crate::checkpoint::{CheckpointId, DynCheckpointer, Header, Prune, Query, StoreError, ThreadKey};
use crate::error::ErrorKind;
use crate::stored::{Due, decode};

/// Removes old checkpoints of a thread; gives their number.
pub(super) async fn prune(store: &dyn DynCheckpointer, thread: &str, prune: &Prune) -> Result<u64, ErrorKind> {
    let failed = |error: StoreError| ErrorKind::Store(error.into());
    let mut removed = 0;
    // What goes in one round may be the last that refers to something: a parent's checkpoint to those of its subgraphs.
    loop {
        let prune = with_references(store, thread, prune).await?;
        match store.prune(thread, &prune).await.map_err(failed)? {
            0 => return Ok(removed),
            more => removed += more,
        }
    }
}

/// What the checkpoints of a thread refer to is kept, and the calls that none of them leads back to are dropped.
async fn with_references(store: &dyn DynCheckpointer, thread: &str, prune: &Prune) -> Result<Prune, ErrorKind> {
    let failed = |error: StoreError| ErrorKind::Store(error.into());
    let namespaces = store.namespaces(thread).await.map_err(failed)?;
    let mut prune = prune.clone();
    let mut calls: Vec<(&str, LiveCalls)> = Vec::new();
    for namespace in &namespaces {
        let headers = store.list(&ThreadKey::new(thread, &**namespace), &Query::all()).await.map_err(failed)?;
        let mut live = LiveCalls { newest: headers.first().map(|header| header.id), ..LiveCalls::default() };
        for header in &headers {
            let due = decode(&header.next).map_err(ErrorKind::Codec)?;
            for memory in due.memories.known.values() {
                prune.kept.insert((memory.namespace.clone(), memory.checkpoint));
            }
            live.add(header, &due);
        }
        calls.push((namespace, live));
    }
    for namespace in &namespaces {
        let is_inside = prune.dropped.iter().any(|dropped| is_within(namespace, dropped));
        let is_over = split(namespace).is_some_and(|(outer, segment)| {
            let of_outer = calls.iter().find(|(namespace, _)| *namespace == outer);
            of_outer.is_some_and(|(_, live)| place(segment).is_some_and(|place| live.is_over(place)))
        });
        if is_inside || is_over {
            prune.dropped.insert(namespace.clone());
        }
    }
    Ok(prune)
}

/// The calls of subgraphs that the checkpoints of a namespace lead back to.
#[derive(Default)]
struct LiveCalls {
    newest: Option<CheckpointId>,
    /// Checkpoints, with the step after each, whose tasks may have begun calls.
    after: BTreeSet<(CheckpointId, u64)>,
    /// The places of calls that began before an update from outside.
    carried: BTreeSet<String>,
}

impl LiveCalls {
    fn add(&mut self, header: &Header, due: &Due) {
        self.after.insert((header.id, header.step + 1));
        let places = due.calls.iter().filter_map(|call| call.call.split('@').next());
        self.carried.extend(places.map(ToString::to_string));
    }

    /// Whether no checkpoint leads back to the call at a place. One of a checkpoint that is still to come is not over: its run may
    /// store it at its end.
    fn is_over(&self, place: &str) -> bool {
        let mut numbers = place.split('.').map_while(|number| number.parse::<u64>().ok());
        let (Some(began), Some(step)) = (numbers.next().map(CheckpointId), numbers.next()) else { return false };
        self.newest.is_some_and(|newest| began <= newest)
            && !self.after.contains(&(began, step))
            && !self.carried.contains(place)
    }
}

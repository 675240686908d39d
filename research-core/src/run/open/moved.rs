//! What is known of due tasks, for a version of the graph that plans them otherwise than the one that recorded it.

use super::done::done;
use crate::checkpoint::{Loaded, RecordKey, RecordKind, TaskRecord};
use crate::codec::Codec;
use crate::graph::Inner;
use crate::journal::Journal;
use crate::persist::CodecError;
use crate::run::checkpoint::Checkpoint;
use crate::run::durable::{PAUSE, place};
use crate::run::plan::planned;
use crate::state::State;
use crate::stored::{CallName, Due, Reader, damaged, decode, put_bytes};

/// For each task that was due, where it is now, if it is still due.
pub(super) struct Moves(Vec<Option<Move>>);

struct Move {
    /// Its place and the name of its node now.
    index: usize,
    name: String,
    /// The name of its node before.
    before: String,
}

impl Moves {
    pub(super) fn new<S: State, R>(
        graph: &Inner<S, R>,
        loaded: &Loaded,
        due: &Due,
        checkpoint: &Checkpoint<S>,
    ) -> Result<Self, CodecError> {
        let before = decode(&loaded.header.next)?;
        let now = |name: &String| {
            let renames = due.renamed.iter();
            renames.fold(name.clone(), |name, (from, to)| if name == *from { to.clone() } else { name })
        };
        let nodes = match before.nodes.is_empty() && before.sends.is_empty() {
            // Which of several the other graph would have begun with is not known.
            true if before.deferred.len() > 1 => return Ok(Self(Vec::new())),
            true => &before.deferred,
            false => &before.nodes,
        };
        let (planned, sent) = planned(graph, checkpoint);
        let name = |node: u32| graph.names[node as usize].to_string();
        let of_node = nodes.iter().map(|before| {
            let name = now(before);
            let index = planned.iter().position(|node| *graph.names[*node as usize] == *name)?;
            Some(Move { index, name, before: before.clone() })
        });
        let sends: Vec<String> = before.sends.iter().map(|(task, _)| now(task)).collect();
        let sends_now = checkpoint.sends.iter().take(sent).map(|sent| name(sent.node.index));
        let same = sends_now.eq(sends.iter().cloned());
        let before = before.sends.iter().map(|(task, _)| task.clone());
        let of_send = sends.into_iter().zip(before).zip(planned.len()..);
        let of_send = of_send.map(|((name, before), index)| same.then_some(Move { index, name, before }));
        Ok(Self(of_node.chain(of_send).collect()))
    }

    /// The records at the new places of their tasks.
    pub(super) fn records(&self, records: &[TaskRecord]) -> Result<Vec<TaskRecord>, CodecError> {
        let mut moved = Vec::new();
        for TaskRecord { key, data } in records {
            if key.task == PAUSE {
                moved.push(TaskRecord::new(key.clone(), data.clone()));
            }
            let Some(Move { index, name: node, .. }) = self.0.get(key.task as usize).and_then(Option::as_ref) else {
                continue;
            };
            let RecordKey { checkpoint, kind, name: of, .. } = key.clone();
            let data = if kind == RecordKind::Done { renamed(data, node)? } else { data.clone() };
            moved.push(TaskRecord::new(RecordKey::new(checkpoint, place(*index), kind, of), data));
        }
        Ok(moved)
    }

    /// Whether a task has another place or another name now.
    pub(super) fn any(&self) -> bool {
        let stays = |(task, moved): (usize, &Option<Move>)| {
            moved.as_ref().is_some_and(|moved| moved.index == task && moved.name == moved.before)
        };
        !self.0.iter().enumerate().all(stays)
    }

    /// The names of the tasks' calls of subgraphs, by their new places.
    pub(super) fn calls(&self, before: &[CallName], journal: &Journal, step: u64) -> Vec<CallName> {
        let moved = |(task, moved): (usize, &Option<Move>)| {
            let Move { index, name, before: node } = moved.as_ref()?;
            let known = before.iter().find(|call| call.task == task);
            let call = known.map_or_else(|| journal.call(step, task), |known| known.call.clone());
            let renamed = (name != node).then(|| node.clone());
            Some(CallName { task: *index, call, node: known.and_then(|known| known.node.clone()).or(renamed) })
        };
        self.0.iter().enumerate().filter_map(moved).collect()
    }
}

/// The record of a result, under the name that its node has now.
fn renamed(data: &[u8], name: &str) -> Result<Vec<u8>, CodecError> {
    let mut reader = Reader(data);
    reader.text().ok_or_else(damaged)?;
    let mut renamed = Vec::with_capacity(data.len());
    put_bytes(&mut renamed, name.as_bytes());
    renamed.extend_from_slice(reader.0);
    Ok(renamed)
}

/// Leaves out the results that this graph cannot read; gives the reasons.
pub(super) fn leave_out_unreadable<S: State, R>(
    graph: &Inner<S, R>,
    codec: &dyn Codec<S>,
    records: &mut Vec<TaskRecord>,
) -> Vec<String> {
    let mut reasons = Vec::new();
    records.retain(|record| {
        let read = match record.key.kind {
            RecordKind::Done => done(graph, codec, record.key.task as usize, &record.data).map(|_| ()),
            _ => Ok(()),
        };
        reasons.extend(read.as_ref().err().map(ToString::to_string));
        read.is_ok()
    });
    reasons
}

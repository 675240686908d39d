//! What is due after a checkpoint, to names and back to positions.

use super::checkpoint::{Arrived, Checkpoint};
use super::wire::{put_sent, take_sent};
use crate::graph::Inner;
use crate::persist::CodecError;
use crate::state::State;
use crate::stored::{
    CallName, Due, LAYOUT, LEFT, Reader, UNKNOWN_MEMORIES, WOUND_UP, put_bytes, put_names, put_number,
};

/// Writes what is due.
pub(crate) fn encode<S: State, R>(
    graph: &Inner<S, R>,
    checkpoint: &Checkpoint<S>,
    ran: &[u32],
    out: &mut Vec<u8>,
) -> Result<(), CodecError> {
    out.push(LAYOUT);
    out.extend_from_slice(&graph.fingerprint.to_le_bytes());
    let flag = |set: bool, flag: u8| if set { flag } else { 0 };
    out.push(
        flag(checkpoint.wound_up, WOUND_UP)
            | flag(checkpoint.left.is_some(), LEFT)
            | flag(checkpoint.memories.incomplete, UNKNOWN_MEMORIES),
    );
    put_names(&graph.names, &checkpoint.nodes, out);
    put_names(&graph.names, ran, out);
    put_names(&graph.names, &checkpoint.deferred, out);
    put_number(out, checkpoint.sends.len() as u64);
    checkpoint.sends.iter().try_for_each(|sent| put_sent(graph, sent, out))?;
    let waits = |join: &Arrived| join.count > 0 || join.fired;
    put_number(out, checkpoint.joins.iter().filter(|join| waits(join)).count() as u64);
    for (index, join) in checkpoint.joins.iter().enumerate().filter(|(_, join)| waits(join)) {
        put_bytes(out, graph.join_key(index).as_bytes());
        out.push(u8::from(join.fired));
        put_number(out, join.count as u64);
        let arrived = (0..).zip(&join.by_source).filter(|(_, arrived)| **arrived);
        arrived.for_each(|(place, _)| put_number(out, place));
    }
    put_number(out, checkpoint.spent.len() as u64);
    for (counter, amount) in &checkpoint.spent {
        put_bytes(out, counter.as_bytes());
        put_number(out, *amount);
    }
    if let Some(left) = &checkpoint.left {
        put_number(out, left.len() as u64);
        left.iter().for_each(|name| put_bytes(out, name.as_bytes()));
    }
    put_number(out, checkpoint.calls.len() as u64);
    for CallName { task, call, node } in &checkpoint.calls {
        put_number(out, *task as u64);
        put_bytes(out, call.as_bytes());
        put_bytes(out, node.as_deref().unwrap_or_default().as_bytes());
    }
    put_number(out, checkpoint.memories.known.len() as u64);
    for (node, memory) in &checkpoint.memories.known {
        put_bytes(out, node.as_bytes());
        put_bytes(out, memory.namespace.as_bytes());
        put_number(out, memory.checkpoint.0);
    }
    put_number(out, graph.version);
    put_bytes(out, graph.name.as_bytes());
    Ok(())
}

/// Puts what is due into a checkpoint of this graph, or says what does not fit it.
pub(crate) fn restore<S: State, R>(
    graph: &Inner<S, R>,
    due: &Due,
    checkpoint: &mut Checkpoint<S>,
) -> Result<(), Vec<String>> {
    let mut misfits = Vec::new();
    let mut place = |names: &[String]| -> Vec<u32> {
        let mut found = Vec::new();
        for name in names {
            match graph.position(name) {
                Some(index) if !graph.nodes[index as usize].takes_input() => found.push(index),
                Some(_) => misfits.push(format!("the node `{name}` is due and takes an input now")),
                None => misfits.push(format!("the node `{name}` is due and does not exist any more")),
            }
        }
        found
    };
    checkpoint.nodes = place(&due.nodes);
    checkpoint.deferred = place(&due.deferred);
    for (name, input) in &due.sends {
        let mut bytes = Vec::new();
        put_bytes(&mut bytes, name.as_bytes());
        put_bytes(&mut bytes, input);
        match take_sent(graph, &mut Reader(&bytes)) {
            Ok(sent) => checkpoint.sends.push(sent),
            Err(error) => misfits.push(error.to_string()),
        }
    }
    for stored in &due.joins {
        let Some(index) = (0..graph.joins.len()).find(|index| graph.join_key(*index) == stored.key) else {
            misfits.push(format!(
                "the join `{}` waits for the rest of its sources and does not exist any more",
                stored.key
            ));
            continue;
        };
        let join = &mut checkpoint.joins[index];
        for place in stored.arrived.iter().filter_map(|place| usize::try_from(*place).ok()) {
            if let Some(arrived) = join.by_source.get_mut(place) {
                *arrived = true;
            }
        }
        join.count = join.by_source.iter().filter(|arrived| **arrived).count();
        join.fired = stored.fired;
    }
    checkpoint.spent.clone_from(&due.spent);
    checkpoint.wound_up = due.wound_up;
    checkpoint.left.clone_from(&due.left);
    checkpoint.calls.clone_from(&due.calls);
    checkpoint.memories.clone_from(&due.memories);
    // What was written by a graph with other deferred nodes is put in this graph's order.
    checkpoint.nodes.append(&mut checkpoint.deferred);
    checkpoint.order_nodes(graph);
    if misfits.is_empty() { Ok(()) } else { Err(misfits) }
}

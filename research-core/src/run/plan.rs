//! The pure half before a step: what is due.
//!
//! No clock, no random source, no hash order, no I/O: the same checkpoint always gives the same tasks.

use std::sync::Arc;

use super::apply::Router;
use super::checkpoint::Checkpoint;
use super::runner::Call;
use crate::codec::Recorder;
use crate::error::ErrorKind;
use crate::graph::Inner;
use crate::state::{FieldSet, State, Update};

/// Sets a checkpoint in motion with an input: the entries are due, whatever was due before.
pub(crate) fn begin<S: State, R>(
    graph: &Inner<S, R>,
    state: S,
    input: S::Update,
) -> (Checkpoint<S>, Result<(), ErrorKind>) {
    let mut router = Router::new(graph, 0);
    let mut checkpoint = Checkpoint::new(graph, state);
    {
        let state = Arc::make_mut(&mut checkpoint.state);
        state.reset_ephemeral();
        router.fold("", 0, input, state, FieldSet::EMPTY);
    }
    for route in &graph.entry_routes {
        router.decide("", 0, route, &checkpoint.state);
    }
    let routed = router.begin(&graph.entries, &mut checkpoint);
    checkpoint.order_nodes(graph);
    (checkpoint, routed)
}

/// Folds an update into a checkpoint as the last of its graph: nothing is due after it, and no join waits.
pub(crate) fn end_with<S: State, R>(
    graph: &Inner<S, R>,
    checkpoint: &mut Checkpoint<S>,
    update: S::Update,
    recorder: &mut Recorder<S>,
) -> Result<(), ErrorKind> {
    let mut router = Router::new(graph, checkpoint.step + 1);
    recorder.before(&checkpoint.state, std::iter::once(&update), update.overwritten()).map_err(ErrorKind::Codec)?;
    {
        let state = Arc::make_mut(&mut checkpoint.state);
        state.reset_ephemeral();
        router.fold("", 0, update, state, FieldSet::EMPTY);
    }
    checkpoint.clear_due();
    checkpoint.calls.clear();
    checkpoint.joins = Checkpoint::new(graph, S::default()).joins;
    checkpoint.step += 1;
    router.begin(&[], checkpoint)
}

/// Moves what is due into `calls`, in task-path order, and lists their nodes in `tasks`. Both stay empty at the end of
/// the graph.
pub(crate) fn plan<S: State, R>(
    graph: &Inner<S, R>,
    checkpoint: &mut Checkpoint<S>,
    tasks: &mut Vec<u32>,
    calls: &mut Vec<Call<S>>,
) {
    tasks.clear();
    checkpoint.calls.clear();
    let step = checkpoint.step + 1;
    if checkpoint.nodes.is_empty() && checkpoint.sends.is_empty() && !checkpoint.deferred.is_empty() {
        let first = graph.first_deferred(&checkpoint.deferred);
        checkpoint.deferred.retain(|node| !first.contains(node));
        checkpoint.nodes = first;
    }
    if let ([node], true) = (checkpoint.nodes.as_slice(), checkpoint.sends.is_empty()) {
        let (index, node) = (0, *node);
        checkpoint.nodes.clear();
        tasks.push(node);
        calls.push(Call { index, node, input: None, step, snapshot: Arc::clone(&checkpoint.state) });
        return;
    }
    let due = checkpoint.nodes.drain(..).map(|node| (node, None));
    let sent = checkpoint.sends.drain(..).map(|sent| (sent.node.index, Some(sent.input)));
    for (index, (node, input)) in due.chain(sent).enumerate() {
        tasks.push(node);
        calls.push(Call { index, node, input, step, snapshot: Arc::clone(&checkpoint.state) });
    }
}

/// The names of the nodes that are due next, each once.
pub(crate) fn due<S: State, R>(graph: &Inner<S, R>, checkpoint: &Checkpoint<S>) -> Vec<String> {
    let sent = checkpoint.sends.iter().map(|sent| sent.node.index);
    let mut due: Vec<u32> = Vec::new();
    for node in checkpoint.nodes.iter().copied().chain(sent) {
        if !due.contains(&node) {
            due.push(node);
        }
    }
    if due.is_empty() && !checkpoint.deferred.is_empty() {
        due = graph.first_deferred(&checkpoint.deferred);
    }
    due.into_iter().map(|node| graph.names[node as usize].to_string()).collect()
}

/// The nodes that the next step starts with, in task-path order, and how many sent tasks follow them.
pub(crate) fn planned<S: State, R>(graph: &Inner<S, R>, checkpoint: &Checkpoint<S>) -> (Vec<u32>, usize) {
    match checkpoint.nodes.is_empty() && checkpoint.sends.is_empty() {
        true => (graph.first_deferred(&checkpoint.deferred), 0),
        false => (checkpoint.nodes.clone(), checkpoint.sends.len()),
    }
}

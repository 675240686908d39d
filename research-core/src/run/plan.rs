//! The pure half before a step: what is due.
//!
//! No clock, no random source, no hash order, no I/O: the same checkpoint always gives the same tasks.

use std::sync::Arc;

use super::apply::Router;
use super::checkpoint::Checkpoint;
use super::runner::Call;
use crate::graph::Inner;
use crate::{ErrorKind, FieldSet, State};

/// How a run begins. What else can set a checkpoint in motion, such as the answer to a question, enters here.
pub(crate) enum Entry<S: State> {
    /// An update, folded into the default state.
    Input(S::Update),
}

/// Makes the checkpoint before the first step.
pub(crate) fn begin<S: State, R>(graph: &Inner<S, R>, entry: Entry<S>) -> (Checkpoint<S>, Result<(), ErrorKind>) {
    let Entry::Input(input) = entry;
    let mut router = Router::new(graph, 0);
    let mut state = S::default();
    router.fold("", 0, input, &mut state, FieldSet::EMPTY);
    let mut checkpoint = Checkpoint::new(graph, state);
    checkpoint.nodes.extend_from_slice(&graph.entries);
    for route in &graph.entry_routes {
        router.decide("", 0, route, &checkpoint.state);
    }
    let routed = router.finish(&mut checkpoint);
    checkpoint.order_nodes(graph);
    (checkpoint, routed)
}

/// Moves what is due into `calls`, in task-path order, and lists their nodes in `tasks`. Both stay empty at the end of
/// the graph.
pub(crate) fn plan<S: State, R>(
    graph: &Inner<S, R>,
    checkpoint: &mut Checkpoint<S>,
    limit: u64,
    tasks: &mut Vec<u32>,
    calls: &mut Vec<Call<S>>,
) -> Result<(), ErrorKind> {
    tasks.clear();
    if checkpoint.nodes.is_empty() && checkpoint.sends.is_empty() {
        return Ok(());
    }
    if checkpoint.step >= limit {
        return Err(step_limit(graph, checkpoint, limit));
    }
    let step = checkpoint.step + 1;
    let due = checkpoint.nodes.drain(..).map(|node| (node, None));
    let sent = checkpoint.sends.drain(..).map(|sent| (sent.node.index, Some(sent.input)));
    for (index, (node, input)) in due.chain(sent).enumerate() {
        tasks.push(node);
        calls.push(Call { index, node, input, step, snapshot: Arc::clone(&checkpoint.state) });
    }
    Ok(())
}

#[cold]
fn step_limit<S: State, R>(graph: &Inner<S, R>, checkpoint: &Checkpoint<S>, limit: u64) -> ErrorKind {
    let sent = checkpoint.sends.iter().map(|sent| sent.node.index);
    let mut due: Vec<u32> = Vec::new();
    for node in checkpoint.nodes.iter().copied().chain(sent) {
        if !due.contains(&node) {
            due.push(node);
        }
    }
    let due = due.into_iter().map(|node| graph.names[node as usize].to_string()).collect();
    ErrorKind::StepLimit { limit, due }
}

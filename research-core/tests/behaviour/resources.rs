//! What the host gives to a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use research_core::{Cx, END, Graph, NodeError};

use crate::support::{Trail, TrailUpdate, mark};

struct Library {
    shelf: &'static str,
    lookups: AtomicU32,
}

async fn look(cx: Cx<Trail, Library>) -> Result<TrailUpdate, NodeError> {
    cx.resources.lookups.fetch_add(1, Ordering::SeqCst);
    Ok(mark(cx.resources.shelf))
}

#[tokio::test]
async fn all_tasks_share_the_resources_of_their_run() {
    let mut g = Graph::<Trail, Library>::new("library");
    let (a, b) = (g.node("a", look), g.node("b", look));
    g.entry(a).entry(b).edge(a, END).edge(b, END);
    let graph = g.compile().unwrap();
    let library = Arc::new(Library { shelf: "bees", lookups: AtomicU32::new(0) });
    let done = graph.run(Trail::update()).resources(Arc::clone(&library)).await.unwrap();
    assert_eq!(done.state.seen, ["bees", "bees"]);
    assert_eq!(library.lookups.load(Ordering::SeqCst), 2);
    let owned = Library { shelf: "ants", lookups: AtomicU32::new(0) };
    assert_eq!(graph.run(Trail::update()).resources(owned).await.unwrap().state.seen, ["ants", "ants"]);
}

#[tokio::test]
async fn resources_are_released_when_the_run_has_ended() {
    let mut g = Graph::<Trail, Library>::new("library");
    let (a, b) = (g.node("a", look), g.node("b", look));
    g.entry(a).entry(b).edge(a, END).edge(b, END);
    let library = Arc::new(Library { shelf: "bees", lookups: AtomicU32::new(0) });
    let graph = g.compile().unwrap();
    graph.run(Trail::update()).resources(Arc::clone(&library)).await.unwrap();
    // The last lane lets go of them just after it has reported its task.
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
    assert_eq!(Arc::strong_count(&library), 1);
}

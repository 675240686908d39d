//! What the host gives to a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use research_core::{CompiledGraph, Cx, END, Graph, NodeError, Subgraph};

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

/// A graph that looks at the shelf.
fn shelf() -> CompiledGraph<Trail, Library> {
    let mut g = Graph::<Trail, Library>::new("library");
    let a = g.node("a", look);
    g.entry(a).edge(a, END);
    g.compile().unwrap()
}

fn library(shelf: &'static str) -> Arc<Library> {
    Arc::new(Library { shelf, lookups: AtomicU32::new(0) })
}

#[tokio::test]
async fn a_graph_has_resources_of_its_own_and_a_run_may_have_others() {
    let graph = shelf().with_resources(library("bees"));
    assert_eq!(graph.run(Trail::update()).await.unwrap().state.seen, ["bees"]);
    assert_eq!(graph.run(Trail::update()).resources(library("ants")).await.unwrap().state.seen, ["ants"]);
    let store = research_core::MemoryCheckpointer::new();
    let kept = shelf().with_checkpointer(store).with_resources(library("bees"));
    kept.run_or_resume(Trail::update()).thread("t").await.unwrap();
    assert_eq!(kept.resume().thread("t").await.unwrap().state.seen, ["bees"]);
    assert_eq!(kept.thread("t").state().await.unwrap().unwrap().state.seen, ["bees"]);
}

#[tokio::test]
async fn a_subgraph_takes_its_resources_from_those_of_its_parent_or_has_its_own() {
    struct App {
        library: Arc<Library>,
    }
    let mut g = Graph::<Trail, App>::new("app");
    let own = g.subgraph("own", &shelf().with_resources(library("own")), Subgraph::shared());
    let chosen = shelf().resources_from(|app: &App| Arc::clone(&app.library));
    let chosen = g.subgraph("parent's", chosen, Subgraph::shared());
    g.entry(own).edge(own, chosen).edge(chosen, END);
    let middle = g.compile().unwrap();

    // And so through two levels, with other resources on each.
    let mut g = Graph::<Trail, u32>::new("outer");
    let child =
        middle.resources_from(|n: &u32| Arc::new(App { library: library(if *n == 1 { "one" } else { "two" }) }));
    let child = g.subgraph("child", child, Subgraph::shared());
    g.entry(child).edge(child, END);
    let outer = g.compile().unwrap();
    assert_eq!(outer.run(Trail::update()).resources(1).await.unwrap().state.seen, ["own", "one"]);
    assert_eq!(outer.run(Trail::update()).resources(2).await.unwrap().state.seen, ["own", "two"]);
}

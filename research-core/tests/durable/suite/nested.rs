//! Subgraphs on branches and under other versions of themselves, and contexts that outlive their tasks.

use std::sync::{Arc, Mutex};

use research_core::checkpoint::CheckpointId;
use research_core::{
    Cause, Command, CompiledGraph, Cx, END, ErrorKind, Graph, NodeError, OnChange, RunError, State, Subgraph,
    ThreadError,
};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use super::lab::{Lab, Mood, Place, Trail, TrailUpdate, World, mark, step};

/// `x`, then `y`.
fn inner(name: &str) -> CompiledGraph<Trail, Lab> {
    let mut g = Graph::<Trail, Lab>::new("inner");
    let [x, y] = ["x", name].map(|name| step(&mut g, name));
    g.entry(x).edge(x, y).edge(y, END);
    g.compile().unwrap()
}

/// `a`, then the child beside `b`.
fn outer(inner: &CompiledGraph<Trail, Lab>) -> CompiledGraph<Trail, Lab> {
    let mut g = Graph::<Trail, Lab>::new("outer");
    let [a, b] = ["a", "b"].map(|name| step(&mut g, name));
    let child = g.subgraph("child", inner, Subgraph::shared().per_call());
    g.entry(a).edge(a, child).edge(a, b).edge(child, END).edge(b, END);
    g.compile().unwrap()
}

pub(crate) async fn a_branch_that_an_update_makes_runs_its_children_anew<P: Place>(world: World<P>) {
    let (graph, lab) = (outer(&inner("y")), Lab::new());
    // The barriers are stored one by one, whatever the world does: the branch begins at one in the middle.
    let kept = world.keep(&graph).await;
    kept.run(Trail::update()).resources(Arc::clone(&lab)).thread("t").await.unwrap();
    let thread = world.thread(&graph).await;
    thread.update(mark("edit")).as_node("b").from_checkpoint(CheckpointId(2)).await.unwrap();
    let done = world.resume(&graph, &lab).await.unwrap();
    assert_eq!(done.state.seen, ["a", "edit", "x", "y"]);
    assert_eq!((lab.runs("x"), lab.runs("y")), (2, 2));
}

pub(crate) async fn a_fork_of_an_updated_thread_leaves_the_call_of_the_old_branch<P: Place>(world: World<P>) {
    let (graph, lab) = (outer(&inner("y")), Lab::new());
    lab.set("y", Mood::Fails);
    world.run(&graph, &lab, Trail::update()).await.unwrap_err();
    let thread = world.thread(&graph).await;
    let updated = thread.update(mark("edit")).as_node("b").await.unwrap();
    let old = thread.namespaces().await.unwrap();
    let kept = world.keep(&graph).await;
    let run = kept.resume().from_checkpoint(updated).resources(Arc::clone(&lab)).thread("t");
    run.durability(world.durability).await.unwrap_err();
    lab.mend("y");
    assert_eq!(world.resume(&graph, &lab).await.unwrap().state.seen, ["a", "edit", "x", "y"]);
    assert_eq!((lab.runs("x"), lab.runs("y")), (2, 3));
    // The call of the old branch waits where it was, and that of the fork has gone on.
    let mut calls = Vec::new();
    for call in world.thread(&graph).await.namespaces().await.unwrap().into_iter().filter(|call| !call.is_empty()) {
        let now = world.thread(&inner("y")).await.namespace(call.clone()).state().await.unwrap().unwrap();
        calls.push((old.contains(&call), now.next));
    }
    calls.sort_unstable();
    assert_eq!(calls, [(false, vec![]), (true, vec!["y".to_string()])]);
}

pub(crate) async fn a_child_that_changed_is_treated_as_it_says_itself<P: Place>(world: World<P>) {
    for (refuses, policy) in [(true, OnChange::Refuse), (false, OnChange::ContinueIfCompatible)] {
        let (world, lab) = (world.again(), Lab::new());
        lab.set("y", Mood::Fails);
        world.run(&outer(&inner("y")), &lab, Trail::update()).await.unwrap_err();
        lab.mend("y");
        let mut g = Graph::<Trail, Lab>::new("inner");
        let [x, y, z] = ["x", "y", "z"].map(|name| step(&mut g, name));
        g.entry(x).edge(x, y).edge(y, z).edge(z, END);
        let changed = world.keep(&g.compile().unwrap()).await.on_change(policy);
        let result = world.resume(&outer(&changed), &lab).await;
        if refuses {
            let error = result.unwrap_err();
            assert!(error.to_string().contains("child"), "{error}");
            let Cause::Error(cause) = &error.failures()[0].cause else { panic!("{error}") };
            let inner = cause.downcast_ref::<RunError>().unwrap();
            assert!(matches!(inner.kind(), ErrorKind::Thread(ThreadError::Changed { .. })), "{error}");
        } else {
            assert_eq!(result.unwrap().state.seen, ["a", "b", "x", "y", "z"]);
        }
    }
}

/// What a context says that is used after its task has ended: whether it recorded, and whether it got an answer.
type Late = Arc<Mutex<Option<JoinHandle<(bool, bool)>>>>;

pub(crate) async fn a_context_that_outlives_its_task_neither_asks_nor_records_for_another<P: Place>(world: World<P>) {
    let (go, late) = (Arc::new(Notify::new()), Late::default());
    let mut g = Graph::<Trail, Lab>::new("late");
    let (wait, put) = (Arc::clone(&go), Arc::clone(&late));
    let first = g.node("first", move |cx: Cx<Trail, Lab>| {
        let wait = Arc::clone(&wait);
        let task = tokio::spawn(async move {
            wait.notified().await;
            let once = cx.once("effect", async { Ok::<_, NodeError>("late".to_string()) }).await;
            cx.spend("tokens", 7);
            (once.is_ok(), cx.interrupt::<String>(("ask", "?")).await.is_ok())
        });
        *put.lock().unwrap() = Some(task);
        async { Ok(mark("first")) }
    });
    let second = g.node("second", move |cx: Cx<Trail, Lab>| {
        let (go, late) = (Arc::clone(&go), Arc::clone(&late));
        async move {
            let handle = late.lock().unwrap().take();
            if let Some(handle) = handle {
                go.notify_one();
                assert_eq!(handle.await?, (false, false));
            }
            let own = cx.once("effect", async { Ok::<_, NodeError>("own".to_string()) }).await?;
            cx.resources.work("second").await?;
            Ok::<TrailUpdate, NodeError>(mark(own))
        }
    });
    g.entry(first).edge(first, second).edge(second, END);
    let (graph, lab) = (g.compile().unwrap(), Lab::new());
    lab.set("second", Mood::Fails);
    let error = world.run(&graph, &lab, Trail::update()).await.unwrap_err();
    assert!(error.to_string().contains("second fails"), "{error}");
    let now = world.thread(&graph).await.state().await.unwrap().unwrap();
    assert_eq!((now.questions.len(), now.next), (0, vec!["second".to_string()]));
    lab.mend("second");
    assert_eq!(world.resume(&graph, &lab).await.unwrap().state.seen, ["first", "own"]);
}

pub(crate) async fn a_graph_without_a_parent_that_directs_it_fails<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("alone");
    let ok = step(&mut g, "ok");
    let leaves = g.node("leaves", |cx: Cx<Trail, Lab>| async move {
        cx.resources.count("leaves");
        Ok(Command::goto_parent(["z"]).with(mark("leaves")))
    });
    g.entry(ok).entry(leaves).edge(ok, END).edge(leaves, END);
    let (graph, lab) = (g.compile().unwrap(), Lab::new());
    for runs in 1..3 {
        let error = match runs {
            1 => world.run(&graph, &lab, Trail::update()).await.unwrap_err(),
            _ => world.resume(&graph, &lab).await.unwrap_err(),
        };
        assert!(error.to_string().contains("went to `z` of the parent graph, and no graph runs this one"), "{error}");
        assert_eq!((lab.runs("ok"), lab.runs("leaves")), (1, runs), "it is not recorded, and its sibling is");
    }
}

/// `ask`, after `x`.
fn asking() -> CompiledGraph<Trail, Lab> {
    let mut g = Graph::<Trail, Lab>::new("asking");
    let x = step(&mut g, "x");
    let ask = g.node("ask", |cx: Cx<Trail, Lab>| async move {
        cx.resources.count("ask");
        let answer: String = cx.interrupt(("it", serde_json::json!(null))).await?;
        Ok(mark(answer))
    });
    g.entry(x).edge(x, ask).edge(ask, END);
    g.compile().unwrap()
}

pub(crate) async fn a_child_is_kept_for_its_call_unless_it_says_otherwise<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("outer");
    let link = Subgraph::mapped(|_: &Trail| Trail::update(), |child: Trail| mark(child.seen.join(" ")));
    let child = g.subgraph("child", &asking(), link);
    let (graph, lab) = (g.entry(child).edge(child, END).compile().unwrap(), Lab::new());
    assert_eq!(world.run(&graph, &lab, Trail::update()).await.unwrap().questions().len(), 1);
    assert_eq!(world.answer(&graph, &lab, "yes").await.unwrap().state.seen, ["x yes"]);
    assert_eq!((lab.runs("x"), lab.runs("ask")), (1, 2));

    // A state that cannot be stored runs all the same.
    #[derive(Clone, Default, State)]
    struct Handles {
        open: Vec<Arc<Mutex<u32>>>,
    }
    let mut g = Graph::<Handles, Lab>::new("handles");
    let open = g.node("open", |_cx| async { Ok(Handles::update().open(vec![Arc::default()])) });
    let handles = g.entry(open).edge(open, END).compile().unwrap();
    let link = Subgraph::mapped(|_: &Trail| Handles::update(), |child: Handles| mark(child.open.len().to_string()));
    let mut g = Graph::<Trail, Lab>::new("parent");
    let child = g.subgraph("child", &handles, link);
    let parent = g.entry(child).edge(child, END).compile().unwrap();
    assert_eq!(world.again().run(&parent, &lab, Trail::update()).await.unwrap().state.seen, ["1"]);
}

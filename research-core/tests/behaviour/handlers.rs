//! Error handlers: when they run, what they may do, what passes them by.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures::StreamExt;
use research_core::testing::FakeClock;
use research_core::{
    Ask, Cause, Command, Cx, END, EventKind, Failure, Graph, MemoryCheckpointer, Node, NodeError, Retry, RunError,
    Subgraph, TaskSource, Timeout,
};
use serde_json::Value;

use crate::support::{Trail, TrailUpdate, mark, step};

/// Counts the runs of a node or of a handler.
#[derive(Clone, Default)]
struct Runs(Arc<AtomicU32>);

impl Runs {
    fn note(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    fn count(&self) -> u32 {
        self.0.load(Ordering::SeqCst)
    }
}

/// Adds a node that always fails, and an edge from it to the end.
fn failing(g: &mut Graph<Trail>, runs: &Runs) -> Node {
    let runs = runs.clone();
    let node = g.node("work", move |_cx| {
        runs.note();
        async { Err::<TrailUpdate, _>(NodeError::from("x".parse::<u32>().unwrap_err())) }
    });
    g.edge(node, END);
    node
}

async fn note_failure(_cx: Cx<Trail>, failure: Failure) -> Result<TrailUpdate, NodeError> {
    Ok(mark(format!("{} failed in attempt {}: {}", failure.node, failure.attempt, failure.message)))
}

#[tokio::test]
async fn a_handler_runs_once_after_the_last_attempt_and_knows_the_typed_error() {
    let (runs, handled) = (Runs::default(), Runs::default());
    let mut g = Graph::<Trail>::new("handled");
    let work = failing(&mut g, &runs);
    let after = step(&mut g, "after");
    g.entry(work).edge(work, after).edge(after, END).retry(work, Retry::attempts(3));
    let count = handled.clone();
    g.on_error(work, move |cx: Cx<Trail>, failure: Failure| {
        count.note();
        async move {
            assert_eq!((cx.node(), cx.attempt()), ("work", 3));
            assert!(failure.downcast_ref::<std::num::ParseIntError>().is_some());
            note_failure(cx, failure).await
        }
    });
    let done = g.compile().unwrap().run(Trail::update()).clock(FakeClock::auto()).await.unwrap();
    assert_eq!(done.state.seen, ["work failed in attempt 3: invalid digit found in string", "after"]);
    assert_eq!((runs.count(), handled.count()), (3, 1));
}

#[tokio::test]
async fn a_handler_may_go_where_nothing_else_leads() {
    let mut g = Graph::<Trail>::new("rescued");
    let work = failing(&mut g, &Runs::default());
    let (usual, rescue) = (step(&mut g, "usual"), step(&mut g, "rescue"));
    g.entry(work).edge(work, usual).edge(usual, END).edge(rescue, END);
    g.on_error("work", move |_cx, _failure| async move { Ok(Command::goto(rescue).with(mark("handler"))) });
    let done = g.compile().unwrap().run(Trail::update()).await.unwrap();
    assert_eq!(done.state.seen, ["handler", "rescue"]);
}

#[tokio::test]
async fn a_handler_does_not_run_where_the_node_succeeds_or_its_route_fails() {
    let mut g = Graph::<Trail>::new("fine");
    let (fine, lost) = (step(&mut g, "fine"), step(&mut g, "lost"));
    g.entry(fine).edge(fine, lost).route(lost, |_: &Trail| Err::<Node, _>(NodeError::msg("no way")));
    g.edge(lost, END).on_error(fine, note_failure).on_error(lost, note_failure);
    let error = g.compile().unwrap().run(Trail::update()).await.unwrap_err();
    assert!(matches!(&error.failures()[0].cause, Cause::Route(_)));
    assert_eq!(error.state::<Trail>().unwrap().seen, ["fine"]);
}

#[tokio::test]
async fn panics_and_timeouts_are_handled_too() {
    let clock = FakeClock::auto();
    let mut g = Graph::<Trail>::new("all");
    let slow = g.node("slow", |_cx| async {
        pending::<()>().await;
        Ok(())
    });
    let wrong = g.node("wrong", |_cx| async {
        if true {
            panic!("a mistake");
        }
        Ok(())
    });
    g.entry(slow).entry(wrong).edge(slow, END).edge(wrong, END).timeout(slow, Timeout::total(Duration::from_secs(3)));
    g.on_error(slow, |cx, failure: Failure| async move {
        assert!(matches!(failure.cause.as_deref(), Some(Cause::TimedOut { idle: false, .. })));
        note_failure(cx, failure).await
    });
    g.on_error(wrong, |cx, failure: Failure| async move {
        assert!(matches!(failure.cause.as_deref(), Some(Cause::Panic(_))));
        note_failure(cx, failure).await
    });
    let done = g.compile().unwrap().run(Trail::update()).clock(clock).await.unwrap();
    assert_eq!(
        done.state.seen,
        [
            "slow failed in attempt 1: took longer than its time limit of 3s",
            "wrong failed in attempt 1: panicked: a mistake"
        ]
    );
}

#[tokio::test]
async fn a_handler_that_fails_tells_its_own_error_and_that_of_the_node() {
    for panics in [false, true] {
        let mut g = Graph::<Trail>::new("worse");
        let work = failing(&mut g, &Runs::default());
        g.entry(work).on_error(work, move |_cx, _failure| async move {
            assert!(!panics, "a mistake");
            Err::<(), _>(NodeError::msg("no mail"))
        });
        let error = g.compile().unwrap().run(Trail::update()).await.unwrap_err();
        let why = if panics { "panicked: a mistake" } else { "no mail" };
        assert_eq!(
            error.to_string(),
            format!(
                "graph `worse`: node `work` in step 1 (task 0) failed (invalid digit found in string), \
                 and then its error handler failed: {why}"
            )
        );
        let Cause::Handler { failure, .. } = &error.failures()[0].cause else { panic!("{error}") };
        assert!(matches!(&**failure, Cause::Error(error) if error.downcast_ref::<std::num::ParseIntError>().is_some()));
    }
}

#[tokio::test]
async fn the_events_say_that_a_handler_took_the_place_of_the_node() {
    let mut g = Graph::<Trail>::new("told");
    let work = failing(&mut g, &Runs::default());
    g.entry(work).on_error(work, note_failure);
    let mut events = g.compile().unwrap().run(Trail::update()).stream();
    let mut sources = Vec::new();
    while let Some(event) = events.next().await {
        if let EventKind::TaskFinished { error, source } = event.kind {
            sources.push((error, source));
        }
    }
    assert_eq!(sources, [(None, TaskSource::Handled)]);
}

#[tokio::test]
async fn a_question_without_a_thread_is_a_mistake_that_no_handler_hides() {
    let mut g = Graph::<Trail>::new("asks");
    let work = g.node("work", |cx: Cx<Trail>| async move {
        let name: String = cx.interrupt(Ask::new("name", Value::Null)).await?;
        Ok(mark(name))
    });
    g.entry(work).edge(work, END).retry(work, Retry::attempts(5)).on_error(work, note_failure);
    let error = g.compile().unwrap().run(Trail::update()).await.unwrap_err();
    assert_eq!(error.failures()[0].attempt, 1);
    assert!(error.to_string().contains("attach a checkpointer"), "{error}");
}

#[tokio::test]
async fn a_subgraph_that_fails_is_tried_again_and_handled_like_any_node() {
    let runs = Runs::default();
    let mut g = Graph::<Trail>::new("inner");
    let first = step(&mut g, "first");
    let work = failing(&mut g, &runs);
    g.entry(first).edge(first, work);
    let inner = g.compile().unwrap();
    let mut g = Graph::<Trail>::new("outer");
    let child = g.subgraph("child", &inner, Subgraph::shared());
    g.entry(child).edge(child, END).retry(child, Retry::attempts(2));
    g.on_error(child, |_cx, failure: Failure| async move {
        let inner = failure.downcast_ref::<RunError>().unwrap();
        assert_eq!(inner.failures()[0].node, "work");
        Ok(mark(format!("{} failed in attempt {}", failure.node, failure.attempt)))
    });
    let done = g.compile().unwrap().run(Trail::update()).clock(FakeClock::auto()).await.unwrap();
    assert_eq!(done.state.seen, ["child failed in attempt 2"], "nothing of a failed attempt is left");
    assert_eq!(runs.count(), 2);
}

#[tokio::test]
async fn a_subgraph_whose_progress_is_kept_goes_on_in_its_next_attempt_where_it_failed() {
    let (runs, firsts) = (Runs::default(), Runs::default());
    let (count, count_first) = (runs.clone(), firsts.clone());
    let mut g = Graph::<Trail>::new("inner");
    let first = g.node("first", move |_cx| {
        count_first.note();
        async { Ok(mark("first")) }
    });
    let work = g.node("work", move |_cx| {
        count.note();
        let fails = count.count() == 1;
        async move { if fails { Err(NodeError::msg("out")) } else { Ok(mark("work")) } }
    });
    g.entry(first).edge(first, work).edge(work, END);
    let inner = g.compile().unwrap();
    let mut g = Graph::<Trail>::new("outer");
    let child = g.subgraph("child", &inner, Subgraph::shared().per_call());
    g.entry(child).edge(child, END).retry(child, Retry::attempts(2));
    let graph = g.compile().unwrap().with_checkpointer(MemoryCheckpointer::new());
    let done = graph.run(Trail::update()).thread("t").clock(FakeClock::auto()).await.unwrap();
    assert_eq!(done.state.seen, ["first", "work"]);
    assert_eq!((firsts.count(), runs.count()), (1, 2));
}

//! Error handlers on a thread: a crash does not lose them, and what they gave is kept.

use std::sync::Arc;

use research_core::{Cause, CompiledGraph, Cx, END, Failure, Graph, NodeError};

use super::lab::{Lab, Mood, Place, Trail, TrailUpdate, World, late, mark, step, until};

/// `work`, whose failure `handler` handles as its mood says, beside `other`.
fn handled() -> CompiledGraph<Trail, Lab> {
    let mut g = Graph::<Trail, Lab>::new("handled");
    let [work, other, after] = ["work", "other", "after"].map(|name| step(&mut g, name));
    g.entry(work).entry(other).join([work, other], after).edge(after, END).on_error(work, handle);
    g.compile().unwrap()
}

async fn handle(cx: Cx<Trail, Lab>, failure: Failure) -> Result<TrailUpdate, NodeError> {
    cx.resources.work("handler").await?;
    let known = if failure.cause.is_some() { "known" } else { "only told" };
    Ok(mark(format!("{} in attempt {}, {known}", failure.message, failure.attempt)))
}

pub(crate) async fn a_crash_between_failure_and_handler_is_followed_by_the_handler_alone<P: Place>(world: World<P>) {
    let lab = Lab::new();
    lab.set("work", Mood::Fails);
    lab.set("handler", Mood::Hangs);
    let graph = world.keep(&handled()).await;
    let run = graph.run(Trail::update()).resources(Arc::clone(&lab)).thread("t").durability(world.durability);
    tokio::select! {
        _ = run.into_future() => panic!("the handler hangs"),
        () = until(async || lab.runs("handler") == 1 && lab.runs("other") == 1) => late(3).await,
    }
    lab.mend("handler");
    if world.stores_at_exit() {
        // The run that was lost is given anew.
        let done = world.run(&handled(), &lab, Trail::update()).await.unwrap();
        assert_eq!(done.state.seen, ["other", "work fails in attempt 1, known", "after"]);
        return;
    }
    let done = world.resume(&handled(), &lab).await.unwrap();
    assert_eq!(done.state.seen, ["other", "work fails in attempt 1, only told", "after"]);
    assert_eq!((lab.runs("work"), lab.runs("handler")), (1, 2));
}

pub(crate) async fn what_a_handler_gave_is_kept_and_neither_it_nor_its_node_runs_again<P: Place>(world: World<P>) {
    let lab = Lab::new();
    lab.set("work", Mood::Fails);
    lab.set("other", Mood::FailsLate);
    let error = world.run(&handled(), &lab, Trail::update()).await.unwrap_err();
    assert_eq!(error.failures().iter().map(|failure| &*failure.node).collect::<Vec<_>>(), ["other"]);
    lab.mend("other");
    let done = world.resume(&handled(), &lab).await.unwrap();
    assert_eq!(done.state.seen, ["other", "work fails in attempt 1, known", "after"]);
    assert_eq!(["work", "handler", "other"].map(|name| lab.runs(name)), [1, 1, 2]);
}

pub(crate) async fn after_a_handler_has_failed_a_resumed_run_begins_with_the_node<P: Place>(world: World<P>) {
    for mood in [Mood::Fails, Mood::Panics] {
        let (world, lab) = (world.again(), Lab::new());
        lab.set("work", Mood::Fails);
        lab.set("handler", mood);
        let error = world.run(&handled(), &lab, Trail::update()).await.unwrap_err();
        assert!(matches!(&error.failures()[0].cause, Cause::Handler { .. }), "{error}");
        lab.mend("work");
        let done = world.resume(&handled(), &lab).await.unwrap();
        assert_eq!(done.state.seen, ["other", "work", "after"]);
        assert_eq!(["work", "handler", "other"].map(|name| lab.runs(name)), [2, 1, 1]);
    }
}

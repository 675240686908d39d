//! Changes of a thread from outside, as if a node had returned them.

use research_core::checkpoint::Origin;
use research_core::{CheckpointId, CompiledGraph, END, ErrorKind, Graph, RunError, Sends, ThreadError};

use super::lab::{Lab, Mood, Place, Trail, World, mark, step};

/// `a`, then `left` and `right`, then `end`, which joins them.
fn fan() -> CompiledGraph<Trail, Lab> {
    let mut g = Graph::<Trail, Lab>::new("fan");
    let [a, left, right, end] = ["a", "left", "right", "end"].map(|name| step(&mut g, name));
    g.entry(a).edge(a, left).edge(a, right).join([left, right], end).edge(end, END);
    g.compile().unwrap()
}

fn thread_error(error: &RunError) -> &ThreadError {
    match error.kind() {
        ErrorKind::Thread(error) => error,
        other => panic!("{other:?}"),
    }
}

/// The fan, where `right` failed and `left` did not.
async fn half_done<P: Place>(world: &World<P>, lab: &std::sync::Arc<Lab>) -> CompiledGraph<Trail, Lab> {
    let graph = fan();
    lab.set("right", Mood::Fails);
    world.run(&graph, lab, Trail::update()).await.unwrap_err();
    lab.mend("right");
    graph
}

pub(crate) async fn an_update_counts_as_a_run_of_its_node_and_recorded_siblings_stay_so<P: Place>(world: World<P>) {
    let lab = Lab::new();
    let graph = half_done(&world, &lab).await;
    let thread = world.thread(&graph).await;
    let made = thread.update(mark("right by hand")).as_node("right").await.unwrap();
    let now = thread.state().await.unwrap().unwrap();
    assert_eq!((now.checkpoint, now.origin, now.recorded), (made, Origin::Update, 1));
    assert_eq!((now.next, now.state.seen.len()), (vec!["left".to_string()], 2));
    let done = world.resume(&graph, &lab).await.unwrap();
    assert_eq!(done.state.seen, ["a", "right by hand", "left", "end"]);
    assert_eq!(["left", "right", "end"].map(|name| lab.runs(name)), [1, 1, 1]);
}

pub(crate) async fn an_update_of_an_earlier_node_makes_its_successors_due_once<P: Place>(world: World<P>) {
    let lab = Lab::new();
    let graph = half_done(&world, &lab).await;
    world.thread(&graph).await.update(mark("edit")).as_node("a").await.unwrap();
    let done = world.resume(&graph, &lab).await.unwrap();
    assert_eq!(done.state.seen, ["a", "edit", "left", "right", "end"]);
    assert_eq!(lab.runs("left"), 1, "it was recorded, and stays so");
}

pub(crate) async fn sent_tasks_stay_recorded_at_their_places<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("sends");
    let [plan, side, other] = ["plan", "side", "other"].map(|name| step(&mut g, name));
    let work = g.task("work", |cx, n: u32| async move {
        let name = format!("work {n}");
        cx.resources.work(&name).await?;
        Ok(mark(name))
    });
    g.entry(plan)
        .edge(plan, side)
        .route(plan, move |_: &Trail| (0..3).map(|n| work.send(n)).collect::<Sends>())
        .edge(side, other)
        .edge(side, END)
        .edge(other, END)
        .edge(work, END);
    let (graph, lab) = (g.compile().unwrap(), Lab::new());
    lab.set("side", Mood::Fails);
    lab.set("work 1", Mood::Fails);
    world.run(&graph, &lab, Trail::update()).await.unwrap_err();
    lab.mend("side");
    lab.mend("work 1");
    let thread = world.thread(&graph).await;
    thread.update(mark("side by hand")).as_node("side").await.unwrap();
    assert_eq!(thread.state().await.unwrap().unwrap().recorded, 2);
    let done = world.resume(&graph, &lab).await.unwrap();
    assert_eq!(done.state.seen, ["plan", "side by hand", "other", "work 0", "work 1", "work 2"]);
    assert_eq!((0..3).map(|n| lab.runs(&format!("work {n}"))).collect::<Vec<_>>(), [1, 2, 1]);
}

pub(crate) async fn the_node_is_the_one_that_ran_last_when_that_is_one<P: Place>(world: World<P>) {
    let lab = Lab::new();
    let graph = half_done(&world, &lab).await;
    let thread = world.thread(&graph).await;
    thread.update(mark("edit")).await.unwrap();
    assert_eq!(thread.state().await.unwrap().unwrap().next, ["left", "right"], "`a` ran last");
    let mut g = Graph::<Trail, Lab>::new("wide");
    let [b, a] = ["b", "a"].map(|name| step(&mut g, name));
    g.entry(b).entry(a).edge(a, END).edge(b, END);
    let (wide, world) = (g.compile().unwrap(), world.again());
    world.run(&wide, &lab, Trail::update()).await.unwrap();
    let error = world.thread(&wide).await.update(mark("edit")).await.unwrap_err();
    assert_eq!(thread_error(&error), &ThreadError::AmbiguousNode { nodes: vec!["a".into(), "b".into()] });
    assert_eq!(world.thread(&wide).await.state().await.unwrap().unwrap().state.seen, ["a", "b"]);
}

pub(crate) async fn an_unknown_node_is_an_error_that_suggests_one<P: Place>(world: World<P>) {
    let lab = Lab::new();
    let graph = half_done(&world, &lab).await;
    let error = world.thread(&graph).await.update(mark("edit")).as_node("lfet").await.unwrap_err();
    assert_eq!(
        thread_error(&error),
        &ThreadError::UnknownNode { name: "lfet".into(), suggestion: Some("left".into()) }
    );
}

pub(crate) async fn a_complete_thread_goes_on_where_an_update_leads<P: Place>(world: World<P>) {
    let (graph, lab) = (fan(), Lab::new());
    world.run(&graph, &lab, Trail::update()).await.unwrap();
    let thread = world.thread(&graph).await;
    thread.update(Trail::update().word("last words")).await.unwrap();
    let now = thread.state().await.unwrap().unwrap();
    assert_eq!((now.is_complete(), &*now.state.word), (true, "last words"), "`end` leads to the end");
    thread.update(mark("again")).as_node("a").await.unwrap();
    let done = world.resume(&graph, &lab).await.unwrap();
    assert_eq!(done.state.seen, ["a", "left", "right", "end", "again", "left", "right", "end"]);
}

pub(crate) async fn a_new_thread_is_started_with_an_input_rather_than_an_update<P: Place>(world: World<P>) {
    let thread = world.thread(&fan()).await;
    let error = thread.update(mark("edit")).as_node("a").await.unwrap_err();
    assert_eq!(thread_error(&error), &ThreadError::Empty { thread: "t".into() });
    assert!(thread.state().await.unwrap().is_none());
}

pub(crate) async fn several_updates_are_stored_together_or_not_at_all<P: Place>(world: World<P>) {
    let lab = Lab::new();
    let graph = half_done(&world, &lab).await;
    let thread = world.thread(&graph).await;
    let before = thread.history().await.unwrap().moments().len();
    let bad = thread.update(mark("one")).as_node("left").then(mark("two")).as_node("nobody");
    bad.await.unwrap_err();
    assert_eq!(thread.history().await.unwrap().moments().len(), before);
    let both = thread.update(mark("one")).as_node("left").then(mark("two")).as_node("right").then(mark("three"));
    both.await.unwrap();
    let history = thread.history().await.unwrap();
    let made: Vec<_> = history.moments()[..3].iter().map(|moment| (moment.origin, &*moment.ran[0])).collect();
    assert_eq!(made, [(Origin::Update, "right"), (Origin::Update, "right"), (Origin::Update, "left")]);
    let done = world.resume(&graph, &lab).await.unwrap();
    assert_eq!(done.state.seen, ["a", "one", "two", "three", "end"]);
    assert_eq!(["left", "right", "end"].map(|name| lab.runs(name)), [1, 1, 1]);
}

pub(crate) async fn an_older_checkpoint_is_updated_as_a_branch<P: Place>(world: World<P>) {
    let (graph, lab) = (fan(), Lab::new());
    let kept = world.keep(&graph).await;
    let run = kept.run(Trail::update()).resources(std::sync::Arc::clone(&lab)).thread("t");
    run.await.unwrap();
    let made = kept.thread("t").update(mark("edit")).as_node("left").from_checkpoint(CheckpointId(2)).await.unwrap();
    let moment = kept.thread("t").state_at(made).await.unwrap();
    assert_eq!((moment.parent, moment.next), (Some(CheckpointId(2)), vec!["right".to_string()]));
    assert_eq!(world.resume(&graph, &lab).await.unwrap().state.seen, ["a", "edit", "right", "end"]);
    let old = kept.thread("t").state_at(CheckpointId(4)).await.unwrap();
    assert_eq!(old.state.seen, ["a", "left", "right", "end"]);
}

pub(crate) async fn an_update_in_place_of_the_node_that_asks_answers_its_question<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("asks");
    let asks = |cx: research_core::Cx<Trail, Lab>| async move {
        cx.resources.count(cx.node());
        let answer: String = cx.interrupt(("it", "?")).await?;
        Ok(mark(answer))
    };
    let [a, b] = ["a", "b"].map(|name| g.node(name, asks));
    let ok = step(&mut g, "ok");
    g.entry(a).entry(b).entry(ok).edge(a, END).edge(b, END).edge(ok, END);
    let (graph, lab) = (g.compile().unwrap(), Lab::new());
    world.run(&graph, &lab, Trail::update()).await.unwrap();
    let thread = world.thread(&graph).await;
    thread.update(mark("by hand")).as_node("a").await.unwrap();
    let now = thread.state().await.unwrap().unwrap();
    assert_eq!((now.questions.len(), &*now.questions[0].node, now.recorded), (1, "b", 1));
    // The question has the id that it had; its task stands elsewhere now.
    let done = world.answer(&graph, &lab, "yes").await.unwrap();
    assert_eq!(done.state.seen, ["by hand", "yes", "ok"]);
    assert_eq!(["a", "b", "ok"].map(|name| lab.runs(name)), [1, 2, 1]);
}

pub(crate) async fn effects_and_answers_move_with_their_task<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("moves");
    let a = step(&mut g, "a");
    let b = g.node("b", |cx| async move {
        let receipt: u32 = cx
            .once("pay", async {
                cx.resources.count("pay");
                Ok::<_, research_core::NodeError>(7)
            })
            .await?;
        let yes: bool = cx.interrupt(("sure", receipt)).await?;
        cx.resources.work("b").await?;
        Ok(mark(format!("b {receipt} {yes}")))
    });
    g.entry(a).entry(b).edge(a, END).edge(b, END);
    let (graph, lab) = (g.compile().unwrap(), Lab::new());
    lab.set("a", Mood::Fails);
    lab.set("b", Mood::Fails);
    world.run(&graph, &lab, Trail::update()).await.unwrap_err();
    world.answer(&graph, &lab, true).await.unwrap_err();
    world.thread(&graph).await.update(mark("a by hand")).as_node("a").await.unwrap();
    lab.mend("b");
    assert_eq!(world.resume(&graph, &lab).await.unwrap().state.seen, ["a by hand", "b 7 true"]);
    assert_eq!(lab.runs("pay"), 1);
}

pub(crate) async fn two_writes_of_a_plain_field_in_an_update_are_two_steps<P: Place>(world: World<P>) {
    let lab = Lab::new();
    let graph = half_done(&world, &lab).await;
    let thread = world.thread(&graph).await;
    thread
        .update(Trail::update().value(1))
        .as_node("left")
        .then(Trail::update().value(2))
        .as_node("right")
        .await
        .unwrap();
    let now = thread.state().await.unwrap().unwrap();
    assert_eq!((now.state.value, now.step), (2, 3));
}

pub(crate) async fn a_route_that_fails_refuses_the_update<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("routed");
    let [a, b] = ["a", "b"].map(|name| step(&mut g, name));
    let decide = move |s: &Trail| if s.value == 13 { Err("unlucky") } else { Ok(b) };
    g.entry(a).route(a, decide).edge(b, END);
    let (graph, lab) = (g.compile().unwrap(), Lab::new());
    world.run(&graph, &lab, Trail::update()).await.unwrap();
    let thread = world.thread(&graph).await;
    let before = thread.state().await.unwrap().unwrap().checkpoint;
    let error = thread.update(Trail::update().value(13)).as_node("a").await.unwrap_err();
    assert_eq!(error.failures()[0].node, "a");
    assert_eq!(thread.state().await.unwrap().unwrap().checkpoint, before);
}

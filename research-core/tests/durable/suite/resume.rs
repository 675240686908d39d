//! What a thread keeps of a run that fails, and what runs again.

use std::sync::Arc;

use research_core::checkpoint::ThreadKey;
use research_core::{
    Cause, Checkpointer, Command, END, ErrorKind, EventKind, FailurePolicy, Graph, Sends, State, TaskSource,
    ThreadError,
};

use super::lab::{Lab, Mood, Place, Trail, World, chain, collect, goes_on, mark, pair, step};

pub(crate) async fn a_finished_sibling_is_not_run_again_whichever_ended_first<P: Place>(world: World<P>) {
    for (ok, bad) in [(None, Mood::FailsLate), (Some(Mood::Late(4)), Mood::Fails)] {
        let (world, lab) = (world.again(), Lab::new());
        lab.set("bad", bad);
        if let Some(mood) = ok {
            lab.set("ok", mood);
        }
        let error = world.run(&pair(), &lab, Trail::update()).await.unwrap_err();
        assert_eq!(error.failures().len(), 1);
        assert_eq!(error.failures()[0].node, "bad");
        goes_on(&world, &lab).await;
    }
}

pub(crate) async fn a_failure_leaves_the_state_of_the_last_barrier_in_the_error<P: Place>(world: World<P>) {
    let lab = Lab::new();
    lab.set("b", Mood::Fails);
    let error = world.run(&chain(), &lab, Trail::update()).await.unwrap_err();
    assert_eq!(error.state::<Trail>().unwrap().seen, ["a"]);
    lab.mend("b");
    let done = world.resume(&chain(), &lab).await.unwrap();
    assert_eq!(done.state.seen, ["a", "b", "c"]);
    assert_eq!((lab.runs("a"), done.steps), (1, 2));
}

pub(crate) async fn all_failures_are_reported_in_path_order_whatever_their_timing<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("three");
    let [z, a, m] = ["z", "a", "m"].map(|name| step(&mut g, name));
    g.entry(z).entry(a).entry(m).edge(z, END).edge(a, END).edge(m, END);
    let (graph, lab) = (g.compile().unwrap(), Lab::new());
    lab.set("z", Mood::Fails);
    lab.set("a", Mood::FailsLate);
    let error = world.run(&graph, &lab, Trail::update()).await.unwrap_err();
    let failures: Vec<_> = error.failures().iter().map(|f| (&*f.node, f.step, f.task, f.attempt)).collect();
    assert_eq!(failures, [("a", 1, 0, 1), ("z", 1, 2, 1)]);
    lab.mend("z");
    lab.mend("a");
    assert_eq!(world.resume(&graph, &lab).await.unwrap().state.seen, ["a", "m", "z"]);
    assert_eq!(["a", "m", "z"].map(|name| lab.runs(name)), [2, 1, 2]);
}

pub(crate) async fn a_panic_is_a_failure_that_leaves_what_finished<P: Place>(world: World<P>) {
    let lab = Lab::new();
    lab.set("bad", Mood::Panics);
    let error = world.run(&pair(), &lab, Trail::update()).await.unwrap_err();
    assert!(matches!(&error.failures()[0].cause, Cause::Panic(text) if text == "bad panics"));
    goes_on(&world, &lab).await;
}

pub(crate) async fn siblings_that_ended_before_the_others_were_cancelled_are_kept<P: Place>(world: World<P>) {
    let (graph, lab) = (world.keep(&pair()).await, Lab::new());
    lab.set("bad", Mood::FailsLate);
    let run = graph.run(Trail::update()).resources(Arc::clone(&lab)).thread("t").durability(world.durability);
    run.on_failure(FailurePolicy::CancelSiblings).await.unwrap_err();
    goes_on(&world, &lab).await;
}

pub(crate) async fn a_complete_thread_ends_at_once<P: Place>(world: World<P>) {
    let lab = Lab::new();
    world.run(&chain(), &lab, Trail::update()).await.unwrap();
    let done = world.resume(&chain(), &lab).await.unwrap();
    assert_eq!((done.steps, done.is_complete(), done.state.seen.len()), (0, true, 3));
    assert_eq!(lab.all_runs().values().sum::<u32>(), 3);
}

pub(crate) async fn a_new_thread_has_nothing_to_resume_and_run_or_resume_starts_it<P: Place>(world: World<P>) {
    let (graph, lab) = (chain(), Lab::new());
    let error = world.resume(&graph, &lab).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Thread(ThreadError::Empty { thread }) if thread == "t"));
    let start = async || {
        let graph = world.keep(&graph).await;
        graph.run_or_resume(mark("input")).resources(Arc::clone(&lab)).thread("t").durability(world.durability).await
    };
    lab.set("b", Mood::Fails);
    start().await.unwrap_err();
    lab.mend("b");
    for _ in 0..2 {
        assert_eq!(start().await.unwrap().state.seen, ["input", "a", "b", "c"], "the input counts once");
    }
}

pub(crate) async fn a_new_input_replaces_what_was_due<P: Place>(world: World<P>) {
    let (graph, lab) = (pair(), Lab::new());
    lab.set("bad", Mood::Fails);
    world.run(&graph, &lab, mark("one")).await.unwrap_err();
    lab.mend("bad");
    let done = world.run(&graph, &lab, mark("two")).await.unwrap();
    assert_eq!(done.state.seen, ["one", "two", "bad", "ok", "after"]);
    assert_eq!(lab.runs("ok"), 2, "it belongs to another input now");
}

pub(crate) async fn sends_joins_and_deferred_nodes_stay_due<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("due");
    let plan = step(&mut g, "plan");
    let side = step(&mut g, "side");
    let work = g.task("work", |cx, n: u32| async move {
        let name = format!("work {n}");
        cx.resources.work(&name).await?;
        Ok(mark(name))
    });
    let [tail, join, last] = ["tail", "join", "last"].map(|name| step(&mut g, name));
    g.entry(plan)
        .edge(plan, side)
        .edge(plan, last)
        .route(plan, move |_: &Trail| [3, 1, 2].into_iter().map(|n| work.send(n)).collect::<Sends>())
        .edge(work, tail)
        .join([side, tail], join)
        .edge(join, END)
        .defer(last)
        .edge(last, END);
    let (graph, lab) = (g.compile().unwrap(), Lab::new());
    let expected = ["plan", "side", "work 3", "work 1", "work 2", "tail", "join", "last"];
    for bad in ["side", "work 1", "tail", "join", "last"] {
        let (world, lab) = (world.again(), Lab::new());
        lab.set(bad, Mood::FailsLate);
        let error = world.run(&graph, &lab, Trail::update()).await.unwrap_err();
        assert_eq!(error.failures().len(), 1);
        lab.mend(bad);
        let done = world.resume(&graph, &lab).await.unwrap();
        assert_eq!(done.state.seen, expected, "{bad} failed first");
        for name in expected {
            assert_eq!(lab.runs(name), if name == bad { 2 } else { 1 }, "{name}");
        }
    }
    assert_eq!(world.run(&graph, &lab, Trail::update()).await.unwrap().state.seen, expected);
}

pub(crate) async fn joins_of_some_sources_absorb_stragglers_over_a_resume<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("some");
    let [fast, slow, slower, first, most] = ["fast", "slow", "slower", "first", "most"].map(|name| step(&mut g, name));
    let wait = step(&mut g, "wait");
    g.entry(fast).entry(wait).edge(wait, slow).edge(slow, slower).edge(slower, END);
    g.join_any([fast, slow, slower], first).join_n(2, [fast, slow, slower], most).edge(first, END).edge(most, END);
    let graph = g.compile().unwrap();
    let expected = ["fast", "wait", "first", "slow", "most", "slower"];
    for bad in expected {
        let (world, lab) = (world.again(), Lab::new());
        lab.set(bad, Mood::Fails);
        world.run(&graph, &lab, Trail::update()).await.unwrap_err();
        lab.mend(bad);
        assert_eq!(world.resume(&graph, &lab).await.unwrap().state.seen, expected, "{bad} failed first");
    }
}

pub(crate) async fn where_a_recorded_task_led_is_kept<P: Place>(world: World<P>) {
    for also in [false, true] {
        let (world, lab) = (world.again(), Lab::new());
        let mut g = Graph::<Trail, Lab>::new("led");
        let [bad, plain, chosen] = ["bad", "plain", "chosen"].map(|name| step(&mut g, name));
        let work = g.task("work", |cx, n: u32| async move {
            cx.resources.count("work");
            Ok(mark(format!("work {n}")))
        });
        let lead = g.node("lead", move |cx| async move {
            cx.resources.count("lead");
            let targets = vec![chosen.into(), work.send(7).into(), END.into(), "chosen".into()];
            let targets: Vec<research_core::Target> = targets;
            let command = if also { Command::also_goto(targets) } else { Command::goto(targets) };
            Ok(command.with(mark("lead")))
        });
        g.entry(bad).entry(lead).edge(bad, END).edge(lead, plain).edge(plain, END).edge(chosen, END).edge(work, END);
        let graph = g.compile().unwrap();
        lab.set("bad", Mood::FailsLate);
        world.run(&graph, &lab, Trail::update()).await.unwrap_err();
        lab.mend("bad");
        let done = world.resume(&graph, &lab).await.unwrap();
        let expected: &[&str] = match also {
            true => &["bad", "lead", "chosen", "plain", "work 7"],
            false => &["bad", "lead", "chosen", "work 7"],
        };
        assert_eq!(done.state.seen, expected);
        assert_eq!(lab.runs("lead"), 1);
    }
}

pub(crate) async fn a_restored_task_says_so<P: Place>(world: World<P>) {
    let (graph, lab) = (pair(), Lab::new());
    lab.set("bad", Mood::Fails);
    world.run(&graph, &lab, Trail::update()).await.unwrap_err();
    lab.mend("bad");
    let graph = world.keep(&graph).await;
    let stream = graph.resume().resources(Arc::clone(&lab)).thread("t").durability(world.durability).stream();
    let (events, done) = collect(stream).await;
    done.unwrap();
    let sources = events.iter().filter_map(|event| match event.kind {
        EventKind::TaskFinished { source, .. } => Some((event.node()?.to_string(), source)),
        _ => None,
    });
    let expected = [("ok", TaskSource::Restored), ("bad", TaskSource::Ran), ("after", TaskSource::Ran)];
    assert_eq!(sources.collect::<Vec<_>>(), expected.map(|(name, source)| (name.to_string(), source)));
}

#[derive(Clone, Debug, Default, PartialEq, State)]
struct Fleeting {
    #[reduce(append)]
    seen: Vec<String>,
    #[reduce(ephemeral)]
    flash: Option<u32>,
    #[reduce(append, ephemeral)]
    sparks: Vec<u32>,
    #[reduce(untracked)]
    handle: u32,
}

pub(crate) async fn ephemeral_fields_hold_one_step_and_untracked_ones_are_not_kept<P: Place>(world: World<P>) {
    let mut g = Graph::<Fleeting, Lab>::new("fleeting");
    let a = g.node("a", |_cx| async { Ok(Fleeting::update().flash(1).sparks([1, 2]).handle(9)) });
    let look = |name: &'static str| {
        move |cx: research_core::Cx<Fleeting, Lab>| async move {
            cx.resources.work(name).await?;
            let Fleeting { flash, sparks, handle, .. } = &*cx.state;
            Ok(Fleeting::update().seen([format!("{name} {flash:?} {sparks:?} {handle}")]))
        }
    };
    let b = g.node("b", look("b"));
    let c = g.node("c", look("c"));
    g.entry(a).edge(a, b).edge(b, c).edge(c, END);
    let graph = g.compile().unwrap();
    for (bad, expected) in [
        ("b", ["b Some(1) [1, 2] 0", "c None [] 0"]),
        ("c", ["b Some(1) [1, 2] 9", "c None [] 0"]),
        ("", ["b Some(1) [1, 2] 9", "c None [] 9"]),
    ] {
        let (world, lab) = (world.again(), Lab::new());
        lab.set(bad, Mood::Fails);
        let _ = world.run(&graph, &lab, Fleeting::update()).await;
        lab.mend(bad);
        assert_eq!(world.resume(&graph, &lab).await.unwrap().state.seen, expected);
    }
}

pub(crate) async fn what_is_recorded_of_a_step_goes_when_the_step_is_complete<P: Place>(world: World<P>) {
    let (graph, lab) = (pair(), Lab::new());
    lab.set("bad", Mood::Fails);
    world.run(&graph, &lab, Trail::update()).await.unwrap_err();
    lab.mend("bad");
    assert_eq!(world.recorded().await, 1);
    world.resume(&graph, &lab).await.unwrap();
    let store = world.place.open().await;
    for moment in world.thread(&graph).await.history().await.unwrap().moments() {
        let loaded = store.read(&ThreadKey::root("t"), Some(moment.checkpoint)).await.unwrap().unwrap();
        assert_eq!(loaded.records, []);
    }
}

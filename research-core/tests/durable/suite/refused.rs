//! Steps whose tasks have finished and whose barrier refuses them: what is kept, and what runs again.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use research_core::{Cause, Command, Cx, END, Graph, NamedTask, State};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::lab::{Lab, Mood, Place, Trail, World, mark, step};

pub(crate) async fn a_failed_route_is_asked_again_without_its_node<P: Place>(world: World<P>) {
    for siblings in [false, true] {
        let (world, lab, broken) = (world.again(), Lab::new(), Arc::new(AtomicBool::new(true)));
        let mut g = Graph::<Trail, Lab>::new("routed");
        let [a, b, next] = ["a", "b", "next"].map(|name| step(&mut g, name));
        let flag = Arc::clone(&broken);
        g.entry(a).edge(b, END).edge(next, END).route(a, move |s: &Trail| match flag.load(Ordering::Relaxed) {
            true => Err("the route fails"),
            false => Ok(if s.seen.contains(&"a".to_string()) { next } else { END }),
        });
        if siblings {
            g.entry(b);
        } else {
            g.edge(next, b);
        }
        let graph = g.compile().unwrap();
        let error = world.run(&graph, &lab, Trail::update()).await.unwrap_err();
        assert!(matches!(&error.failures()[0].cause, Cause::Route(error) if error.to_string() == "the route fails"));
        broken.store(false, Ordering::Relaxed);
        let done = world.resume(&graph, &lab).await.unwrap();
        let seen = if siblings { ["a", "b", "next"] } else { ["a", "next", "b"] };
        assert_eq!(done.state.seen, seen);
        assert_eq!(["a", "b", "next"].map(|name| lab.runs(name)), [1, 1, 1]);
    }
}

pub(crate) async fn a_route_to_an_unknown_target_is_asked_again_without_its_node<P: Place>(world: World<P>) {
    let (lab, broken) = (Lab::new(), Arc::new(AtomicBool::new(true)));
    let mut g = Graph::<Trail, Lab>::new("lost");
    let [a, next] = ["a", "next"].map(|name| step(&mut g, name));
    let flag = Arc::clone(&broken);
    let target = move |_: &Trail| if flag.load(Ordering::Relaxed) { "nxet" } else { "next" };
    g.entry(a).route(a, target).edge(next, END);
    let graph = g.compile().unwrap();
    let error = world.run(&graph, &lab, Trail::update()).await.unwrap_err();
    assert!(matches!(&error.failures()[0].cause,
        Cause::UnknownTarget { target, suggestion } if target == "nxet" && suggestion.as_deref() == Some("next")));
    broken.store(false, Ordering::Relaxed);
    assert_eq!(world.resume(&graph, &lab).await.unwrap().state.seen, ["a", "next"]);
    assert_eq!(lab.runs("a"), 1);
}

pub(crate) async fn a_node_that_went_to_an_unknown_target_runs_again_and_its_sibling_does_not<P: Place>(
    world: World<P>,
) {
    for mood in [Mood::Late(0), Mood::Late(4)] {
        let (world, lab) = (world.again(), Lab::new());
        let mut g = Graph::<Trail, Lab>::new("lost");
        let a = g.node("a", |cx| async move {
            cx.resources.count("a");
            let target = if cx.resources.is_broken("goto") { "nowhere" } else { "next" };
            Ok(Command::goto(target).with(mark("a")))
        });
        let [b, next] = ["b", "next"].map(|name| step(&mut g, name));
        g.entry(a).entry(b).edge(b, END).edge(next, END);
        let graph = g.compile().unwrap();
        lab.set("goto", Mood::Fails);
        lab.set("b", mood);
        let error = world.run(&graph, &lab, Trail::update()).await.unwrap_err();
        assert!(matches!(&error.failures()[0].cause, Cause::UnknownTarget { target, .. } if target == "nowhere"));
        lab.mend("goto");
        assert_eq!(world.resume(&graph, &lab).await.unwrap().state.seen, ["a", "b", "next"]);
        assert_eq!(["a", "b", "next"].map(|name| lab.runs(name)), [2, 1, 1]);
    }
}

/// A reducer of the user that has a bad day.
fn fragile(field: &mut u32, by: u32) {
    assert_ne!(by, 13, "unlucky");
    *field += by;
}

#[derive(Clone, Debug, Default, PartialEq, State)]
struct Fragile {
    #[reduce(append)]
    seen: Vec<String>,
    #[reduce(add)]
    sum: u32,
    #[reduce(with = fragile)]
    luck: u32,
    #[reduce(merge)]
    notes: BTreeMap<String, u32>,
}

pub(crate) async fn a_node_that_used_a_handle_of_another_graph_runs_again_and_its_sibling_does_not<P: Place>(
    world: World<P>,
) {
    let mut other = Graph::<Trail, Lab>::new("other");
    let strangers: Vec<_> = (0..9).map(|n| other.declare_task::<u32>(format!("task {n}"))).collect();
    let (far, near) = (strangers[8], other.declare("node"));
    for mood in [Mood::Late(0), Mood::Late(4)] {
        for target in [far.send(1).into(), strangers[0].send(1).into(), research_core::Target::from(near)] {
            let (world, lab) = (world.again(), Lab::new());
            let mut g = Graph::<Trail, Lab>::new("foreign");
            let a = g.node("a", move |cx| {
                let target = target.clone();
                async move {
                    cx.resources.count("a");
                    let target = if cx.resources.is_broken("goto") { target } else { END.into() };
                    Ok(Command::goto(vec![target]).with(mark("a")))
                }
            });
            let b = step(&mut g, "b");
            g.entry(a).entry(b).edge(b, END);
            let graph = g.compile().unwrap();
            lab.set("goto", Mood::Fails);
            lab.set("b", mood);
            let error = world.run(&graph, &lab, Trail::update()).await.unwrap_err();
            assert!(matches!(&error.failures()[0].cause, Cause::ForeignHandle));
            lab.mend("goto");
            assert_eq!(world.resume(&graph, &lab).await.unwrap().state.seen, ["a", "b"]);
            assert_eq!(["a", "b"].map(|name| lab.runs(name)), [2, 1]);
        }
    }
}

pub(crate) async fn a_panicking_reducer_leaves_the_thread_as_it_was_and_siblings_are_not_run_again<P: Place>(
    world: World<P>,
) {
    for [early, middle, later] in [["ok_a", "unlucky", "z"], ["unlucky", "ok_b", "z"]] {
        for routed in [false, true] {
            let (world, lab) = (world.again(), Lab::new());
            let mut g = Graph::<Fragile, Lab>::new("fragile");
            let first = g.node("first", |_cx| async { Ok(Fragile::update().luck(1)) });
            g.entry(first);
            let last = g.node("last", |_cx| async { Ok(Fragile::update().luck(100)) });
            g.edge(last, END);
            for name in [early, middle, later] {
                let node = g.node(name, |cx| async move {
                    cx.resources.work(cx.node()).await?;
                    let bad = cx.node() == "unlucky" && cx.resources.is_broken("luck");
                    Ok(Fragile::update().seen([cx.node().to_string()]).sum(1).luck(if bad { 13 } else { 10 }))
                });
                g.edge(first, node);
                if routed && name == "unlucky" {
                    g.route(node, move |_: &Fragile| last);
                } else {
                    g.edge(node, last);
                }
            }
            let graph = g.compile().unwrap();
            lab.set("luck", Mood::Fails);
            let error = world.run(&graph, &lab, Fragile::update()).await.unwrap_err();
            assert_eq!(error.failures()[0].node, "unlucky");
            assert!(matches!(&error.failures()[0].cause, Cause::ReducerPanic(_)));
            let now = world.thread(&graph).await.state().await.unwrap().unwrap();
            assert_eq!(now.state, Fragile { luck: 1, ..Fragile::default() });
            lab.mend("luck");
            let done = world.resume(&graph, &lab).await.unwrap();
            let mut names = [early, middle, later];
            names.sort_unstable();
            assert_eq!(done.state.seen, names);
            assert_eq!((done.state.sum, done.state.luck), (3, 131));
            assert_eq!([early, middle, later, "unlucky"].map(|name| lab.runs(name)).iter().max(), Some(&2));
            assert_eq!(lab.runs("unlucky"), 2);
            assert_eq!(lab.runs("z"), 1);
        }
    }
}

pub(crate) async fn what_a_refused_step_would_have_merged_is_not_stored<P: Place>(world: World<P>) {
    let mut g = Graph::<Fragile, Lab>::new("merged");
    let work = g.node("work", |cx| async move {
        let bad = cx.resources.is_broken("luck");
        let key = if bad { "unlucky" } else { "lucky" };
        Ok(Fragile::update().notes([(key.to_string(), 1)]).luck(if bad { 13 } else { 1 }))
    });
    g.entry(work).edge(work, END);
    let (graph, lab) = (g.compile().unwrap(), Lab::new());
    world.run(&graph, &lab, Fragile::update()).await.unwrap();
    lab.set("luck", Mood::Fails);
    world.run(&graph, &lab, Fragile::update()).await.unwrap_err();
    let notes = async || world.thread(&graph).await.state().await.unwrap().unwrap().state.notes;
    assert_eq!(notes().await.into_keys().collect::<Vec<_>>(), ["lucky"]);
    lab.mend("luck");
    assert_eq!(world.resume(&graph, &lab).await.unwrap().state.luck, 2);
    assert_eq!(notes().await.into_keys().collect::<Vec<_>>(), ["lucky"]);
}

pub(crate) async fn a_failing_route_is_told_beside_a_failing_node_and_its_node_runs_once<P: Place>(world: World<P>) {
    let (lab, broken) = (Lab::new(), Arc::new(AtomicBool::new(true)));
    let mut g = Graph::<Trail, Lab>::new("both");
    let [z, a, lost] = ["z", "a", "lost"].map(|name| step(&mut g, name));
    let flag = Arc::clone(&broken);
    g.entry(z).entry(a).entry(lost).edge(a, END).edge(lost, END);
    g.route(z, move |_: &Trail| if flag.load(Ordering::Relaxed) { Err("the route fails") } else { Ok(END) });
    let graph = g.compile().unwrap();
    lab.set("lost", Mood::Fails);
    let error = world.run(&graph, &lab, Trail::update()).await.unwrap_err();
    let failures: Vec<_> = error.failures().iter().map(|failure| &*failure.node).collect();
    assert_eq!(failures, ["lost", "z"]);
    lab.mend("lost");
    broken.store(false, Ordering::Relaxed);
    assert_eq!(world.resume(&graph, &lab).await.unwrap().state.seen, ["a", "lost", "z"]);
    assert_eq!(["a", "lost", "z"].map(|name| lab.runs(name)), [1, 2, 1]);
}

pub(crate) async fn a_conflict_leaves_the_thread_readable_and_goes_on_when_its_cause_is_gone<P: Place>(
    world: World<P>,
) {
    for culprit in ["a", "b"] {
        for late in ["a", "b", "c"] {
            let (world, lab) = (world.again(), Lab::new());
            let mut g = Graph::<Trail, Lab>::new("conflict");
            for name in ["a", "b", "c"] {
                let node = g.node(name, |cx| async move {
                    cx.resources.work(cx.node()).await?;
                    let writes = cx.node() != "c" && !cx.resources.is_broken(&format!("quiet {}", cx.node()));
                    Ok(if writes { mark(cx.node()).value(7) } else { mark(cx.node()) })
                });
                g.entry(node).edge(node, END);
            }
            let graph = g.compile().unwrap();
            lab.set(late, Mood::Late(4));
            let error = world.run(&graph, &lab, Trail::update().value(1)).await.unwrap_err();
            assert!(error.is_conflict(), "{error}");
            assert!(error.to_string().contains("both `a` and `b` wrote the field `value`"));
            let now = world.thread(&graph).await.state().await.unwrap().unwrap();
            assert_eq!((now.state.value, now.next), (1, ["a", "b", "c"].map(String::from).to_vec()));
            assert!(world.resume(&graph, &lab).await.unwrap_err().is_conflict(), "the cause is not gone");
            lab.set(&format!("quiet {culprit}"), Mood::Fails);
            let done = world.resume(&graph, &lab).await.unwrap();
            assert_eq!(done.state.seen, ["a", "b", "c"]);
            assert_eq!((done.state.value, lab.runs("c")), (7, 1));
        }
    }
}

/// An error with all of its sources.
fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(&format!(": {error}"));
        source = error.source();
    }
    text
}

/// A value that refuses to be written when it says so.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Stubborn(bool);

impl Serialize for Stubborn {
    fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
        match self.0 {
            true => Err(serde::ser::Error::custom("too stubborn")),
            false => serializer.serialize_bool(false),
        }
    }
}

impl<'de> Deserialize<'de> for Stubborn {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        bool::deserialize(deserializer).map(Self)
    }
}

#[derive(Clone, Debug, Default, PartialEq, State)]
struct Sealed {
    #[reduce(append)]
    seen: Vec<String>,
    secret: Stubborn,
    #[reduce(append)]
    secrets: Vec<Stubborn>,
}

pub(crate) async fn a_value_that_cannot_be_written_is_an_error_that_names_the_field<P: Place>(world: World<P>) {
    for field in ["secret", "secrets"] {
        for siblings in [0, 1] {
            let (world, lab) = (world.again(), Lab::new());
            let mut g = Graph::<Sealed, Lab>::new("sealed");
            let seal = g.node("seal", move |cx| async move {
                cx.resources.count("seal");
                let value = Stubborn(cx.resources.is_broken("write"));
                let update = Sealed::update().seen(["seal".to_string()]);
                Ok(if field == "secret" { update.secret(value) } else { update.secrets([value]) })
            });
            g.entry(seal).edge(seal, END);
            for name in ["ok", "z"].into_iter().take(siblings * 2) {
                let ok = g.node(name, |cx| async move {
                    cx.resources.work(cx.node()).await?;
                    Ok(Sealed::update().seen([cx.node().to_string()]))
                });
                g.entry(ok).edge(ok, END);
            }
            let graph = g.compile().unwrap();
            lab.set("write", Mood::Fails);
            lab.set("z", Mood::Late(4));
            let error = world.run(&graph, &lab, Sealed::update()).await.unwrap_err();
            assert!(error.to_string().contains(&format!("`{field}`")), "{error}");
            assert!(causes(&error).contains("too stubborn"), "{error}");
            if world.stores_at_exit() {
                // All that a run would store stands in one checkpoint; what it held is lost with it.
                continue;
            }
            let now = world.thread(&graph).await.state().await.unwrap().unwrap();
            assert!(now.state.seen.is_empty());
            lab.mend("write");
            let done = world.resume(&graph, &lab).await.unwrap();
            assert_eq!(done.state.seen.len(), siblings * 2 + 1);
            assert_eq!(lab.runs("seal"), 2);
            if siblings > 0 {
                assert_eq!([lab.runs("ok"), lab.runs("z")], [1, 1], "they finished and are kept");
            }
        }
    }
}

pub(crate) async fn an_input_of_a_task_that_cannot_be_written_is_an_error_that_names_the_task<P: Place>(
    world: World<P>,
) {
    let mut g = Graph::<Trail, Lab>::new("sent");
    let take = g.task("take", |_cx, _value: Stubborn| async { Ok(mark("take")) });
    let send = g
        .node("send", move |cx| async move { Ok(Command::goto(take.send(Stubborn(cx.resources.is_broken("write"))))) });
    g.entry(send).edge(take, END);
    let (graph, lab) = (g.compile().unwrap(), Lab::new());
    lab.set("write", Mood::Fails);
    let error = world.run(&graph, &lab, Trail::update()).await;
    if world.stores_at_exit() {
        assert_eq!(error.unwrap().state.seen, ["take"], "it never had to be written");
        return;
    }
    let text = causes(&error.unwrap_err());
    assert!(text.contains("take") && text.contains("too stubborn"), "{text}");
    lab.mend("write");
    assert_eq!(world.resume(&graph, &lab).await.unwrap().state.seen, ["take"]);
}

pub(crate) async fn a_task_by_name_is_recorded_and_one_whose_input_does_not_fit_is_not<P: Place>(world: World<P>) {
    let graph = |input: serde_json::Value| {
        let mut g = Graph::<Trail, Lab>::new("named");
        g.node("plan", move |cx: Cx<Trail, Lab>| {
            let input = input.clone();
            async move {
                cx.resources.work("plan").await?;
                Ok(Command::goto(NamedTask::new("fetch", &input)?))
            }
        });
        g.task("fetch", |_cx: Cx<Trail, Lab>, pages: Vec<u32>| async move { Ok(mark(format!("{pages:?}"))) });
        step(&mut g, "bad");
        g.entry("plan").entry("bad").edge("bad", END).edge("fetch", END);
        g.compile().unwrap()
    };

    let (fits, lab) = (graph(serde_json::json!([1, 2])), Lab::new());
    lab.set("bad", Mood::Fails);
    world.run(&fits, &lab, Trail::update()).await.unwrap_err();
    lab.mend("bad");
    let done = world.resume(&fits, &lab).await.unwrap();
    assert_eq!((done.state.seen.join(" "), lab.runs("plan")), ("bad [1, 2]".to_string(), 1));

    let (world, lab) = (world.again(), Lab::new());
    let error = world.run(&graph(serde_json::json!("two")), &lab, Trail::update()).await.unwrap_err();
    let cause = &error.failures()[0].cause;
    assert!(matches!(cause, Cause::InputMisfit { target, .. } if target == "fetch"), "{error}");
    let done = world.resume(&fits, &lab).await.unwrap();
    assert_eq!((done.state.seen.join(" "), lab.runs("plan"), lab.runs("bad")), ("bad [1, 2]".to_string(), 2, 1));
}

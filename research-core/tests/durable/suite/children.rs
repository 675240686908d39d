//! Subgraphs: what is kept of them, what they give back, and what they ask.

use std::collections::BTreeMap;
use std::sync::Arc;

use research_core::reduce::Identified;
use research_core::{
    AnswerError, Budget, Command, CompiledGraph, Cx, END, End, ErrorKind, Graph, NodeError, Retry, Sends, State,
    Subgraph,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::lab::{Lab, Mood, Place, Trail, TrailUpdate, World, mark, step};

/// How much is kept of a child.
type Keep<S> = fn(Subgraph<S, Trail>) -> Subgraph<S, Trail>;

const PER_CALL: Keep<Trail> = Subgraph::per_call;
const PER_THREAD: Keep<Trail> = Subgraph::per_thread;
const STATELESS: Keep<Trail> = Subgraph::stateless;

/// `x`, then `y`.
fn inner() -> CompiledGraph<Trail, Lab> {
    let mut g = Graph::<Trail, Lab>::new("inner");
    let [x, y] = ["x", "y"].map(|name| step(&mut g, name));
    g.entry(x).edge(x, y).edge(y, END);
    g.compile().unwrap()
}

/// A child with a state of its own: it counts from the parent's sum, and gives back what it saw.
fn mapped() -> Subgraph<Trail, Trail> {
    Subgraph::mapped(
        |parent: &Trail| Trail::update().value(u32::try_from(parent.sum).unwrap()),
        |child: Trail| Trail::update().seen([format!("[{} from {}]", child.seen.join(" "), child.value)]).sum(1),
    )
}

/// `a`, the child, and `z`.
fn outer(child: &CompiledGraph<Trail, Lab>, link: Subgraph<Trail, Trail>) -> CompiledGraph<Trail, Lab> {
    let mut g = Graph::<Trail, Lab>::new("outer");
    let [a, z] = ["a", "z"].map(|name| step(&mut g, name));
    let child = g.subgraph("child", child, link);
    g.entry(a).edge(a, child).edge(child, z).edge(z, END);
    g.compile().unwrap()
}

/// `ask` in a child, after `x`.
fn asking() -> CompiledGraph<Trail, Lab> {
    let mut g = Graph::<Trail, Lab>::new("asking");
    let x = step(&mut g, "x");
    let asks = g.node("ask", ask);
    g.entry(x).edge(x, asks).edge(asks, END);
    g.compile().unwrap()
}

async fn ask(cx: Cx<Trail, Lab>) -> Result<TrailUpdate, NodeError> {
    cx.resources.work("ask").await?;
    let answer: String = cx.interrupt(("it", json!({ "in": cx.task_id() }))).await?;
    Ok(mark(answer))
}

fn names(seen: &[&str]) -> Vec<String> {
    seen.iter().map(ToString::to_string).collect()
}

pub(crate) async fn a_child_maps_its_input_and_output_whatever_is_kept<P: Place>(world: World<P>) {
    for keep in [STATELESS, PER_CALL, PER_THREAD] {
        let (world, lab) = (world.again(), Lab::new());
        let done = world.run(&outer(&inner(), keep(mapped())), &lab, Trail::update()).await.unwrap();
        assert_eq!(done.state.seen, ["a", "[x y from 1]", "z"]);
    }
}

pub(crate) async fn a_failed_child_goes_on_at_its_failing_node_if_it_is_kept<P: Place>(world: World<P>) {
    for (keep, x) in [(STATELESS, 2), (PER_CALL, 1), (PER_THREAD, 1)] {
        for link in [mapped(), Subgraph::shared()] {
            let (world, lab) = (world.again(), Lab::new());
            let graph = outer(&inner(), keep(link));
            lab.set("y", Mood::Fails);
            let error = world.run(&graph, &lab, Trail::update()).await.unwrap_err();
            assert_eq!((error.failures().len(), &*error.failures()[0].node), (1, "child"));
            assert!(error.to_string().contains("y fails"), "{error}");
            lab.mend("y");
            let done = world.resume(&graph, &lab).await.unwrap();
            let seen = done.state.seen.join(" ");
            assert!(["a [x y from 1] z", "a x y z"].contains(&&*seen), "{seen}");
            assert_eq!(["a", "x", "y", "z"].map(|name| lab.runs(name)), [1, x, 2, 1]);
        }
    }
}

pub(crate) async fn a_retried_child_goes_on_at_its_failing_node<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("inner");
    let x = step(&mut g, "x");
    let y = g.node("y", |cx| async move {
        cx.resources.work("y").await?;
        if cx.resources.runs("y") < 3 { Err(NodeError::msg("not yet")) } else { Ok(mark("y")) }
    });
    g.entry(x).edge(x, y).edge(y, END);
    let inner = g.compile().unwrap();
    let mut g = Graph::<Trail, Lab>::new("outer");
    let child = g.subgraph("child", &inner, mapped().per_call());
    let retry = Retry::attempts(3).backoff(Default::default(), 1.0, Default::default());
    g.entry(child).edge(child, END).retry(child, retry);
    let (graph, lab) = (g.compile().unwrap(), Lab::new());
    assert_eq!(world.run(&graph, &lab, Trail::update()).await.unwrap().state.seen, ["[x y from 0]"]);
    assert_eq!((lab.runs("x"), lab.runs("y")), (1, 3));
}

pub(crate) async fn a_finished_child_is_not_run_again_beside_a_failing_sibling<P: Place>(world: World<P>) {
    for keep in [STATELESS, PER_CALL, PER_THREAD] {
        let (world, lab) = (world.again(), Lab::new());
        let mut g = Graph::<Trail, Lab>::new("outer");
        let child = g.subgraph("child", &inner(), keep(mapped()));
        let bad = step(&mut g, "bad");
        g.entry(child).entry(bad).edge(child, END).edge(bad, END);
        let graph = g.compile().unwrap();
        lab.set("bad", Mood::Fails);
        world.run(&graph, &lab, Trail::update()).await.unwrap_err();
        lab.mend("bad");
        assert_eq!(world.resume(&graph, &lab).await.unwrap().state.seen, ["bad", "[x y from 0]"]);
        assert_eq!((lab.runs("x"), lab.runs("y")), (1, 1));
    }
}

pub(crate) async fn a_child_asks_and_is_answered_through_its_parent<P: Place>(world: World<P>) {
    for keep in [PER_CALL, PER_THREAD] {
        let (world, lab) = (world.again(), Lab::new());
        let graph = outer(&asking(), keep(mapped()));
        let stopped = world.run(&graph, &lab, Trail::update()).await.unwrap();
        let [question] = stopped.questions() else { panic!("{:?}", stopped.end) };
        assert_eq!((&*question.node, &*question.key), ("ask", "it"));
        assert!(question.namespace.starts_with("child"), "{question:?}");
        let now = world.thread(&graph).await.state().await.unwrap().unwrap();
        assert_eq!(now.questions, stopped.questions());
        let done = world.answer_to(&graph, &lab, &question.id, "yes").await.unwrap();
        assert_eq!(done.state.seen, ["a", "[x yes from 1]", "z"]);
        assert_eq!(["a", "x", "ask"].map(|name| lab.runs(name)), [1, 1, 2]);
    }
}

pub(crate) async fn questions_come_from_two_levels_down_and_answers_go_there<P: Place>(world: World<P>) {
    for keep in [PER_CALL, PER_THREAD] {
        let (world, lab) = (world.again(), Lab::new());
        let middle = outer(&asking(), keep(Subgraph::shared()));
        let mut g = Graph::<Trail, Lab>::new("top");
        let nested = g.subgraph("middle", &middle, keep(Subgraph::shared()));
        let beside = g.node("beside", ask);
        let ok = step(&mut g, "ok");
        g.entry(nested).entry(beside).entry(ok).join([nested, beside, ok], END);
        let graph = g.compile().unwrap();
        let stopped = world.run(&graph, &lab, Trail::update()).await.unwrap();
        let mut namespaces: Vec<_> =
            stopped.questions().iter().map(|question| question.namespace.matches("child").count()).collect();
        namespaces.sort_unstable();
        assert_eq!(namespaces, [0, 1]);
        let deep = stopped.questions().iter().find(|question| question.namespace.contains("child")).unwrap();
        assert!(deep.namespace.starts_with("middle"), "{deep:?}");
        let refused = world.answer_to(&graph, &lab, &deep.id, 5).await.unwrap_err();
        assert!(
            matches!(refused.kind(), ErrorKind::Answer(AnswerError::WrongType { id, .. }) if *id == deep.id),
            "{refused}"
        );
        let now = world.thread(&graph).await.state().await.unwrap().unwrap();
        assert_eq!(now.questions.len(), 2, "it stays open");
        let half = world.answer_to(&graph, &lab, &deep.id, "deep").await.unwrap();
        assert_eq!(half.questions().len(), 1);
        let done = world.answer(&graph, &lab, "top").await.unwrap();
        assert_eq!(done.state.seen, ["top", "a", "x", "deep", "z", "ok"]);
        assert_eq!((done.state.sum, done.end), (6, End::Complete));
        assert_eq!(["a", "x", "z", "ok"].map(|name| lab.runs(name)), [1, 1, 1, 1]);
    }
}

pub(crate) async fn a_child_that_is_not_kept_cannot_ask_and_says_so<P: Place>(world: World<P>) {
    let graph = outer(&asking(), mapped().stateless());
    let error = world.run(&graph, &Lab::new(), Trail::update()).await.unwrap_err();
    assert!(error.to_string().contains("question needs"), "{error}");
    assert_eq!(error.failures()[0].node, "child");
}

pub(crate) async fn several_tasks_run_one_child_side_by_side<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("inner");
    let x = g.node("x", |cx: Cx<Trail, Lab>| async move {
        cx.resources.count(&format!("x {}", cx.state.value));
        Ok(mark(format!("x {}", cx.state.value)))
    });
    let asks = g.node("ask", |cx: Cx<Trail, Lab>| async move {
        let answer: String = match cx.state.value {
            0 => "none".to_string(),
            n => cx.interrupt((format!("it {n}"), n)).await?,
        };
        Ok(mark(answer))
    });
    g.entry(x).edge(x, asks).edge(asks, END);
    let inner = g.compile().unwrap();
    let mut g = Graph::<Trail, Lab>::new("outer");
    let plan = step(&mut g, "plan");
    let link = Subgraph::mapped_with(
        |_: &Trail, n: u32| Trail::update().value(n),
        |child: Trail| Trail::update().seen([child.seen.join("+")]),
    );
    let work = g.subgraph_task("work", &inner, link.per_call());
    g.entry(plan).route(plan, move |_: &Trail| (0..3).map(|n| work.send(n)).collect::<Sends>()).edge(work, END);
    let (graph, lab) = (g.compile().unwrap(), Lab::new());
    let stopped = world.run(&graph, &lab, Trail::update()).await.unwrap();
    assert_eq!(stopped.questions().len(), 2);
    let of = |n: u32| stopped.questions().iter().find(|question| question.payload == json!(n)).unwrap().id.clone();
    let half = world.answer_to(&graph, &lab, &of(2), "two").await.unwrap();
    assert_eq!(half.questions().len(), 1);
    let done = world.answer_to(&graph, &lab, &of(1), "one").await.unwrap();
    assert_eq!(done.state.seen, ["plan", "x 0+none", "x 1+one", "x 2+two"]);
    assert_eq!((0..3).map(|n| lab.runs(&format!("x {n}"))).collect::<Vec<_>>(), [1, 1, 1]);
}

pub(crate) async fn what_is_kept_for_a_thread_is_there_in_the_next_call_and_what_is_kept_for_a_call_is_not<P: Place>(
    world: World<P>,
) {
    for (keep, expected) in [(PER_CALL, ["x y", "x y"]), (PER_THREAD, ["x y", "x y x y"]), (STATELESS, ["x y", "x y"])]
    {
        let (world, lab) = (world.again(), Lab::new());
        let mut g = Graph::<Trail, Lab>::new("outer");
        let link = Subgraph::mapped(
            |_: &Trail| Trail::update(),
            |child: Trail| Trail::update().seen([child.seen.join(" ")]).sum(1),
        );
        let child = g.subgraph("child", &inner(), keep(link));
        g.entry(child).route(child, move |s: &Trail| if s.sum % 2 == 1 { child } else { END });
        let graph = g.compile().unwrap();
        let done = world.run(&graph, &lab, Trail::update()).await.unwrap();
        assert_eq!(done.state.seen, expected);
        let done = world.run(&graph, &lab, Trail::update()).await.unwrap();
        let third = if expected[1].len() > 3 { "x y x y x y" } else { "x y" };
        assert_eq!(done.state.seen[2], third, "also over runs");
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Note {
    id: String,
    text: String,
}

impl Identified for Note {
    fn id(&self) -> &str {
        &self.id
    }
}

fn note(id: &str, text: &str) -> Note {
    Note { id: id.into(), text: text.into() }
}

fn weigh(field: &mut u32, by: u32) {
    *field = *field * 2 + by;
}

/// A field for each way to fold.
#[derive(Clone, Debug, Default, PartialEq, State)]
struct Folds {
    #[reduce(append)]
    list: Vec<u32>,
    #[reduce(append)]
    replaced: Vec<u32>,
    #[reduce(add)]
    sum: u32,
    #[reduce(by_id)]
    notes: Vec<Note>,
    #[reduce(merge)]
    map: BTreeMap<String, u32>,
    #[reduce(with = weigh)]
    weight: u32,
    #[reduce(max)]
    most: u32,
    #[reduce(last)]
    last: u32,
    plain: u32,
}

pub(crate) async fn a_child_that_shares_the_state_gives_back_what_it_changed_and_no_more<P: Place>(world: World<P>) {
    for asks in [false, true] {
        for keep in [Subgraph::per_call as fn(Subgraph<Folds, Folds>) -> _, Subgraph::per_thread] {
            let (world, lab) = (world.again(), Lab::new());
            let mut g = Graph::<Folds, Lab>::new("inner");
            let x = g.node("x", |_cx| async {
                let update = Folds::update().list([10]).sum(10).map([("x".to_string(), 1)]).weight(10).most(5).last(1);
                Ok(update.plain(10).notes([note("a", "A"), note("b", "b")]).set_replaced([7]))
            });
            let y = g.node("y", move |cx: Cx<Folds, Lab>| async move {
                assert_eq!((cx.state.list.len(), cx.state.sum, &*cx.state.replaced), (2, 11, &[7][..]));
                if asks {
                    let _: bool = cx.interrupt(("it", "?")).await?;
                }
                let update = Folds::update().list([20]).sum(20).map([("y".to_string(), 2)]).weight(20).most(4).last(2);
                Ok(update.plain(20).notes([note("b", "B")]).remove_notes("a").replaced([8]))
            });
            g.entry(x).edge(x, y).edge(y, END);
            let inner = g.compile().unwrap();
            let mut g = Graph::<Folds, Lab>::new("outer");
            let child = g.subgraph("child", &inner, keep(Subgraph::shared()));
            let beside = g.node("beside", |_cx| async {
                Ok(Folds::update().list([1_000]).sum(1_000).notes([note("c", "c")]).replaced([9]).weight(1))
            });
            g.entry(child).entry(beside).edge(child, END).edge(beside, END);
            let graph = g.compile().unwrap();
            let input = Folds::update().list([1]).sum(1).notes([note("a", "a")]).replaced([1]).weight(3).plain(1);
            let mut done = world.run(&graph, &lab, input).await.unwrap();
            if asks {
                assert_eq!(done.questions().len(), 1);
                done = world.answer(&graph, &lab, true).await.unwrap();
            }
            let expected = Folds {
                list: vec![1, 1_000, 10, 20],
                replaced: vec![7, 8],
                sum: 1_031,
                notes: vec![note("c", "c"), note("b", "B")],
                map: BTreeMap::from([("x".to_string(), 1), ("y".to_string(), 2)]),
                // ((3 · 2 + 1) · 2 + 10) · 2 + 20
                weight: 68,
                most: 5,
                last: 2,
                plain: 20,
            };
            assert_eq!(done.state, expected);
            let now = world.thread(&graph).await.state().await.unwrap().unwrap();
            assert_eq!(now.state, expected, "it is stored so");
        }
    }
}

pub(crate) async fn namespaces_nest_and_a_child_is_read_as_a_thread_of_its_own<P: Place>(world: World<P>) {
    let (lab, inner) = (Lab::new(), asking());
    let middle = outer(&inner, mapped().per_call());
    let mut g = Graph::<Trail, Lab>::new("top");
    let nested = g.subgraph("middle", &middle, mapped().per_thread());
    g.entry(nested).edge(nested, END);
    let graph = g.compile().unwrap();
    let stopped = world.run(&graph, &lab, Trail::update()).await.unwrap();
    let namespaces = world.thread(&graph).await.namespaces().await.unwrap();
    let [root, second, third] = namespaces.as_slice() else { panic!("{namespaces:?}") };
    assert_eq!((&**root, &**second), ("", "middle"));
    assert!(third.starts_with("middle/child"), "{third}");
    let question = &stopped.questions()[0];
    assert_eq!(question.namespace, *third);
    let deep = world.thread(&inner).await.namespace(&**third).state().await.unwrap().unwrap();
    assert_eq!((deep.state.seen, deep.next), (names(&["x"]), names(&["ask"])));
    assert_eq!(deep.questions, std::slice::from_ref(question));
    let half = world.thread(&middle).await.namespace("middle").history().await.unwrap();
    assert_eq!(half.moments()[0].next, ["child"]);
}

pub(crate) async fn what_a_child_spends_counts_for_its_parent_once<P: Place>(world: World<P>) {
    for (keep, asks) in [(STATELESS, false), (PER_CALL, false), (PER_CALL, true), (PER_THREAD, true)] {
        let (world, lab) = (world.again(), Lab::new());
        let mut g = Graph::<Trail, Lab>::new("inner");
        let [x, y] = ["x", "y"].map(|name| {
            g.node(name, move |cx| async move {
                cx.spend("tokens", 10);
                if asks && name == "y" {
                    let _: bool = cx.interrupt(("it", "?")).await?;
                }
                Ok(mark(name))
            })
        });
        g.entry(x).edge(x, y).edge(y, END);
        let inner = g.compile().unwrap();
        let graph = outer(&inner, keep(mapped()));
        let kept = world.keep(&graph).await;
        // `y` is executed twice where it asks, and pays twice.
        let limit = if asks { 31 } else { 21 };
        for (limit, end) in [(limit - 1, End::Spent { counter: "tokens".into() }), (limit, End::Complete)] {
            kept.thread("t").delete().await.unwrap();
            let budget = || Budget::new().counter("tokens", limit);
            let run = kept.run(Trail::update()).resources(Arc::clone(&lab)).thread("t").durability(world.durability);
            let mut done = run.budget(budget()).await.unwrap();
            if asks {
                let run = kept.resume().resources(Arc::clone(&lab)).thread("t").durability(world.durability);
                done = run.budget(budget()).answer(true).await.unwrap();
            }
            assert_eq!(done.end, end, "limit {limit}, asks {asks}");
        }
    }
}

/// A child that leaves for nodes of its parent, with an update.
fn leaving() -> CompiledGraph<Trail, Lab> {
    let mut g = Graph::<Trail, Lab>::new("leaving");
    let leave = g.node("leave", |cx| async move {
        cx.resources.work("leave").await?;
        Ok(Command::goto_parent(["escape"]).with(mark("left")))
    });
    let [beside, later, never] = ["beside", "later", "never"].map(|name| step(&mut g, name));
    // `later` waits until nothing else is due, which is not to be.
    g.entry(beside).edge(beside, leave).edge(beside, later).defer(later).edge(later, END);
    g.edge(leave, never).edge(never, END);
    g.compile().unwrap()
}

pub(crate) async fn a_child_directs_its_parent_and_that_outlives_a_crash<P: Place>(world: World<P>) {
    for keep in [STATELESS, PER_CALL, PER_THREAD] {
        for bad in ["", "bad"] {
            let (world, lab) = (world.again(), Lab::new());
            let mut g = Graph::<Trail, Lab>::new("outer");
            let child = g.subgraph("child", &leaving(), keep(Subgraph::shared()));
            let [escape, plain, sibling] = ["escape", "plain", "bad"].map(|name| step(&mut g, name));
            g.entry(child).entry(sibling).edge(child, plain).edge(plain, END).edge(escape, END).edge(sibling, END);
            g.gotos(child, [escape]);
            let graph = g.compile().unwrap();
            lab.set(bad, Mood::FailsLate);
            let done = match world.run(&graph, &lab, Trail::update()).await {
                Ok(done) => done,
                Err(_) => {
                    lab.mend(bad);
                    world.resume(&graph, &lab).await.unwrap()
                }
            };
            assert_eq!(done.state.seen, ["bad", "beside", "left", "escape"]);
            assert_eq!(["leave", "plain", "never", "later"].map(|name| lab.runs(name)), [1, 0, 0, 0]);
        }
    }
}

pub(crate) async fn a_finished_child_is_known_when_its_parent_crashed_before_it_was_told<P: Place>(world: World<P>) {
    // The parent's own reducer panics on what the child gave back: so the child is complete, and its task is not.
    fn picky(field: &mut u32, by: u32) {
        assert_ne!(by, 13, "unlucky");
        *field += by;
    }
    #[derive(Clone, Debug, Default, PartialEq, State)]
    struct Picky {
        #[reduce(with = picky)]
        luck: u32,
    }
    let lab = Lab::new();
    let mut g = Graph::<Picky, Lab>::new("outer");
    let outputs = Arc::clone(&lab);
    let link = Subgraph::<Picky, Trail>::mapped(
        |_: &Picky| Trail::update(),
        move |child: Trail| {
            assert_eq!(child.seen, ["x", "y"]);
            Picky::update().luck(if outputs.is_broken("luck") { 13 } else { 7 })
        },
    );
    let child = g.subgraph("child", &inner(), link.per_call());
    g.entry(child).edge(child, END);
    let graph = g.compile().unwrap();
    lab.set("luck", Mood::Fails);
    world.run(&graph, &lab, Picky::update()).await.unwrap_err();
    lab.mend("luck");
    assert_eq!(world.resume(&graph, &lab).await.unwrap().state.luck, 7);
    assert_eq!((lab.runs("x"), lab.runs("y")), (1, 1));
}

pub(crate) async fn a_lost_run_leaves_nothing_that_another_input_would_take_for_its_own<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("inner");
    let x = g.node("x", |cx: Cx<Trail, Lab>| async move { Ok(mark(format!("x of {}", cx.state.word))) });
    g.entry(x).edge(x, END);
    let inner = g.compile().unwrap();
    let link = || {
        Subgraph::mapped(
            |parent: &Trail| Trail::update().word(parent.word.clone()),
            |child: Trail| Trail::update().seen(child.seen),
        )
    };
    for keep in [PER_CALL, PER_THREAD] {
        let (world, lab) = (world.again(), Lab::new());
        let mut g = Graph::<Trail, Lab>::new("outer");
        let child = g.subgraph("child", &inner, keep(link()));
        let hang = step(&mut g, "hang");
        g.entry(child).edge(child, hang).edge(hang, END);
        let graph = g.compile().unwrap();
        lab.set("hang", Mood::Hangs);
        tokio::select! {
            _ = world.run(&graph, &lab, Trail::update().word("one")) => panic!("it hangs"),
            () = super::lab::until(async || lab.runs("hang") == 1) => {}
        }
        lab.mend("hang");
        // What the first run stored differs with the durability, and with it the history of the second one.
        let done = world.run(&graph, &lab, Trail::update().word("two")).await.unwrap();
        assert!(done.state.seen.contains(&"x of two".to_string()), "{:?}", done.state.seen);
    }
}

pub(crate) async fn a_child_goes_on_after_its_parent_was_updated_as_another_node<P: Place>(world: World<P>) {
    for keep in [PER_CALL, PER_THREAD] {
        let (world, lab) = (world.again(), Lab::new());
        let mut g = Graph::<Trail, Lab>::new("outer");
        let child = g.subgraph("child", &asking(), keep(mapped()));
        let bad = step(&mut g, "bad");
        g.entry(child).entry(bad).edge(child, END).edge(bad, END);
        let graph = g.compile().unwrap();
        lab.set("bad", Mood::Fails);
        world.run(&graph, &lab, Trail::update()).await.unwrap_err();
        let thread = world.thread(&graph).await;
        thread.update(mark("by hand")).as_node("bad").await.unwrap();
        let now = thread.state().await.unwrap().unwrap();
        assert_eq!((now.questions.len(), now.next), (1, names(&["child"])));
        let done = world.answer_to(&graph, &lab, &now.questions[0].id, "yes").await.unwrap();
        assert_eq!((done.end, done.state.seen), (End::Complete, names(&["by hand", "[x yes from 0]"])));
        assert_eq!((lab.runs("x"), lab.runs("ask")), (1, 2));
    }
}

pub(crate) async fn a_fork_runs_its_children_anew<P: Place>(world: World<P>) {
    let (graph, lab) = (outer(&asking(), mapped().per_call()), Lab::new());
    let at = world.run(&graph, &lab, Trail::update()).await.unwrap().checkpoint.unwrap();
    world.answer(&graph, &lab, "one").await.unwrap();
    let kept = world.keep(&graph).await;
    let run = kept.resume().resources(Arc::clone(&lab)).thread("t").durability(world.durability);
    let again = run.from_checkpoint(at).await.unwrap();
    assert_eq!((again.questions().len(), lab.runs("x")), (1, 2));
    let done = world.answer(&graph, &lab, "two").await.unwrap();
    assert_eq!(done.state.seen, ["a", "[x two from 1]", "z"]);
}

pub(crate) async fn the_state_of_a_child_is_edited_in_its_namespace<P: Place>(world: World<P>) {
    for keep in [PER_CALL, PER_THREAD] {
        let (world, lab) = (world.again(), Lab::new());
        let (inner, link) = (asking(), keep(mapped()));
        let graph = outer(&inner, link);
        let stopped = world.run(&graph, &lab, Trail::update()).await.unwrap();
        let namespace = &*stopped.questions()[0].namespace;
        let child = world.thread(&inner).await.namespace(namespace);
        child.update(mark("edit")).as_node("x").await.unwrap();
        let edited = child.state().await.unwrap().unwrap();
        assert_eq!((edited.questions.len(), edited.state.seen), (1, names(&["x", "edit"])));
        let done = world.answer(&graph, &lab, "yes").await.unwrap();
        assert_eq!((done.end, done.state.seen), (End::Complete, names(&["a", "[x edit yes from 1]", "z"])));
        assert_eq!((lab.runs("x"), lab.runs("ask")), (1, 2));
    }
}

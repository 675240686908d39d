//! Budgets over the runs of a thread.

use std::sync::Arc;
use std::time::Duration;

use research_core::testing::FakeClock;
use research_core::{
    Budget, CompiledGraph, Cx, END, End, EventKind, Finished, Graph, NodeBudget, NodeError, Run, RunError, Subgraph,
    Supplied,
};

use super::lab::{Lab, Mood, Place, Trail, TrailUpdate, World, collect, mark, step};

/// A node that spends ten tokens each time.
async fn spend(cx: Cx<Trail, Lab>) -> Result<TrailUpdate, NodeError> {
    cx.spend("tokens", 10);
    cx.resources.work(cx.node()).await?;
    Ok(mark(cx.node()))
}

/// A loop without an end, and what `wrap_up` does about it, if it is there.
fn endless(wraps_up: bool) -> CompiledGraph<Trail, Lab> {
    let mut g = Graph::<Trail, Lab>::new("endless");
    let a = g.node("a", spend);
    let b = step(&mut g, "b");
    g.entry(a).edge(a, b).route(b, move |s: &Trail| if s.sum < 1_000 { a } else { END });
    if wraps_up {
        let wrap_up = step(&mut g, "wrap_up");
        let last = step(&mut g, "last");
        g.on_budget_spent(wrap_up).edge(wrap_up, last).edge(last, END);
    }
    g.compile().unwrap()
}

async fn go<P: Place>(
    world: &World<P>,
    graph: &CompiledGraph<Trail, Lab>,
    lab: &Arc<Lab>,
    set: impl FnOnce(Run<Trail, Lab, Supplied<Lab>>) -> Run<Trail, Lab, Supplied<Lab>>,
) -> Result<Finished<Trail>, RunError> {
    let graph = world.keep(graph).await;
    let run = graph.run_or_resume(Trail::update()).resources(Arc::clone(lab)).thread("t");
    set(run.durability(world.durability)).await
}

fn tokens(limit: u64) -> Budget {
    Budget::new().counter("tokens", limit)
}

fn spent(counter: &str) -> End {
    End::Spent { counter: counter.to_string() }
}

pub(crate) async fn a_counter_counts_over_all_runs_since_the_input<P: Place>(world: World<P>) {
    let (graph, lab) = (endless(false), Lab::new());
    let first = go(&world, &graph, &lab, |run| run.budget(tokens(20))).await.unwrap();
    assert_eq!((first.end, first.state.seen.len()), (spent("tokens"), 3));
    let again = go(&world, &graph, &lab, |run| run.budget(tokens(20))).await.unwrap();
    assert_eq!((again.end, again.steps), (spent("tokens"), 0), "it is spent, and stays so");
    let more = go(&world, &graph, &lab, |run| run.budget(tokens(30))).await.unwrap();
    assert_eq!((more.end, more.state.seen.len()), (spent("tokens"), 5));
    let kept = world.keep(&graph).await;
    let run = kept.run(Trail::update()).resources(Arc::clone(&lab)).thread("t").durability(world.durability);
    let anew = run.budget(tokens(20)).await.unwrap();
    assert_eq!((anew.end, anew.steps), (spent("tokens"), 3), "an input begins anew");
}

pub(crate) async fn what_a_restored_task_spent_counts_once<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("pair");
    let ok = g.node("ok", spend);
    let bad = step(&mut g, "bad");
    let next = step(&mut g, "next");
    g.entry(ok).entry(bad).join([ok, bad], next).edge(next, END);
    let graph = g.compile().unwrap();
    for limit in [10, 11] {
        let (world, lab) = (world.again(), Lab::new());
        lab.set("bad", Mood::FailsLate);
        for _ in 0..2 {
            go(&world, &graph, &lab, |run| run.budget(tokens(limit))).await.unwrap_err();
        }
        lab.mend("bad");
        let done = go(&world, &graph, &lab, |run| run.budget(tokens(limit))).await.unwrap();
        assert_eq!(done.end, if limit == 10 { spent("tokens") } else { End::Complete });
        assert_eq!(lab.runs("ok"), 1);
    }
}

pub(crate) async fn what_a_failed_task_spent_counts_too<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("costly");
    let a = g.node("a", spend);
    let next = step(&mut g, "next");
    g.entry(a).edge(a, next).edge(next, END);
    let (graph, lab) = (g.compile().unwrap(), Lab::new());
    lab.set("a", Mood::Fails);
    for _ in 0..3 {
        go(&world, &graph, &lab, |run| run.budget(tokens(40))).await.unwrap_err();
    }
    lab.mend("a");
    let done = go(&world, &graph, &lab, |run| run.budget(tokens(40))).await.unwrap();
    assert_eq!((done.end, done.state.seen), (spent("tokens"), vec!["a".to_string()]));
}

pub(crate) async fn a_spent_budget_leads_to_the_node_for_that_case<P: Place>(world: World<P>) {
    let (graph, lab) = (endless(true), Lab::new());
    let kept = world.keep(&graph).await;
    let run = kept.run(Trail::update()).resources(Arc::clone(&lab)).thread("t").durability(world.durability);
    let (events, done) = collect(run.budget(tokens(20)).stream()).await;
    let done = done.unwrap();
    assert_eq!(
        (done.end, done.state.seen),
        (End::Complete, ["a", "b", "a", "wrap_up", "last"].map(String::from).to_vec())
    );
    let counters = events.iter().filter_map(|event| match &event.kind {
        EventKind::BudgetSpent { counter } => Some((&**counter, event.step)),
        _ => None,
    });
    assert_eq!(counters.collect::<Vec<_>>(), [("tokens", 3)]);
}

pub(crate) async fn a_run_that_breaks_while_it_wraps_up_goes_on_wrapping_up<P: Place>(world: World<P>) {
    let graph = endless(true);
    for budget in [tokens(20), Budget::new().steps(3)] {
        for bad in ["wrap_up", "last"] {
            let (world, lab) = (world.again(), Lab::new());
            lab.set(bad, Mood::Fails);
            go(&world, &graph, &lab, |run| run.budget(budget.clone())).await.unwrap_err();
            lab.mend(bad);
            let done = go(&world, &graph, &lab, |run| run.budget(budget.clone())).await.unwrap();
            assert_eq!(done.state.seen, ["a", "b", "a", "wrap_up", "last"], "{budget:?} {bad}");
            assert!(done.is_complete());
        }
    }
}

pub(crate) async fn a_question_that_is_asked_while_wrapping_up_is_answered_there<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("asks");
    let a = g.node("a", spend);
    g.entry(a).route(a, move |s: &Trail| if s.sum < 1_000 { a } else { END });
    let wrap_up = g.node("wrap_up", |cx| async move {
        let answer: String = cx.interrupt(("it", "?")).await?;
        Ok(mark(answer))
    });
    g.on_budget_spent(wrap_up).edge(wrap_up, END);
    let graph = g.compile().unwrap();
    for budget in [tokens(20), Budget::new().steps(2)] {
        let (world, lab) = (world.again(), Lab::new());
        let stopped = go(&world, &graph, &lab, |run| run.budget(budget.clone())).await.unwrap();
        assert_eq!(stopped.questions()[0].node, "wrap_up");
        let done = go(&world, &graph, &lab, |run| run.budget(budget.clone()).answer("yes")).await.unwrap();
        assert_eq!((done.end, done.state.seen), (End::Complete, ["a", "a", "yes"].map(String::from).to_vec()));
    }
}

pub(crate) async fn a_budget_that_is_found_spent_on_resume_leaves_old_records_alone<P: Place>(world: World<P>) {
    let ask = |cx: Cx<Trail, Lab>| async move {
        let answer: String = cx.interrupt(("it", "?")).await?;
        Ok(mark(answer))
    };
    for in_child in [false, true] {
        let (world, lab) = (world.again(), Lab::new());
        let mut g = Graph::<Trail, Lab>::new("records");
        let a = g.node("a", spend);
        let asks = if in_child {
            let mut inner = Graph::<Trail, Lab>::new("inner");
            let asks = inner.node("ask", ask);
            inner.entry(asks).edge(asks, END);
            g.subgraph("ask", &inner.compile().unwrap(), Subgraph::shared().per_call())
        } else {
            g.node("ask", ask)
        };
        let [ok, wrap_up] = ["ok", "wrap_up"].map(|name| step(&mut g, name));
        g.entry(a).edge(a, asks).edge(a, ok).edge(asks, END).edge(ok, END).on_budget_spent(wrap_up).edge(wrap_up, END);
        let graph = g.compile().unwrap();
        let stopped = go(&world, &graph, &lab, |run| run).await.unwrap();
        assert_eq!(stopped.questions().len(), 1);
        let done = go(&world, &graph, &lab, |run| run.budget(tokens(5))).await.unwrap();
        assert_eq!((done.end, done.state.seen), (End::Complete, vec!["a".to_string(), "wrap_up".into()]));
    }
}

pub(crate) async fn steps_and_time_count_for_one_run<P: Place>(world: World<P>) {
    let (graph, lab) = (endless(false), Lab::new());
    for seen in [2, 4] {
        let done = go(&world, &graph, &lab, |run| run.budget(Budget::new().steps(2))).await.unwrap();
        assert_eq!((done.end, done.state.seen.len()), (spent("steps"), seen));
    }
    let clock = FakeClock::new();
    let mut g = Graph::<Trail, Lab>::new("slow");
    let passing = clock.clone();
    let slow = g.node("slow", move |_cx| {
        passing.advance(Duration::from_secs(40));
        async { Ok(mark("slow")) }
    });
    g.entry(slow).route(slow, move |s: &Trail| if s.sum < 100 { slow } else { END });
    let (graph, world) = (g.compile().unwrap(), world.again());
    for seen in [3, 6] {
        let budget = Budget::new().wall(Duration::from_secs(100));
        let done = go(&world, &graph, &lab, |run| run.clock(clock.clone()).budget(budget)).await.unwrap();
        assert_eq!((done.end, done.state.seen.len()), (spent("wall"), seen));
    }
}

/// `draft` and `judge` in a loop, of which `draft` may run so often and spend so much.
fn drafting(budget: NodeBudget, wraps_up: bool) -> CompiledGraph<Trail, Lab> {
    let mut g = Graph::<Trail, Lab>::new("drafting");
    let (draft, judge) = (g.node("draft", spend), g.node("judge", spend));
    g.entry(draft).edge(draft, judge).route(judge, move |_: &Trail| draft).budget(draft, budget);
    if wraps_up {
        let wrap_up = step(&mut g, "wrap_up");
        g.on_budget_spent(wrap_up).edge(wrap_up, END);
    }
    g.compile().unwrap()
}

pub(crate) async fn the_budget_of_a_node_counts_over_all_runs_since_the_input<P: Place>(world: World<P>) {
    let (graph, lab) = (drafting(NodeBudget::new().runs(3), false), Lab::new());
    lab.set("judge", Mood::Fails);
    for _ in 0..2 {
        world
            .keep(&graph)
            .await
            .run_or_resume(Trail::update())
            .resources(Arc::clone(&lab))
            .thread("t")
            .await
            .unwrap_err();
    }
    lab.mend("judge");
    let stopped = world.resume(&graph, &lab).await.unwrap();
    assert!(matches!(&stopped.end, End::Spent { counter } if counter.contains("`draft`")), "{:?}", stopped.end);
    assert_eq!((lab.runs("draft"), stopped.state.seen.len()), (3, 5));
    let again = world.resume(&graph, &lab).await.unwrap();
    assert_eq!((again.steps, lab.runs("draft")), (0, 3), "it is spent, and stays so");

    let (world, lab) = (world.again(), Lab::new());
    let done = world.run(&drafting(NodeBudget::new().runs(2), true), &lab, Trail::update()).await.unwrap();
    assert_eq!(done.state.seen, ["draft", "judge", "draft", "wrap_up"]);
}

pub(crate) async fn what_one_node_spends_is_not_what_another_does<P: Place>(world: World<P>) {
    let lab = Lab::new();
    let done =
        world.run(&drafting(NodeBudget::new().counter("tokens", 25), true), &lab, Trail::update()).await.unwrap();
    assert_eq!((lab.runs("draft"), lab.runs("judge")), (3, 2));
    assert_eq!(done.state.seen.last().unwrap(), "wrap_up");
}

pub(crate) async fn a_subgraph_whose_node_has_spent_its_budget_ends_and_its_parent_goes_on<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("parent");
    let child = g.subgraph("child", &drafting(NodeBudget::new().runs(2), false), Subgraph::shared());
    let after = step(&mut g, "after");
    g.entry(child).edge(child, after).edge(after, END);
    let done = world.run(&g.compile().unwrap(), &Lab::new(), Trail::update()).await.unwrap();
    assert_eq!((done.end, done.state.seen.join(" ")), (End::Complete, "draft judge draft after".to_string()));
}

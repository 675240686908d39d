//! Supersteps: one snapshot per step, and folding in task-path order whatever the timing.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use research_core::{Cx, END, EventKind, Graph, NodeError, Sends, Snapshot, State, Target};
use tokio::time::sleep;

use crate::support::{Trail, TrailUpdate, mark, seen, step};

/// Appends `w` and its input.
async fn worker(_cx: Cx<Trail>, input: u32) -> Result<TrailUpdate, NodeError> {
    Ok(mark(format!("w{input}")))
}

#[tokio::test(start_paused = true)]
async fn updates_arrive_as_tasks_finish_and_fold_in_the_order_of_names() {
    let mut g = Graph::<Trail>::new("golden");
    for (name, ms) in [("z", 0), ("m", 70), ("a", 150)] {
        let node = g.node(name, move |cx| async move {
            if ms > 0 {
                sleep(Duration::from_millis(ms)).await;
            }
            Ok(mark(cx.node()))
        });
        g.entry(node).edge(node, END);
    }
    let mut events = g.compile().unwrap().run(Trail::update()).stream();
    let mut arrived = Vec::new();
    while let Some(event) = events.next().await {
        if matches!(event.kind, EventKind::Updated(_)) {
            arrived.push(event.node().unwrap().to_string());
        }
    }
    assert_eq!(arrived, ["z", "m", "a"]);
    assert_eq!(events.finish().await.unwrap().state.seen, ["a", "m", "z"]);
}

#[tokio::test]
async fn nodes_due_by_edges_fold_before_sends_and_sends_in_the_order_of_emission() {
    let mut g = Graph::<Trail>::new("golden");
    let start = step(&mut g, "start");
    let (zpull, apull) = (step(&mut g, "zpull"), step(&mut g, "apull"));
    let worker = g.task("worker", worker);
    g.entry(start).edge(start, zpull).edge(start, apull).edge(zpull, END).edge(apull, END).edge(worker, END);
    g.route(start, move |_: &Trail| [3, 1, 2].map(|n| worker.send(n)).into_iter().collect::<Sends>());
    assert_eq!(seen(&g.compile().unwrap()).await, ["start", "apull", "zpull", "w3", "w1", "w2"]);
}

#[tokio::test]
async fn sends_of_several_nodes_run_in_the_path_order_of_their_emitters() {
    let mut g = Graph::<Trail>::new("senders");
    let worker = g.task("aworker", worker);
    for (name, inputs) in [("z", [30, 31]), ("b", [10, 11])] {
        let node = step(&mut g, name);
        g.entry(node).route(node, move |_: &Trail| inputs.map(|n| worker.send(n)));
    }
    g.edge(worker, END);
    assert_eq!(seen(&g.compile().unwrap()).await, ["b", "z", "w10", "w11", "w30", "w31"]);
}

#[tokio::test]
async fn two_routes_that_send_to_one_node_run_it_once_for_each_send() {
    let mut g = Graph::<Trail>::new("routes");
    let start = step(&mut g, "start");
    let worker = g.task("worker", worker);
    g.entry(start).edge(worker, END);
    g.route(start, move |_: &Trail| worker.send(1)).route(start, move |_: &Trail| worker.send(1));
    assert_eq!(seen(&g.compile().unwrap()).await, ["start", "w1", "w1"]);
}

#[tokio::test]
async fn a_sent_task_can_send_again() {
    let mut g = Graph::<Trail>::new("countdown");
    let start = step(&mut g, "start");
    let down = g.declare_task::<u32>("down");
    g.define_task(down, move |_cx, n: u32| async move {
        let next = (1..n).map(|m| down.send(m)).collect::<Sends>();
        Ok(research_core::Command::goto(next).with(mark(format!("d{n}"))))
    });
    g.entry(start).route(start, move |_: &Trail| down.send(3)).edge(down, END);
    let done = g.compile().unwrap().run(Trail::update()).await.unwrap();
    assert_eq!(done.state.seen, ["start", "d3", "d1", "d2", "d1"]);
    assert_eq!(done.steps, 4);
}

#[tokio::test]
async fn a_node_triggered_several_times_in_one_step_runs_once() {
    let mut g = Graph::<Trail>::new("once");
    let (a, b, c) = (step(&mut g, "a"), step(&mut g, "b"), step(&mut g, "c"));
    g.entry(a).entry(b).entry(a).edge(a, c).edge(b, c).edge(a, c).route(a, move |_: &Trail| [c, c]).edge(c, END);
    g.join([a, b], c);
    assert_eq!(seen(&g.compile().unwrap()).await, ["a", "b", "c"]);
}

#[tokio::test]
async fn tasks_of_a_step_see_the_state_of_the_last_barrier_and_nothing_of_each_other() {
    let mut g = Graph::<Trail>::new("blind");
    for name in ["a", "b"] {
        let node = g.node(name, |cx| async move {
            tokio::task::yield_now().await;
            Ok(mark(format!("{}{}", cx.node(), cx.state.seen.len())))
        });
        g.entry(node).edge(node, END);
    }
    let worker = g.task("w", async |cx: Cx<Trail>, n: u32| Ok(mark(format!("w{n}{}", cx.state.seen.len()))));
    g.entry_route(move |_: &Trail| worker.send(7)).edge(worker, END);
    let done = g.compile().unwrap().run(mark("in")).await.unwrap();
    assert_eq!(done.state.seen, ["in", "a1", "b1", "w71"]);
}

#[tokio::test]
async fn the_first_node_sees_the_default_state_with_the_input_folded_in() {
    #[derive(Clone, State)]
    struct Preset {
        #[reduce(append)]
        lines: Vec<String>,
        #[reduce(min)]
        least: i64,
        plain: u8,
    }
    impl Default for Preset {
        fn default() -> Self {
            Self { lines: vec!["preset".into()], least: i64::MAX, plain: 7 }
        }
    }
    let mut g = Graph::<Preset>::new("preset");
    let look = g.node("look", |cx| async move {
        let text = format!("{} {} {}", cx.state.lines.join("+"), cx.state.least, cx.state.plain);
        Ok(Preset::update().lines([text]))
    });
    g.entry(look).edge(look, END);
    let graph = g.compile().unwrap();
    let input = Preset::update().lines(["given".to_string()]).least(5);
    assert_eq!(graph.run(input).await.unwrap().state.lines, ["preset", "given", "preset+given 5 7"]);
    let whole = Preset { lines: vec!["whole".into()], least: 3, plain: 1 };
    assert_eq!(graph.run(whole).await.unwrap().state.lines, ["whole", "whole 3 1"]);
}

#[tokio::test]
async fn several_updates_of_one_task_apply_in_their_order() {
    let mut g = Graph::<Trail>::new("updates");
    let node = g.node("n", async |_cx| {
        Ok(Trail::update().seen(["a".into()]).value(1).count(2).seen(["b".into(), "c".into()]).value(2).count(3))
    });
    g.entry(node).edge(node, END);
    let state = g.compile().unwrap().run(mark("in")).await.unwrap().state;
    assert_eq!((state.seen.concat(), state.value, state.count), ("inabc".to_string(), 2, 6));
}

#[tokio::test]
async fn a_field_can_be_private_to_the_module_of_the_state() {
    mod report {
        use research_core::State;

        #[derive(Clone, Debug, Default, State)]
        pub(crate) struct Report {
            pub(crate) text: String,
            draft: Vec<String>,
        }

        pub(crate) fn drafted() -> ReportUpdate {
            Report::update().draft(["one".to_string(), "two".to_string()])
        }

        pub(crate) fn written(report: &Report) -> ReportUpdate {
            Report::update().text(report.draft.join(" "))
        }
    }
    let mut g = Graph::<report::Report>::new("private");
    let draft = g.node("draft", async |_cx| Ok(report::drafted()));
    let write = g.node("write", async |cx: Cx<report::Report>| Ok(report::written(&cx.state)));
    g.entry(draft).edge(draft, write).edge(write, END);
    assert_eq!(g.compile().unwrap().run(report::Report::update()).await.unwrap().state.text, "one two");
}

#[tokio::test]
async fn a_snapshot_that_is_kept_does_not_change() {
    let kept: Arc<Mutex<Vec<Snapshot<Trail>>>> = Arc::default();
    let mut g = Graph::<Trail>::new("kept");
    let keep = Arc::clone(&kept);
    let up = g.node("up", move |cx| {
        keep.lock().unwrap().push(cx.state.clone());
        async move { Ok(mark(cx.state.seen.len().to_string())) }
    });
    g.entry(up).route(up, move |s: &Trail| if s.seen.len() < 3 { up } else { END });
    let done = g.compile().unwrap().run(Trail::update()).await.unwrap();
    assert_eq!(done.state.seen, ["0", "1", "2"]);
    let lengths: Vec<usize> = kept.lock().unwrap().iter().map(|state| state.seen.len()).collect();
    assert_eq!(lengths, [0, 1, 2]);
}

#[tokio::test]
async fn a_task_knows_its_place() {
    let mut g = Graph::<Trail>::new("place");
    let first = step(&mut g, "first");
    let facts = g.node("facts", async |cx: Cx<Trail>| {
        Ok(mark(format!("{} {} {} {}", cx.node(), cx.task().step, cx.task().index, cx.steps_left())))
    });
    let worker = g.task("w", async |cx: Cx<Trail>, _n: u8| {
        Ok(mark(cx.task_id().strip_prefix(cx.run_id()).unwrap_or("no prefix").to_string()))
    });
    g.entry(first).edge(first, facts).edge(facts, END).edge(worker, END);
    g.route(first, move |_: &Trail| worker.send(0));
    let done = g.compile().unwrap().run(Trail::update()).step_limit(9).await.unwrap();
    assert_eq!(done.state.seen, ["first", "facts 2 0 7", "/2/1/w"]);
    assert_eq!(done.run_id.len(), 32);
}

#[tokio::test]
async fn a_list_mixes_nodes_and_sends() {
    let mut g = Graph::<Trail>::new("mixed");
    let (start, plain) = (step(&mut g, "start"), step(&mut g, "plain"));
    let worker = g.task("aworker", worker);
    g.entry(start).edge(plain, END).edge(worker, END);
    g.route(start, move |_: &Trail| {
        vec![Target::from(worker.send(2)), plain.into(), worker.send(1).into(), END.into()]
    });
    assert_eq!(seen(&g.compile().unwrap()).await, ["start", "plain", "w2", "w1"]);
}

#[tokio::test]
async fn a_run_with_nothing_due_ends_at_once_with_its_input() {
    let mut g = Graph::<Trail>::new("nothing");
    let node = step(&mut g, "n");
    g.entry_route(move |s: &Trail| (s.value > 0).then_some(node)).edge(node, END);
    let graph = g.compile().unwrap();
    let done = graph.run(mark("in")).await.unwrap();
    assert_eq!((done.state.seen, done.steps), (vec!["in".to_string()], 0));
    assert_eq!(graph.run(Trail::update().value(1)).await.unwrap().steps, 1);
}

#[tokio::test]
async fn a_compiled_graph_runs_many_times_and_at_once() {
    let mut g = Graph::<Trail>::new("again");
    let (a, b) = (step(&mut g, "a"), step(&mut g, "b"));
    g.entry(a).entry(b).edge(a, END).edge(b, END);
    let graph = g.compile().unwrap();
    let runs = (0..20).map(|n| graph.clone().run(mark(n.to_string())).into_future());
    let done = futures::future::try_join_all(runs).await.unwrap();
    for (n, done) in done.iter().enumerate() {
        assert_eq!(done.state.seen, [n.to_string(), "a".into(), "b".into()]);
    }
    let ids: std::collections::BTreeSet<&str> = done.iter().map(|done| &*done.run_id).collect();
    assert_eq!(ids.len(), 20);
}

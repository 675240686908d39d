//! The step limit: a guard against loops that counts executed steps.

use research_core::{END, ErrorKind, Graph, Sends};

use crate::support::{Trail, mark, step};

#[tokio::test]
async fn a_chain_of_n_nodes_needs_a_limit_of_n() {
    let mut g = Graph::<Trail>::new("chain");
    let (a, b, c) = (step(&mut g, "a"), step(&mut g, "b"), step(&mut g, "c"));
    g.entry(a).edge(a, b).edge(b, c).edge(c, END);
    let graph = g.compile().unwrap();
    assert_eq!(graph.run(Trail::update()).step_limit(3).await.unwrap().steps, 3);

    let error = graph.run(Trail::update()).step_limit(2).await.unwrap_err();
    assert!(error.is_step_limit());
    assert!(error.failures().is_empty());
    assert!(matches!(error.kind(), ErrorKind::StepLimit { limit: 2, due } if due == &["c"]));
    assert_eq!(
        error.to_string(),
        "graph `chain`: stopped before step 3 by its step limit of 2 while `c` was due; \
         if the graph is not looping for ever, raise the limit with `.step_limit(n)`"
    );
    assert_eq!(error.state::<Trail>().unwrap().seen, ["a", "b"], "the state of the last barrier is kept");
}

#[tokio::test]
async fn an_endless_loop_stops_after_a_thousand_steps_by_default() {
    let mut g = Graph::<Trail>::new("endless");
    let node = g.node("n", |_cx| async { Ok(Trail::update().count(1)) });
    g.entry(node).route(node, move |_: &Trail| node);
    let error = g.compile().unwrap().run(Trail::update()).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::StepLimit { limit: 1_000, .. }));
    assert_eq!(error.state::<Trail>().unwrap().count, 1_000);
}

#[tokio::test]
async fn a_limit_of_nothing_runs_nothing() {
    let mut g = Graph::<Trail>::new("zero");
    let node = step(&mut g, "n");
    g.entry(node).edge(node, END);
    let error = g.compile().unwrap().run(mark("in")).step_limit(0).await.unwrap_err();
    assert!(error.is_step_limit());
    assert_eq!(error.state::<Trail>().unwrap().seen, ["in"]);
}

#[tokio::test]
async fn the_nodes_that_were_due_are_named_once_each() {
    let mut g = Graph::<Trail>::new("due");
    let (start, plain) = (step(&mut g, "start"), step(&mut g, "plain"));
    let v = g.task("v", |_cx, _n: u8| async { Ok(()) });
    let w = g.task("w", |_cx, _n: u8| async { Ok(()) });
    g.entry(start).edge(start, plain).edge(plain, END).edge(v, END).edge(w, END);
    g.route(start, move |_: &Trail| [w.send(0), v.send(0), w.send(1), v.send(1)].into_iter().collect::<Sends>());
    let error = g.compile().unwrap().run(Trail::update()).step_limit(1).await.unwrap_err();
    assert!(error.to_string().contains("while `plain`, `w`, `v` were due"), "{error}");
}

//! Drawings of a graph as Mermaid and DOT, word for word.

use research_core::{Command, CompiledGraph, Cx, END, Graph};

use crate::support::{Trail, step};

/// One of everything that is drawn.
fn everything() -> CompiledGraph<Trail> {
    let mut g = Graph::<Trail>::new("every \"thing\"");
    let plan = step(&mut g, "plan");
    let read = g.task("read \"one\"", |_cx: Cx<Trail>, _n: u8| async { Ok(()) });
    let count = step(&mut g, "count");
    let judge = g.node("judge", |_cx| async { Ok(Command::<Trail>::end()) });
    let write = step(&mut g, "write");
    let free = step(&mut g, "free");
    g.entry(plan).edge(plan, count).route_to(plan, [read.node(), END], move |_: &Trail| read.send(1));
    g.join([read.node(), count], judge).gotos(judge, [plan, write]);
    g.edge(write, END).edge(write, free).route(free, |_: &Trail| END);
    g.compile().unwrap()
}

#[test]
fn mermaid_shows_edges_decisions_and_joins() {
    let expected = r#"flowchart TD
    start([start])
    n0["plan"]
    n1["read #quot;one#quot;"]
    n2["count"]
    n3["judge"]
    n4["write"]
    n5["free"]
    j0{{all}}
    anywhere(…)
    end_([end])
    start --> n0
    n0 --> n2
    n0 -.-> n1
    n0 -.-> end_
    n1 --> j0
    n2 --> j0
    n3 -.-> n0
    n3 -.-> n4
    n4 --> n5
    n4 --> end_
    n5 -.-> anywhere
    j0 --> n3
"#;
    assert_eq!(everything().to_mermaid(), expected);
}

#[test]
fn dot_shows_the_same() {
    let expected = r#"digraph "every \"thing\"" {
    start [label="start", shape=oval];
    n0 [label="plan", shape=box];
    n1 [label="read \"one\"", shape=box];
    n2 [label="count", shape=box];
    n3 [label="judge", shape=box];
    n4 [label="write", shape=box];
    n5 [label="free", shape=box];
    j0 [label="all", shape=hexagon];
    anywhere [label="…", shape=plaintext];
    end_ [label="end", shape=oval];
    start -> n0;
    n0 -> n2;
    n0 -> n1 [style=dashed];
    n0 -> end_ [style=dashed];
    n1 -> j0;
    n2 -> j0;
    n3 -> n0 [style=dashed];
    n3 -> n4 [style=dashed];
    n4 -> n5;
    n4 -> end_;
    n5 -> anywhere [style=dashed];
    j0 -> n3;
}
"#;
    assert_eq!(everything().to_dot(), expected);
}

#[test]
fn entry_routes_and_undeclared_commands_lead_anywhere() {
    let mut g = Graph::<Trail>::new("anywhere");
    let a = g.node("a", |_cx| async { Ok(Command::<Trail>::end()) });
    g.entry_route(move |_: &Trail| a);
    let expected = "flowchart TD
    start([start])
    n0[\"a\"]
    anywhere(…)
    start -.-> anywhere
    n0 -.-> anywhere
";
    assert_eq!(g.compile().unwrap().to_mermaid(), expected);
}

#[test]
fn a_graph_tells_its_names() {
    let graph = everything();
    assert_eq!(graph.name(), "every \"thing\"");
    assert!(graph.node_names().eq(["plan", "read \"one\"", "count", "judge", "write", "free"]));
}

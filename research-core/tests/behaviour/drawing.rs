//! Drawings of a graph, and of what a run visited, as Mermaid and DOT, word for word.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use futures::StreamExt;
use research_core::checkpoint::MemoryCheckpointer;
use research_core::{Clock, Command, CompiledGraph, Cx, END, Graph, Modes, NodeError, Subgraph, Target, Visits};

use crate::support::{Trail, mark, step};

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

#[test]
fn partial_joins_deferred_nodes_and_the_node_for_a_spent_budget_are_drawn() {
    let mut g = Graph::<Trail>::new("joins");
    let [a, b, c, last] = ["a", "b", "c", "last"].map(|name| step(&mut g, name));
    g.entry(a).entry(b).entry(c).join_any([a, b], last).join_n(2, [a, b, c], last).join_n(2, [a, b], END);
    g.edge(last, END).defer(last).on_budget_spent(c);
    let graph = g.compile().unwrap();
    let expected = r#"flowchart TD
    start([start])
    spent([budget spent])
    n0["a"]
    n1["b"]
    n2["c"]
    n3["last"]
    j0{{any}}
    j1{{2 of 3}}
    j2{{all}}
    end_([end])
    start --> n0
    start --> n1
    start --> n2
    spent -.-> n2
    n0 --> j0
    n0 --> j1
    n0 --> j2
    n1 --> j0
    n1 --> j1
    n1 --> j2
    n2 --> j1
    n3 --> end_
    j0 --> n3
    j1 --> n3
    j2 --> end_
    classDef deferred stroke-dasharray: 5 5
    class n3 deferred
"#;
    assert_eq!(graph.to_mermaid(), expected);
    let dot = graph.to_dot();
    for line in [
        r#"    n3 [label="last", shape=box, style="dashed"];"#,
        r#"    j0 [label="any", shape=hexagon];"#,
        r#"    j1 [label="2 of 3", shape=hexagon];"#,
        r#"    j2 [label="all", shape=hexagon];"#,
    ] {
        assert!(dot.lines().any(|known| known == line), "{dot}");
    }
}

#[test]
fn names_of_any_characters_are_drawn() {
    let mut g = Graph::<Trail>::new("\\ \"\n");
    for name in
        ["", "end", "a \"b\" [c] (d) {e} |f|", "ü 報告 ❤", "#1; <b> & `code` %%{x}%%", "C:\\N", "two\nlines\u{7}"]
    {
        let node = step(&mut g, name);
        g.entry(node).edge(node, END);
    }
    let graph = g.compile().unwrap();
    let nodes = |text: &str| {
        text.lines()
            .filter(|line| line.starts_with("    n") && line.contains('"'))
            .map(str::to_string)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        nodes(&graph.to_mermaid()),
        [
            r#"    n0[" "]"#,
            r#"    n1["end"]"#,
            r#"    n2["a #quot;b#quot; [c] (d) {e} |f|"]"#,
            r#"    n3["ü 報告 ❤"]"#,
            r##"    n4["#35;1; #lt;b#gt; #amp; #96;code#96; #37;#37;{x}#37;#37;"]"##,
            r#"    n5["C:#92;N"]"#,
            r#"    n6["two<br/>lines�"]"#,
        ]
    );
    assert_eq!(
        nodes(&graph.to_dot()),
        [
            r#"    n0 [label="", shape=box];"#,
            r#"    n1 [label="end", shape=box];"#,
            r#"    n2 [label="a \"b\" [c] (d) {e} |f|", shape=box];"#,
            r#"    n3 [label="ü 報告 ❤", shape=box];"#,
            r##"    n4 [label="#1; <b> &amp; `code` %%{x}%%", shape=box];"##,
            r#"    n5 [label="C:\\N", shape=box];"#,
            r#"    n6 [label="two\nlines�", shape=box];"#,
        ]
    );
}

/// A clock that the nodes set.
#[derive(Clone, Debug)]
struct Hand(Arc<Mutex<SystemTime>>);

impl Hand {
    fn advance(&self, millis: u64) {
        *self.0.lock().unwrap() += Duration::from_millis(millis);
    }
}

impl Clock for Hand {
    fn now(&self) -> SystemTime {
        *self.0.lock().unwrap()
    }
}

/// Loops three times, sends two tasks, and fails; and what its run visited.
async fn a_run() -> (CompiledGraph<Trail>, Visits) {
    let clock = Hand(Arc::new(Mutex::new(SystemTime::UNIX_EPOCH)));
    let mut g = Graph::<Trail>::new("run");
    let lasting = |name: &'static str, millis: u64| {
        let clock = clock.clone();
        move |_cx: Cx<Trail>| {
            clock.advance(millis);
            async move { Ok(mark(name)) }
        }
    };
    let plan = g.node("plan", lasting("plan", 1_250));
    let check = g.node("check", lasting("check", 4));
    let read = g.task("read", async |_cx: Cx<Trail>, n: u32| Ok(mark(n.to_string())));
    let publish = g.node("publish", |_cx| async { Err::<(), _>(NodeError::msg("no paper")) });
    let spare = step(&mut g, "spare");
    g.entry(plan).edge(plan, check).route_to(check, [plan, read.node(), spare], move |s: &Trail| match s.count {
        6 => Ok::<_, NodeError>((0..2).map(|n| read.send(n).into()).collect::<Vec<Target>>()),
        _ => Ok(vec![plan.into()]),
    });
    g.edge(read, publish).edge(publish, END).edge(spare, END);
    let graph = g.compile().unwrap();
    let mut visits = Visits::new();
    let mut events = graph.run(Trail::update()).clock(clock).stream_modes(Modes::TASKS);
    while let Some(event) = events.next().await {
        visits.observe(&event);
    }
    (graph, visits)
}

#[tokio::test]
async fn a_run_is_drawn_with_counts_times_and_failures() {
    let (graph, visits) = a_run().await;
    let expected = r#"flowchart TD
    start([start])
    n0["plan<br/>×3 · 3.7 s"]
    n1["check<br/>×3 · 12 ms"]
    n2["read<br/>×2 · 0 µs"]
    n3["publish<br/>×1 · 0 µs · 1 failed"]
    n4["spare"]
    end_([end])
    start -->|"×1"| n0
    n0 -->|"×3"| n1
    n1 -.->|"×2"| n0
    n1 -.->|"×2"| n2
    n1 -.-> n4
    n2 -->|"×1"| n3
    n3 --> end_
    n4 --> end_
    classDef visited fill:#e6f4ea,stroke:#188038,color:#202124
    class n0,n1,n2 visited
    classDef unvisited fill:#f8f9fa,stroke:#bdc1c6,color:#9aa0a6
    class n4 unvisited
    classDef failed fill:#fce8e6,stroke:#d93025,color:#202124
    class n3 failed
"#;
    assert_eq!(graph.to_mermaid_with(&visits), expected);
    let expected = r##"digraph "run" {
    start [label="start", shape=oval];
    n0 [label="plan\n×3 · 3.7 s", shape=box, style="filled", fillcolor="#e6f4ea", color="#188038", fontcolor="#202124"];
    n1 [label="check\n×3 · 12 ms", shape=box, style="filled", fillcolor="#e6f4ea", color="#188038", fontcolor="#202124"];
    n2 [label="read\n×2 · 0 µs", shape=box, style="filled", fillcolor="#e6f4ea", color="#188038", fontcolor="#202124"];
    n3 [label="publish\n×1 · 0 µs · 1 failed", shape=box, style="filled", fillcolor="#fce8e6", color="#d93025", fontcolor="#202124"];
    n4 [label="spare", shape=box, style="filled", fillcolor="#f8f9fa", color="#bdc1c6", fontcolor="#9aa0a6"];
    end_ [label="end", shape=oval];
    start -> n0 [label="×1"];
    n0 -> n1 [label="×3"];
    n1 -> n0 [style=dashed, label="×2"];
    n1 -> n2 [style=dashed, label="×2"];
    n1 -> n4 [style=dashed];
    n2 -> n3 [label="×1"];
    n3 -> end_;
    n4 -> end_;
}
"##;
    assert_eq!(graph.to_dot_with(&visits), expected);
}

#[tokio::test]
async fn visits_can_be_asked_by_name() {
    let (_, visits) = a_run().await;
    let names: Vec<(&str, u64)> = visits.iter().map(|(_, name, visit)| (name, visit.runs)).collect();
    assert_eq!(names, [("check", 3), ("plan", 3), ("publish", 1), ("read", 2)]);
    let plan = visits.node("plan").unwrap();
    assert_eq!((plan.entered(), plan.after("check"), plan.after("plan")), (1, 2, 0));
    assert_eq!((plan.time, plan.failures, plan.asked), (Duration::from_millis(3_750), 0, 0));
    assert_eq!(visits.node("read").unwrap().after("check"), 2);
    assert_eq!(visits.node("publish").unwrap().failures, 1);
    assert!(visits.node("spare").is_none() && visits.node_of("plan", "plan").is_none());
}

#[tokio::test]
async fn visits_of_several_runs_add_up() {
    let mut g = Graph::<Trail>::new("one");
    let a = step(&mut g, "a");
    g.entry(a).edge(a, END);
    let graph = g.compile().unwrap();
    let mut visits = Visits::new();
    for _ in 0..2 {
        let events: Vec<_> = graph.run(Trail::update()).stream().collect().await;
        events.iter().for_each(|event| visits.observe(event));
    }
    visits.visit("a", Duration::from_secs(5));
    let a = visits.node("a").unwrap();
    // A run leads nowhere in the next one.
    assert_eq!((a.runs, a.entered(), a.after("a")), (3, 2, 0));
    assert!(a.time >= Duration::from_secs(5));
}

#[test]
fn times_are_drawn_as_people_read_them() {
    let mut g = Graph::<Trail>::new("times");
    let a = step(&mut g, "a");
    g.entry(a).edge(a, END);
    let graph = g.compile().unwrap();
    for (millis, expected) in [
        (0.0, "0 µs"),
        (0.25, "250 µs"),
        (999.9, "999 ms"),
        (1_000.0, "1.0 s"),
        (59_999.0, "59.9 s"),
        (61_000.0, "1 min 1 s"),
        (3_600_000.0 * 25.5, "25 h 30 min"),
    ] {
        let mut visits = Visits::new();
        visits.visit("a", Duration::from_secs_f64(millis / 1_000.0));
        let text = graph.to_mermaid_with(&visits);
        assert!(text.contains(&format!("[\"a<br/>×1 · {expected}\"]")), "{text}");
    }
}

#[tokio::test]
async fn a_run_is_drawn_with_its_subgraphs_on_request() {
    let mut child = Graph::<Trail>::new("child");
    let (look, note) = (step(&mut child, "look"), step(&mut child, "note"));
    child.entry(look).edge(look, note).edge(note, END);
    let child = child.compile().unwrap();
    let mut g = Graph::<Trail>::new("parent");
    let (plan, find) = (step(&mut g, "plan"), g.subgraph("find", &child, Subgraph::shared()));
    g.entry(plan).edge(plan, find).edge(find, END);
    let graph = g.compile().unwrap();
    let still = Hand(Arc::new(Mutex::new(SystemTime::UNIX_EPOCH)));
    let events: Vec<_> = graph.run(Trail::update()).clock(still).stream().collect().await;

    let (mut without, mut with) = (Visits::new(), Visits::with_subgraphs());
    events.iter().for_each(|event| without.observe(event));
    events.iter().for_each(|event| with.observe(event));
    assert!(without.node_of("find", "look").is_none() && !graph.to_mermaid_with(&without).contains("look"));
    assert_eq!(with.node_of("find", "note").map(|note| (note.runs, note.after("look"))), Some((1, 1)));
    let expected = r##"flowchart TD
    start([start])
    n0["plan<br/>×1 · 0 µs"]
    subgraph n1["find<br/>×1 · 0 µs"]
        n1_start([start])
        n1_n0["look<br/>×1 · 0 µs"]
        n1_n1["note<br/>×1 · 0 µs"]
        n1_end_([end])
        n1_start -->|"×1"| n1_n0
        n1_n0 -->|"×1"| n1_n1
        n1_n1 --> n1_end_
    end
    end_([end])
    start -->|"×1"| n0
    n0 -->|"×1"| n1_start
    n1_end_ --> end_
    classDef visited fill:#e6f4ea,stroke:#188038,color:#202124
    class n0,n1,n1_n0,n1_n1 visited
"##;
    assert_eq!(graph.to_mermaid_with(&with), expected);
}

#[tokio::test]
async fn a_failure_that_a_handler_made_good_is_still_drawn_as_one() {
    let mut g = Graph::<Trail>::new("handled");
    let a = g.node("a", |_cx| async { Err::<(), _>(NodeError::msg("no")) });
    g.entry(a).edge(a, END).on_error(a, |_cx, _failure| async { Ok(()) });
    let graph = g.compile().unwrap();
    let mut visits = Visits::new();
    let events: Vec<_> = graph.run(Trail::update()).stream().collect().await;
    events.iter().for_each(|event| visits.observe(event));
    let a = visits.node("a").unwrap();
    assert_eq!((a.runs, a.failures), (1, 1));
}

#[tokio::test]
async fn a_question_is_no_run_and_a_restored_result_is_not_counted_again() {
    let mut g = Graph::<Trail>::new("asking");
    let done = step(&mut g, "done");
    let ask = g.node("ask", |cx: Cx<Trail>| async move { Ok(mark(cx.interrupt::<String>(("name", "who?")).await?)) });
    let last = step(&mut g, "last");
    g.entry(ask).entry(done).join([ask, done], last).edge(last, END);
    let graph = g.compile().unwrap().with_checkpointer(MemoryCheckpointer::new());
    let mut visits = Visits::new();
    for answered in [false, true] {
        let run = if answered { graph.resume().answer("bee") } else { graph.run(Trail::update()) };
        let events: Vec<_> = run.thread("t").stream().collect().await;
        events.iter().for_each(|event| visits.observe(event));
        let runs = |name| visits.node(name).map(|visit| (visit.runs, visit.asked));
        assert_eq!((runs("ask"), runs("done")), (Some((u64::from(answered), 1)), Some((1, 0))));
    }
    assert!(graph.to_mermaid_with(&visits).contains(" · 1 asked\"]"));
    let last = visits.node("last").unwrap();
    assert_eq!((last.runs, last.after("ask"), last.after("done")), (1, 1, 1));
}

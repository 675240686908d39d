//! Everything that `compile` can say is wrong with a graph, word for word.

use research_core::{Command, Cx, END, Graph, Problem};

use crate::support::{Trail, mark, step};

/// The text of the error, without its headline.
#[track_caller]
fn problems(mut g: Graph<Trail>) -> Vec<String> {
    let error = g.compile().map(|graph| graph.to_mermaid()).unwrap_err();
    let texts: Vec<String> = error.problems().iter().map(ToString::to_string).collect();
    let lines: Vec<String> = texts.iter().map(|text| format!("\n  - {text}")).collect();
    let plural = if texts.len() == 1 { "" } else { "s" };
    assert_eq!(error.to_string(), format!("graph `g` has {} problem{plural}:{}", texts.len(), lines.concat()));
    texts
}

fn graph() -> Graph<Trail> {
    Graph::new("g")
}

#[test]
fn no_entry() {
    let mut g = graph();
    let a = step(&mut g, "a");
    g.edge(a, END);
    assert_eq!(problems(g), ["no node is entered first; call `.entry(node)`"]);
    assert_eq!(problems(graph()), ["no node is entered first; call `.entry(node)`"]);
}

#[test]
fn a_task_that_runs_a_subgraph_of_the_whole_thread() {
    let mut g = graph();
    let x = step(&mut g, "x");
    g.entry(x).edge(x, END);
    let child = g.compile().unwrap();
    let link = || {
        research_core::Subgraph::mapped_with(
            |_: &Trail, _: u32| Trail::update(),
            |child: Trail| Trail::update().seen(child.seen),
        )
    };
    let mut g = graph();
    let plan = step(&mut g, "plan");
    let dig = g.subgraph_task("dig", &child, link().per_thread());
    g.entry(plan).route(plan, move |_: &Trail| dig.send(1)).edge(dig, END);
    let text = "`dig` takes an input, so that several of it may run in one step, and its subgraph has one state for the whole \
                thread; keep it `.per_call()`, or run it from a node";
    assert_eq!(problems(g), [text]);

    let mut g = graph();
    let plan = step(&mut g, "plan");
    let dig = g.subgraph_task("dig", &child, link().per_call());
    g.entry(plan).route(plan, move |_: &Trail| dig.send(1)).edge(dig, END);
    assert!(g.compile().is_ok());
}

#[test]
fn an_unreachable_node_beside_a_slip() {
    let mut g = graph();
    let (a, b) = (step(&mut g, "search"), step(&mut g, "alone"));
    let report = step(&mut g, "report");
    g.entry(a).edge(a, "repport").edge(report, END).edge(b, END);
    let slip = "an edge from `search` names `repport`, which is not in the graph; did you mean `report`?";
    let alone = "nothing leads to node `alone`; add an edge or a route to it, or remove it";
    assert_eq!(problems(g), [slip, alone]);

    // What cannot be guessed may lead to any of them.
    let mut g = graph();
    let (a, b) = (step(&mut g, "search"), step(&mut g, "alone"));
    g.entry(a).edge(a, "something else").edge(b, END);
    assert_eq!(problems(g), ["an edge from `search` names `something else`, which is not in the graph"]);

    // Problems that hide no way hide no node.
    let mut g = graph();
    let (a, b) = (step(&mut g, "search"), step(&mut g, "alone"));
    g.entry(a).edge(a, END).edge(b, END).retry(a, research_core::Retry::none()).retry(a, research_core::Retry::none());
    assert_eq!(problems(g).len(), 2);
}

#[test]
fn duplicate_name() {
    let mut g = graph();
    let (a, b) = (step(&mut g, "a"), step(&mut g, "a"));
    g.entry(a).edge(a, b).edge(b, END);
    assert_eq!(problems(g), ["two nodes are called `a`; give each its own name"]);
}

#[test]
fn a_declared_node_that_is_never_defined() {
    let mut g = graph();
    let (a, t) = (g.declare("a"), g.declare_task::<u8>("t"));
    g.entry(a).edge(a, END).edge(t, END);
    assert_eq!(
        problems(g),
        [
            "node `a` was declared but never defined; call `.define(…)`",
            "node `t` was declared but never defined; call `.define_task(…)`",
        ]
    );
}

#[test]
fn a_node_that_is_defined_twice() {
    let mut g = graph();
    let a = step(&mut g, "a");
    g.define(a, |_cx| async { Ok(()) }).entry(a).edge(a, END);
    assert_eq!(problems(g), ["node `a` was defined twice; keep one definition"]);
}

#[test]
fn unknown_names_with_the_place_where_they_stand() {
    let mut g = graph();
    let plan = step(&mut g, "plan");
    let write = step(&mut g, "write");
    g.entry("plna").edge("plan", "wrte").edge("elsewhere", END).route("paln", |_: &Trail| END);
    g.route_to(plan, ["writee"], |_: &Trail| END).join([plan], "wirte").join(["pla"], write).gotos("plann", [END]);
    g.join_n(2, ["plan", "wirte"], "write").defer("wriet").writes("wriet", ["value"]);
    assert_eq!(
        problems(g),
        [
            "the entry names `plna`, which is not in the graph; did you mean `plan`?",
            "an edge from `plan` names `wrte`, which is not in the graph; did you mean `write`?",
            "an edge from `elsewhere` names `elsewhere`, which is not in the graph",
            "a route from `paln` names `paln`, which is not in the graph; did you mean `plan`?",
            "a route from `plan` names `writee`, which is not in the graph; did you mean `write`?",
            "the join into `wirte` names `wirte`, which is not in the graph; did you mean `write`?",
            "the join into `write` names `pla`, which is not in the graph; did you mean `plan`?",
            "the join into `write` names `wirte`, which is not in the graph; did you mean `write`?",
            "a declared goto of `plann` names `plann`, which is not in the graph; did you mean `plan`?",
            "a deferral names `wriet`, which is not in the graph; did you mean `write`?",
            "a declaration of writes names `wriet`, which is not in the graph; did you mean `write`?",
        ]
    );
}

#[test]
fn handles_of_another_graph() {
    let mut other = Graph::<Trail>::new("other");
    let foreign = step(&mut other, "foreign");
    let mut g = graph();
    let a = step(&mut g, "a");
    g.entry(foreign).edge(a, foreign).edge(foreign, a).define(foreign, |_cx| async { Ok(()) });
    assert_eq!(
        problems(g),
        [
            "a definition uses a handle of another graph; use the handle that this graph returned",
            "the entry uses a handle of another graph; use the handle that this graph returned",
            "an edge from `a` uses a handle of another graph; use the handle that this graph returned",
            "an edge from a foreign node uses a handle of another graph; use the handle that this graph returned",
        ]
    );
}

#[test]
fn an_edge_to_a_node_that_takes_an_input() {
    let mut g = graph();
    let a = step(&mut g, "a");
    let t = g.task("t", |_cx: Cx<Trail>, _n: u8| async { Ok(()) });
    g.entry(a).edge(a, "t").entry(t.node()).join([a], t.node()).edge(t, END);
    assert_eq!(
        problems(g),
        [
            "the entry leads to `t`, which takes an input; reach it from a route with the handle's `send`",
            "an edge from `a` leads to `t`, which takes an input; reach it from a route with the handle's `send`",
            "the join into `t` leads to `t`, which takes an input; reach it from a route with the handle's `send`",
        ]
    );
}

#[test]
fn something_that_starts_at_the_end() {
    let mut g = graph();
    let a = step(&mut g, "a");
    g.entry(a).edge(a, END).edge(END, a).route(END, move |_: &Trail| a).join([END], a);
    g.define(END, |_cx| async { Ok(()) });
    assert_eq!(
        problems(g),
        [
            "a definition uses a handle of another graph; use the handle that this graph returned",
            "an edge from END starts at END; nothing runs after the end",
            "a route from END starts at END; nothing runs after the end",
            "the join into `a` starts at END; nothing runs after the end",
        ]
    );
}

#[test]
fn a_node_that_nothing_leads_to() {
    let mut g = graph();
    let (a, b, c) = (step(&mut g, "a"), step(&mut g, "b"), step(&mut g, "c"));
    g.entry(a).edge(a, END).edge(b, c).edge(c, END);
    assert_eq!(
        problems(g),
        [
            "nothing leads to node `b`; add an edge or a route to it, or remove it",
            "nothing leads to node `c`; add an edge or a route to it, or remove it",
        ]
    );
}

#[test]
fn a_node_with_no_way_to_the_end() {
    let mut g = graph();
    let (a, b, c) = (step(&mut g, "a"), step(&mut g, "b"), step(&mut g, "c"));
    g.entry(a).edge(a, b).edge(b, c).edge(c, b).edge(a, END);
    assert_eq!(
        problems(g),
        [
            "nothing leads from node `b` to the end; add `.edge(b, END)` or another way out",
            "nothing leads from node `c` to the end; add `.edge(c, END)` or another way out",
        ]
    );
}

#[test]
fn a_route_that_was_not_declared_can_lead_anywhere() {
    let mut g = graph();
    let (a, _b) = (step(&mut g, "a"), step(&mut g, "b"));
    g.entry(a).route(a, |_: &Trail| END).edge("b", "a");
    assert!(g.compile().is_ok());

    let mut g = graph();
    let (a, b) = (step(&mut g, "a"), step(&mut g, "b"));
    g.entry(a).route_to(a, [a], |_: &Trail| END).edge(b, END);
    assert_eq!(
        problems(g),
        [
            "nothing leads from node `a` to the end; add `.edge(a, END)` or another way out",
            "nothing leads to node `b`; add an edge or a route to it, or remove it",
        ]
    );
}

#[test]
fn a_node_that_returns_commands_can_go_anywhere_unless_its_gotos_are_declared() {
    let jumpy = |declared: bool| {
        let mut g = graph();
        let a = g.node("a", |_cx| async { Ok(Command::<Trail>::end()) });
        let b = step(&mut g, "b");
        g.entry(a).edge(b, END);
        if declared {
            g.gotos(a, [END]);
        }
        g
    };
    assert!(jumpy(false).compile().is_ok());
    assert_eq!(problems(jumpy(true)), ["nothing leads to node `b`; add an edge or a route to it, or remove it"]);
}

#[test]
fn a_join_without_sources() {
    let mut g = graph();
    let (a, b) = (step(&mut g, "a"), step(&mut g, "b"));
    g.entry(a).edge(a, END).join(Vec::<&str>::new(), b).edge(b, END);
    assert_eq!(problems(g), ["the join into `b` has no sources; name the nodes that it waits for"]);
}

#[test]
fn a_join_that_waits_for_no_source_or_for_more_than_it_has() {
    let mut g = graph();
    let [a, b, c] = ["a", "b", "c"].map(|name| step(&mut g, name));
    g.entry(a).entry(b).edge(c, END).join_n(0, [a, b], c).join_n(3, [a, b], c).join_n(2, [a, a, a], c);
    g.join_any(Vec::<&str>::new(), c).join_n(0, Vec::<&str>::new(), c).join_n(2, [a, b], c);
    assert_eq!(
        problems(g),
        [
            "the join into `c` waits for none of its sources; let it wait for at least one",
            "the join into `c` waits for 3 different sources and has 2; name more of them, or wait for 2 at most",
            "the join into `c` waits for 2 different sources and has 1; name more of them, or wait for 1 at most",
            "the join into `c` has no sources; name the nodes that it waits for",
            "the join into `c` has no sources; name the nodes that it waits for",
        ]
    );
}

#[test]
fn a_deferral_of_the_end_or_of_a_task() {
    let mut g = graph();
    let a = step(&mut g, "a");
    let t = g.task("t", |_cx: Cx<Trail>, _n: u8| async { Ok(()) });
    g.entry(a).edge(a, END).route(a, move |_: &Trail| t.send(1)).edge(t, END);
    g.defer(END).defer(t).defer("t").defer(a).defer(a);
    let task = "`t` is deferred and takes an input, so that it runs once for each send; \
                defer the node that its results lead to";
    assert_eq!(problems(g), ["END is deferred, which is no node; defer the node that leads to it", task, task]);
}

#[test]
fn a_partial_join_that_waits_for_too_many_of_what_comes_after_it() {
    let waiting_for = |n: usize| {
        let mut g = graph();
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| step(&mut g, name));
        g.entry(a).join_n(n, [a, c, d], b).edge(b, c).edge(c, d).edge(d, END);
        g
    };
    assert!(waiting_for(1).compile().is_ok(), "it fires for `a` alone");
    let never = |source: &str| {
        format!(
            "the join into `b` can never fire: it waits for `{source}`, which runs only after the join; \
             lead to `{source}` in another way, or take it out of the join"
        )
    };
    for n in [2, 3] {
        assert_eq!(problems(waiting_for(n)), [never("c"), never("d")], "{n} of 3");
    }
}

#[test]
fn a_join_that_waits_for_what_comes_after_it() {
    let mut g = graph();
    let (a, b, c) = (step(&mut g, "a"), step(&mut g, "b"), step(&mut g, "c"));
    g.entry(a).join([a, c], b).edge(b, c).edge(c, END);
    assert_eq!(
        problems(g),
        ["the join into `b` can never fire: it waits for `c`, which runs only after the join; \
          lead to `c` in another way, or take it out of the join"]
    );
}

#[test]
fn a_declared_write_to_a_field_that_does_not_exist() {
    let mut g = graph();
    let a = step(&mut g, "a");
    g.entry(a).edge(a, END).writes(a, ["valeu", "colour"]);
    assert_eq!(
        problems(g),
        [
            "node `a` declares a write to `valeu`, which is not a field; did you mean `value`?",
            "node `a` declares a write to `colour`, which is not a field; the fields are `seen`, `count`, `value`",
        ]
    );
}

#[test]
fn a_double_write_of_a_plain_field_that_the_declarations_show() {
    let mut g = graph();
    let (a, b, c) = (step(&mut g, "a"), step(&mut g, "b"), step(&mut g, "c"));
    g.entry(a).entry(b).edge(a, c).edge(b, END).edge(c, END);
    g.writes(a, ["value", "seen"]).writes(b, ["seen", "value"]).writes(c, ["value"]);
    assert_eq!(
        problems(g),
        ["`a` and `b` both run right after the entry and both write `value`; \
          give the field a reducer or order the nodes"]
    );

    let mut g = graph();
    let (a, b, c) = (step(&mut g, "a"), step(&mut g, "b"), step(&mut g, "c"));
    g.entry(a).edge(a, b).edge(a, c).edge(b, END).edge(c, END).writes(b, ["value"]).writes(c, ["value"]);
    assert_eq!(
        problems(g),
        ["`b` and `c` both run right after `a` and both write `value`; give the field a reducer or order the nodes"]
    );
}

#[test]
fn many_problems_are_reported_at_once_and_can_be_matched() {
    let mut g = graph();
    step(&mut g, "twin");
    step(&mut g, "twin");
    g.declare("ghost");
    g.edge("twin", "gost").edge(END, "twin").writes("twin", ["seem"]);
    let error = g.compile().map(|graph| graph.to_dot()).unwrap_err();
    assert!(matches!(
        error.problems(),
        [
            Problem::DuplicateName { .. },
            Problem::Undefined { .. },
            Problem::NoEntry,
            Problem::UnknownNode { .. },
            Problem::EndAsSource { .. },
            Problem::UnknownField { .. },
        ]
    ));
    assert!(error.to_string().starts_with("graph `g` has 6 problems:\n  - two nodes are called `twin`"));
}

#[tokio::test]
async fn a_node_can_be_defined_after_it_was_captured() {
    let mut g = graph();
    let later = g.declare("later");
    let first = g.node("first", move |_cx| async move { Ok(Command::goto(later).with(mark("first"))) });
    g.define(later, |_cx| async { Ok(mark("later")) }).entry(first).edge(later, END);
    assert_eq!(crate::support::seen(&g.compile().unwrap()).await, ["first", "later"]);
}

#[test]
fn a_task_that_is_defined_without_its_input() {
    let mut g = graph();
    let a = step(&mut g, "a");
    let t = g.declare_task::<u8>("t");
    g.define(t.node(), |_cx: Cx<Trail>| async { Ok(()) });
    g.entry(a).route(a, move |_: &Trail| t.send(1)).edge(t, END);
    assert_eq!(problems(g), ["`t` was declared as a task and defined without its input; call `.define_task(…)`"]);
}

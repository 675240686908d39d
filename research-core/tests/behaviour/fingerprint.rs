//! The fingerprint of a graph: it changes with what a stored thread depends on, and with nothing else.

use research_core::{Command, Cx, END, Fingerprint, Graph, State};

use crate::support::{Trail, step};

type Change = Box<dyn FnOnce(&mut Graph<Trail>)>;

/// The fingerprint of a small graph after `change`.
fn of(change: impl FnOnce(&mut Graph<Trail>)) -> Fingerprint {
    let mut g = Graph::<Trail>::new("graph");
    let (a, b, c) = (step(&mut g, "a"), step(&mut g, "b"), step(&mut g, "c"));
    g.entry(a).edge(a, b).edge(b, END).join_any([a, b], c).edge(c, END);
    change(&mut g);
    g.compile().unwrap().fingerprint()
}

#[test]
fn every_part_of_the_graph_changes_it() {
    let changes: [(&str, Change); 14] = [
        ("nothing", Box::new(|_| {})),
        (
            "a node",
            Box::new(|g| {
                let d = step(g, "d");
                g.entry(d).edge(d, END);
            }),
        ),
        (
            "a node of another name",
            Box::new(|g| {
                let e = step(g, "e");
                g.entry(e).edge(e, END);
            }),
        ),
        (
            "a task in its place",
            Box::new(|g| {
                let e = g.task("e", async |_cx: Cx<Trail>, _n: u8| Ok(()));
                g.edge(e, END).entry_route(move |_: &Trail| e.send(1));
            }),
        ),
        (
            "an edge",
            Box::new(|g| {
                g.edge("b", "c");
            }),
        ),
        (
            "an edge the other way",
            Box::new(|g| {
                g.edge("c", "b");
            }),
        ),
        (
            "an entry",
            Box::new(|g| {
                g.entry("b");
            }),
        ),
        (
            "a join",
            Box::new(|g| {
                g.join(["a", "b"], "c");
            }),
        ),
        (
            "a join into the end",
            Box::new(|g| {
                g.join(["a", "b"], END);
            }),
        ),
        (
            "a deferral",
            Box::new(|g| {
                g.defer("c");
            }),
        ),
        (
            "a node for a spent budget",
            Box::new(|g| {
                g.on_budget_spent("c");
            }),
        ),
        (
            "a declared route",
            Box::new(|g| {
                g.route_to("a", [END], |_: &Trail| END);
            }),
        ),
        (
            "a route of more targets",
            Box::new(|g| {
                g.route_to("a", ["b", "c"], |_: &Trail| END);
            }),
        ),
        (
            "a route",
            Box::new(|g| {
                g.route("a", |_: &Trail| END);
            }),
        ),
    ];
    let mut known: Vec<(&str, Fingerprint)> = Vec::new();
    for (name, change) in changes {
        let fingerprint = of(change);
        for (other, same) in &known {
            assert_ne!(*same, fingerprint, "{name} and {other}");
        }
        known.push((name, fingerprint));
    }
}

#[test]
fn declared_gotos_change_it() {
    let declared = |targets: &[&str]| {
        let mut g = Graph::<Trail>::new("gotos");
        let (a, b) = (g.node("a", |_cx| async { Ok(Command::<Trail>::end()) }), step(&mut g, "b"));
        g.entry(a).entry(b).edge(b, END).edge(a, END).gotos(a, targets.iter().copied());
        g.compile().unwrap().fingerprint()
    };
    assert_ne!(declared(&["a"]), declared(&["b"]));
    assert_eq!(declared(&["a", "b"]), declared(&["b", "a", "b"]));
}

#[test]
fn the_order_of_declaration_repetition_and_names_of_graphs_do_not_change_it() {
    let mut g = Graph::<Trail>::new("renamed");
    let (c, b, a) = (step(&mut g, "c"), step(&mut g, "b"), step(&mut g, "a"));
    g.edge(c, END).join_n(1, ["b", "a", "b"], "c").edge("b", END).edge(a, b).edge(a, b).entry(a).entry("a");
    assert_eq!(g.compile().unwrap().fingerprint(), of(|_| {}));
}

#[test]
fn what_nodes_and_routes_do_does_not_change_it() {
    let mut g = Graph::<Trail>::new("graph");
    let (a, b) = (g.node("a", |_cx| async { Ok(Trail::update().value(7)) }), step(&mut g, "b"));
    let c = g.node("c", |_cx| async { Err::<(), _>("never".into()) });
    g.entry(a).edge(a, b).edge(b, END).join_any([a, b], c).edge(c, END);
    assert_eq!(g.compile().unwrap().fingerprint(), of(|_| {}));
}

#[test]
fn names_cannot_be_mistaken_for_other_names_or_for_the_end() {
    let named = |names: [&str; 2], to: &dyn Fn(&mut Graph<Trail>)| {
        let mut g = Graph::<Trail>::new("names");
        let [a, b] = names.map(|name| step(&mut g, name));
        g.entry(a).entry(b).edge(a, END).edge(b, END);
        to(&mut g);
        g.compile().unwrap().fingerprint()
    };
    assert_ne!(named(["ab", "c"], &|_| {}), named(["a", "bc"], &|_| {}));
    let to_the_end = named(["", "END"], &|g| {
        g.join(["END"], END);
    });
    for name in ["", "END"] {
        let to_the_node = named(["", "END"], &|g| {
            g.join(["END"], name);
        });
        assert_ne!(to_the_end, to_the_node);
    }
}

#[test]
fn the_fields_of_the_state_change_it_and_their_order_does_not() {
    macro_rules! fingerprint {
        ($($(#[$attribute:meta])* $field:ident: $type:ty),*) => {{
            #[derive(Clone, Default, State)]
            struct Fields {
                $($(#[$attribute])* $field: $type),*
            }
            let mut g = Graph::<Fields>::new("fields");
            let a = g.node("a", |cx| async move {
                $(let _ = &cx.state.$field;)*
                Ok(())
            });
            g.entry(a).edge(a, END);
            g.compile().unwrap().fingerprint()
        }};
    }
    let base = fingerprint!(n: u32, #[reduce(append)] items: Vec<u32>);
    assert_eq!(base, fingerprint!(#[reduce(append)] items: Vec<u32>, n: u32));
    assert_ne!(base, fingerprint!(n: u32));
    assert_ne!(base, fingerprint!(m: u32, #[reduce(append)] items: Vec<u32>));
    assert_ne!(base, fingerprint!(#[reduce(last)] n: u32, #[reduce(append)] items: Vec<u32>));
    assert_ne!(base, fingerprint!(#[reduce(untracked)] n: u32, #[reduce(append)] items: Vec<u32>));
    assert_ne!(base, fingerprint!(#[reduce(ephemeral)] n: u32, #[reduce(append)] items: Vec<u32>));
}

#[test]
fn it_is_the_same_in_every_process_and_release() {
    let fingerprint = of(|_| {});
    assert_eq!(fingerprint.to_string(), "65db6c14b9e262d7");
    assert_eq!(format!("{:016x}", fingerprint.as_u64()), fingerprint.to_string());
}

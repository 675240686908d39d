//! Routing: a loop until it is good enough, an entry that depends on the input, and commands that redirect.
//!
//! A *route* is a plain function of the state that says where to go after its node; it sees what that node has just
//! written. A node that must ask, wait or call before it decides returns a *command* instead. Run it with
//! `cargo run --example 03_routing`.

use research_core::{Command, Cx, END, Graph, Node, NodeError, State};

#[derive(Clone, Default, State)]
struct Draft {
    text: String,
    urgent: bool,
    score: u32,
    #[reduce(append)]
    path: Vec<String>,
}

async fn sketch(cx: Cx<Draft>) -> Result<DraftUpdate, NodeError> {
    Ok(Draft::update().text("a sketch").path([cx.node().to_string()]))
}

async fn revise(cx: Cx<Draft>) -> Result<DraftUpdate, NodeError> {
    Ok(Draft::update().score(cx.state.score + 1).path([format!("revise {}", cx.state.score + 1)]))
}

/// Where to go is part of the result. `goto` takes the place of the node's own edges: an urgent draft goes to print now, and
/// not to the proof-reader as well. `also_goto` would go to both.
async fn desk(cx: Cx<Draft>, print: Node, archive: Node) -> Result<Command<Draft>, NodeError> {
    let passed = Draft::update().path([cx.node().to_string()]);
    match cx.state.urgent {
        true => Ok(Command::goto(print).with(passed)),
        false => Ok(Command::also_goto(archive).with(passed)),
    }
}

async fn mark(cx: Cx<Draft>) -> Result<DraftUpdate, NodeError> {
    Ok(Draft::update().path([cx.node().to_string()]))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut g = Graph::<Draft>::new("draft");
    let (sketch, revise) = (g.node("sketch", sketch), g.node("revise", revise));
    let (archive, print, proof) = (g.node("archive", mark), g.node("print", mark), g.node("proof", mark));
    let desk = g.node("desk", move |cx| desk(cx, print, archive));

    // Who brings a text of his own need not begin with a sketch.
    g.entry_route(move |s: &Draft| if s.text.is_empty() { sketch } else { revise });
    g.edge(sketch, revise);
    // A loop, until the score will do. Saying where a route can lead lets the graph be checked and drawn.
    g.route_to(revise, [revise, desk], move |s: &Draft| if s.score < 3 { revise } else { desk });
    g.gotos(desk, [print, archive]);
    g.edge(desk, proof).edge(proof, print).edge(archive, END).edge(print, END);
    let graph = g.compile()?;

    for input in [
        Draft::update(),
        Draft::update().text("an essay").score(2_u32),
        Draft::update().text("a telegram").score(2_u32).urgent(true),
    ] {
        println!("{}", graph.run(input).await?.state.path.join(" → "));
    }

    // A loop without an exit does not run for ever: it fails, says what was due, and how to allow more.
    let stuck = graph.run(Draft::update()).step_limit(3).await;
    match stuck {
        Err(error) if error.is_step_limit() => println!("{error}"),
        other => return Err(format!("the limit did not hold: {other:?}").into()),
    }

    // A target that exists only at run time is checked there.
    let mut g = Graph::<Draft>::new("typo");
    let first = g.node("first", mark);
    g.entry(first).route(first, |_: &Draft| "frist");
    if let Err(error) = g.compile()?.run(Draft::update()).await {
        println!("{error}");
    }
    Ok(())
}

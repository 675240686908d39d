//! Subgraphs: a graph as a node of another one, with a state of its own or on the parent's.
//!
//! How much is kept of a subgraph is said where it is built in: nothing, its progress within a call, or its state over all
//! calls of a thread. Run it with `cargo run --example 07_subgraphs`.

use futures::StreamExt;
use research_core::{
    Command, CompiledGraph, Cx, END, EventKind, Graph, MemoryCheckpointer, Modes, NodeError, State, Subgraph,
};
use serde::{Deserialize, Serialize};

type Failed = Box<dyn std::error::Error>;

#[derive(Clone, Default, Serialize, Deserialize, State)]
struct Report {
    topic: String,
    #[reduce(append)]
    lines: Vec<String>,
}

/// The subgraph knows nothing of reports.
#[derive(Clone, Default, Serialize, Deserialize, State)]
struct Search {
    query: String,
    #[reduce(add)]
    calls: u32,
    hits: Vec<String>,
}

fn search() -> Result<CompiledGraph<Search>, Failed> {
    let mut g = Graph::<Search>::new("search");
    let look = g.node("look", |cx: Cx<Search>| async move {
        cx.emit(format!("looking for {}", cx.state.query));
        Ok(Search::update().calls(1_u32).hits([format!("a page on {}", cx.state.query)]))
    });
    g.entry(look).edge(look, END);
    Ok(g.compile()?)
}

/// On the parent's own state. It gives back what its nodes wrote and no copy of the rest, so that nothing is doubled.
fn polish() -> Result<CompiledGraph<Report>, Failed> {
    let mut g = Graph::<Report>::new("polish");
    let check = g.node("check", |cx: Cx<Report>| async move {
        let line = Report::update().lines([format!("{} lines checked", cx.state.lines.len())]);
        // A subgraph may direct its parent: a report without sources goes back to the search.
        match cx.state.lines.len() {
            0..2 => Ok(Command::goto_parent(["find"]).with(line)),
            _ => Ok(Command::goto(END).with(line)),
        }
    });
    g.entry(check);
    Ok(g.compile()?)
}

async fn sign(_cx: Cx<Report>) -> Result<ReportUpdate, NodeError> {
    Ok(Report::update().lines(["signed".to_string()]))
}

#[tokio::main]
async fn main() -> Result<(), Failed> {
    let mut g = Graph::<Report>::new("report");
    // What goes in and what comes out are plain functions, checked by the compiler.
    let mapped = Subgraph::mapped(
        |report: &Report| Search::update().query(&*report.topic),
        |search: Search| Report::update().lines([format!("call {}: {}", search.calls, search.hits.join(", "))]),
    );
    // `per_thread`: the search counts its calls as long as the thread lives. `per_call` would begin with 0 each time.
    let find = g.subgraph("find", &search()?, mapped.per_thread());
    let polish = g.subgraph("polish", &polish()?, Subgraph::shared().per_call());
    let sign = g.node("sign", sign);
    g.entry(find).edge(find, polish).gotos(polish, [find]).edge(polish, sign).edge(sign, END);
    let store = MemoryCheckpointer::new();
    let graph = g.compile()?.with_checkpointer(store.clone());

    // Events say which graph they come from.
    let run = graph.run(Report::update().topic("bees")).thread("t");
    let mut events = run.stream_modes(Modes::CUSTOM | Modes::STEPS);
    while let Some(event) = events.next().await {
        match &event.kind {
            EventKind::Custom(_) => {
                let said = event.custom::<String>().map_or("", String::as_str);
                println!("[{}] {}: {said}", event.namespace, event.node().unwrap_or_default());
            }
            EventKind::StepStarted { .. } if !event.is_of_subgraph() => println!("step {}", event.step),
            _ => {}
        }
    }
    events.finish().await?.state.lines.iter().for_each(|line| println!("{line}"));

    // What is kept of a subgraph is a history of its own on the parent's thread. The subgraph reads it.
    println!("namespaces: {:?}", graph.thread("t").namespaces().await?);
    let kept = search()?.with_checkpointer(store).thread("t").namespace("find");
    let kept = kept.state().await?.ok_or("nothing was kept of the search")?;
    println!("the search was called {} times", kept.state.calls);
    Ok(())
}

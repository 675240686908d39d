//! Joins: waiting for all, for any, or for some of several branches; and nodes that wait until nothing else is due.
//!
//! Branches need not be of the same length: a join remembers who has arrived, over steps, loops and crashes. Run it with
//! `cargo run --example 05_joins`.

use research_core::{CompiledGraph, Cx, END, Graph, Node, NodeError, State};

#[derive(Clone, Default, State)]
struct Trail {
    #[reduce(append)]
    seen: Vec<String>,
}

async fn mark(cx: Cx<Trail>) -> Result<TrailUpdate, NodeError> {
    Ok(Trail::update().seen([cx.node().to_string()]))
}

/// Three branches that begin together: `quick`, `slow1 → slow2`, and `late1 → late2 → late3`. `wire` says what follows them.
fn branches(
    name: &str,
    wire: impl Fn(&mut Graph<Trail>, [Node; 3], Node),
) -> Result<CompiledGraph<Trail>, Box<dyn std::error::Error>> {
    let mut g = Graph::<Trail>::new(name);
    let mut node = |name| g.node(name, mark);
    let (quick, slow, late) =
        (node("quick"), [node("slow1"), node("slow2")], [node("late1"), node("late2"), node("late3")]);
    let then = node("then");
    g.entry(quick).entry(slow[0]).entry(late[0]);
    g.edge(slow[0], slow[1]).edge(late[0], late[1]).edge(late[1], late[2]);
    wire(&mut g, [quick, slow[1], late[2]], then);
    g.edge(then, END);
    Ok(g.compile()?)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let graphs = [
        // Plain edges run their target after each of the branches.
        branches("edges", |g, ends, then| {
            for end in ends {
                g.edge(end, then);
            }
        })?,
        // Once, when all of them have arrived.
        branches("all", |g, ends, then| {
            g.join(ends, then);
        })?,
        // Once, when the first has arrived. The others go on; here they end by themselves.
        branches("any", |g, ends, then| {
            g.join_any(ends, then);
        })?,
        // Once, when two of the three have arrived.
        branches("two of three", |g, ends, then| {
            g.join_n(2, ends, then);
        })?,
        // Once, after everything else, whatever leads to it and however often.
        branches("deferred", |g, ends, then| {
            for end in ends {
                g.edge(end, then);
            }
            g.defer(then);
        })?,
    ];
    for graph in graphs {
        let done = graph.run(Trail::update()).await?;
        println!("{}: {}", graph.name(), done.state.seen.join(" "));
    }
    Ok(())
}

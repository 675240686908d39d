//! Quickstart: a state, two nodes, and the edges between them.
//!
//! A graph has a *state*, which is a struct; *nodes*, which are async functions that read the state and give back what
//! changes; and *edges*, which say what runs next. Run it with `cargo run --example 01_quickstart`.

use research_core::{Cx, END, Graph, NodeError, State};

/// The derive also makes `ArticleUpdate`: the same fields, each of them set or not.
#[derive(Clone, Default, State)]
struct Article {
    topic: String,
    headings: Vec<String>,
    text: String,
}

/// A node gets a context, and through it the state as the last step left it. It gives back an update, and only what it
/// sets is changed.
async fn outline(cx: Cx<Article>) -> Result<ArticleUpdate, NodeError> {
    let topic = &cx.state.topic;
    Ok(Article::update().headings([format!("What {topic} eat"), format!("Where {topic} live")]))
}

/// Any error may leave a node by `?`: the run then says which node failed, in which step, and why.
async fn write(cx: Cx<Article>) -> Result<ArticleUpdate, NodeError> {
    let first = cx.state.headings.first().ok_or("there is nothing to write about")?;
    Ok(Article::update().text(format!("{first}: flowers, mostly.")))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut g = Graph::<Article>::new("article");
    let (outline, write) = (g.node("outline", outline), g.node("write", write));
    g.entry(outline).edge(outline, write).edge(write, END);

    // All mistakes of a graph are found here, at once, with names and a remedy: a node that nothing leads to, a target that
    // does not exist, a join that can never fire.
    let graph = g.compile()?;

    // A run starts from an input, which is an update too.
    let done = graph.run(Article::update().topic("bees")).await?;
    println!("{}", done.state.text);
    println!("{} headings after {} steps", done.state.headings.len(), done.steps);

    // The graph draws itself, for a README or a browser.
    print!("{}", graph.to_mermaid());
    Ok(())
}

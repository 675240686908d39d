use research_core::{Cx, END, Graph, State};

#[derive(Clone, Default, State)]
struct Survey {
    #[reduce(append)]
    notes: Vec<String>,
    words: u64,
}

struct Library;

async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut g = Graph::<Survey, Library>::new("survey");
    let read = g.node("read", |_cx: Cx<Survey, Library>| async { Ok(()) });
    g.entry(read).edge(read, END);
    let graph = g.compile()?;
    graph.run(Survey::update()).await?;
    Ok(())
}

fn main() {
    let _ = run();
}

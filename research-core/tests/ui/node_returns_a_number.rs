use research_core::{Cx, END, Graph, NodeError, State};

#[derive(Clone, Default, State)]
struct Survey {
    #[reduce(append)]
    notes: Vec<String>,
    words: u64,
}

async fn count(cx: Cx<Survey>) -> Result<u32, NodeError> {
    Ok(cx.state.notes.len() as u32)
}

fn main() {
    let mut g = Graph::<Survey>::new("survey");
    let count = g.node("count", count);
    g.entry(count).edge(count, END);
}

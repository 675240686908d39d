use research_core::{Cx, END, Graph, NodeError, State};

#[derive(Clone, Default, State)]
struct Survey {
    #[reduce(append)]
    notes: Vec<String>,
    words: u64,
}

#[derive(Clone, Default, State)]
struct Draft {
    text: String,
}

async fn write(_cx: Cx<Survey>) -> Result<DraftUpdate, NodeError> {
    Ok(Draft::update().text("done"))
}

fn main() {
    let mut g = Graph::<Survey>::new("survey");
    let write = g.node("write", write);
    g.entry(write).edge(write, END);
}

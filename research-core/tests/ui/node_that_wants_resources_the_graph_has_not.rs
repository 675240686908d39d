use research_core::{Cx, END, Graph, NodeError, State};

#[derive(Clone, Default, State)]
struct Survey {
    #[reduce(append)]
    notes: Vec<String>,
    words: u64,
}

struct Library;

async fn read(cx: Cx<Survey, Library>) -> Result<SurveyUpdate, NodeError> {
    let Library = *cx.resources;
    Ok(Survey::update())
}

fn main() {
    let mut g = Graph::<Survey>::new("survey");
    let read = g.node("read", read);
    g.entry(read).edge(read, END);
}

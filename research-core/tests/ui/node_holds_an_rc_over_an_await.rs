use research_core::{Cx, END, Graph, NodeError, State};

#[derive(Clone, Default, State)]
struct Survey {
    #[reduce(append)]
    notes: Vec<String>,
    words: u64,
}

async fn read(cx: Cx<Survey>) -> Result<SurveyUpdate, NodeError> {
    let first = std::rc::Rc::new(cx.state.notes.first().cloned());
    tokio::task::yield_now().await;
    Ok(Survey::update().words(first.as_ref().as_ref().map_or(0, |note| note.len() as u64)))
}

fn main() {
    let mut g = Graph::<Survey>::new("survey");
    let read = g.node("read", read);
    g.entry(read).edge(read, END);
}

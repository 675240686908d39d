use research_core::{END, Graph, NodeError, State};

#[derive(Clone, Default, State)]
struct Survey {
    #[reduce(append)]
    notes: Vec<String>,
    words: u64,
}

async fn read(state: &Survey) -> Result<SurveyUpdate, NodeError> {
    Ok(Survey::update().words(state.words + 1))
}

fn main() {
    let mut g = Graph::<Survey>::new("survey");
    let read = g.node("read", read);
    g.entry(read).edge(read, END);
}

use research_core::{Cx, END, Graph, State};

#[derive(Clone, Default, State)]
struct Survey {
    #[reduce(append)]
    notes: Vec<String>,
    words: u64,
}

async fn read(_cx: Cx<Survey>) -> Result<SurveyUpdate, std::io::Error> {
    Ok(Survey::update().words(1))
}

fn main() {
    let mut g = Graph::<Survey>::new("survey");
    let read = g.node("read", read);
    g.entry(read).edge(read, END);
}

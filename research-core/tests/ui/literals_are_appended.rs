use research_core::{END, Graph, State};

#[derive(Clone, Default, State)]
struct Survey {
    #[reduce(append)]
    notes: Vec<String>,
    words: u64,
}

fn main() {
    let mut g = Graph::<Survey>::new("survey");
    let read = g.node("read", |_cx| async { Ok(Survey::update().notes(["bees", "ants"])) });
    g.entry(read).edge(read, END);
}

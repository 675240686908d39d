use research_core::{END, Graph, State};

#[derive(Clone, Default, State)]
struct Survey {
    #[reduce(append)]
    notes: Vec<String>,
    words: u64,
}

fn main() {
    let g = Graph::<Survey>::new("survey").entry("read").edge("read", END);
    let _graph = g.compile();
}

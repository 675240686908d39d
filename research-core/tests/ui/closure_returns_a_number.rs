use research_core::{END, Graph, State};

#[derive(Clone, Default, State)]
struct Survey {
    #[reduce(append)]
    notes: Vec<String>,
    words: u64,
}

fn main() {
    let mut g = Graph::<Survey>::new("survey");
    let count = g.node("count", |cx| async move { Ok(cx.state.words + 1) });
    g.entry(count).edge(count, END);
}

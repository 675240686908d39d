use research_core::{END, Graph};

#[derive(Clone, Default)]
struct Survey {
    words: u64,
}

fn main() {
    let mut g = Graph::<Survey>::new("survey");
    let count = g.node("count", |_cx| async { Ok(()) });
    g.entry(count).edge(count, END);
}

use research_core::checkpoint::MemoryCheckpointer;
use research_core::{END, Graph, State};

#[derive(Clone, Default)]
struct Budget {
    tokens: u64,
}

#[derive(Clone, Default, State)]
struct Survey {
    title: String,
    budget: Option<Budget>,
}

fn main() {
    let mut g = Graph::<Survey>::new("survey");
    let read = g.node("read", |_cx| async { Ok(Survey::update().title("bees")) });
    g.entry(read).edge(read, END);
    let graph = g.compile().unwrap();
    let graph = graph.with_checkpointer(MemoryCheckpointer::new());
}

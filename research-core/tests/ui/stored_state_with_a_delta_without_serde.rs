use research_core::checkpoint::MemoryCheckpointer;
use research_core::{END, Graph, State};

#[derive(Clone)]
struct Vote(bool);

fn count(field: &mut u32, vote: Vote) {
    *field += u32::from(vote.0);
}

#[derive(Clone, Default, State)]
struct Survey {
    title: String,
    #[reduce(with = count, delta = Vote)]
    votes: u32,
}

fn main() {
    let mut g = Graph::<Survey>::new("survey");
    let read = g.node("read", |_cx| async { Ok(Survey::update().title("bees")) });
    g.entry(read).edge(read, END);
    let graph = g.compile().unwrap();
    let graph = graph.with_checkpointer(MemoryCheckpointer::new());
}

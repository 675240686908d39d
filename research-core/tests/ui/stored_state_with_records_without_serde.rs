use research_core::checkpoint::MemoryCheckpointer;
use research_core::reduce::Identified;
use research_core::{END, Graph, State};

#[derive(Clone)]
struct Message {
    id: String,
}

impl Identified for Message {
    fn id(&self) -> &str {
        &self.id
    }
}

#[derive(Clone, Default, State)]
struct Survey {
    title: String,
    #[reduce(by_id)]
    messages: Vec<Message>,
}

fn main() {
    let mut g = Graph::<Survey>::new("survey");
    let read = g.node("read", |_cx| async { Ok(Survey::update().title("bees")) });
    g.entry(read).edge(read, END);
    let graph = g.compile().unwrap();
    let graph = graph.with_checkpointer(MemoryCheckpointer::new());
}

use research_core::checkpoint::MemoryCheckpointer;
use research_core::reduce::Append;
use research_core::{END, Graph, State};

#[derive(Clone, Default, serde::Serialize, serde::Deserialize)]
struct Lines(Vec<String>);

impl Append for Lines {
    fn append(&mut self, more: Self) {
        self.0.extend(more.0);
    }
    fn mark(&self) -> usize {
        self.0.len()
    }
    fn take_back(&mut self, mark: usize) -> Self {
        Self(self.0.split_off(mark))
    }
}

#[derive(Clone, Default, State)]
struct Survey {
    title: String,
    #[reduce(append)]
    lines: Lines,
}

fn main() {
    let mut g = Graph::<Survey>::new("survey");
    let read = g.node("read", |_cx| async { Ok(Survey::update().title("bees")) });
    g.entry(read).edge(read, END);
    let graph = g.compile().unwrap();
    let graph = graph.with_checkpointer(MemoryCheckpointer::new());
}

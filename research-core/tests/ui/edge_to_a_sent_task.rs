use research_core::{Cx, END, Graph, State};

#[derive(Clone, Default, State)]
struct Survey {
    words: u64,
}

fn main() {
    let mut g = Graph::<Survey>::new("survey");
    let read = g.task("read", |_cx: Cx<Survey>, words: u64| async move { Ok(Survey::update().words(words)) });
    g.entry(read.send(3)).edge(read, END);
}

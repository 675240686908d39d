use research_core::{Cx, END, Graph, State};

#[derive(Clone, Default, State)]
struct Survey {
    #[reduce(append)]
    notes: Vec<String>,
    words: u64,
}

fn main() {
    let mut g = Graph::<Survey>::new("survey");
    let read = g.task("read", |_cx: Cx<Survey>, topic: String| async move { Ok(Survey::update().notes([topic])) });
    g.entry_route(move |_: &Survey| read).edge(read, END);
}

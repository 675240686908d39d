use research_core::{END, Graph, State};

#[derive(Clone, Default, State)]
struct Survey {
    title: String,
    #[reduce(any)]
    field: u32,
}

fn main() {
    let mut g = Graph::<Survey>::new("survey");
    let read = g.node("read", |_cx| async { Ok(Survey::update().title("bees")) });
    g.entry(read).edge(read, END);
}

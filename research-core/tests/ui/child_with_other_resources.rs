use research_core::{END, Graph, State, Subgraph};

#[derive(Clone, Default, State)]
struct Survey {
    #[reduce(append)]
    notes: Vec<String>,
    words: u64,
}

struct Client;
struct App;

fn main() {
    let mut g = Graph::<Survey, Client>::new("inner");
    let read = g.node("read", |_cx| async { Ok(()) });
    g.entry(read).edge(read, END);
    let inner = g.compile().unwrap();
    let mut g = Graph::<Survey, App>::new("outer");
    g.subgraph("inner", &inner, Subgraph::shared());
}

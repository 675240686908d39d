use research_core::{Graph, State};

#[derive(Clone, Default, State)]
struct Survey {
    #[reduce(append)]
    notes: Vec<String>,
    words: u64,
}

fn main() {
    let mut g = Graph::<Survey>::new("survey");
    let read = g.node("read", |_cx| async { Ok(()) });
    g.entry(read).route(read, |s: &Survey| s.notes.len());
}

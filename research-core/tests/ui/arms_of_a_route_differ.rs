use research_core::{END, Cx, Graph, Sends, State};

#[derive(Clone, Default, State)]
struct Survey {
    #[reduce(append)]
    notes: Vec<String>,
    words: u64,
}

fn main() {
    let mut g = Graph::<Survey>::new("survey");
    let plan = g.node("plan", |_cx| async { Ok(()) });
    let read = g.task("read", |_cx: Cx<Survey>, _n: usize| async { Ok(()) });
    g.entry(plan).edge(read, END).route(plan, move |s: &Survey| {
        if s.notes.is_empty() { END } else { (0..s.notes.len()).map(|n| read.send(n)).collect::<Sends>() }
    });
}

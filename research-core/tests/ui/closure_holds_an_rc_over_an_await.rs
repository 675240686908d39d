use research_core::{END, Graph, State};

#[derive(Clone, Default, State)]
struct Survey {
    #[reduce(append)]
    notes: Vec<String>,
    words: u64,
}

fn main() {
    let mut g = Graph::<Survey>::new("survey");
    let read = g.node("read", |cx| async move {
        let shared = std::rc::Rc::new(cx.state.words);
        tokio::task::yield_now().await;
        Ok(Survey::update().words(*shared))
    });
    g.entry(read).edge(read, END);
}

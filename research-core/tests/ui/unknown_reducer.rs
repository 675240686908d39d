use research_core::{END, Graph, State};

#[derive(Clone, Default, State)]
struct Survey {
    #[reduce(apend)]
    notes: Vec<String>,
    #[reduce(sum)]
    words: u64,
    #[reduce(ad)]
    lines: u64,
    #[reduce(concatenate)]
    text: String,
}

// The wrong attributes are the only errors: what uses the state is not reported.
fn main() {
    let mut g = Graph::<Survey>::new("survey");
    let read = g.node("read", |cx| async move {
        Ok(Survey::update().notes(["one".to_string()]).words(cx.state.words + 1).lines(1).text("x"))
    });
    g.entry(read).edge(read, END);
}

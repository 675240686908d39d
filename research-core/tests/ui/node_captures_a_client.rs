use research_core::{END, Graph, State};

#[derive(Clone, Default, State)]
struct Survey {
    #[reduce(append)]
    notes: Vec<String>,
    words: u64,
}

struct Client;

impl Client {
    async fn words(&self) -> u64 {
        7
    }
}

fn main() {
    let client = Client;
    let mut g = Graph::<Survey>::new("survey");
    let read = g.node("read", move |_cx| async move { Ok(Survey::update().words(client.words().await)) });
    g.entry(read).edge(read, END);
}

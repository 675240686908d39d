use research_core::{Cx, END, Graph, State};

#[derive(Clone, Default, State)]
struct Survey {
    #[reduce(append)]
    notes: Vec<String>,
    words: u64,
}

struct Topic(&'static str);

fn main() {
    let mut g = Graph::<Survey>::new("survey");
    let read = g.task("read", |_cx: Cx<Survey>, topic: Topic| async move {
        Ok(Survey::update().notes([topic.0.to_string()]))
    });
    g.entry_route(move |_: &Survey| read.send(Topic("bees"))).edge(read, END);
}

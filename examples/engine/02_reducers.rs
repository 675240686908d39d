//! Reducers: how a field takes in what nodes write to it.
//!
//! Nodes of one step run at the same time, on the same snapshot. Each field says how their writes come together; they are
//! folded in the order of the nodes' names, whoever finishes first. Run it with `cargo run --example 02_reducers`.

use std::collections::BTreeMap;
use std::time::Duration;

use research_core::reduce::{Change, Identified};
use research_core::{Cx, END, Graph, NodeError, State};

#[derive(Clone, Default, State)]
struct Census {
    /// Without a reducer a field takes one write a step.
    title: String,
    #[reduce(append)]
    log: Vec<String>,
    #[reduce(add)]
    animals: u64,
    #[reduce(max)]
    largest: u64,
    #[reduce(merge)]
    by_place: BTreeMap<String, u64>,
    /// A record with a known id replaces the one that is there.
    #[reduce(by_id)]
    rangers: Vec<Ranger>,
    /// A fold of your own; what is written may be of another type than the field.
    #[reduce(with = count_letters, delta = String)]
    letters: usize,
    /// Holds for one step and then goes back to its default.
    #[reduce(append, ephemeral)]
    just_seen: Vec<String>,
}

#[derive(Clone, Debug)]
struct Ranger {
    badge: String,
    reports: u32,
}

impl Identified for Ranger {
    fn id(&self) -> &str {
        &self.badge
    }
}

fn count_letters(letters: &mut usize, word: String) {
    *letters += word.chars().count();
}

fn report(place: &str, animals: u64, ranger: &str) -> CensusUpdate {
    let ranger = Ranger { badge: ranger.to_string(), reports: 1 };
    Census::update()
        .log([format!("{animals} at the {place}")])
        .animals(animals)
        .largest(animals)
        .by_place([(place.to_string(), animals)])
        .rangers([ranger])
        .letters(place.to_string())
        .just_seen([place.to_string()])
}

/// The first in the order of names, and the last to finish.
async fn hill(_cx: Cx<Census>) -> Result<CensusUpdate, NodeError> {
    tokio::time::sleep(Duration::from_millis(20)).await;
    Ok(report("hill", 7, "ada"))
}

async fn river(_cx: Cx<Census>) -> Result<CensusUpdate, NodeError> {
    Ok(report("river", 12, "ben"))
}

async fn review(cx: Cx<Census>) -> Result<CensusUpdate, NodeError> {
    let line = format!("just seen: {}", cx.state.just_seen.join(", "));
    let rangers = [Change::Put(Ranger { badge: "ada".to_string(), reports: 2 }), Change::Remove("ben".to_string())];
    // `set_…` writes a folded field as a whole, past its reducer.
    Ok(Census::update().set_log([line]).rangers(rangers))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut g = Graph::<Census>::new("census");
    let (hill, river, review) = (g.node("hill", hill), g.node("river", river), g.node("review", review));
    g.entry(hill).entry(river).join([hill, river], review).edge(review, END);
    let done = g.compile()?.run(Census::update().title("Spring").log(["the census begins".to_string()])).await?;

    let Census { title, log, animals, largest, by_place, rangers, letters, just_seen } = done.state;
    println!("{title}: {animals} animals, {largest} in the largest group, {by_place:?}, {letters} letters");
    println!("log: {log:?}, just seen: {just_seen:?}");
    rangers.iter().for_each(|ranger| println!("ranger {}: {} reports", ranger.badge, ranger.reports));

    // Two writes of a plain field in one step would make the result a matter of luck. The run says so instead.
    let mut g = Graph::<Census>::new("two titles");
    for name in ["a", "b"] {
        let node = g.node(name, |cx| async move { Ok(Census::update().title(cx.node())) });
        g.entry(node).edge(node, END);
    }
    match g.compile()?.run(Census::update()).await {
        Err(error) if error.is_conflict() => println!("{error}"),
        other => return Err(format!("two writes of a plain field went through: {other:?}").into()),
    }
    Ok(())
}

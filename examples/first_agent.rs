//! A first agent: reads texts two at a time, side by side, until one word stands out.

use std::collections::BTreeMap;

use research_core::{Cx, END, Graph, NodeError, Sends, State};

const TEXTS: [&str; 5] = [
    "A forager that finds clover returns to the hive and dances.",
    "The angle of the dance gives the direction of the clover.",
    "Rain keeps foragers in the hive, and nobody dances.",
    "Near the hive a round dance is enough: clover, close by.",
    "Smoke calms a colony before its home is opened.",
];

#[derive(Clone, Default, State)]
struct Reading {
    unread: Vec<String>,
    batch: Vec<String>,
    #[reduce(with = tally)]
    words: BTreeMap<String, u64>,
    most: u64,
    #[reduce(append)]
    log: Vec<String>,
}

fn tally(words: &mut BTreeMap<String, u64>, more: BTreeMap<String, u64>) {
    more.into_iter().for_each(|(word, count)| *words.entry(word).or_default() += count);
}

async fn pick(cx: Cx<Reading>) -> Result<ReadingUpdate, NodeError> {
    let (now, later) = cx.state.unread.split_at(cx.state.unread.len().min(2));
    Ok(Reading::update().batch(now).unread(later))
}

async fn count(_cx: Cx<Reading>, text: String) -> Result<ReadingUpdate, NodeError> {
    let words = text.split(|c: char| !c.is_alphabetic()).filter(|word| word.len() > 3);
    Ok(Reading::update().words(words.map(|word| (word.to_lowercase(), 1)).collect::<BTreeMap<_, _>>()))
}

async fn judge(cx: Cx<Reading>) -> Result<ReadingUpdate, NodeError> {
    let (word, texts) = cx.state.words.iter().max_by_key(|(_, texts)| **texts).ok_or("no words")?;
    let line = format!("`{word}` stands in {texts} texts, {} left to read", cx.state.unread.len());
    Ok(Reading::update().most(*texts).log([line]))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let given = std::env::args().skip(1).map(std::fs::read_to_string).collect::<Result<Vec<_>, _>>()?;
    let texts = if given.is_empty() { TEXTS.map(String::from).to_vec() } else { given };
    let mut g = Graph::<Reading>::new("first agent");
    let (pick, judge, count) = (g.node("pick", pick), g.node("judge", judge), g.task("count", count));
    g.entry(pick)
        .route(pick, move |s: &Reading| s.batch.iter().map(|text| count.send(text.clone())).collect::<Sends>())
        .join([count], judge)
        .route_to(judge, [pick, END], move |s: &Reading| (s.most < 3 && !s.unread.is_empty()).then_some(pick));
    let done = g.compile()?.run(Reading::update().unread(texts)).await?;
    done.state.log.iter().for_each(|line| println!("{line}"));
    Ok(())
}

//! What a step costs in the store: the change, not the state.

use std::collections::BTreeMap;
use std::fmt::Debug;

use research_core::reduce::Identified;
use research_core::{Cx, Durability, END, Graph, Log, Persist, Question, Sends, State};
use serde::{Deserialize, Serialize};

use crate::recording::Recording;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Note {
    id: String,
    text: String,
}

impl Identified for Note {
    fn id(&self) -> &str {
        &self.id
    }
}

#[derive(Clone, Debug, Default, PartialEq, State)]
struct Large {
    /// Written once, with the input.
    constant: String,
    #[reduce(append)]
    list: Vec<String>,
    #[reduce(append)]
    log: Log<u32>,
    #[reduce(append)]
    text: String,
    #[reduce(merge)]
    map: BTreeMap<String, u32>,
    #[reduce(by_id)]
    notes: Vec<Note>,
    #[reduce(add)]
    round: u64,
}

/// Runs `write` for a number of rounds, reads the thread back, and gives the bytes of each checkpoint.
async fn rounds<S: Persist + PartialEq + Debug>(
    input: S::Update,
    count: u64,
    round: fn(&S) -> u64,
    write: fn(&S) -> S::Update,
) -> Vec<usize>
where
    S::Update: research_core::IntoCommand<S>,
{
    let mut g = Graph::<S>::new("rounds");
    let work = g.node("work", move |cx| async move { Ok(write(&cx.state)) });
    g.entry(work).route(work, move |s: &S| if round(s) < count { work } else { END });
    let store = Recording::default();
    let graph = g.compile().unwrap().with_checkpointer(store.clone());
    let run = graph.run(input).thread("t").durability(Durability::Sync).step_limit(count);
    let done = run.await.unwrap();
    assert_eq!(graph.thread("t").state().await.unwrap().unwrap().state, done.state);
    assert_eq!(store.written().len() as u64, count + 1);
    store.written()
}

fn large() -> LargeUpdate {
    Large::update().constant("x".repeat(100_000))
}

/// The usual step costs at most `bound` bytes, late ones no more than early ones, and all of them together no more than
/// twice what the state takes in the end: a full checkpoint now and then is paid for by what it makes superfluous.
fn is_flat(written: &[usize], bound: usize) {
    let usual = |some: &[usize]| {
        let mut some = some.to_vec();
        some.sort_unstable();
        some[some.len() / 2]
    };
    let (early, late) = (usual(&written[10..30]), usual(&written[written.len() - 20..]));
    assert!(early <= bound && late <= early + 4, "{early} bytes, and {late} in the end");
    let full: Vec<usize> = written[1..].iter().copied().filter(|bytes| *bytes > bound).collect();
    let total: usize = written.iter().sum();
    let state = written[0] + written.len() * bound;
    assert!(full.len() <= 8 && total <= 2 * state, "{total} bytes in all, full ones are {full:?}");
}

#[tokio::test]
async fn a_step_that_appends_costs_what_it_appends_after_ten_steps_and_after_ten_thousand() {
    let written = rounds::<Large>(
        large(),
        10_000,
        |s| s.round,
        |s| Large::update().list([format!("item {:06}", s.round)]).log(vec![7]).text("more").round(1),
    )
    .await;
    assert!(written[0] > 100_000);
    is_flat(&written, 120);
}

#[tokio::test]
async fn a_step_that_merges_or_replaces_one_record_costs_that_one() {
    let written = rounds::<Large>(
        large(),
        2_000,
        |s| s.round,
        |s| {
            let id = format!("{:06}", s.round);
            let update = Large::update().map([(id.clone(), 1)]).round(1);
            update.notes([Note { id, text: "new".into() }])
        },
    )
    .await;
    is_flat(&written, 120);
}

#[tokio::test]
async fn what_is_written_over_and_over_is_stored_anew_only_when_that_is_paid_for() {
    let written = rounds::<Large>(
        Large::update(),
        2_000,
        |s| s.round,
        |s| {
            let note = Note { id: "same".into(), text: format!("{:06}", s.round) };
            Large::update().map([("same".to_string(), 1)]).notes([note]).round(1)
        },
    )
    .await;
    let total: usize = written.iter().sum();
    assert!(total < 2_000 * 200, "{total} bytes");
}

#[tokio::test]
async fn an_overwrite_of_an_append_field_costs_its_value_once() {
    let written = rounds::<Large>(
        large(),
        1_000,
        |s| s.round,
        |s| match s.round {
            500 => Large::update().set_list(["short".to_string()]).round(1),
            _ => Large::update().list([format!("item {:06}", s.round)]).round(1),
        },
    )
    .await;
    is_flat(&written, 120);
}

#[tokio::test]
async fn ten_thousand_questions_are_asked_and_answered_at_once() {
    #[derive(Clone, Debug, Default, State)]
    struct Asked {
        #[reduce(append)]
        answers: Vec<u64>,
    }
    let mut g = Graph::<Asked>::new("asked");
    let plan = g.node("plan", |_cx| async { Ok(()) });
    let ask = g.task("ask", |cx: Cx<Asked>, n: u64| async move {
        let answer: u64 = cx.interrupt(("number", n)).await?;
        Ok(Asked::update().answers([answer]))
    });
    g.entry(plan).route(plan, move |_: &Asked| (0..10_000).map(|n| ask.send(n)).collect::<Sends>()).edge(ask, END);
    let graph = g.compile().unwrap().with_checkpointer(Recording::default());

    let asked = graph.run(Asked::update()).thread("t").await.unwrap();
    let questions = asked.questions();
    let answer = |question: &Question| question.payload.as_u64().unwrap() + 1;
    let run = questions
        .iter()
        .fold(graph.resume().thread("t"), |run, question| run.answer_to(question.id.clone(), answer(question)));
    let done = run.await.unwrap();

    assert_eq!(questions.len(), 10_000);
    assert_eq!(done.state.answers, (1..=10_000).collect::<Vec<_>>());
}

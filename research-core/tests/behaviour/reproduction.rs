//! With an injected clock and injected ids, a run gives the same event log every time.

use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use futures::StreamExt;
use research_core::{Clock, CompiledGraph, END, Event, Graph, IdSource, Modes};

use crate::support::{Trail, mark, step};

/// Advances by a second whenever it is asked.
#[derive(Debug, Default)]
struct Ticking(Mutex<u64>);

impl Clock for Ticking {
    fn now(&self) -> SystemTime {
        let mut seconds = self.0.lock().unwrap();
        *seconds += 1;
        SystemTime::UNIX_EPOCH + Duration::from_secs(*seconds)
    }
}

#[derive(Debug)]
struct Fixed;

impl IdSource for Fixed {
    fn run_id(&self) -> String {
        "run-1".to_string()
    }
}

fn graph() -> CompiledGraph<Trail> {
    let mut g = Graph::<Trail>::new("again");
    let (a, b, c) = (step(&mut g, "a"), step(&mut g, "b"), step(&mut g, "c"));
    let id = g.node("id", |cx| async move {
        cx.emit(cx.task_id());
        Ok(mark(cx.task_id()))
    });
    g.entry(a).edge(a, b).edge(a, c).join([b, c], id).edge(id, END);
    g.compile().unwrap()
}

async fn log() -> Vec<Event<Trail>> {
    let run = graph().run(Trail::update()).clock(Ticking::default()).ids(Fixed);
    run.stream_modes(Modes::ALL).collect().await
}

#[tokio::test]
async fn the_event_log_is_the_same_every_time() {
    let (first, second) = (log().await, log().await);
    assert_eq!(format!("{first:?}"), format!("{second:?}"));
    let seconds = |event: &Event<Trail>| event.at.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    assert!(first.iter().map(seconds).is_sorted(), "every event is dated by the injected clock");
    assert!((1..=first.len() as u64).contains(&seconds(first.last().unwrap())), "events of one moment share its time");
    assert!(first.iter().any(|event| event.custom::<String>().is_some_and(|id| id == "run-1/3/0/id")));
}

#[tokio::test]
async fn the_run_id_is_the_injected_one() {
    let done = graph().run(Trail::update()).ids(Fixed).await.unwrap();
    assert_eq!(done.run_id, "run-1");
    assert_eq!(done.state.seen.last().unwrap(), "run-1/3/0/id");
}

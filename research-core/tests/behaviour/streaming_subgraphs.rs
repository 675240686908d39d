//! Events of subgraphs: their namespace, their types, their place among those of the parent, and slow readers.

use futures::StreamExt;
use research_core::{
    CompiledGraph, Cx, END, End, Event, EventKind, Graph, Modes, NodeError, Sends, State, StreamOptions, Subgraph,
};

use crate::support::{Trail, mark, step};

/// A state of another type.
#[derive(Clone, Debug, Default, State)]
struct Search {
    query: String,
    #[reduce(append)]
    hits: Vec<String>,
}

fn word(event: &Event<Trail>) -> String {
    let kind = match &event.kind {
        EventKind::RunStarted { .. } => "run",
        EventKind::StepStarted { .. } => "step",
        EventKind::TaskStarted => "start",
        EventKind::Custom(_) => "custom",
        EventKind::Message { .. } => "message",
        EventKind::Updated(_) => "update",
        EventKind::ChildUpdated(_) => "child-update",
        EventKind::TaskFinished { error: None, .. } => "finish",
        EventKind::TaskFinished { error: Some(_), .. } => "fail",
        EventKind::Values(_) => "values",
        EventKind::ChildValues(_) => "child-values",
        EventKind::StepFinished => "stepped",
        EventKind::RunFinished { end: End::Complete } => "end",
        EventKind::RunFailed { .. } => "failed",
        _ => "other",
    };
    let place = event.node().map(|node| format!(":{node}")).unwrap_or_default();
    format!("{}{kind}{place}", if event.is_of_subgraph() { format!("[{}]", event.namespace) } else { String::new() })
}

fn words(events: &[Event<Trail>]) -> String {
    events.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Emits the words of its query, and keeps them.
fn search() -> CompiledGraph<Search> {
    let mut g = Graph::<Search>::new("search");
    let look = g.node("look", |cx: Cx<Search>| async move {
        cx.emit(cx.state.query.clone());
        tokio::task::yield_now().await;
        cx.message("said", "found");
        Ok(Search::update().hits([cx.state.query.clone()]))
    });
    g.entry(look).edge(look, END);
    g.compile().unwrap()
}

/// A graph whose node `find` runs the search.
fn finder() -> CompiledGraph<Trail> {
    let mut g = Graph::<Trail>::new("finder");
    let link =
        Subgraph::mapped(|_: &Trail| Search::update().query("bees"), |found: Search| Trail::update().seen(found.hits));
    let find = g.subgraph("find", &search(), link);
    g.entry(find).edge(find, END);
    g.compile().unwrap()
}

#[tokio::test]
async fn events_of_a_subgraph_carry_its_namespace_and_come_between_start_and_update_of_its_node() {
    let events: Vec<_> = finder().run(Trail::update()).stream_modes(Modes::ALL).collect().await;
    let expected = "run values step start:find \
        [find]run [find]child-values [find]step [find]start:look [find]custom:look [find]message:look \
        [find]child-update:look [find]finish:look [find]child-values [find]stepped [find]end \
        update:find finish:find values stepped end";
    assert_eq!(words(&events), expected);
    assert!(events.iter().map(|event| event.seq).eq(0..events.len() as u64));
    let queries: Vec<&String> = events.iter().filter_map(|event| event.custom()).collect();
    assert_eq!(queries, ["bees"]);
}

#[tokio::test]
async fn the_state_of_a_subgraph_is_read_by_its_type() {
    let events: Vec<_> = finder().run(Trail::update()).stream_modes(Modes::VALUES | Modes::UPDATES).collect().await;
    let mut hits = Vec::new();
    let mut written = Vec::new();
    for event in &events {
        match &event.kind {
            EventKind::ChildValues(state) => {
                assert!(state.downcast_ref::<Trail>().is_none());
                hits.push(state.downcast_ref::<Search>().unwrap().hits.clone());
            }
            EventKind::ChildUpdated(update) => {
                let update = update.downcast_ref::<SearchUpdate>().unwrap();
                written.extend(research_core::Update::names(update));
            }
            _ => {}
        }
    }
    assert_eq!(hits, [vec![], vec!["bees".to_string()]]);
    assert_eq!(written, ["hits"]);
}

#[tokio::test]
async fn a_subgraph_on_the_state_of_its_parent_gives_typed_updates_and_values_and_nests() {
    let mut g = Graph::<Trail>::new("inner");
    let leaf = step(&mut g, "leaf");
    g.entry(leaf).edge(leaf, END);
    let inner = g.compile().unwrap();
    let mut g = Graph::<Trail>::new("middle");
    let node = g.subgraph("inner", &inner, Subgraph::shared());
    g.entry(node).edge(node, END);
    let middle = g.compile().unwrap();
    let mut g = Graph::<Trail>::new("outer");
    let node = g.subgraph("middle", &middle, Subgraph::shared());
    g.entry(node).edge(node, END);
    let outer = g.compile().unwrap();
    let stream = outer.run(Trail::update()).stream_modes(Modes::UPDATES | Modes::VALUES);
    let events: Vec<_> = stream.collect().await;
    let expected = "run values [middle]run [middle]values \
        [middle/inner]run [middle/inner]values [middle/inner]update:leaf [middle/inner]values [middle/inner]end \
        [middle]update:inner [middle]values [middle]end update:middle values end";
    assert_eq!(words(&events), expected);
    let seen: Vec<usize> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Values(state) => Some(state.seen.len()),
            _ => None,
        })
        .collect();
    assert_eq!(seen, [0, 0, 0, 1, 1, 1]);
}

#[tokio::test]
async fn a_stream_can_leave_subgraphs_out() {
    let events: Vec<_> = finder().run(Trail::update()).stream_modes(Modes::ALL.without_subgraphs()).collect().await;
    assert_eq!(words(&events), "run values step start:find update:find finish:find values stepped end");
    assert!(events.iter().map(|event| event.seq).eq(0..events.len() as u64));
}

#[tokio::test]
async fn a_subgraph_that_fails_ends_in_its_own_namespace_and_the_log_goes_on() {
    let mut g = Graph::<Search>::new("search");
    let look = g.node("look", |_cx| async { Err::<(), _>(NodeError::msg("no net")) });
    g.entry(look).edge(look, END);
    let mut outer = Graph::<Trail>::new("finder");
    let link = Subgraph::mapped(|_: &Trail| Search::update(), |_: Search| mark("found"));
    let find = outer.subgraph("find", &g.compile().unwrap(), link);
    outer.entry(find).edge(find, END);
    let events: Vec<_> = outer.compile().unwrap().run(Trail::update()).stream_modes(Modes::TASKS).collect().await;
    let expected = "run start:find [find]run [find]start:look [find]fail:look [find]failed fail:find failed";
    assert_eq!(words(&events), expected);
}

/// Subgraphs that run on other threads than the reader, each of many steps.
fn wide(calls: u64) -> CompiledGraph<Trail> {
    let mut g = Graph::<Search>::new("loop");
    let look = g.node("look", |cx: Cx<Search>| async move {
        cx.emit(cx.task().step);
        Ok(Search::update().hits([String::new()]))
    });
    g.entry(look).route(look, move |s: &Search| if s.hits.len() < 20 { look } else { END });
    let child = g.compile().unwrap();
    let mut g = Graph::<Trail>::new("wide");
    let link = Subgraph::mapped_with(
        |_: &Trail, query: u64| Search::update().query(query.to_string()),
        |found: Search| Trail::update().count(found.hits.len() as u64),
    );
    let find = g.subgraph_task("find", &child, link);
    g.entry_route(move |_: &Trail| (0..calls).map(|n| find.send(n)).collect::<Sends>()).edge(find, END);
    g.compile().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn subgraphs_on_other_threads_wait_for_a_slow_reader_and_are_woken() {
    for buffer in [0, 1, 16] {
        let options = StreamOptions::new().buffer(buffer);
        let mut stream = wide(8).run(Trail::update()).stream_with(options);
        let (mut events, mut unread) = (Vec::new(), 0);
        while let Some(event) = stream.next().await {
            if events.len() % 7 == 0 {
                tokio::task::yield_now().await;
            }
            unread = unread.max(stream.log().next_seq() - event.seq - 1);
            events.push(event);
        }
        assert_eq!(stream.finish().await.unwrap().state.count, 160);
        assert!(events.iter().map(|event| event.seq).eq(0..events.len() as u64));
        assert_eq!(events.iter().filter(|event| event.custom::<u64>().is_some()).count(), 160);
        // Each of the eight may have one step of five events more on its way when the buffer is full, and the parent its own.
        assert!(unread <= buffer as u64 + 8 * 10 + 20, "{unread} unread with a buffer of {buffer}");
    }
}

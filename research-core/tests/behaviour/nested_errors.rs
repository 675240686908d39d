//! Errors of subgraphs as their parents see them, and graphs that nest deep.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use research_core::testing::FakeClock;
use research_core::{
    AnswerError, Ask, Cause, Class, CompiledGraph, Cx, END, Graph, MemoryCheckpointer, NodeError, Retry, RunError,
    Sends, State, StoreError, Subgraph,
};

use crate::support::{Trail, mark, step};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Denied(u32);

impl fmt::Display for Denied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "denied {}", self.0)
    }
}

impl std::error::Error for Denied {}

/// A graph whose node does what `run` says, inside so many others.
fn inside(
    depth: usize,
    classify: impl Fn(&mut Graph<Trail>),
    run: impl Fn(u32) -> Result<(), NodeError> + Send + Sync + 'static,
) -> (CompiledGraph<Trail>, Arc<AtomicU32>) {
    let runs = Arc::new(AtomicU32::new(0));
    let (counted, run) = (Arc::clone(&runs), Arc::new(run));
    let mut g = Graph::<Trail>::new("level0");
    let node = g.node("deny", move |_cx: Cx<Trail>| {
        let (counted, run) = (Arc::clone(&counted), Arc::clone(&run));
        async move {
            run(counted.fetch_add(1, Ordering::Relaxed) + 1)?;
            Ok(mark("in"))
        }
    });
    g.entry(node).edge(node, END);
    classify(&mut g);
    let mut graph = g.compile().unwrap();
    for level in 1..=depth {
        let mut g = Graph::<Trail>::new(format!("level{level}"));
        let child = g.subgraph("child", &graph, Subgraph::shared());
        g.entry(child).edge(child, END);
        graph = g.compile().unwrap();
    }
    (graph, runs)
}

#[tokio::test]
async fn an_error_is_found_however_deep_it_is() {
    for depth in 0..5 {
        let (graph, _) = inside(depth, |_| {}, |_| Err(Denied(7).into()));
        let error = graph.run(Trail::update()).await.unwrap_err();
        assert_eq!(error.find::<Denied>(), Some(&Denied(7)), "{depth}");
        assert!(error.find::<fmt::Error>().is_none());
        let Cause::Error(error) = &error.failures()[0].cause else { panic!("{error}") };
        assert_eq!(error.downcast_ref::<Denied>(), Some(&Denied(7)), "{depth}");
        assert_eq!(error.downcast_ref::<RunError>().is_some(), depth > 0);
    }
}

#[tokio::test]
async fn an_error_is_found_in_a_route_and_behind_a_handler() {
    let mut g = Graph::<Trail>::new("g");
    let node = step(&mut g, "node");
    g.entry(node).route(node, move |_: &Trail| if true { Err(NodeError::from(Denied(1))) } else { Ok(node) });
    let error = g.compile().unwrap().run(Trail::update()).await.unwrap_err();
    assert_eq!(error.find::<Denied>(), Some(&Denied(1)));

    let mut g = Graph::<Trail>::new("g");
    let node = g.node("node", |_cx| async { Err::<(), _>(Denied(2).into()) });
    g.entry(node).edge(node, END).on_error(node, |_cx, _| async { Err::<(), _>(fmt::Error.into()) });
    let error = g.compile().unwrap().run(Trail::update()).await.unwrap_err();
    assert!(error.find::<fmt::Error>().is_some());
    assert_eq!(error.find::<Denied>(), Some(&Denied(2)), "what the handler was called for");
}

#[tokio::test]
async fn an_error_of_the_engine_is_found() {
    let mut g = Graph::<Trail>::new("g");
    let node = step(&mut g, "node");
    g.entry(node).edge(node, END);
    let graph = g.compile().unwrap().with_checkpointer(MemoryCheckpointer::new());
    let error = graph.run(Trail::update()).thread("t").answer(1).await.unwrap_err();
    assert_eq!(error.find::<AnswerError>(), Some(&AnswerError::NothingPending));
    assert!(error.find::<StoreError>().is_none());
}

/// How often the node runs when every level retries.
async fn runs_of(
    depth: usize,
    classify_inside: bool,
    run: impl Fn(u32) -> Result<(), NodeError> + Send + Sync + 'static,
) -> (Result<(), String>, u32) {
    let classify = |g: &mut Graph<Trail>| {
        g.classify(|error| match error.downcast_ref::<Denied>() {
            Some(Denied(seconds @ 100..)) => Class::after(Duration::from_secs(u64::from(*seconds))),
            Some(_) => Class::Terminal,
            None => Class::retryable(),
        });
    };
    let (child, runs) = inside(
        depth,
        |g| {
            if classify_inside {
                classify(g)
            }
        },
        run,
    );
    let mut g = Graph::<Trail>::new("root");
    let node = g.subgraph("child", &child, Subgraph::shared());
    g.entry(node).edge(node, END).retry(node, Retry::attempts(3));
    if !classify_inside {
        classify(&mut g);
    }
    let ended = g.compile().unwrap().run(Trail::update()).clock(FakeClock::auto()).await;
    (ended.map(drop).map_err(|error| error.to_string()), runs.load(Ordering::Relaxed))
}

#[tokio::test]
async fn what_is_terminal_inside_a_subgraph_is_not_retried_around_it() {
    for depth in 0..4 {
        // Wherever the classifier is: the one of the parent sees through, and the verdict of the child counts.
        for classify_inside in [true, false] {
            let (ended, runs) = runs_of(depth, classify_inside, |_| Err(Denied(1).into())).await;
            assert!(ended.is_err());
            assert_eq!(runs, 1, "depth {depth}, inside {classify_inside}");
            let (ended, runs) =
                runs_of(depth, classify_inside, |run| if run < 3 { Err(Denied(100).into()) } else { Ok(()) }).await;
            assert_eq!((ended, runs), (Ok(()), 3), "depth {depth}, inside {classify_inside}");
        }
    }
}

#[tokio::test]
async fn a_panic_or_a_conflict_inside_a_subgraph_is_not_retried_around_it() {
    let (ended, runs) = runs_of(1, true, |_| panic!("a mistake")).await;
    assert!(ended.is_err());
    assert_eq!(runs, 1);
    let (ended, runs) = runs_of(1, true, |run| if run < 3 { Err(NodeError::msg("not yet")) } else { Ok(()) }).await;
    assert_eq!((ended, runs), (Ok(()), 3), "an ordinary error is retried");
}

#[tokio::test]
async fn a_question_in_a_subgraph_of_which_nothing_is_kept_says_what_it_lacks() {
    let mut g = Graph::<Trail>::new("inner");
    let ask = g.node("ask", |cx: Cx<Trail>| async move {
        let _: bool = cx.interrupt(Ask::new("sure", true)).await?;
        Ok(())
    });
    g.entry(ask).edge(ask, END);
    let inner = g.compile().unwrap();
    let mut g = Graph::<Trail>::new("outer");
    let link = Subgraph::mapped(|_: &Trail| Trail::update(), |_| Trail::update());
    let child = g.subgraph("child", &inner, link.stateless());
    g.entry(child).edge(child, END);
    let graph = g.compile().unwrap().with_checkpointer(MemoryCheckpointer::new());
    let on_thread = graph.run(Trail::update()).thread("t").await.unwrap_err().to_string();
    assert!(on_thread.contains("`.per_call()`") && !on_thread.contains(".with_checkpointer"), "{on_thread}");
    let without = graph.run(Trail::update()).await.unwrap_err().to_string();
    assert!(without.contains("`.thread(…)`") && !without.contains(".per_call"), "{without}");
}

#[tokio::test]
async fn the_text_of_many_failures_shows_ten_and_a_count() {
    for (count, more) in [(2, None), (10, None), (11, Some(1)), (10_000, Some(9_990))] {
        let mut g = Graph::<Trail>::new("many");
        let plan = step(&mut g, "plan");
        let fails = g.task("fails", |_cx, n: u32| async move { Err::<(), _>(NodeError::msg(format!("no {n}"))) });
        g.entry(plan).route(plan, move |_: &Trail| (0..count).map(|n| fails.send(n)).collect::<Sends>());
        g.edge(fails, END);
        let error = g.compile().unwrap().run(Trail::update()).await.unwrap_err();
        assert_eq!(error.failures().len(), count as usize);
        let text = error.to_string();
        assert_eq!(text.matches("no ").count(), count.min(10) as usize, "{text}");
        assert!(text.contains(&format!("{count} tasks failed")), "{text}");
        assert_eq!(text.contains("more; `failures` has all of them"), more.is_some(), "{text}");
        if let Some(more) = more {
            assert!(text.ends_with(&format!("and {more} more; `failures` has all of them")), "{text}");
        }
        assert!(text.len() < 2_000);
    }
}

/// Runs on a stack as small as a worker of tokio has.
fn on_a_worker<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(2 << 20).spawn_scoped(scope, run).unwrap();
        thread.join().unwrap()
    })
}

#[test]
fn graphs_nest_deep_and_too_deep_is_an_error() {
    for depth in [16, 32] {
        let (graph, runs) = inside(depth, |_| {}, |_| Ok(()));
        let graph = graph.with_checkpointer(MemoryCheckpointer::new());
        on_a_worker(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let done = runtime.block_on(graph.run(Trail::update()).thread("t").into_future()).unwrap();
            assert_eq!(done.state.seen, ["in"]);
        });
        assert_eq!(runs.load(Ordering::Relaxed), 1);
    }
    let (graph, runs) = inside(33, |_| {}, |_| Ok(()));
    let error = on_a_worker(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(graph.run(Trail::update()).into_future()).unwrap_err()
    });
    assert!(error.to_string().contains("subgraphs nest deeper than 32 levels"));
    assert_eq!(runs.load(Ordering::Relaxed), 0);
}

/// Whatever the state of the levels is.
#[derive(Clone, Debug, Default, State)]
struct Levels {
    #[reduce(add)]
    count: u32,
    large: [u64; 32],
}

#[test]
fn deep_graphs_that_are_kept_ask_and_go_on() {
    let mut g = Graph::<Levels>::new("level0");
    let ask = g.node("ask", |cx: Cx<Levels>| async move {
        let sure: bool = cx.interrupt(Ask::new("sure", true)).await?;
        Ok(Levels::update().count(u32::from(sure)))
    });
    g.entry(ask).edge(ask, END);
    let mut graph = g.compile().unwrap();
    for level in 1..=32 {
        let mut g = Graph::<Levels>::new(format!("level{level}"));
        let link = Subgraph::mapped(|_: &Levels| Levels::update(), |child: Levels| Levels::update().count(child.count));
        let child = g.subgraph("child", &graph, link.per_call());
        g.entry(child).edge(child, END);
        graph = g.compile().unwrap();
    }
    let graph = graph.with_checkpointer(MemoryCheckpointer::new());
    on_a_worker(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let asked = graph.run(Levels::update()).thread("t").await.unwrap();
            assert_eq!(asked.questions().len(), 1);
            let done = graph.resume().answer(true).thread("t").await.unwrap();
            assert_eq!((done.is_complete(), done.state.count, done.state.large[0]), (true, 1, 0));
        });
    });
}

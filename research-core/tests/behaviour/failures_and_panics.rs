//! Failures: all of a step are reported, in task-path order, and name node and step.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use research_core::{Cause, Cx, END, ErrorKind, Graph, NodeError, State};
use tokio::sync::Barrier;

use crate::support::{Trail, mark, step};

#[derive(Debug)]
struct Refused {
    code: u16,
    source: std::num::ParseIntError,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "refused with {}", self.code)
    }
}

impl Error for Refused {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.source)
    }
}

#[derive(Clone, Default, State)]
struct Other {}

fn refused() -> Result<(), Refused> {
    Err(Refused { code: 503, source: "x".parse::<u32>().unwrap_err() })
}

#[tokio::test]
async fn a_failure_names_its_node_and_step_and_keeps_the_typed_error_and_its_sources() {
    let mut g = Graph::<Trail>::new("survey");
    let plan = step(&mut g, "plan");
    let read = g.node("read", async |_cx| {
        refused()?;
        Ok(())
    });
    g.entry(plan).edge(plan, read).edge(read, END);
    let error = g.compile().unwrap().run(Trail::update()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "graph `survey`: node `read` in step 2 (task 0) failed: refused with 503: invalid digit found in string"
    );
    let failure = &error.failures()[0];
    assert_eq!((failure.node.as_str(), failure.step, failure.task, failure.attempt), ("read", 2, 0, 1));
    assert_eq!(error.find::<Refused>().unwrap().code, 503);
    let source = Error::source(&error).unwrap();
    assert_eq!(source.to_string(), "refused with 503");
    assert!(source.source().unwrap().is::<std::num::ParseIntError>());
    assert_eq!(error.state::<Trail>().unwrap().seen, ["plan"]);
    assert!(error.state::<Other>().is_none(), "no state of another type");
    assert!(!error.is_conflict() && !error.is_step_limit());
}

#[tokio::test]
async fn both_of_two_failures_are_reported_in_path_order_whichever_came_first() {
    for first in ["a", "z"] {
        let failed_first = Arc::new(tokio::sync::Semaphore::new(0));
        let mut g = Graph::<Trail>::new("two");
        for name in ["z", "a"] {
            let failed_first = Arc::clone(&failed_first);
            let node = g.node(name, move |_cx| {
                let failed_first = Arc::clone(&failed_first);
                async move {
                    if name == first {
                        failed_first.add_permits(1);
                    } else {
                        failed_first.acquire().await?.forget();
                    }
                    Err::<(), _>(NodeError::msg(format!("{name} is out")))
                }
            });
            g.entry(node).edge(node, END);
        }
        let error = g.compile().unwrap().run(Trail::update()).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "graph `two`: 2 tasks failed:\n  \
             - node `a` in step 1 (task 0) failed: a is out\n  \
             - node `z` in step 1 (task 1) failed: z is out"
        );
        assert!(matches!(error.kind(), ErrorKind::Tasks(failures) if failures.len() == 2));
    }
}

#[tokio::test]
async fn siblings_of_a_failing_task_finish() {
    let finished = Arc::new(AtomicUsize::new(0));
    let failed = Arc::new(Barrier::new(4));
    let mut g = Graph::<Trail>::new("siblings");
    let (count, gate) = (Arc::clone(&finished), Arc::clone(&failed));
    let task = g.task("work", move |_cx: Cx<Trail>, n: u32| {
        let (count, gate) = (Arc::clone(&count), Arc::clone(&gate));
        async move {
            gate.wait().await;
            if n == 1 {
                return Err(NodeError::msg("one"));
            }
            for _ in 0..10 {
                tokio::task::yield_now().await;
            }
            count.fetch_add(1, Ordering::SeqCst);
            Ok(mark(n.to_string()))
        }
    });
    g.entry_route(move |_: &Trail| [0, 1, 2, 3].map(|n| task.send(n))).edge(task, END);
    let error = g.compile().unwrap().run(Trail::update()).await.unwrap_err();
    assert_eq!(finished.load(Ordering::SeqCst), 3);
    assert_eq!(error.failures().len(), 1);
    assert_eq!(error.failures()[0].task, 1);
    assert_eq!(error.state::<Trail>().unwrap(), &Trail::default(), "nothing of the failed step is folded");
}

#[tokio::test]
async fn a_panic_becomes_a_failure_that_names_the_node() {
    for wide in [false, true] {
        let mut g = Graph::<Trail>::new("panics");
        let before = g.node("before", |_cx| {
            if true {
                panic!("before its future");
            }
            async { Ok(()) }
        });
        let within = g.node("within", async |cx: Cx<Trail>| {
            tokio::task::yield_now().await;
            if cx.state.count == 0 {
                std::panic::panic_any(7_u32);
            }
            Ok(())
        });
        let fine = step(&mut g, "fine");
        if wide {
            g.entry(before).entry(fine);
        }
        g.entry(within).edge(before, END).edge(within, END).edge(fine, END);
        if !wide {
            g.route(fine, move |_: &Trail| [before, fine]).entry_route(|_: &Trail| None::<research_core::Node>);
        }
        let error = g.compile().unwrap().run(Trail::update()).await.unwrap_err();
        let texts: Vec<String> = error.failures().iter().map(ToString::to_string).collect();
        if wide {
            assert_eq!(texts[0], "node `before` in step 1 (task 0) panicked: before its future");
            assert_eq!(texts[1], "node `within` in step 1 (task 2) panicked: a value that is not a text");
        } else {
            assert_eq!(texts, ["node `within` in step 1 (task 0) panicked: a value that is not a text"]);
        }
        assert!(error.failures().iter().all(|failure| matches!(failure.cause, Cause::Panic(_))));
        assert!(Error::source(&error).is_none());
    }
}

#[tokio::test]
async fn a_panic_while_a_failed_future_is_dropped_is_caught_too() {
    struct Spiteful;
    impl Drop for Spiteful {
        fn drop(&mut self) {
            if !std::thread::panicking() {
                panic!("while dropping");
            }
        }
    }
    let mut g = Graph::<Trail>::new("drop");
    let node = g.node("n", async |_cx| {
        let _spite = Spiteful;
        tokio::task::yield_now().await;
        Ok(())
    });
    let fine = step(&mut g, "fine");
    g.entry(node).entry(fine).edge(node, END).edge(fine, END);
    let error = g.compile().unwrap().run(Trail::update()).await.unwrap_err();
    assert_eq!(error.failures()[0].to_string(), "node `n` in step 1 (task 1) panicked: while dropping");
}

#[tokio::test]
async fn failures_of_nodes_and_of_routes_stand_together_in_path_order() {
    let mut g = Graph::<Trail>::new("mixed");
    let a = step(&mut g, "a");
    let b = g.node("b", |_cx| async { Err::<(), _>(NodeError::msg("no data")) });
    let c = step(&mut g, "c");
    g.entry(a).entry(b).entry(c).edge(b, END);
    g.route(a, |_: &Trail| "nowhere").route(c, |_: &Trail| Err::<research_core::Node, _>(NodeError::msg("no way")));
    let error = g.compile().unwrap().run(Trail::update()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "graph `mixed`: 3 tasks failed:\n  \
         - node `a` in step 1 (task 0) went to `nowhere`, which is not in the graph\n  \
         - node `b` in step 1 (task 1) failed: no data\n  \
         - node `c` in step 1 (task 2) finished, but its route failed: no way"
    );
}

#[tokio::test]
async fn a_failure_is_reported_even_where_its_siblings_wrote_the_same_field() {
    let mut g = Graph::<Trail>::new("both");
    for name in ["a", "b"] {
        let node = g.node(name, |_cx| async { Ok(Trail::update().value(1)) });
        g.entry(node).edge(node, END);
    }
    let c = g.node("c", |_cx| async { Err::<(), _>(NodeError::msg("no data")) });
    g.entry(c).edge(c, END);
    let error = g.compile().unwrap().run(Trail::update()).await.unwrap_err();
    assert_eq!(error.to_string(), "graph `both`: node `c` in step 1 (task 2) failed: no data");
}

#[test]
fn a_wide_step_without_a_runtime_is_an_error_that_says_so() {
    let mut g = Graph::<Trail>::new("wide");
    let (first, a, b) = (step(&mut g, "first"), step(&mut g, "a"), step(&mut g, "b"));
    g.entry(first).edge(first, a).edge(first, b).edge(a, END).edge(b, END);
    let error = futures::executor::block_on(g.compile().unwrap().run(Trail::update()).into_future()).unwrap_err();
    assert_eq!(error.state::<Trail>().unwrap().seen, ["first"], "a step of one task needs no runtime");
    assert_eq!(error.failures().len(), 2);
    assert!(error.failures().iter().all(|failure| matches!(failure.cause, Cause::NoRuntime)));
    assert!(
        error.to_string().contains(
            "node `a` in step 2 (task 0) could not start: a step of several tasks needs a tokio runtime; \
             await the run inside one"
        ),
        "{error}"
    );
}

#[test]
fn a_chain_of_single_tasks_needs_no_runtime() {
    let mut g = Graph::<Trail>::new("chain");
    let (a, b) = (step(&mut g, "a"), step(&mut g, "b"));
    g.entry(a).edge(a, b).edge(b, END);
    let done = futures::executor::block_on(g.compile().unwrap().run(Trail::update()).into_future()).unwrap();
    assert_eq!(done.state.seen, ["a", "b"]);
}

#[test]
fn a_node_error_shows_its_chain_and_gives_back_what_it_was_made_of() {
    let error = NodeError::from(Refused { code: 429, source: "".parse::<u32>().unwrap_err() });
    assert_eq!(error.to_string(), "refused with 429: cannot parse integer from empty string");
    assert_eq!(error.downcast_ref::<Refused>().unwrap().code, 429);
    assert!(error.downcast_ref::<fmt::Error>().is_none());
    assert_eq!(error.as_error().source().unwrap().to_string(), "cannot parse integer from empty string");
    assert_eq!(NodeError::from("a text").to_string(), "a text");
    assert_eq!(NodeError::msg(String::from("a message")).to_string(), "a message");
}

#[derive(Clone, Debug, Default, State)]
struct Shares {
    #[reduce(with = divide)]
    left: u32,
}

fn divide(left: &mut u32, by: u32) {
    *left = 100 / by;
}

#[tokio::test]
async fn a_panic_in_a_users_reducer_is_a_failure_that_names_the_node() {
    for routed in [false, true] {
        let mut g = Graph::<Shares>::new("shares");
        let split = g.node("split", |_cx| async { Ok(Shares::update().left(0)) });
        g.entry(split).edge(split, END);
        if routed {
            g.route(split, |_: &Shares| END);
        }
        let graph = g.compile().unwrap();
        let error = graph.run(Shares::update()).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "graph `shares`: node `split` in step 1 (task 0) finished, but a reducer panicked on its update: \
             attempt to divide by zero"
        );
        let error = graph.run(Shares::update().left(0)).await.unwrap_err();
        assert_eq!(error.to_string(), "graph `shares`: a reducer panicked on the input: attempt to divide by zero");
    }
}

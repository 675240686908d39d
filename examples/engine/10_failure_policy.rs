//! Failure policy: retries, time limits, handlers, budgets, and stopping; and going on afterwards.
//!
//! What finished is kept, whatever happens to the rest. Run it with `cargo run --example 10_failure_policy`.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use research_core::{
    Budget, Class, CompiledGraph, Cx, END, Failure, Graph, MemoryCheckpointer, NodeError, Retry, State, Timeout,
};
use serde::{Deserialize, Serialize};

type Failed = Box<dyn std::error::Error>;

#[derive(Clone, Default, Serialize, Deserialize, State)]
struct Survey {
    #[reduce(append)]
    log: Vec<String>,
}

/// The world outside, which fails in the first calls.
#[derive(Default)]
struct World {
    calls: AtomicU32,
    repaired: AtomicU32,
}

/// What the other side may say. Only the program knows which of its errors are worth another try.
#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error("busy")]
    Busy,
    #[error("forbidden")]
    Forbidden,
}

fn log(line: impl Into<String>) -> SurveyUpdate {
    Survey::update().log([line.into()])
}

/// Succeeds at the third attempt.
async fn fetch(cx: Cx<Survey, World>) -> Result<SurveyUpdate, NodeError> {
    match cx.resources.calls.fetch_add(1, Ordering::Relaxed) {
        0 | 1 => Err(Refused::Busy.into()),
        _ => Ok(log(format!("fetched at attempt {}", cx.attempt()))),
    }
}

async fn locked(_cx: Cx<Survey, World>) -> Result<SurveyUpdate, NodeError> {
    Err(Refused::Forbidden.into())
}

/// Would hang for ever.
async fn hang(_cx: Cx<Survey, World>) -> Result<SurveyUpdate, NodeError> {
    std::future::pending().await
}

/// Runs in place of a node that has failed for good. What it returns is the node's result: it may also lead elsewhere.
async fn note(_cx: Cx<Survey, World>, failure: Failure) -> Result<SurveyUpdate, NodeError> {
    Ok(log(format!("did without `{}`, attempt {}: {}", failure.node, failure.attempt, failure.message)))
}

fn patient() -> Result<CompiledGraph<Survey, World>, Failed> {
    let mut g = Graph::<Survey, World>::new("patient");
    let (fetch, locked, hang) = (g.node("fetch", fetch), g.node("locked", locked), g.node("hang", hang));
    for node in [fetch, locked, hang] {
        g.entry(node).edge(node, END);
    }
    let short = Duration::from_millis(1);
    g.retry_all(Retry::attempts(3).backoff(short, 2.0, short));
    g.classify(|error| match error.downcast_ref() {
        Some(Refused::Forbidden) => Class::Terminal,
        _ => Class::retryable(),
    });
    g.timeout(hang, Timeout::total(Duration::from_millis(10))).retry(hang, Retry::none());
    g.on_error(locked, note).on_error(hang, note);
    Ok(g.compile()?)
}

/// Two nodes that fail until somebody repairs the world, beside one that is well.
fn fragile() -> Result<CompiledGraph<Survey, World>, Failed> {
    let mut g = Graph::<Survey, World>::new("fragile");
    for name in ["bridge", "road"] {
        let node = g.node(name, move |cx: Cx<Survey, World>| async move {
            match cx.resources.repaired.load(Ordering::Relaxed) {
                0 => Err(NodeError::msg("closed")),
                _ => Ok(log(format!("over the {name}"))),
            }
        });
        g.entry(node).edge(node, END);
    }
    let count = g.node("count", |cx: Cx<Survey, World>| async move {
        Ok(log(format!("counted for the {}. time", cx.resources.calls.fetch_add(1, Ordering::Relaxed) + 1)))
    });
    g.entry(count).edge(count, END);
    Ok(g.compile()?.with_checkpointer(MemoryCheckpointer::new()))
}

/// Reads on and on, and sums up when the budget is spent.
fn greedy() -> Result<CompiledGraph<Survey>, Failed> {
    let mut g = Graph::<Survey>::new("greedy");
    let read = g.node("read", |cx: Cx<Survey>| async move {
        cx.spend("tokens", 40);
        Ok(log("read a page"))
    });
    let sum_up = g.node("sum up", |cx: Cx<Survey>| async move { Ok(log(format!("{} pages", cx.state.log.len()))) });
    let enough = move |s: &Survey| if s.log.len() < 1_000_000 { read } else { sum_up };
    g.entry(read).route_to(read, [read, sum_up], enough).on_budget_spent(sum_up).edge(sum_up, END);
    Ok(g.compile()?)
}

#[tokio::main]
async fn main() -> Result<(), Failed> {
    // Retries, a classifier, a time limit and handlers: this run completes.
    let done = patient()?.run(Survey::update()).resources(World::default()).await?;
    done.state.log.iter().for_each(|line| println!("{line}"));

    // Without them the run fails, and lists every failure. The sibling that went well is kept.
    let graph = fragile()?;
    let world = std::sync::Arc::new(World::default());
    match graph.run(Survey::update()).resources(std::sync::Arc::clone(&world)).thread("t").await {
        Err(error) => println!("{error}"),
        Ok(_) => return Err("the bridge held".into()),
    }
    // Resumed, only what failed runs again.
    world.repaired.store(1, Ordering::Relaxed);
    let done = graph.resume().resources(world).thread("t").await?;
    println!("resumed: {}", done.state.log.join(", "));

    // A budget is no failure: what was found is brought to an end.
    let budget = Budget::new().steps(50).counter("tokens", 100);
    let done = greedy()?.run(Survey::update()).budget(budget).await?;
    println!("within the budget: {}", done.state.log.join(", "));

    // A run stops at once when it is told to; `drain_on` would let it finish the step.
    let stop = async { tokio::task::yield_now().await };
    match greedy()?.run(Survey::update()).cancel_on(stop).step_limit(u64::MAX).await {
        Err(error) if error.is_cancelled() => println!("cancelled"),
        other => return Err(format!("it went on: {other:?}").into()),
    }
    Ok(())
}

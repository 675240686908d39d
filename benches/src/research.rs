//! The workloads on research-core.

use futures::StreamExt;
use research_core::{CompiledGraph, END, Graph, Sends, State};

use crate::measure::Pass;
use crate::plain::item;

#[derive(Clone, Debug, Default, State)]
pub struct Work {
    pub n: u64,
    #[reduce(append)]
    pub items: Vec<String>,
}

/// A chain of nodes that do nothing.
pub fn chain(nodes: u64) -> Pass {
    let mut g = Graph::<Work>::new("chain");
    let handles: Vec<_> = (0..nodes).map(|i| g.node(format!("n{i:04}"), |_cx| async { Ok(Work::update()) })).collect();
    g.entry(handles[0]);
    for pair in handles.windows(2) {
        g.edge(pair[0], pair[1]);
    }
    g.edge(handles[handles.len() - 1], END);
    let graph = g.compile().unwrap();
    Box::new(move || {
        let run = graph.run(Work::update());
        Box::pin(async move {
            assert_eq!(run.await.unwrap().steps, nodes);
        })
    })
}

/// One node that loops over a route; where `bytes` are given each step also appends an item of so many.
pub fn counting(limit: u64, bytes: Option<usize>) -> Pass {
    let graph = counter(limit, bytes);
    Box::new(move || {
        let run = graph.run(Work::update()).step_limit(limit);
        Box::pin(async move {
            let done = run.await.unwrap();
            assert_eq!(
                (done.state.n, done.state.items.len()),
                (limit, if bytes.is_some() { limit as usize } else { 0 })
            );
        })
    })
}

/// The loop read as a stream of all events but values.
pub fn streamed(limit: u64) -> Pass {
    let graph = counter(limit, None);
    Box::new(move || {
        let mut events = graph.run(Work::update()).step_limit(limit).stream();
        Box::pin(async move {
            while events.next().await.is_some() {}
            assert_eq!(events.finish().await.unwrap().state.n, limit);
        })
    })
}

pub fn counter(limit: u64, bytes: Option<usize>) -> CompiledGraph<Work> {
    let mut g = Graph::<Work>::new("loop");
    let step = g.node("step", move |cx| async move {
        let update = Work::update().n(cx.state.n + 1);
        Ok(match bytes {
            Some(bytes) => update.items([item(cx.state.n, bytes)]),
            None => update,
        })
    });
    g.entry(step).route(step, move |s: &Work| if s.n < limit { step } else { END });
    g.compile().unwrap()
}

/// A fan-out to tasks whose results are appended, then a join; with `wait` each task yields once.
pub fn fan_out(tasks: u64, wait: bool) -> Pass {
    let mut g = Graph::<Work>::new("fan-out");
    let fan = g.node("fan", |_cx| async { Ok(()) });
    let work = g.task("work", move |_cx, i: u64| async move {
        if wait {
            tokio::task::yield_now().await;
        }
        Ok(Work::update().items([format!("r{i}")]))
    });
    let join = g.node("join", |_cx| async { Ok(()) });
    g.entry(fan)
        .route(fan, move |_: &Work| (0..tasks).map(|i| work.send(i)).collect::<Sends>())
        .edge(work, join)
        .edge(join, END);
    let graph = g.compile().unwrap();
    Box::new(move || {
        let run = graph.run(Work::update());
        Box::pin(async move {
            assert_eq!(run.await.unwrap().state.items.len(), tasks as usize);
        })
    })
}

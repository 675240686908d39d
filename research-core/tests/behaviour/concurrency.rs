//! Tasks of a step overlap, up to the limit, and stop when the run is dropped.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use futures::FutureExt;
use research_core::{CompiledGraph, Cx, END, Graph, NodeError, Sends, Sent, State};
use tokio::sync::{Barrier, mpsc};
use tokio::time::timeout;

use crate::support::{Trail, mark, step};

/// Long enough that only a hang takes it.
const PATIENCE: Duration = Duration::from_secs(30);

/// A graph that sends `tasks` tasks in its first step, each of which runs `body`.
fn wide<F, Fut>(tasks: usize, body: F) -> CompiledGraph<Trail>
where
    F: Fn(usize) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<(), NodeError>> + Send + 'static,
{
    let mut g = Graph::<Trail>::new("wide");
    let body = Arc::new(body);
    let work = g.task("work", move |_cx: Cx<Trail>, n: usize| {
        let body = Arc::clone(&body);
        async move {
            body(n).await?;
            Ok(mark(n.to_string()))
        }
    });
    g.entry_route(move |_: &Trail| (0..tasks).map(|n| work.send(n)).collect::<Sends>()).edge(work, END);
    g.compile().unwrap()
}

fn numbers(n: usize) -> Vec<String> {
    (0..n).map(|n| n.to_string()).collect()
}

#[tokio::test]
async fn tasks_that_wait_overlap_on_one_thread() {
    let all = Arc::new(Barrier::new(50));
    let graph = wide(50, move |_| {
        let all = Arc::clone(&all);
        async move {
            all.wait().await;
            Ok(())
        }
    });
    let done = timeout(PATIENCE, graph.run(Trail::update()).into_future()).await.unwrap().unwrap();
    assert_eq!(done.state.seen, numbers(50));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn tasks_that_wait_overlap_on_several_threads() {
    let all = Arc::new(Barrier::new(50));
    let graph = wide(50, move |_| {
        let all = Arc::clone(&all);
        async move {
            all.wait().await;
            Ok(())
        }
    });
    let done = timeout(PATIENCE, graph.run(Trail::update()).into_future()).await.unwrap().unwrap();
    assert_eq!(done.state.seen, numbers(50));
}

/// Where threads meet in pairs, without waiting for ever.
#[derive(Default)]
struct Meeting {
    arrived: Mutex<usize>,
    changed: Condvar,
}

impl Meeting {
    /// Blocks the thread until another one is here; says whether it came.
    fn meet(&self) -> bool {
        let mut arrived = self.arrived.lock().unwrap();
        *arrived += 1;
        let pair = arrived.next_multiple_of(2);
        self.changed.notify_all();
        let (_arrived, waited) = self.changed.wait_timeout_while(arrived, PATIENCE, |arrived| *arrived < pair).unwrap();
        !waited.timed_out()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tasks_that_block_a_thread_overlap_as_far_as_there_are_worker_threads() {
    let meeting = Arc::new(Meeting::default());
    let graph = wide(6, move |_| {
        let met = meeting.meet();
        async move { if met { Ok(()) } else { Err(NodeError::msg("blocked alone")) } }
    });
    assert_eq!(graph.run(Trail::update()).await.unwrap().state.seen, numbers(6));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_more_tasks_are_in_flight_than_allowed_and_all_run() {
    for limit in [1, 2, 3, 7, 64] {
        for _ in 0..20 {
            let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
            let seen = Arc::clone(&most);
            let graph = wide(60, move |n| {
                let (running, most) = (Arc::clone(&running), Arc::clone(&most));
                async move {
                    most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    for _ in 0..n % 5 {
                        tokio::task::yield_now().await;
                    }
                    running.fetch_sub(1, Ordering::SeqCst);
                    Ok(())
                }
            });
            let done = graph.run(Trail::update()).max_concurrency(limit).await.unwrap();
            assert_eq!(done.state.seen, numbers(60));
            let most = seen.load(Ordering::SeqCst);
            assert!(most <= limit, "{most} in flight with a limit of {limit}");
        }
    }
}

#[tokio::test]
async fn the_limit_is_reached_when_tasks_wait() {
    let eight = Arc::new(Barrier::new(8));
    let graph = wide(24, move |_| {
        let eight = Arc::clone(&eight);
        async move {
            eight.wait().await;
            Ok(())
        }
    });
    let run = graph.run(Trail::update()).max_concurrency(8).into_future();
    assert_eq!(timeout(PATIENCE, run).await.unwrap().unwrap().state.seen, numbers(24));
}

#[tokio::test]
async fn a_limit_of_nothing_is_a_limit_of_one() {
    let graph = wide(3, |_| async { Ok(()) });
    assert_eq!(graph.run(Trail::update()).max_concurrency(0).await.unwrap().state.seen, numbers(3));
}

/// Tells when it is dropped.
struct Guard(mpsc::UnboundedSender<&'static str>);

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.send("dropped");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dropping_the_run_stops_every_task() {
    for (tasks, limit) in [(1, 8), (8, 8), (20, 4)] {
        let (tell, mut told) = mpsc::unbounded_channel();
        let graph = wide(tasks, move |_| {
            let guard = Guard(tell.clone());
            async move {
                let _ = guard.0.send("started");
                std::future::pending::<()>().await;
                Ok(())
            }
        });
        let in_flight = tasks.min(limit);
        let mut run = graph.run(Trail::update()).max_concurrency(limit).into_future();
        for _ in 0..in_flight {
            tokio::select! {
                _ = &mut run => panic!("the run cannot end"),
                text = told.recv() => assert_eq!(text, Some("started")),
            }
        }
        drop(run);
        for _ in 0..in_flight {
            assert_eq!(timeout(PATIENCE, told.recv()).await.unwrap(), Some("dropped"));
        }
        drop(graph);
        assert_eq!(timeout(PATIENCE, told.recv()).await.unwrap(), None, "no queued task starts any more");
    }
}

#[tokio::test]
async fn dropping_the_stream_stops_every_task() {
    use futures::StreamExt;

    let (tell, mut told) = mpsc::unbounded_channel();
    let graph = wide(3, move |_| {
        let guard = Guard(tell.clone());
        async move {
            let _held = guard;
            std::future::pending::<()>().await;
            Ok(())
        }
    });
    let mut events = graph.run(Trail::update()).stream();
    while events.next().now_or_never().flatten().is_some() {}
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
    assert!(told.try_recv().is_err(), "nothing stops before");
    drop(events);
    for _ in 0..3 {
        assert_eq!(timeout(PATIENCE, told.recv()).await.unwrap(), Some("dropped"));
    }
}

#[tokio::test]
async fn a_run_does_nothing_until_it_is_awaited() {
    let started = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&started);
    let graph = wide(2, move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        async { Ok(()) }
    });
    drop(graph.run(Trail::update()).into_future());
    drop(graph.run(Trail::update()).stream());
    assert_eq!(started.load(Ordering::SeqCst), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_can_be_spawned_and_run_inside_a_node_of_another() {
    let mut inner = Graph::<Trail>::new("inner");
    let (a, b) = (step(&mut inner, "a"), step(&mut inner, "b"));
    inner.entry(a).entry(b).edge(a, END).edge(b, END);
    let inner = inner.compile().unwrap();

    let mut g = Graph::<Trail>::new("outer");
    for name in ["x", "y"] {
        let inner = inner.clone();
        let node = g.node(name, move |cx| {
            let inner = inner.clone();
            async move {
                let done = inner.run(mark(cx.node())).await?;
                Ok(Trail::update().seen(done.state.seen))
            }
        });
        g.entry(node).edge(node, END);
    }
    let graph = g.compile().unwrap();
    let done = tokio::spawn(async move { graph.run(Trail::update()).await }).await.unwrap().unwrap();
    assert_eq!(done.state.seen, ["x", "a", "b", "y", "a", "b"]);
}

#[derive(Clone, Default, State)]
struct Spin {
    n: u64,
}

#[tokio::test]
async fn a_loop_of_ready_nodes_gives_the_runtime_its_turns() {
    let mut g = Graph::<Spin>::new("spin");
    let spin = g.node("spin", |cx: Cx<Spin>| async move { Ok(Spin::update().n(cx.state.n + 1)) });
    g.entry(spin).route_to(spin, [spin, END], move |_: &Spin| spin);
    let graph = g.compile().unwrap();
    let endless = std::future::IntoFuture::into_future(graph.run(Spin::update()).step_limit(u64::MAX));
    // On the test's single thread the other branch is never polled unless the loop yields.
    let other = async {
        for _ in 0..3 {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        biased;
        _ = endless => unreachable!("it has no end"),
        () = other => {}
    }
}

#[tokio::test]
async fn a_step_of_ready_tasks_gives_the_runtime_its_turns() {
    let turns = Arc::new(AtomicUsize::new(0));
    let ticker = tokio::spawn({
        let turns = Arc::clone(&turns);
        async move {
            loop {
                turns.fetch_add(1, Ordering::Relaxed);
                tokio::task::yield_now().await;
            }
        }
    });
    let seen = Arc::new(Mutex::new(Vec::new()));
    let graph = wide(40, {
        let seen = Arc::clone(&seen);
        move |_| {
            // Longer than the slice that ready work may keep its thread for.
            std::thread::sleep(Duration::from_millis(2));
            seen.lock().unwrap().push(turns.load(Ordering::Relaxed));
            async { Ok(()) }
        }
    });
    graph.run(Trail::update()).await.unwrap();
    ticker.abort();
    let seen = seen.lock().unwrap();
    assert!(seen.first() < seen.last(), "nobody else had a turn between the tasks: {seen:?}");
}

/// Counts those that are in flight, and the most there were.
#[derive(Default)]
struct InFlight {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl InFlight {
    async fn work(&self) {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        for _ in 0..5 {
            tokio::task::yield_now().await;
        }
        self.now.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A graph whose tasks run graphs whose tasks run graphs, so many levels down; each level has so many tasks.
fn tree(levels: u32, wide: u32, flight: &Arc<InFlight>) -> CompiledGraph<Trail> {
    let mut g = Graph::<Trail>::new(format!("level{levels}"));
    let plan = step(&mut g, "plan");
    let counted = Arc::clone(flight);
    let alone = g.node("alone", move |_cx| {
        let flight = Arc::clone(&counted);
        async move {
            flight.work().await;
            Ok(mark("alone"))
        }
    });
    let work = if levels == 0 {
        let counted = Arc::clone(flight);
        g.task("work", move |_cx: Cx<Trail>, _n: u32| {
            let flight = Arc::clone(&counted);
            async move {
                flight.work().await;
                Ok(mark("leaf"))
            }
        })
    } else {
        let link = research_core::Subgraph::mapped_with(
            |_: &Trail, _: u32| Trail::update(),
            |child: Trail| Trail::update().count(child.count),
        );
        g.subgraph_task("work", &tree(levels - 1, wide, flight), link)
    };
    g.entry(plan).route(plan, move |_: &Trail| (0..wide).map(|n| work.send(n)).collect::<Sends>());
    g.join([work.node()], alone).edge(alone, END);
    g.compile().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_limit_holds_over_a_graph_and_its_subgraphs() {
    for limit in [1, 2, 3, 10] {
        for levels in 0..3 {
            let flight = Arc::new(InFlight::default());
            let run = tree(levels, 4, &flight).run(Trail::update()).max_concurrency(limit);
            // A task that runs a graph takes no place: otherwise a limit of 1 would never end.
            let done = timeout(PATIENCE, run.into_future()).await.expect("no task waits for itself").unwrap();
            assert!(done.is_complete());
            let most = flight.most.load(Ordering::SeqCst);
            assert!(most <= limit, "{most} in flight under a limit of {limit}, {levels} levels");
            assert_eq!(flight.now.load(Ordering::SeqCst), 0);
        }
    }
}

/// `fetch`, limited to `limit` at once, and `free`, each in `wide` tasks; the whole in so many graphs inside each other.
fn limited(limit: usize, wide: u32, levels: u32, fetches: &Arc<InFlight>, all: &Arc<InFlight>) -> CompiledGraph<Trail> {
    let mut g = Graph::<Trail>::new(format!("limited{levels}"));
    let plan = step(&mut g, "plan");
    let task = |g: &mut Graph<Trail>, name: &str, flights: [Option<Arc<InFlight>>; 2]| {
        g.task(name, move |_cx: Cx<Trail>, _n: u32| {
            let flights = flights.clone();
            async move {
                let works = flights.iter().flatten().map(|flight| flight.work());
                futures::future::join_all(works).await;
                Ok(mark("leaf"))
            }
        })
    };
    let fetch = task(&mut g, "fetch", [Some(Arc::clone(fetches)), Some(Arc::clone(all))]);
    let free = task(&mut g, "free", [None, Some(Arc::clone(all))]);
    let send = move |_: &Trail| -> Vec<Sent> { (0..wide).flat_map(|n| [fetch.send(n), free.send(n)]).collect() };
    g.entry(plan).route(plan, send).edge(fetch, END).edge(free, END).max_concurrency(fetch, limit);
    let inner = g.compile().unwrap();
    (0..levels).fold(inner, |inner, level| {
        let mut g = Graph::<Trail>::new(format!("around{level}"));
        let plan = step(&mut g, "plan");
        let link = research_core::Subgraph::mapped_with(
            |_: &Trail, _: u32| Trail::update(),
            |child: Trail| Trail::update().count(child.count),
        );
        let around = g.subgraph_task("around", &inner, link);
        g.entry(plan).route(plan, move |_: &Trail| [around.send(0), around.send(1), around.send(2)]).edge(around, END);
        g.compile().unwrap()
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_node_has_a_limit_of_its_own_over_a_graph_and_its_subgraphs() {
    for (of_node, of_run) in [(1, 1), (1, 4), (2, 3), (3, 2), (4, 100)] {
        for levels in 0..3 {
            let [fetches, all] = [(); 2].map(|()| Arc::new(InFlight::default()));
            let run = limited(of_node, 8, levels, &fetches, &all).run(Trail::update()).max_concurrency(of_run);
            let done = timeout(PATIENCE, run.into_future()).await.expect("no task waits for itself").unwrap();
            assert!(done.is_complete());
            let most = [&fetches, &all].map(|flight| flight.most.load(Ordering::SeqCst));
            assert!(most[0] <= of_node, "{most:?} in flight under a limit of {of_node}, {levels} levels");
            assert!(most[1] <= of_run, "{most:?} in flight under a limit of {of_run}, {levels} levels");
        }
    }
}

#[tokio::test]
async fn tasks_that_wait_for_their_node_keep_no_other_from_beginning() {
    let gate = Arc::new(Barrier::new(3));
    let mut g = Graph::<Trail>::new("gate");
    let held = Arc::clone(&gate);
    let fetch = g.task("fetch", move |_cx: Cx<Trail>, n: u32| {
        let held = Arc::clone(&held);
        async move {
            // The first one ends only when both of the others of the step have begun.
            if n == 0 {
                held.wait().await;
            }
            Ok(mark("fetch"))
        }
    });
    let other = g.task("other", move |_cx: Cx<Trail>, _n: u32| {
        let gate = Arc::clone(&gate);
        async move {
            gate.wait().await;
            Ok(mark("other"))
        }
    });
    let sends =
        move |_: &Trail| -> Vec<Sent> { (0..20).map(|n| fetch.send(n)).chain((0..2).map(|n| other.send(n))).collect() };
    g.entry_route(sends).edge(fetch, END).edge(other, END).max_concurrency(fetch, 1);
    let run = g.compile().unwrap().run(Trail::update()).max_concurrency(3).into_future();
    let done = timeout(PATIENCE, run).await.expect("the others begin").unwrap();
    assert_eq!(done.state.count, 22);
}

#[tokio::test]
async fn a_run_that_is_dropped_gives_its_places_back_to_nobody_else() {
    // Two runs of one graph have places of their own.
    let flight = Arc::new(InFlight::default());
    let graph = tree(1, 3, &flight);
    let mut first = Box::pin(graph.run(Trail::update()).max_concurrency(1).into_future());
    assert!((&mut first).now_or_never().is_none());
    graph.run(Trail::update()).max_concurrency(1).await.unwrap();
    drop(first);
    graph.run(Trail::update()).max_concurrency(1).await.unwrap();
}

#[tokio::test]
async fn a_run_that_stopped_is_not_taken_for_complete() {
    let mut g = Graph::<Trail>::new("inner");
    let ask = g.node("ask", |cx: Cx<Trail>| async move {
        let _: bool = cx.interrupt(("sure", true)).await?;
        Ok(mark("asked"))
    });
    g.entry(ask).edge(ask, END);
    let inner = g.compile().unwrap().with_checkpointer(research_core::MemoryCheckpointer::new());
    let mut g = Graph::<Trail>::new("outer");
    let by_hand = inner.clone();
    let node = g.node("by_hand", move |_cx| {
        let inner = by_hand.clone();
        async move {
            let state = inner.run_or_resume(Trail::update()).thread("inner").await?.complete()?;
            Ok(Trail::update().seen(state.seen))
        }
    });
    g.entry(node).edge(node, END);
    let outer = g.compile().unwrap();
    let error = outer.run(Trail::update()).await.unwrap_err();
    let stopped = error.find::<research_core::Incomplete>().unwrap();
    assert!(matches!(&stopped.end, research_core::End::Interrupted(questions) if questions[0].key == "sure"));
    assert!(error.to_string().contains("1 questions wait for an answer; `ask` asks true"), "{error}");
    inner.resume().answer(true).thread("inner").await.unwrap();
    assert_eq!(outer.run(Trail::update()).await.unwrap().state.seen, ["asked"]);
}

/// A node whose work goes on in a task of its own until it is cancelled.
fn outliving(ended: mpsc::UnboundedSender<&'static str>, timeout: research_core::Timeout) -> CompiledGraph<Trail> {
    let mut g = Graph::<Trail>::new("outliving");
    let node = g.node("work", move |cx: Cx<Trail>| {
        let ended = ended.clone();
        async move {
            assert!(!cx.is_cancelled());
            let (waiting, looking) = (cx.clone(), cx.clone());
            let told = ended.clone();
            tokio::spawn(async move {
                waiting.cancelled().await;
                assert!(waiting.is_cancelled());
                told.send("waited").ok();
            });
            tokio::task::spawn_blocking(move || {
                while !looking.is_cancelled() {
                    std::thread::yield_now();
                }
                ended.send("looked").ok();
            });
            std::future::pending::<Result<(), NodeError>>().await
        }
    });
    g.entry(node).edge(node, END).timeout(node, timeout);
    g.compile().unwrap()
}

#[tokio::test]
async fn what_a_task_spawned_learns_that_it_is_cancelled() {
    use research_core::Timeout;
    let (ended, mut told) = mpsc::unbounded_channel();
    let limit = Duration::from_millis(1);
    // The run is dropped, cancelled, or runs out of time; and an attempt runs out of its own.
    for way in 0..4 {
        let attempt = if way == 3 { Timeout::total(limit) } else { Timeout::none() };
        let graph = outliving(ended.clone(), attempt);
        let run = graph.run(Trail::update());
        match way {
            0 => {
                let mut run = Box::pin(run.into_future());
                assert!((&mut run).now_or_never().is_none());
                tokio::task::yield_now().await;
                drop(run);
            }
            1 => drop(run.cancel_on(tokio::time::sleep(limit)).await.unwrap_err()),
            2 => drop(run.timeout(limit).await.unwrap_err()),
            _ => drop(run.await.unwrap_err()),
        }
        let mut both = [
            timeout(PATIENCE, told.recv()).await.unwrap().unwrap(),
            timeout(PATIENCE, told.recv()).await.unwrap().unwrap(),
        ];
        both.sort_unstable();
        assert_eq!(both, ["looked", "waited"]);
    }
}

//! Readers of a run's events: slow ones, late ones, several at once.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;

use futures::{Stream, StreamExt};
use research_core::{CompiledGraph, Cx, END, Event, EventKind, Graph, Modes, Sends, SlowReader, StreamOptions};

use crate::support::{Trail, mark};

/// Runs `steps` steps, each of which emits its number and counts itself.
fn counting(steps: u64, counter: &Arc<AtomicU64>) -> CompiledGraph<Trail> {
    let counter = Arc::clone(counter);
    let mut g = Graph::<Trail>::new("counting");
    let node = g.node("n", move |cx| {
        counter.fetch_add(1, Ordering::SeqCst);
        async move {
            cx.emit(cx.task().step);
            Ok(Trail::update().count(1))
        }
    });
    g.entry(node).route(node, move |s: &Trail| if s.count < steps { node } else { END });
    g.compile().unwrap()
}

/// A graph of one step that emits `0..events` at once.
fn flood(events: u64) -> CompiledGraph<Trail> {
    let mut g = Graph::<Trail>::new("flood");
    let node = g.node("n", move |cx| async move {
        (0..events).for_each(|n| cx.emit(n));
        Ok(mark("flooded"))
    });
    g.entry(node).edge(node, END);
    g.compile().unwrap()
}

fn customs(events: &[Event<Trail>]) -> Vec<u64> {
    events.iter().filter_map(|event| event.custom().copied()).collect()
}

fn gaps(events: &[Event<Trail>]) -> Vec<(u64, u64)> {
    let gap = |event: &Event<Trail>| match event.kind {
        EventKind::Gap { from, to } => Some((from, to)),
        _ => None,
    };
    events.iter().filter_map(gap).collect()
}

/// Asserts that each event follows the one before it, gaps counted as what they stand for.
fn assert_contiguous(events: &[Event<Trail>], first: u64) {
    let mut next = first;
    for event in events {
        match event.kind {
            EventKind::Gap { from, to } => {
                assert_eq!((from, to), (next, event.seq), "a gap begins where the reader was, and its seq is its end");
                assert!(from <= to);
            }
            _ => assert_eq!(event.seq, next),
        }
        next = event.seq + 1;
    }
}

fn is_end(event: &Event<Trail>) -> bool {
    matches!(event.kind, EventKind::RunFinished { .. })
}

#[tokio::test]
async fn the_buffer_bounds_how_far_a_run_is_ahead_of_its_reader() {
    for buffer in [0, 1, 10] {
        let steps = Arc::new(AtomicU64::new(0));
        let options = StreamOptions::new().modes(Modes::CUSTOM).buffer(buffer);
        let mut stream = counting(200, &steps).run(Trail::update()).stream_with(options);
        let mut furthest = 0;
        while let Some(event) = stream.next().await {
            tokio::task::yield_now().await;
            if let Some(step) = event.custom::<u64>() {
                furthest = furthest.max(steps.load(Ordering::SeqCst) - step);
            }
        }
        assert_eq!(steps.load(Ordering::SeqCst), 200);
        // Each step has one event here, and the first has that of the start besides.
        assert!(furthest <= buffer as u64 + 1, "{furthest} steps ahead with a buffer of {buffer}");
    }
}

#[tokio::test]
async fn a_run_that_waits_loses_nothing_that_a_step_emits_at_once() {
    let options = StreamOptions::new().modes(Modes::CUSTOM).buffer(4);
    let events: Vec<_> = flood(1_000).run(Trail::update()).stream_with(options).collect().await;
    assert_eq!(customs(&events), (0..1_000).collect::<Vec<_>>());
    assert_contiguous(&events, 0);
}

#[tokio::test]
async fn a_reader_that_may_be_dropped_from_gets_the_newest_events_after_one_gap() {
    let options = StreamOptions::new().modes(Modes::CUSTOM).buffer(10).slow_reader(SlowReader::Drop);
    let events: Vec<_> = flood(1_000).run(Trail::update()).stream_with(options).collect().await;
    // The start is 0, what the node emits is 1 to 1000, and the end is 1001; nothing is read before the end.
    assert_eq!(gaps(&events), [(0, 991)]);
    assert_eq!(customs(&events), (991..1_000).collect::<Vec<_>>());
    assert_contiguous(&events, 0);
    assert!(is_end(events.last().unwrap()), "the end is never lost");
    assert_eq!(events[0].step, 1, "a gap stands in the step of what comes after it");
}

#[tokio::test]
async fn a_reader_that_keeps_up_loses_nothing_to_the_drop_policy() {
    let mut g = Graph::<Trail>::new("polite");
    let node = g.node("n", |cx| async move {
        for n in 0..100_u64 {
            cx.emit(n);
            tokio::task::yield_now().await;
        }
        Ok(())
    });
    g.entry(node).edge(node, END);
    let options = StreamOptions::new().modes(Modes::CUSTOM).buffer(2).slow_reader(SlowReader::Drop);
    let run = g.compile().unwrap().run(Trail::update());
    let events: Vec<_> = run.stream_with(options).collect().await;
    assert_eq!(gaps(&events), []);
    assert_eq!(customs(&events), (0..100).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_late_reader_replays_from_any_sequence_number() {
    let steps = Arc::new(AtomicU64::new(0));
    let stream = counting(50, &steps).run(Trail::update()).stream();
    let log = stream.log();
    assert_eq!(log.next_seq(), 0);
    stream.finish().await.unwrap();
    let all: Vec<_> = log.read_from(0).collect().await;
    assert_contiguous(&all, 0);
    assert!(is_end(all.last().unwrap()));
    assert_eq!(customs(&all), (1..=50).collect::<Vec<_>>());
    assert_eq!(log.next_seq(), all.len() as u64);
    let print = |events: &[Event<Trail>]| format!("{events:?}");
    for seq in [1, 7, all.len() as u64 - 1, all.len() as u64, all.len() as u64 + 5] {
        let replayed: Vec<_> = log.clone().read_from(seq).collect().await;
        assert_eq!(print(&replayed), print(&all[all.len().min(seq as usize)..]));
    }
}

#[tokio::test]
async fn a_late_reader_is_told_what_is_not_kept_any_more() {
    let steps = Arc::new(AtomicU64::new(0));
    let options = StreamOptions::new().modes(Modes::CUSTOM).keep(10);
    let stream = counting(50, &steps).run(Trail::update()).stream_with(options);
    let log = stream.log();
    stream.finish().await.unwrap();
    let events: Vec<_> = log.read_from(3).collect().await;
    // 52 events: the start, 50 steps, the end; the newest ten are kept.
    assert_eq!(gaps(&events), [(3, 41)]);
    assert_eq!(events.len(), 11);
    assert_eq!(customs(&events), (42..=50).collect::<Vec<_>>());
    assert_contiguous(&events, 3);
}

#[tokio::test]
async fn a_log_that_is_asked_for_later_keeps_from_then_on() {
    let steps = Arc::new(AtomicU64::new(0));
    let mut stream = counting(10, &steps).run(Trail::update()).stream_modes(Modes::CUSTOM);
    for _ in 0..5 {
        stream.next().await.unwrap();
    }
    let log = stream.log();
    stream.finish().await.unwrap();
    let events: Vec<_> = log.read_from(0).collect().await;
    assert_eq!(gaps(&events), [(0, 4)]);
    assert_eq!(customs(&events), (5..=10).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_log_that_keeps_nothing_tells_a_late_reader_that_all_is_gone() {
    let steps = Arc::new(AtomicU64::new(0));
    let options = StreamOptions::new().modes(Modes::CUSTOM).keep(0);
    let stream = counting(10, &steps).run(Trail::update()).stream_with(options);
    let log = stream.log();
    stream.finish().await.unwrap();
    let events: Vec<_> = log.read_from(0).collect().await;
    assert_eq!(gaps(&events), [(0, 11)]);
    assert_eq!(events.len(), 1);
}

#[tokio::test]
async fn the_owner_loses_to_the_drop_policy_what_a_second_reader_still_gets() {
    let options = StreamOptions::new().modes(Modes::CUSTOM).buffer(10).slow_reader(SlowReader::Drop).keep(2_000);
    let stream = flood(1_000).run(Trail::update()).stream_with(options);
    let log = stream.log();
    let owned: Vec<_> = stream.collect().await;
    assert_eq!(gaps(&owned), [(0, 991)]);
    let second: Vec<_> = log.read_from(0).collect().await;
    assert_eq!(customs(&second), (0..1_000).collect::<Vec<_>>());
    assert_contiguous(&second, 0);
}

#[tokio::test]
async fn a_second_reader_ends_with_a_run_that_is_dropped() {
    let mut g = Graph::<Trail>::new("stuck");
    let node = g.node("n", |cx: Cx<Trail>| async move {
        cx.emit(0_u64);
        std::future::pending::<()>().await;
        Ok(())
    });
    g.entry(node).edge(node, END);
    let mut stream = g.compile().unwrap().run(Trail::update()).stream_modes(Modes::CUSTOM);
    let mut reader = stream.log().read_from(0);
    let second = tokio::spawn(async move {
        let mut events = Vec::new();
        while let Some(event) = reader.next().await {
            events.push(event);
        }
        events
    });
    stream.next().await.unwrap();
    stream.next().await.unwrap();
    drop(stream);
    assert_eq!(customs(&second.await.unwrap()), [0]);
}

#[tokio::test]
async fn a_second_reader_does_not_hold_the_run_up() {
    let steps = Arc::new(AtomicU64::new(0));
    let options = StreamOptions::new().modes(Modes::CUSTOM).keep(5);
    let stream = counting(500, &steps).run(Trail::update()).stream_with(options);
    let mut slow = stream.log().read_from(0);
    assert!(poll_fn(|cx| Poll::Ready(slow.poll_next_unpin(cx).is_pending())).await, "nothing has happened yet");
    assert_eq!(stream.finish().await.unwrap().steps, 500);
    let events: Vec<_> = slow.collect().await;
    assert_eq!(gaps(&events), [(0, 496)]);
    assert_contiguous(&events, 0);
}

/// Reads to the end, and yields now and then so that the pace changes.
async fn paced(mut events: impl Stream<Item = Event<Trail>> + Unpin, every: usize) -> Vec<Event<Trail>> {
    let mut all = Vec::new();
    while let Some(event) = events.next().await {
        all.push(event);
        if all.len().is_multiple_of(every) {
            tokio::task::yield_now().await;
        }
    }
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_reader_on_every_thread_sees_the_same_log_to_its_end() {
    for round in 0..50 {
        let mut g = Graph::<Trail>::new("wide");
        let work = g.task("work", move |cx, n: u64| async move {
            for part in 0..5 {
                cx.emit(n * 10 + part);
                if (n + part).is_multiple_of(round % 3 + 1) {
                    tokio::task::yield_now().await;
                }
            }
            Ok(Trail::update().count(1))
        });
        let again = g.node("again", |_cx| async { Ok(()) });
        let spread = move |_: &Trail| (0..8).map(|n| work.send(n)).collect::<Sends>();
        g.entry_route(spread).edge(work, again).route(again, move |s: &Trail| {
            if s.count < 40 { spread(s).into() } else { research_core::Targets::from(END) }
        });
        let options = StreamOptions::new().buffer(3).keep(10_000);
        let stream = g.compile().unwrap().run(Trail::update()).stream_with(options);
        let log = stream.log();
        let readers: Vec<_> = (1..5).map(|every| tokio::spawn(paced(log.read_from(0), every))).collect();
        let owned = paced(stream, 2).await;
        assert_contiguous(&owned, 0);
        assert_eq!(customs(&owned).len(), 200);
        for reader in readers {
            let events = reader.await.unwrap();
            assert_eq!(format!("{events:?}"), format!("{owned:?}"));
        }
        let late: Vec<_> = log.read_from(0).collect().await;
        assert_eq!(late.len(), owned.len());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn second_readers_come_and_go_while_the_run_goes_on() {
    let steps = Arc::new(AtomicU64::new(0));
    let stream = counting(900, &steps).run(Trail::update()).stream_modes(Modes::CUSTOM);
    let log = stream.log();
    let hopping = tokio::spawn(async move {
        let (mut next, mut seen, mut ended) = (0, Vec::new(), false);
        while !ended {
            let mut reader = log.read_from(next);
            for _ in 0..7 {
                let Some(event) = reader.next().await else { break };
                next = event.seq + 1;
                ended = is_end(&event);
                seen.push(event);
            }
        }
        seen
    });
    stream.finish().await.unwrap();
    assert_contiguous(&hopping.await.unwrap(), 0);
}

/// Whatever a reader asks for, it gets each event once, or a gap that says which events are not there any more.
#[tokio::test]
async fn a_reader_that_asks_for_more_than_is_kept_gets_a_typed_gap() {
    for keep in [0, 1, 3, 10, 1_000] {
        for is_over in [false, true] {
            let mut stream = flood(20).run(Trail::update()).stream_with(StreamOptions::new().keep(keep));
            let log = stream.log();
            while let Some(event) = stream.next().await {
                let at_end = is_end(&event);
                if at_end && !is_over {
                    break;
                }
            }
            let written = log.next_seq();
            if is_over {
                drop(stream);
            }
            for from in 0..=written {
                let mut reader = log.read_from(from);
                let mut events: Vec<Event<Trail>> = Vec::new();
                while events.last().map_or(from, |event| event.seq + 1) < written {
                    events.push(reader.next().await.unwrap());
                }
                assert_contiguous(&events, from);
                let last = events.last().map(|event| event.seq + 1);
                assert_eq!(last.unwrap_or(from), written, "keep {keep}, from {from}");
                let kept = written.saturating_sub(keep as u64);
                let expected: Vec<_> = (from < kept).then(|| (from, kept - 1)).into_iter().collect();
                assert_eq!(gaps(&events), expected, "keep {keep}, from {from}");
            }
        }
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(96))]

    /// However long a run is, whatever is kept, and whenever a reader comes: each event is read once, or a gap stands for it.
    #[test]
    fn every_event_is_read_or_stands_in_a_gap(
        steps in 1_u64..60,
        keep in 0_usize..80,
        buffer in 0_usize..12,
        drops in proptest::prelude::any::<bool>(),
        comes_after in 0_usize..70,
        from in 0_u64..62,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async move {
            let policy = if drops { SlowReader::Drop } else { SlowReader::Wait };
            let options = StreamOptions::new().modes(Modes::CUSTOM).keep(keep).buffer(buffer).slow_reader(policy);
            let counter = Arc::new(AtomicU64::new(0));
            let mut stream = counting(steps, &counter).run(Trail::update()).stream_with(options);
            let log = stream.log();
            let mut owned = Vec::new();
            for _ in 0..comes_after {
                owned.extend(stream.next().await);
            }
            let late = tokio::spawn(log.read_from(from.min(steps + 1)).collect::<Vec<_>>());
            while let Some(event) = stream.next().await {
                owned.push(event);
            }

            let late = late.await.unwrap();
            assert_contiguous(&owned, 0);
            assert_contiguous(&late, from.min(steps + 1));
            for events in [&owned, &late] {
                let last = events.last().unwrap();
                assert!(is_end(last) || matches!(last.kind, EventKind::Gap { .. }), "{last:?}");
                assert_eq!(last.seq, steps + 1, "the start, the steps and the end");
            }
        });
    }
}

//! The clock on the wall is set while a run goes on: no limit of time notices.

use std::time::{Duration, SystemTime};

use research_core::testing::FakeClock;
use research_core::{Budget, Clock, Cx, END, End, Graph, NodeError, Retry, Timeout};

use crate::support::{Trail, mark};

const fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

const DAY: Duration = Duration::from_secs(86_400);

/// What the clock on the wall is set to in the middle of a run: a day back, not at all, a day forward.
fn settings() -> [Option<SystemTime>; 3] {
    [Some(SystemTime::UNIX_EPOCH + DAY), None, Some(SystemTime::UNIX_EPOCH + 3 * DAY)]
}

/// A clock that stands a day after its beginning.
fn clock() -> FakeClock {
    let clock = FakeClock::auto();
    clock.set_wall(SystemTime::UNIX_EPOCH + 2 * DAY);
    clock
}

/// A node that works in parts, and sets the clock on the wall after each.
fn working(clock: &FakeClock, to: Option<SystemTime>, parts: &'static [u64]) -> (Graph<Trail>, research_core::Node) {
    let clock = clock.clone();
    let mut g = Graph::<Trail>::new("works");
    let node = g.node("work", move |cx: Cx<Trail>| {
        let clock = clock.clone();
        async move {
            for part in parts {
                clock.sleep(ms(*part)).await;
                to.into_iter().for_each(|to| clock.set_wall(to));
                cx.heartbeat();
            }
            Ok(mark("done"))
        }
    });
    g.entry(node).edge(node, END);
    (g, node)
}

#[tokio::test]
async fn limits_of_an_attempt_run_on() {
    for to in settings() {
        for (timeout, is_in_time) in [
            (Timeout::total(ms(121)), true),
            (Timeout::total(ms(119)), false),
            (Timeout::idle(ms(41)), true),
            (Timeout::idle(ms(39)), false),
        ] {
            let clock = clock();
            let (mut g, node) = working(&clock, to, &[40, 40, 40]);
            g.timeout(node, timeout);
            let ended = g.compile().unwrap().run(Trail::update()).clock(clock).await;
            assert_eq!(ended.is_ok(), is_in_time, "{timeout:?} {to:?}");
        }
    }
}

#[tokio::test]
async fn limits_of_a_run_and_its_budget_run_on() {
    for to in settings() {
        for (limit, is_in_time) in [(121, true), (119, false)] {
            let clock = clock();
            let (mut g, _) = working(&clock, to, &[40, 40, 40]);
            let run = g.compile().unwrap().run(Trail::update()).clock(clock).timeout(ms(limit));
            assert_eq!(run.await.is_ok(), is_in_time, "{limit} {to:?}");
        }
        for (wall, end) in [(121, End::Complete), (120, End::Spent { counter: "wall".to_string() })] {
            let clock = clock();
            let (mut g, node) = working(&clock, to, &[40, 40, 40]);
            let after = g.node("after", |_cx| async { Ok(mark("after")) });
            g.edge(node, after).edge(after, END);
            let budget = Budget::new().wall(ms(wall));
            let done = g.compile().unwrap().run(Trail::update()).clock(clock).budget(budget).await.unwrap();
            assert_eq!(done.end, end, "{wall} {to:?}");
        }
    }
}

#[tokio::test]
async fn retries_stop_where_they_would() {
    for to in settings() {
        let clock = clock();
        let set = clock.clone();
        let mut g = Graph::<Trail>::new("fails");
        let node = g.node("fails", move |_cx: Cx<Trail>| {
            to.into_iter().for_each(|to| set.set_wall(to));
            async { Err::<(), _>(NodeError::msg("no")) }
        });
        let retry = Retry::attempts(100).backoff(ms(100), 1.0, ms(100)).jitter(0.0);
        g.entry(node).edge(node, END).retry(node, retry.clone().within(ms(350)));
        let graph = g.compile().unwrap();
        let error = graph.run(Trail::update()).clock(clock.clone()).await.unwrap_err();
        assert_eq!(error.failures()[0].attempt, 4, "{to:?}");
        // No attempt waits past the end of the run's time.
        let mut g = Graph::<Trail>::new("fails");
        let set = clock.clone();
        let node = g.node("fails", move |_cx: Cx<Trail>| {
            to.into_iter().for_each(|to| set.set_wall(to));
            async { Err::<(), _>(NodeError::msg("no")) }
        });
        g.entry(node).edge(node, END).retry(node, retry);
        let run = g.compile().unwrap().run(Trail::update()).clock(clock).timeout(ms(350));
        assert_eq!(run.await.unwrap_err().failures()[0].attempt, 4, "{to:?}");
    }
}

#[tokio::test]
async fn a_clock_without_a_scale_of_its_own_has_that_of_tokio() {
    #[derive(Debug)]
    struct OnlyWall;

    impl Clock for OnlyWall {
        fn now(&self) -> SystemTime {
            SystemTime::UNIX_EPOCH
        }
    }
    let before = tokio::time::Instant::now();
    assert!(OnlyWall.instant() >= before);
    assert_eq!(OnlyWall.now(), SystemTime::UNIX_EPOCH);
}

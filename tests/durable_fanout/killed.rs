//! Killed at random moments, with `kill -9`, again and again until a start gets to the end.
//!
//! Twenty rounds by default; `DURABLE_ROUNDS=200` plays more of them, and `--nocapture` shows the figures.

use std::collections::BTreeSet;
use std::process::Child;
use std::thread::sleep;

use crate::program::{Ended, Scene, wait_for};
use crate::turns::{Turns, rounds};

const TASKS: u64 = 24;
const TASK_MS: u64 = 8;
const PARALLEL: u32 = 4;
/// A round that was killed so often is left alone, so that it ends: without durability a killed run begins anew.
const MOST_KILLS: u32 = 12;

#[test]
fn with_sync_no_recorded_result_runs_again_or_is_lost() {
    let tally = rounds_of("sync", |tally| tally.halfway > 0);
    assert!(tally.halfway > 0, "no start found some of the results, and not all of them: {tally:?}");
}

#[test]
fn with_async_no_recorded_result_runs_again_or_is_lost() {
    let tally = rounds_of("async", |tally| tally.halfway > 0);
    assert!(tally.halfway > 0, "no start found some of the results, and not all of them: {tally:?}");
}

#[test]
fn with_exit_a_killed_run_begins_anew_and_the_sum_is_the_same() {
    let tally = rounds_of("exit", |tally| tally.kills > 0);
    assert_eq!(tally.halfway, 0, "results were stored before the end: {tally:?}");
}

/// What the rounds of a test saw.
#[derive(Debug, Default)]
struct Tally {
    kills: u32,
    /// Starts that found some of the results, and not all of them.
    halfway: u32,
    /// Tasks that ended more than once, because the kill came before their result was recorded.
    repeated: u64,
}

/// Plays the rounds, and up to ten times as many until they have seen what a test is about: whether they do is chance.
fn rounds_of(durability: &str, saw: fn(&Tally) -> bool) -> Tally {
    let (mut turns, mut tally, mut played, rounds) = (Turns::new(durability), Tally::default(), 0, rounds(20));
    while played < rounds || (!saw(&tally) && played < 10 * rounds) {
        played += 1;
        play(durability, &mut turns, &mut tally);
    }
    println!("{durability}: {played} rounds of {TASKS} tasks, {tally:?}");
    assert!(tally.kills > 0, "nothing was killed");
    tally
}

/// Starts and kills until done, and looks after each kill at what is stored.
fn play(durability: &str, turns: &mut Turns, tally: &mut Tally) {
    let scene = Scene::new(TASKS, TASK_MS, PARALLEL, durability);
    let mut recorded = BTreeSet::new();
    for start in 0.. {
        let lines = scene.log("t").len();
        let child = scene.start("t");
        let ended = if start < MOST_KILLS { killed(child, &scene, lines, turns) } else { Ended::of(child) };

        let log = scene.log("t");
        let again: Vec<u64> = log.started_after(lines).intersection(&recorded).copied().collect();
        assert!(again.is_empty(), "recorded results ran again: {again:?}");
        if let Some(resumed) = ended.resumed() {
            assert_eq!(resumed, recorded.len() as u64, "what a start resumes with is what was recorded");
            assert!(resumed <= log.end_count(), "resumed with {resumed} results of {} tasks", log.end_count());
            tally.halfway += u32::from(0 < resumed && resumed < TASKS);
        }
        let now = scene.recorded("t");
        assert!(recorded.is_subset(&now), "lost: {:?}", recorded.difference(&now));
        assert!(now.is_subset(&log.ended()), "recorded and never ended: {:?}", now.difference(&log.ended()));
        recorded = now;

        if let Some(sum) = ended.done() {
            assert_eq!(sum, scene.sum(), "the sum of an undisturbed run");
            assert_eq!(recorded.len() as u64, TASKS, "nothing is lost");
            tally.repeated += log.end_count() - TASKS;
            return;
        }
        assert_eq!(ended.status, None, "it was not killed: {ended:?}");
        tally.kills += 1;
    }
}

/// Kills the process at a random moment, unless it ends before: while it begins, or while it works.
fn killed(mut child: Child, scene: &Scene, lines: usize, turns: &mut Turns) -> Ended {
    if turns.below(3) > 0 {
        let more = 1 + turns.below(2 * TASKS) as usize;
        wait_for(&mut child, || scene.log("t").len() >= lines + more);
    }
    sleep(turns.pause(2 * TASK_MS));
    // SIGKILL, which a process can neither catch nor prepare for; nothing happens to one that has ended.
    child.kill().unwrap();
    Ended::of(child)
}

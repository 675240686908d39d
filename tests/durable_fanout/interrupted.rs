//! Ctrl-C: what finished is kept, and a later start goes on.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::program::{Ended, Scene, wait_for};

/// So many and so slow that the program is far from its end when the signal comes, however late that is.
const TASKS: u64 = 200;
const TASK_MS: u64 = 500;
const PARALLEL: usize = 4;

#[test]
fn with_sync_what_finished_is_kept_and_gone_on_with() {
    interrupted("sync");
}

#[test]
fn with_async_what_finished_is_kept_and_gone_on_with() {
    interrupted("async");
}

/// An interrupted run is not a killed one: it ends in good order, and stores what it has.
#[test]
fn with_exit_what_finished_is_kept_and_gone_on_with() {
    interrupted("exit");
}

fn interrupted(durability: &str) {
    let scene = Scene::new(TASKS, TASK_MS, u32::try_from(PARALLEL).unwrap(), durability);
    let mut child = scene.start("t");
    // Once as many have started again as run at the same time, as many have finished.
    wait_for(&mut child, || scene.log("t").started_after(0).len() >= 2 * PARALLEL);
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), Signal::SIGINT).unwrap();
    let ended = Ended::of(child);
    assert_eq!((ended.status, ended.done()), (Some(130), None), "{ended:?}");
    assert!(ended.stderr.contains("start it again with the same --db and --thread to go on"), "{ended:?}");

    let (recorded, lines) = (scene.recorded("t"), scene.log("t").len());
    assert!(recorded.len() >= PARALLEL, "what finished is kept: {recorded:?}");
    assert!(recorded.len() < TASKS as usize, "it was interrupted before its end: {recorded:?}");
    let ended = scene.finish_with("t", &["--task-ms", "1"]);
    assert_eq!((ended.resumed(), ended.done()), (Some(recorded.len() as u64), Some(scene.sum())), "{ended:?}");
    let started = scene.log("t").started_after(lines);
    assert!(started.is_disjoint(&recorded), "recorded results ran again: {:?}", started.intersection(&recorded));
    assert_eq!(started.len() + recorded.len(), TASKS as usize, "all others ran");
}

//! Threads of one file know nothing of each other.

use crate::program::{Ended, Scene};

#[test]
fn two_processes_on_two_threads_of_one_file_do_not_disturb_each_other() {
    let scene = Scene::new(16, 5, 4, "sync");
    let processes = ["a", "b"].map(|thread| scene.start(thread));
    for (thread, process) in ["a", "b"].iter().zip(processes) {
        let ended = Ended::of(process);
        assert_eq!((ended.resumed(), ended.done()), (None, Some(scene.sum())), "{ended:?}");
        let log = scene.log(thread);
        assert_eq!((log.end_count(), log.started_after(0).len()), (16, 16), "each task of {thread} runs once");
    }
}

#[test]
fn a_thread_goes_on_with_the_tasks_that_it_began_with() {
    let scene = Scene::new(6, 1, 4, "sync");
    assert_eq!(scene.finish("t").done(), Some(scene.sum()));
    let ended = scene.finish_with("t", &["--tasks", "9"]);
    assert_eq!((ended.resumed(), ended.done()), (Some(6), Some(scene.sum())), "{ended:?}");
    assert!(ended.stderr.contains("began with 6 tasks"), "{ended:?}");
}

#[test]
fn no_tasks_at_all_sum_to_nothing() {
    let ended = Scene::new(0, 1, 4, "sync").finish("t");
    assert_eq!((ended.status, ended.done()), (Some(0), Some(0)), "{ended:?}");
}

//! Two processes that drive one thread at the same time.

use std::thread::sleep;

use crate::program::{Ended, Scene};
use crate::turns::{Turns, rounds};

const TASKS: u64 = 16;

#[test]
fn of_two_processes_on_a_thread_one_wins_and_the_other_is_told() {
    let (mut turns, mut conflicts, mut played, rounds) = (Turns::new("raced"), 0, 0, rounds(10));
    // Whether they meet is chance, so that more are played until they have.
    while played < rounds || (conflicts == 0 && played < 10 * rounds) {
        played += 1;
        let scene = Scene::new(TASKS, 10, 4, "sync");
        let first = scene.start("t");
        // Anywhere from before the first has opened the file to after it is done.
        sleep(turns.pause(100));
        let second = scene.start("t");
        let ended = [Ended::of(first), Ended::of(second)];

        for process in &ended {
            match process.done() {
                Some(sum) => assert_eq!(sum, scene.sum(), "{process:?}"),
                None => {
                    assert_eq!(process.status, Some(1), "{process:?}");
                    let told = process.stderr.contains("another process has taken the thread `t` over");
                    assert!(told, "the other is told what happened: {process:?}");
                    conflicts += 1;
                }
            }
        }
        assert!(ended.iter().any(|process| process.done().is_some()), "one of them gets to the end: {ended:?}");
        assert_eq!(scene.recorded("t").len() as u64, TASKS, "nothing is lost");
        assert_eq!(scene.log("t").ended(), (0..TASKS).collect(), "every task ended");

        // Whoever lost can look again: all of it is there, and nothing runs.
        let lines = scene.log("t").len();
        let again = scene.finish("t");
        assert_eq!((again.resumed(), again.done()), (Some(TASKS), Some(scene.sum())), "{again:?}");
        assert_eq!(scene.log("t").len(), lines, "a complete thread runs nothing");
    }
    println!("raced: {played} rounds, {conflicts} conflicts");
    assert!(conflicts > 0, "the processes never met");
}

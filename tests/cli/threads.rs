//! Runs that are kept on a thread: killed with `kill -9` at random moments, stopped with Ctrl-C, and gone on with.
#![cfg(target_os = "linux")]

use crate::program::{Ran, Running, fixture, research};
use crate::scratch::Scratch;
use crate::turns::{Turns, rounds};

const QUESTION: &str = "Events by theme";
/// Kills of one run before it may get to its end.
const KILLS_OF_A_RUN: u32 = 4;

/// A server whose log tells which calls reached it, and a store.
struct Scene {
    scratch: Scratch,
    server: String,
}

impl Scene {
    fn new() -> Self {
        let scratch = Scratch::new();
        let log = scratch.file("calls.log");
        Self { server: fixture(&format!("--events 300 --delay-ms 25 --log {log}")), scratch }
    }

    fn start(&self, more: &[&str]) -> Running {
        let db = format!("sqlite:{}", self.scratch.file("runs.db"));
        let arguments = ["--mcp-command", &self.server, "--db", &db, "--thread", "t", QUESTION];
        Running::start(&[&arguments, more].concat(), None)
    }

    /// The calls that reached the server, as lines of JSON.
    fn calls(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.scratch.file("calls.log")).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }

    /// The report, and the calls that it took.
    fn undisturbed() -> (String, usize) {
        let scene = Self::new();
        let ran = scene.start(&[]).end();
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        (ran.stdout, scene.calls().len())
    }
}

#[test]
fn a_killed_run_ends_with_the_same_report_and_repeats_no_stored_result() {
    let (report, calls) = Scene::undisturbed();
    assert!(report.contains("300 of 335 records read") && calls > 3, "{calls} calls\n{report}");
    let wanted = rounds(50);
    let mut turns = Turns::new("threads");
    let (mut kills, mut halfway) = (0, 0);
    while kills < wanted {
        let scene = Scene::new();
        let mut kills_of_this = 0;
        for _ in 0..KILLS_OF_A_RUN {
            let running = scene.start(&[]);
            std::thread::sleep(turns.pause(450));
            kills_of_this += u32::from(running.kill());
        }
        let before = scene.calls().len();
        halfway += u32::from(0 < before && before < calls);
        let ran = scene.start(&[]).end();
        assert_eq!((ran.code, &ran.stdout), (Some(0), &report), "{}", ran.stderr);
        // Calls go one after the other here: a kill can cost the one whose result was on its way, and no other.
        let repeated = scene.calls().len().saturating_sub(calls);
        assert!(repeated <= kills_of_this as usize, "{repeated} calls were repeated after {kills_of_this} kills");
        kills += kills_of_this;
    }
    println!("{kills} kills, {halfway} runs were gone on with in the midst of their calls");
    assert!(halfway > 0, "no kill came between two calls");
}

#[test]
fn ctrl_c_keeps_what_was_found_and_the_next_start_goes_on() {
    let (report, calls) = Scene::undisturbed();
    let scene = Scene::new();
    let mut running = scene.start(&["--json"]);
    running.wait_for(|line| line.contains("\"tool_result\""));
    running.interrupt();
    let ran = running.end();
    assert_eq!(ran.code, Some(130), "{}", ran.stderr);
    assert!(ran.stdout.contains("--thread"), "its last event says how to go on: {}", ran.stdout);
    let ran = scene.start(&[]).end();
    assert_eq!((ran.code, &ran.stdout), (Some(0), &report), "{}", ran.stderr);
    assert!(scene.calls().len() <= calls + 1, "{:?}", scene.calls());
    // A finished thread prints its report again and asks nobody.
    let before = scene.calls().len();
    let ran = scene.start(&[]).end();
    assert_eq!((ran.code, &ran.stdout, scene.calls().len()), (Some(0), &report, before), "{}", ran.stderr);
}

fn refused(arguments: &[&str]) -> Ran {
    let ran = research(arguments);
    assert!(matches!(ran.code, Some(1 | 2)), "{ran:?}");
    ran
}

#[test]
fn what_is_asked_of_a_thread_wrongly_is_told_with_a_remedy() {
    let scratch = Scratch::new();
    let db = format!("sqlite:{}", scratch.file("runs.db"));
    let alone = refused(&["--thread", "t", QUESTION]);
    assert!(alone.stderr.contains("--db"), "{}", alone.stderr);
    let odd = refused(&["--thread", "t", "--db", "mysql://x", QUESTION]);
    assert!(odd.stderr.contains("sqlite:"), "{}", odd.stderr);
    let no_thread = refused(&["--answer", "1", QUESTION]);
    assert!(no_thread.stderr.contains("--thread"), "{}", no_thread.stderr);
    let nothing_open = refused(&["--thread", "t", "--db", &db, "--answer", "1"]);
    assert!(nothing_open.stderr.contains("`t`"), "{}", nothing_open.stderr);
    let server = fixture("--events 300 --delay-ms 25");
    let arguments = |question| ["--mcp-command", &server, "--db", &db, "--thread", "t", "--json", question];
    let mut cut = Running::start(&arguments(QUESTION), None);
    cut.wait_for(|line| line.contains("\"tool_result\""));
    assert!(cut.kill());
    let other = refused(&arguments("Events by city"));
    assert!(other.stdout.contains("another question") && other.stdout.contains("another thread"), "{}", other.stdout);
}

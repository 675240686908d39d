//! Runs that are kept on a thread: killed with `kill -9` at random moments, stopped with Ctrl-C, and gone on with.
#![cfg(target_os = "linux")]

use std::time::{Duration, Instant};

use crate::program::{Ran, Running, fixture, research};
use crate::scratch::Scratch;
use crate::turns::{Turns, rounds};

const QUESTION: &str = "Events by theme";
/// Kills of one run before it may get to its end.
const KILLS_OF_A_RUN: u32 = 4;

/// Calls of a run that may be under way at once: the plan has one that counts by groups beside those that read page by page.
const SIDE_BY_SIDE: usize = 2;
/// Fits the line of an event that comes while records are being read.
const SOME_READ: fn(&str) -> bool = |line| line.contains("\"progress\"") && line.contains(" records read, ");

/// A server whose log tells which calls reached it, and a store.
struct Scene {
    scratch: Scratch,
    server: String,
}

/// The pauses before kills of runs that take about so long.
///
/// A run that was measured beside others takes less when it is alone. So a kill that comes too late makes the pauses shorter, and
/// one in time makes them longer again, up to what was measured.
pub struct Kills {
    turns: Turns,
    measured_ms: u64,
    most_ms: u64,
}

impl Kills {
    /// Kills of runs that took so many milliseconds.
    pub fn new(test: &str, ms: u64) -> Self {
        Self { turns: Turns::new(test), measured_ms: ms, most_ms: ms }
    }

    /// The time until the next kill.
    pub fn pause(&mut self) -> Duration {
        self.turns.pause(self.most_ms)
    }

    /// Takes account of a kill that came in time, or too late.
    pub fn came(&mut self, in_time: bool) {
        let next = if in_time { self.most_ms * 6 / 5 } else { self.most_ms * 4 / 5 };
        self.most_ms = next.clamp(10, self.measured_ms.max(10));
    }
}

/// A run that nobody disturbed.
struct Undisturbed {
    report: String,
    calls: usize,
    /// How long it took, in milliseconds: by this the pauses before the kills are drawn.
    ms: u64,
}

impl Scene {
    fn new() -> Self {
        let scratch = Scratch::new();
        let log = scratch.file("calls.log");
        Self { server: fixture(&format!("--events 300 --delay-ms 25 --log {log}")), scratch }
    }

    fn start(&self, more: &[&str]) -> Running {
        self.start_with(&self.server, more)
    }

    /// As [`start`](Self::start), with a server that never answers the second page: the run stands there until it is ended.
    fn start_and_stand(&self, more: &[&str]) -> Running {
        self.start_with(&format!("{} --hang-after-first-page", self.server), more)
    }

    fn start_with(&self, server: &str, more: &[&str]) -> Running {
        let db = format!("sqlite:{}", self.scratch.file("runs.db"));
        let arguments = ["--mcp-command", server, "--db", &db, "--thread", "t", QUESTION];
        Running::start(&[&arguments, more].concat(), None)
    }

    /// The calls that reached the server: one in each whole line of its log.
    fn calls(&self) -> usize {
        let log = std::fs::read_to_string(self.scratch.file("calls.log")).unwrap_or_default();
        log.matches('\n').count()
    }

    fn undisturbed() -> Undisturbed {
        let (scene, start) = (Self::new(), Instant::now());
        let ran = scene.start(&[]).end();
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let ms = u64::try_from(start.elapsed().as_millis()).unwrap().max(1);
        Undisturbed { report: ran.stdout, calls: scene.calls(), ms }
    }
}

#[test]
fn a_killed_run_ends_with_the_same_report_and_repeats_no_stored_result() {
    let Undisturbed { report, calls, ms } = Scene::undisturbed();
    assert!(report.contains("300 of 335 records read") && calls > 3, "{calls} calls\n{report}");
    let wanted = rounds(50);
    let mut pauses = Kills::new("threads", ms);
    let (mut kills, mut halfway) = (0, 0);
    for number in 0.. {
        if kills >= wanted {
            break;
        }
        let scene = Scene::new();
        let mut kills_of_this = 0;
        for at in 0..KILLS_OF_A_RUN {
            let mut running = scene.start(&[]);
            // The start may take most of the time, and every second run is to be met at its calls.
            if number % 2 == 1 && at == 0 {
                running.wait_until(|| scene.calls() > 0);
            } else {
                std::thread::sleep(pauses.pause());
            }
            let killed = running.kill();
            pauses.came(killed);
            kills_of_this += u32::from(killed);
            halfway += u32::from(killed && (1..calls).contains(&scene.calls()));
        }
        let ran = scene.start(&[]).end();
        assert_eq!((ran.code, &ran.stdout), (Some(0), &report), "{}", ran.stderr);
        // A kill can cost the calls whose results were on their way, and no other.
        let repeated = scene.calls().saturating_sub(calls);
        let most = SIDE_BY_SIDE * kills_of_this as usize;
        assert!(repeated <= most, "{repeated} calls were repeated after {kills_of_this} kills");
        kills += kills_of_this;
    }
    println!("{kills} kills, {halfway} of them in the midst of the calls");
    assert!(halfway > 0, "no kill came between two calls");
}

#[test]
fn ctrl_c_keeps_what_was_found_and_the_next_start_goes_on() {
    let Undisturbed { report, calls, .. } = Scene::undisturbed();
    let scene = Scene::new();
    let mut running = scene.start_and_stand(&["--json"]);
    running.wait_for(SOME_READ);
    running.interrupt();
    let ran = running.end();
    assert_eq!(ran.code, Some(130), "{}", ran.stderr);
    assert!(ran.stdout.contains("--thread"), "its last event says how to go on: {}", ran.stdout);
    let ran = scene.start(&[]).end();
    assert_eq!((ran.code, &ran.stdout), (Some(0), &report), "{}", ran.stderr);
    assert!(scene.calls() <= calls + SIDE_BY_SIDE, "{} calls instead of {calls}", scene.calls());
    // A finished thread prints its report again and asks nobody.
    let before = scene.calls();
    let ran = scene.start(&[]).end();
    assert_eq!((ran.code, &ran.stdout, scene.calls()), (Some(0), &report, before), "{}", ran.stderr);
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
    let server = fixture("--events 300 --hang-after-first-page");
    let arguments = |question| ["--mcp-command", &server, "--db", &db, "--thread", "t", "--json", question];
    let mut cut = Running::start(&arguments(QUESTION), None);
    cut.wait_for(SOME_READ);
    assert!(cut.kill());
    let other = refused(&arguments("Events by city"));
    assert!(other.stdout.contains("another question") && other.stdout.contains("another thread"), "{}", other.stdout);
}

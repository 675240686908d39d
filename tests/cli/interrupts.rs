//! Ctrl-C: the first ends the run with a report of what was found, the second at once; no process is left behind.
#![cfg(target_os = "linux")]

use std::time::Duration;

use crate::distinct;
use crate::events::Events;
use crate::program::{FIXTURE, Running, fixture};
use crate::quoted;
use crate::report::{citations_resolve, coverage, section};
use crate::scratch::Scratch;

/// How often a round is played that may prove nothing.
const ROUNDS: u32 = 10;

/// Starts a run against this server.
fn start(command: &str) -> Running {
    Running::start(&["--json", "--mcp-command", command, "Events by theme"], None)
}

/// The server as a shell command that writes its process id first, and then runs this script.
fn shell(pids: &str, script: &str) -> String {
    let script = format!("echo $$ >> {pids}; {script}");
    format!("sh -c {}", shell_words::quote(&script))
}

fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The state stands behind the name in parentheses; a zombie is dead.
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

/// Waits until all processes of the file have ended: the kernel takes a moment to carry a kill out.
fn all_end(pids: &str) {
    let pids = std::fs::read_to_string(pids).unwrap();
    assert!(!pids.trim().is_empty());
    for _ in 0..2_400 {
        if !pids.lines().any(is_alive) {
            return;
        }
        std::thread::sleep(Duration::from_millis(25));
    }
    panic!("a process was left behind: {pids}");
}

#[test]
fn the_first_ends_the_run_with_a_report_of_what_was_read() {
    let scratch = Scratch::new();
    let (pids, file) = (scratch.file("pids"), scratch.file("report.md"));
    let server = format!("sleep 600 & echo $! >> {pids}; '{FIXTURE}' --hang-after-first-page --events 5000");
    let command = shell(&pids, &server);
    let arguments = ["--json", "--report", &file, "--mcp-command", &command, "Events by theme"];
    let mut running = Running::start(&arguments, None);
    // In mid-scan: a page was read, and the next one never comes.
    running.wait_for(|line| line.contains("\"progress\"") && line.contains(" records read, "));
    running.interrupt();
    let run = Events::new(running.end());

    assert!(run.is_completed(), "{:?}", run.all.last());
    assert!(run.ran.stderr.contains("Ctrl-C again"), "{}", run.ran.stderr);
    let read = distinct(&run.sources()).len();
    assert!((1..300).contains(&read), "{read}");
    let stats = run.stats();
    assert_eq!((&stats["docs_processed"], &stats["total_docs"]), (&read.into(), &5035.into()));
    assert!((stats["coverage"].as_f64().unwrap() - read as f64 / 5035.0).abs() < 1e-9, "{stats}");
    assert!(coverage(run.report()).starts_with(&format!("{read} of 5,035 records read (")), "{}", run.report());
    let limitations = section(run.report(), "Limitations").join("\n");
    assert!(limitations.contains("the run was stopped"), "{limitations}");
    citations_resolve(&run);
    assert_eq!(std::fs::read_to_string(file).unwrap(), run.report());
    all_end(&pids);
}

#[test]
fn a_run_that_has_found_nothing_ends_with_an_error() {
    let mut running = start(&fixture("--hang-call"));
    running.wait_for(|line| line.contains("\"tool_call\""));
    running.interrupt();
    let run = Events::new(running.end());
    assert_eq!(run.ran.code, Some(130));
    assert!(run.message().contains("stopped"), "{}", run.message());
}

#[test]
fn a_server_that_does_not_answer_does_not_hold_the_program() {
    let scratch = Scratch::new();
    let pids = scratch.file("pids");
    let running = start(&shell(&pids, "echo garbage; sleep 600"));
    while std::fs::read_to_string(&pids).unwrap_or_default().is_empty() {
        std::thread::sleep(Duration::from_millis(5));
    }
    running.interrupt();
    let run = Events::new(running.end());
    assert_eq!(run.ran.code, Some(130));
    assert!(run.message().contains("Ctrl-C"), "{}", run.message());
    assert_eq!(run.all.len(), 1);
    all_end(&pids);
}

#[test]
fn the_second_does_not_wait_for_a_server_that_does_not_end() {
    // A program that waits is met in every round. One that does not is met when this or it was paused for long, and then
    // nobody can tell the two apart.
    assert!((0..ROUNDS).any(|_| the_second_comes_before_the_polite_request()), "it waited for the server");
}

/// Presses Ctrl-C twice; whether the server was not asked to end before the program had.
fn the_second_comes_before_the_polite_request() -> bool {
    let scratch = Scratch::new();
    let (pids, asked) = (scratch.file("pids"), scratch.file("asked"));
    // A server that is asked to end says so, and goes on; the polite request comes two seconds after its input was closed.
    let stubborn =
        format!("trap 'echo asked >> {asked}' TERM; {} --hang-call; while :; do sleep 1; done", quoted(FIXTURE));
    let mut running = start(&shell(&pids, &stubborn));
    running.wait_for(|line| line.contains("\"tool_call\""));
    running.interrupt();
    running.wait_for_note("Ctrl-C again");
    running.wait_for(|line| line.contains("\"fatal\":true"));
    running.interrupt();
    let run = Events::new(running.end());
    assert_eq!(run.ran.code, Some(130));
    all_end(&pids);
    !std::path::Path::new(&asked).exists()
}

#[test]
fn sigterm_and_sighup_end_servers_that_do_not_want_to_end() {
    use nix::sys::signal::Signal;

    for (signal, code) in [(Signal::SIGTERM, 143), (Signal::SIGHUP, 129)] {
        let scratch = Scratch::new();
        let pids = scratch.file("pids");
        // Neither the end of its input nor a polite request ends it.
        let stubborn = format!("trap '' TERM HUP; {} --hang-call; while :; do sleep 1; done", quoted(FIXTURE));
        let mut running = start(&shell(&pids, &stubborn));
        running.wait_for(|line| line.contains("\"tool_call\""));

        running.signal(signal);

        assert_eq!(running.end().code, Some(code), "{signal}");
        all_end(&pids);
    }
}

//! Servers that misbehave: the run ends, reports what it has, and says how much that is.

use std::collections::BTreeSet;

use crate::distinct;
use crate::events::Events;
use crate::program::{events, fixture};
use crate::report::{citations_resolve, coverage, section};

/// Events of the fixture server: 165 in India and 35 elsewhere.
const TOTAL: usize = 200;
/// No word of it is a value of a field: the server does not list those.
const QUESTION: &str = "Events by theme";

fn run(flags: &str) -> Events {
    events(&["--mcp-command", &fixture(flags), QUESTION])
}

/// The report is a partial one that says how much was read and why not more.
fn is_partial(run: &Events, reason: &str) {
    let read = distinct(&run.sources()).len();
    assert!(read > 0 && read < TOTAL, "{read}");
    let stats = run.stats();
    assert_eq!(stats["docs_processed"], read);
    assert_eq!(stats["total_docs"], TOTAL);
    let share = read as f64 / TOTAL as f64;
    assert!((stats["coverage"].as_f64().unwrap() - share).abs() < 1e-9, "{stats}");
    let sentence = format!("{read} of {TOTAL} records read ({:.1} %), in the tool's order", 100.0 * share);
    assert_eq!(coverage(run.report()), sentence);
    let limitations = section(run.report(), "Limitations").join("\n");
    assert!(limitations.contains(&sentence) && limitations.contains(reason), "{limitations}");
    citations_resolve(run);
}

#[test]
fn a_server_that_dies_in_mid_scan_is_started_again_and_read_to_its_end() {
    // The first two calls count, the others read; the server answers three or four of them and dies.
    for answered in ["3", "4"] {
        let run = run(&format!("--die-after-calls {answered}"));
        assert_eq!(coverage(run.report()), format!("{TOTAL} of {TOTAL} records read"));
        let sources = run.sources();
        assert_eq!((sources.len(), distinct(&sources).len()), (TOTAL, TOTAL), "each once");
        assert!(run.of("tool_result").iter().any(|event| event["ok"] == false));
        assert!(!run.of("retry").is_empty() && run.of("retry").iter().all(|event| event["category"] == "connection"));
        citations_resolve(&run);
    }
}

#[test]
fn a_server_that_dies_again_and_again_leaves_a_partial_report() {
    // It answers one call of each of its four lives, whichever of those under way at once that is: no four pages hold all.
    let run = run("--die-after-calls 1 --largest-page 40");
    is_partial(&run, "the connection broke");
    let warned = run.of("error").iter().any(|event| event["fatal"] == false);
    let said = section(run.report(), "Limitations").join("\n");
    assert!(warned || said.contains("Reading ended early"), "{said}");
}

#[test]
fn a_server_that_dies_at_the_first_call_leaves_nothing_to_report() {
    let run = run("--die-after-calls 0");
    assert_eq!(run.ran.code, Some(1));
    let message = run.message();
    assert!(message.contains("exit status: 3") && message.contains("out of memory"), "{message}");
    assert_eq!(run.error()["category"], "connection");
    assert!(run.of("report_start").is_empty());
}

#[test]
fn a_server_that_returns_the_same_cursor_for_ever() {
    is_partial(&run("--repeat-cursor"), "the same cursor");
}

#[test]
fn a_server_that_returns_the_same_records_for_ever() {
    is_partial(&run("--repeat-docs"), "already read");
}

#[test]
fn a_server_whose_pages_overlap_is_read_once_and_wholly() {
    let run = run("--overlap 7");
    assert_eq!(distinct(&run.sources()).len(), TOTAL);
    assert_eq!(coverage(run.report()), format!("{TOTAL} of {TOTAL} records read"));
    citations_resolve(&run);
}

#[test]
fn a_server_that_never_ends_is_left_and_not_called_complete() {
    let run = run("--endless");
    let sources = run.sources();
    let ids: BTreeSet<&str> = distinct(&sources);
    assert!(ids.len() <= 300, "{}", ids.len());
    assert_eq!(run.stats()["docs_processed"], ids.len());
    // It says that 200 match and goes on beyond: nobody knows how many there are.
    assert_ne!(run.stats()["coverage"].as_f64(), Some(1.0), "{}", run.stats());
    let said = "records read, in the tool's order; how many match is not known";
    assert_eq!(coverage(run.report()), format!("{} {said}", ids.len()));
    let limitations = section(run.report(), "Limitations").join("\n");
    assert!(limitations.contains("Reading ended early"), "{limitations}");
    citations_resolve(&run);
}

#[test]
fn a_server_with_more_than_the_limit_is_counted_and_read_up_to_it() {
    let run = run("--events 500");
    assert_eq!(distinct(&run.sources()).len(), 300);
    assert_eq!(coverage(run.report()), "300 of 535 records read (56.1 %), in the tool's order, scan limit 300");
    citations_resolve(&run);
}

#[test]
fn another_tool_name_is_no_obstacle() {
    let command = fixture("--tool find_meetings");
    let plain = events(&["--mcp-command", &command, QUESTION]);
    let named = events(&["--mcp-command", &command, "--tool", "find_meetings", QUESTION]);
    assert!(plain.of("tool_call").iter().all(|event| event["tool"] == "find_meetings"));
    assert_eq!(plain.report(), named.report());
    assert_eq!(distinct(&named.sources()).len(), TOTAL);
}

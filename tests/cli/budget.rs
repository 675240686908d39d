//! `--budget`: what it takes, what it refuses, and a report that says that it ended there.

use crate::QUESTION;
use crate::program::{events, research};

#[test]
fn a_budget_that_is_used_up_ends_in_a_report_that_says_so() {
    let ran = research(&[QUESTION, "--budget", "calls=8"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("budget of 8 calls is used up"), "{}", ran.stdout);
    let run = events(&[QUESTION, "--budget", "calls=8"]);
    let [completed] = &run.of("run_completed")[..] else { panic!("{:?}", run.all) };
    let stats = &completed["stats"];
    let calls = stats["llm_calls"].as_u64().unwrap() + stats["mcp_calls"].as_u64().unwrap();
    assert!(calls <= 8, "{stats}");
}

#[test]
fn a_budget_that_cannot_be_read_says_what_to_write() {
    for (budget, problem) in [
        ("calls=many", "`many` is no number of calls"),
        ("time=20", "`20` is no span of time"),
        ("euro=3", "`euro` is not limited"),
        ("calls=0", "allows no call"),
    ] {
        let ran = research(&[QUESTION, "--budget", budget]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{}", ran.stderr);
        assert!(ran.stderr.contains(problem), "{}", ran.stderr);
        assert!(ran.stderr.contains("tokens=200000,calls=50,time=20m,usd=0.50"), "{}", ran.stderr);
    }
}

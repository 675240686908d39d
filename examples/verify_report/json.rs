//! What was found, for programs.

use std::collections::BTreeMap;

use research_agents::kernel::Bundle;
use research_agents::kernel::bundle::{Check, CheckKind, Tally, Verification};
use research_examples::cli;
use serde::Serialize;

#[derive(Serialize)]
struct Found<'a> {
    holds: bool,
    question: &'a str,
    system: &'a str,
    program: String,
    digest: &'a str,
    says_it_replays: bool,
    /// What the checks are about: statements, and not whether the question was understood.
    checks_statements: bool,
    checks_understanding: bool,
    tally: BTreeMap<CheckKind, Tally>,
    checks: &'a [Check],
}

/// One JSON object with a line end.
pub fn text(bundle: &Bundle, verification: &Verification) -> Result<String, serde_json::Error> {
    let found = Found {
        holds: verification.holds(),
        question: &bundle.question,
        system: &bundle.system,
        program: format!("{} {}", bundle.program.name, bundle.program.version),
        digest: &bundle.digest,
        says_it_replays: bundle.replays,
        checks_statements: true,
        checks_understanding: false,
        tally: CheckKind::ALL.into_iter().map(|kind| (kind, verification.tally(kind))).collect(),
        checks: &verification.checks,
    };
    Ok(cli::json(&found)? + "\n")
}

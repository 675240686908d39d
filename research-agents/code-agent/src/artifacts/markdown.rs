//! `report.md`: the whole investigation for people.

use std::fmt::Write;

use crate::answer::{citations, plain_text};
use crate::artifacts::json::sites_json;
use crate::run::{ResearchRun, RunStatus};

/// Maximum number of further sites that are listed.
const MAX_SITES: usize = 2_000;

/// Returns the report: question, answer, citations, checks, steps, and all evidence with its lines.
pub fn report_md(run: &ResearchRun) -> String {
    let mut out = String::new();
    let one_line = |text: &str| {
        let plain = plain_text(text);
        plain.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    // Writing to a string does not fail.
    let _ = writeln!(out, "# Code research\n");
    let _ = writeln!(out, "**Question:** {}\n", one_line(&run.question));
    if let Some(scope) = &run.scope {
        let _ = writeln!(out, "**Scope:** `{}`\n", scope.replace('`', ""));
    }

    let _ = writeln!(out, "## Answer\n");
    match (&run.answer, &run.error_message) {
        (Some(answer), _) => {
            let lines: Vec<&str> = answer.lines().collect();
            let _ = writeln!(out, "{}\n", lines.join("\n\n").replace("\n\n- ", "\n- "));
        }
        (None, Some(error)) => {
            let _ = writeln!(out, "The run failed: {}\n", one_line(error));
        }
        (None, None) => {
            let _ = writeln!(out, "There is no answer yet.\n");
        }
    }
    if !run.more.is_empty() {
        let _ = writeln!(out, "## More sentences\n");
        for sentence in &run.more {
            let _ = writeln!(out, "- {}", sentence.trim_start_matches("- "));
        }
        out.push('\n');
    }
    if !run.cited.is_empty() {
        let _ = writeln!(out, "## Citations\n\n{}\n", citations(run, &run.cited));
    }

    checks(&mut out, run);
    steps(&mut out, run);
    evidence(&mut out, run);
    sites(&mut out, run);
    out
}

fn checks(out: &mut String, run: &ResearchRun) {
    let Some(verification) = &run.verification else {
        return;
    };
    let status = serde_json::to_value(verification.status).unwrap_or_default();
    let status = status.as_str().unwrap_or_default().to_owned();
    let _ = writeln!(
        out,
        "## Checks\n\nThe answer {status} with support {:.2}.\n",
        verification.support
    );

    for check in &verification.checks {
        let holds = if check.holds {
            "holds"
        } else {
            "does not hold"
        };
        let _ = writeln!(out, "- `{}` {holds}", check.check);
        for detail in &check.details {
            let _ = writeln!(out, "  - {}", plain_text(detail).replace('\n', " "));
        }
    }
    out.push('\n');
}

fn steps(out: &mut String, run: &ResearchRun) {
    let status = match run.status {
        RunStatus::Running => "under way",
        RunStatus::Done => "done",
        RunStatus::Error => "failed",
    };
    let _ = writeln!(
        out,
        "## Steps\n\nThe run is {status}: {} of {} steps, {} ms.\n",
        run.budget_used, run.budget_steps, run.total_duration_ms
    );
    for step in &run.steps {
        let end = step.error.as_deref().unwrap_or(&step.output_summary);
        let end = plain_text(end).replace('\n', " ");
        let reasoning = plain_text(&step.reasoning).replace('\n', " ");
        let _ = writeln!(
            out,
            "{}. `{}` ({} ms): {end}",
            step.step_number, step.action, step.duration_ms
        );
        if !reasoning.is_empty() {
            let _ = writeln!(out, "   - why: {reasoning}");
        }
    }

    for note in &run.notes {
        let _ = writeln!(out, "\nNote: {}", plain_text(note));
    }
    out.push('\n');
}

fn evidence(out: &mut String, run: &ResearchRun) {
    let _ = writeln!(out, "## Evidence\n");

    for evidence in &run.evidence {
        let lines = &evidence.lines;
        let _ = writeln!(
            out,
            "### {} {} ({})\n",
            evidence.id,
            evidence.place(),
            lines.provenance
        );
        let text = evidence.text();
        let longest = text
            .split(|c| c != '`')
            .map(str::len)
            .max()
            .unwrap_or_default();
        let fence = "`".repeat(longest.max(2) + 1);
        let newline = if text.ends_with('\n') { "" } else { "\n" };
        let _ = writeln!(out, "{fence}text\n{text}{newline}{fence}\n");
        let _ = writeln!(out, "SHA-256 `{}`\n", lines.content_sha256);
    }
}

fn sites(out: &mut String, run: &ResearchRun) {
    let sites = sites_json(run);
    if sites.is_empty() {
        return;
    }
    let _ = writeln!(out, "## Further sites\n");
    for site in sites.iter().take(MAX_SITES) {
        let _ = writeln!(out, "- {site}");
    }
    if sites.len() > MAX_SITES {
        let _ = writeln!(out, "- and {} more", sites.len() - MAX_SITES);
    }
}

//! What was found, as a table for people.

use std::fmt::Write;

use console::{Style, style};
use research_agents::kernel::Bundle;
use research_agents::kernel::bundle::verify::Outcome;
use research_agents::kernel::bundle::{Check, CheckKind, Program, Tally, Verification};
use research_agents::kernel::line::Line;

/// What a bundle shows, and what it does not.
const PROVES: &str = "The statements of the report were checked against the traffic that is recorded in the bundle. Whether the \
                      question was understood is not checked. Who wrote the bundle, and whether this traffic took place, it does \
                      not show: its digest is no signature.";
/// Width of the names of kinds.
const NAME: usize = 18;

/// The table, and below it what does not hold; every check when `verbose`.
pub fn text(file: &str, bundle: &Bundle, verification: &Verification, verbose: bool) -> String {
    let mut out = String::new();
    let mut put = |line: String| {
        // Writing to a string does not fail.
        let _ = writeln!(out, "{line}");
    };
    put(format!("{}  {}", style(plain(file)).bold(), plain(&bundle.question)));
    put(style(plain(&written_by(bundle))).dim().to_string());
    put(String::new());
    for kind in CheckKind::ALL {
        let tally = verification.tally(kind);
        if tally != Tally::default() {
            put(row(kind, tally));
        }
        if verbose {
            verification.checks.iter().filter(|check| check.kind == kind).flat_map(lines).for_each(&mut put);
        }
    }
    put(String::new());
    let failures: Vec<&Check> = verification.failures().collect();
    if !verbose && !failures.is_empty() {
        put(style("What does not hold").bold().to_string());
        failures.iter().flat_map(|check| lines(check)).for_each(&mut put);
        put(String::new());
    }
    put(conclusion(verification));
    put(style(PROVES).dim().to_string());
    out
}

fn written_by(bundle: &Bundle) -> String {
    let replays = if bundle.replays { "that it replays to the same bytes" } else { "that no replay was tried" };
    let Program { name, version } = &bundle.program;
    format!("{} run; the bundle says that {name} {version} wrote it and {replays}", bundle.system)
}

/// `numbers  41 of 41 hold`.
fn row(kind: CheckKind, tally: Tally) -> String {
    let Tally { holds, fails, not_covered } = tally;
    let checked = holds + fails;
    let mut parts = Vec::new();
    if checked > 0 {
        let words = format!("{holds} of {checked} {}", if checked == 1 { "holds" } else { "hold" });
        parts.push(if fails == 0 { green().apply_to(words) } else { red().apply_to(words) }.to_string());
    }
    if not_covered > 0 {
        let name = if kind == CheckKind::Provenance { "part" } else { "line" };
        let lines = if not_covered == 1 { format!("{name} is") } else { format!("{name}s are") };
        parts.push(style(format!("{not_covered} {lines} not covered")).dim().to_string());
    }
    let mark = if fails > 0 {
        red().apply_to("✗")
    } else if checked > 0 {
        green().apply_to("✓")
    } else {
        Style::new().apply_to("·")
    };
    format!("{mark} {kind:NAME$} {}", parts.join(", "))
}

/// A check, and below it why it fails.
fn lines(check: &Check) -> Vec<String> {
    let what = format!("{}: {}", plain(&check.place), plain(&check.what));
    match &check.outcome {
        Outcome::Holds => vec![format!("    {} {what}", green().apply_to("✓"))],
        Outcome::Fails { why } => {
            vec![format!("    {} {what}", red().apply_to("✗")), format!("        {}", plain(why))]
        }
        Outcome::NotCovered { why } => {
            vec![format!("    {} {what} {}", style("·").dim(), style(format!("({why})")).dim())]
        }
    }
}

fn conclusion(verification: &Verification) -> String {
    let mut all = Tally::default();
    for kind in CheckKind::ALL {
        let tally = verification.tally(kind);
        all.holds += tally.holds;
        all.fails += tally.fails;
        all.not_covered += tally.not_covered;
    }
    let rest = match all.not_covered {
        0 => String::new(),
        1 => "; 1 line or part is not covered".to_owned(),
        parts => format!("; {parts} lines and parts are not covered"),
    };
    let checked = all.holds + all.fails;
    if verification.holds() {
        format!("{}: {checked} of {checked} checks{rest}", green().bold().apply_to("Everything holds"))
    } else {
        let verb = if all.fails == 1 { "does" } else { "do" };
        let words = format!("{} of {checked} checks {verb} not hold", all.fails);
        format!("{}{rest}", red().bold().apply_to(words))
    }
}

/// Words of documents on one line, without what a terminal would obey.
fn plain(text: &str) -> String {
    Line::new(text).as_str().to_owned()
}

fn green() -> Style {
    Style::new().green()
}

fn red() -> Style {
    Style::new().red()
}

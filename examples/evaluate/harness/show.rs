//! The tables: for people on a terminal, and as Markdown.

use console::measure_text_width;

use super::compare::{Comparison, shown};
use super::metric::{AVG_DURATION, Aggregate, MODEL_CALLS, Metric};
use super::results::{CaseResult, Results};
use super::suite::{Column, Suite};

/// Cells by row; the first row is the header.
type Table = Vec<Vec<String>>;

/// The results as text for a terminal.
pub fn text<S: Suite>(results: &Results, planned: usize) -> String {
    let mut out = aligned(&cases(S::COLUMNS, results));
    out.push_str(&format!("\n{}\n\n", S::LEGEND));
    out.push_str(&format!("{}\n\n", summary(results, planned)));
    out.push_str(&aligned(&metrics(S::METRICS, results)));
    out.push_str(&failures(results, "\nWhat was not right:\n", "  "));
    out
}

/// The results as Markdown.
pub fn markdown<S: Suite>(results: &Results, planned: usize, comparison: Option<&Comparison>) -> String {
    let mut out = format!("# Evaluation\n\n{}\n\n", summary(results, planned));
    out.push_str(&format!(
        "{}\n## Cases\n\n{}",
        piped(&metrics(S::METRICS, results)),
        piped(&cases(S::COLUMNS, results))
    ));
    out.push_str(&format!("\n{}\n", S::LEGEND));
    out.push_str(&failures(results, "\n## What was not right\n\n", "* "));
    if let Some(comparison) = comparison {
        out.push_str(&compared(comparison, "\n## Against the baseline\n\n", "* "));
    }
    out
}

/// What became of the results since the baseline.
pub fn compared(comparison: &Comparison, heading: &str, bullet: &str) -> String {
    let mut out = heading.to_owned();
    let verdict = if comparison.worse.is_empty() { "nothing is worse" } else { "WORSE than the baseline" };
    out.push_str(&format!("Compared over {} cases: {verdict}.\n", comparison.cases));
    let lines = [("worse", &comparison.worse), ("better", &comparison.better), ("note", &comparison.notes)];
    for (what, lines) in lines {
        lines.iter().for_each(|line| out.push_str(&format!("{bullet}{what}: {line}\n")));
    }
    out
}

fn summary(results: &Results, planned: usize) -> String {
    let of = results.cases.len();
    let stopped = if of < planned { format!(", stopped after {of} of {planned} cases") } else { String::new() };
    format!("{} of {of} cases are right in everything; model {}{stopped}.", results.passed(), results.model)
}

fn cases(columns: &[Column], results: &Results) -> Table {
    const CALLS: Column = Column::amount("calls", &[MODEL_CALLS]);
    let columns = || columns.iter().chain([&CALLS]);
    let header = ["case", "result"].into_iter().chain(columns().map(|column| column.name)).chain(["time"]);
    let mut table: Table = vec![header.map(str::to_owned).collect()];
    for case in &results.cases {
        let mut row = vec![case.id.clone(), verdict(case).to_owned()];
        row.extend(columns().map(|column| column.shown(|metric| case.measures.get(metric))));
        row.push(format!("{:.1}s", case.measures.get(&AVG_DURATION).sum));
        table.push(row);
    }
    table
}

fn verdict(case: &CaseResult) -> &'static str {
    match case {
        CaseResult { error: Some(_), .. } => "ERROR",
        CaseResult { passed: true, .. } => "right",
        _ => "wrong",
    }
}

fn metrics(metrics: &[Metric], results: &Results) -> Table {
    let mut table: Table = vec![["metric", "value", "of"].map(str::to_owned).to_vec()];
    for metric in metrics {
        let measure = results.totals.get(metric);
        if measure.of == 0.0 {
            continue;
        }
        let cases = if measure.of == 1.0 { "case" } else { "cases" };
        let of = match metric.aggregate {
            Aggregate::Share => format!("{} of {}", (measure.sum * 10.0).round() / 10.0, measure.of),
            Aggregate::Sum => format!("in {} {cases}", measure.of),
            Aggregate::Median => format!("median of {} {cases}", measure.of),
        };
        table.push(vec![metric.words.to_owned(), shown(metric, measure), of]);
    }
    table
}

fn failures(results: &Results, heading: &str, bullet: &str) -> String {
    let mut out = String::new();
    for case in &results.cases {
        for failure in case.error.iter().map(|error| format!("no report: {error}")).chain(case.failures.iter().cloned())
        {
            out.push_str(&format!("{bullet}{}: {failure}\n", case.id));
        }
    }
    if out.is_empty() { out } else { format!("{heading}{out}") }
}

fn aligned(table: &Table) -> String {
    let columns = table.first().map_or(0, Vec::len);
    let width = |column: usize| table.iter().map(|row| measure_text_width(&row[column])).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for row in table {
        let cells = row.iter().zip(&widths).enumerate().map(|(at, (cell, width))| {
            let blanks = " ".repeat(width - measure_text_width(cell));
            // Names stand to the left, numbers to the right.
            if at == 0 { format!("{cell}{blanks}") } else { format!("{blanks}{cell}") }
        });
        out.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        out.push('\n');
    }
    out
}

fn piped(table: &Table) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let Some((header, rows)) = table.split_first() else { return String::new() };
    let rule: Vec<String> =
        header.iter().enumerate().map(|(at, _)| if at == 0 { "---" } else { "---:" }.to_owned()).collect();
    line(header) + &line(&rule) + &rows.iter().map(|row| line(row)).collect::<String>()
}

//! The results as a table for people: a block per workload, with ratios to the engine's own figures.

use crate::reading::Row;

/// The participant that the others are compared with.
pub const OURS: &str = "research-core";
/// Marks participants whose database runs with `synchronous=NORMAL`; they are compared among themselves.
pub const NORMAL: &str = " NORMAL";

const WORKLOAD: usize = 24;
const WHO: usize = 21;

/// The line above the blocks.
pub fn head() -> String {
    format!(
        "{:<WORKLOAD$} {:<WHO$} {:>12} {:>9} {:>12} {:>9}",
        "workload", "who", "cpu ns/step", "ratio", "wall ns/step", "ratio"
    )
}

/// The rows of one workload, a line each.
pub fn block(rows: &[Row]) -> String {
    let mut lines = String::new();
    for (index, row) in rows.iter().enumerate() {
        let normal = row.who.ends_with(NORMAL);
        let base = rows.iter().find(|base| {
            base.who.strip_suffix(NORMAL).unwrap_or(&base.who) == OURS && base.who.ends_with(NORMAL) == normal
        });
        let ratio = |own: f64, of: fn(&Row) -> f64| base.map_or_else(|| "–".to_string(), |base| ratio(own / of(base)));
        let name = if index == 0 { row.workload.as_str() } else { "" };
        let line = format!(
            "{name:<WORKLOAD$} {:<WHO$} {:>12} {:>9} {:>12} {:>9}  {}",
            row.who,
            thousands(row.cpu_ns.round() as u64),
            ratio(row.cpu_ns, |row| row.cpu_ns),
            thousands(row.wall_ns.round() as u64),
            ratio(row.wall_ns, |row| row.wall_ns),
            remark(row),
        );
        lines.push_str(line.trim_end());
        lines.push('\n');
    }
    lines
}

/// What the columns mean.
pub const LEGEND: &str = "\
Nanoseconds per step (c: per task), process-CPU and wall, medians. A ratio above 1 says how many times what
research-core takes; rows marked NORMAL are compared with research-core NORMAL. Compare ratios of one run only.
SQLite of research-core and tokio: journal_mode=WAL synchronous=FULL, or NORMAL where marked, wal_autocheckpoint=256.";

/// The size of the database and, of many threads at once, the runs a second.
fn remark(row: &Row) -> String {
    let size = row.bytes.map(|bytes| format!("{:.2} MB", bytes as f64 / 1e6));
    let runs = row.workload.rsplit_once('x').and_then(|(_, steps)| steps.parse::<f64>().ok());
    let runs = runs.map(|steps| format!("{} runs/s", thousands((1e9 / (row.wall_ns * steps)).round() as u64)));
    size.into_iter().chain(runs).collect::<Vec<_>>().join(", ")
}

fn ratio(value: f64) -> String {
    match value {
        value if value < 9.995 => format!("{value:.2}"),
        value if value < 99.95 => format!("{value:.1}"),
        value => thousands(value.round() as u64),
    }
}

fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::{block, head, ratio, thousands};
    use crate::reading::Row;

    fn row(who: &str, cpu_ns: f64, wall_ns: f64, bytes: Option<u64>) -> Row {
        Row { workload: "i_threads_sqlite_200x10".into(), who: who.into(), steps: 2_000, wall_ns, cpu_ns, bytes }
    }

    #[test]
    fn each_row_shows_its_ratio_to_the_engine_under_the_same_settings() {
        let rows = [
            row("research-core", 2_000.0, 5_000.0, Some(400_000)),
            row("langgraph", 1_371_177.0, 1_599_584.0, Some(7_503_424)),
            row("research-core NORMAL", 1_000.0, 2_500.0, None),
            row("tokio NORMAL", 800.0, 2_000.0, None),
        ];
        let expected = "\
workload                 who                    cpu ns/step     ratio wall ns/step     ratio
i_threads_sqlite_200x10  research-core                2,000      1.00        5,000      1.00  0.40 MB, 20,000 runs/s
                         langgraph                1,371,177       686    1,599,584       320  7.50 MB, 63 runs/s
                         research-core NORMAL         1,000      1.00        2,500      1.00  40,000 runs/s
                         tokio NORMAL                   800      0.80        2,000      0.80  50,000 runs/s
";
        assert_eq!(format!("{}\n{}", head(), block(&rows)), expected);
    }

    #[test]
    fn without_the_engine_there_is_no_ratio() {
        assert!(block(&[row("tokio", 800.0, 2_000.0, None)]).contains("800         –        2,000         –"));
    }

    #[test]
    fn numbers_read_at_any_size() {
        assert_eq!([ratio(0.123), ratio(9.999), ratio(99.99), ratio(1480.4)], ["0.12", "10.0", "100", "1,480"]);
        assert_eq!(
            [thousands(0), thousands(999), thousands(1_000), thousands(12_345_678)],
            ["0", "999", "1,000", "12,345,678"]
        );
    }
}

//! Figures of one participant in one workload, and their medians over the passes.

use research_benches::measure::Measurement;
use serde::Serialize;

/// What one participant showed in one turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    pub workload: String,
    pub who: String,
    pub steps: u64,
    pub taken: Measurement,
    /// Of the database with its write-ahead log, when there is one.
    pub bytes: Option<u64>,
}

/// A participant's result: a line of the JSON output.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    pub workload: String,
    pub who: String,
    pub steps: u64,
    pub wall_ns: f64,
    pub cpu_ns: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// The medians of what each participant showed in `workload`, in the order in which they first appeared.
pub fn rows(readings: &[Reading], workload: &str) -> Vec<Row> {
    let of: Vec<&Reading> = readings.iter().filter(|reading| reading.workload == workload).collect();
    let mut rows: Vec<Row> = Vec::new();
    for first in &of {
        if rows.iter().any(|row| row.who == first.who) {
            continue;
        }
        let own = of.iter().filter(|reading| reading.who == first.who);
        let Measurement { wall, cpu } = Measurement::median(own.clone().map(|reading| reading.taken));
        rows.push(Row {
            workload: workload.to_string(),
            who: first.who.clone(),
            steps: first.steps,
            wall_ns: tenths(wall),
            cpu_ns: tenths(cpu),
            bytes: own.filter_map(|reading| reading.bytes).max(),
        });
    }
    rows
}

/// Finer than a tenth of a nanosecond is noise.
fn tenths(nanoseconds: f64) -> f64 {
    (nanoseconds * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use research_benches::measure::Measurement;

    use super::{Reading, rows};

    fn reading(workload: &str, who: &str, wall: f64, bytes: Option<u64>) -> Reading {
        let taken = Measurement { wall, cpu: wall / 2.0 };
        Reading { workload: workload.into(), who: who.into(), steps: 10, taken, bytes }
    }

    #[test]
    fn a_row_is_the_median_of_the_passes_and_the_largest_database() {
        let readings = [
            reading("g", "tokio", 30.0, Some(7)),
            reading("g", "rival", 1.26, None),
            reading("h", "tokio", 999.0, None),
            reading("g", "tokio", 10.0, Some(9)),
            reading("g", "tokio", 20.0, Some(8)),
        ];
        let rows = rows(&readings, "g");
        assert_eq!(
            rows.iter().map(|row| serde_json::to_string(row).unwrap()).collect::<Vec<_>>(),
            [
                r#"{"workload":"g","who":"tokio","steps":10,"wall_ns":20.0,"cpu_ns":10.0,"bytes":9}"#,
                r#"{"workload":"g","who":"rival","steps":10,"wall_ns":1.3,"cpu_ns":0.6}"#,
            ]
        );
    }
}

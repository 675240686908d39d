//! The lines that the rivals' programs print, one per workload.

use research_benches::measure::Measurement;

use crate::reading::Reading;
use crate::workload::ALL;

/// Reads `who workload steps=… wall_med=… … cpu_med=… … [bytes=…]`. No reading for other lines and other workloads.
pub fn read(line: &str) -> Option<Reading> {
    let mut words = line.split_whitespace();
    let (who, name) = (words.next()?, words.next()?);
    let (workload, way) = place(name)?;
    let who = if way.is_empty() { who.to_string() } else { format!("{who} {}", spelled(way)) };
    Some(Reading {
        workload: workload.to_string(),
        who,
        steps: value(line, "steps=")?.parse().ok()?,
        taken: Measurement {
            wall: value(line, "wall_med=")?.parse().ok()?,
            cpu: value(line, "cpu_med=")?.parse().ok()?,
        },
        bytes: value(line, "bytes=").and_then(|bytes| bytes.parse().ok()),
    })
}

/// The workload that a name stands for, and the way of doing it that the name adds: `c_fanout_100_joinset` and
/// `e_loop_ckpt_json` are `joinset` and `json` ways of `c_fanout_100` and of `e_loop_ckpt_1000`.
fn place(name: &str) -> Option<(&'static str, &str)> {
    let names = || ALL.iter().map(|workload| workload.name);
    if let Some(same) = names().find(|&workload| workload == name) {
        return Some((same, ""));
    }
    let (stem, way) = name.rsplit_once('_')?;
    if way.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let exact = names().find(|&workload| workload == stem);
    exact
        .or_else(|| names().find(|one| one.rsplit_once('_').is_some_and(|(head, _)| head == stem)))
        .map(|one| (one, way))
}

/// A way as Rust spells it.
fn spelled(way: &str) -> &str {
    match way {
        "joinset" => "JoinSet",
        "joinall" => "join_all",
        other => other,
    }
}

/// What follows `key`, with or without blanks between.
fn value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(&format!(" {key}"))?;
    rest.split_whitespace().next()
}

#[cfg(test)]
mod tests {
    use research_benches::measure::Measurement;

    use super::{place, read};
    use crate::reading::Reading;

    #[test]
    fn a_line_with_padded_figures_is_read() {
        let line = "raw        c_fanout_1000_joinset    steps=1000   wall_med=        551 wall_min=        510 \
                    cpu_med=        896 cpu_min=        788 ns/step  runs=200";
        let taken = Measurement { wall: 551.0, cpu: 896.0 };
        let who = "raw JoinSet".to_string();
        let expected = Reading { workload: "c_fanout_1000".into(), who, steps: 1_000, taken, bytes: None };
        assert_eq!(read(line), Some(expected));
    }

    #[test]
    fn a_line_about_a_database_has_its_bytes() {
        let line = "langgraph  i_threads_sqlite_200x10  steps=2000   wall_med=    1599584 wall_min=    1582547 \
                    cpu_med=    1371177 cpu_min=    1356849 ns/step  runs=3 bytes=7503424 runs_per_s=63";
        let reading = read(line).unwrap();
        assert_eq!((reading.who.as_str(), reading.steps, reading.bytes), ("langgraph", 2_000, Some(7_503_424)));
        assert_eq!(reading.taken, Measurement { wall: 1_599_584.0, cpu: 1_371_177.0 });
    }

    #[test]
    fn a_way_of_doing_a_workload_is_told_from_another_workload() {
        assert_eq!(place("a_chain_10_spawn"), Some(("a_chain_10", "spawn")));
        assert_eq!(place("e_loop_ckpt_clone"), Some(("e_loop_ckpt_1000", "clone")));
        assert_eq!(place("f_accum_ckpt_250_delta"), Some(("f_accum_ckpt_250", "delta")));
        for other in ["a_chain_100", "d_accum_500", "f_accum_ckpt_500_json", "g_loop_postgres_1000", "noise"] {
            assert_eq!(place(other), None, "{other}");
        }
    }

    #[test]
    fn other_text_is_no_reading() {
        for text in ["", "checkpoints: 12", "raw b_loop_1000 steps=1000", "Traceback (most recent call last):"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}

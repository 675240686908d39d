//! The example programs as a user runs them: real processes, their standard streams, exit codes and signals.

mod addresses;
mod budget;
mod config_files;
mod contradictions;
mod dialogue;
mod errors;
mod events;
mod export;
mod files;
mod hostile;
mod interrupts;
mod main_line;
mod options;
mod overrides;
mod program;
mod report;
mod scratch;
mod servers;
mod size;
mod table;
mod terminal;
mod threads;
#[path = "../durable_fanout/turns.rs"]
mod turns;

use std::collections::{BTreeMap, BTreeSet};

/// The question of the main line, as the README asks it.
const QUESTION: &str = "Bird strikes on approach at 120 knots by wildlife size";

/// A word of the shell that stands for a path.
fn quoted(path: &str) -> String {
    format!("'{path}'")
}

/// How often each value occurs.
fn counts<T: Ord>(values: impl IntoIterator<Item = T>) -> BTreeMap<T, u64> {
    values.into_iter().fold(BTreeMap::new(), |mut counts, value| {
        *counts.entry(value).or_default() += 1;
        counts
    })
}

/// The ids as a set; each must come once.
fn distinct(ids: &[String]) -> BTreeSet<&str> {
    let set: BTreeSet<&str> = ids.iter().map(String::as_str).collect();
    assert_eq!(set.len(), ids.len(), "an id comes twice");
    set
}

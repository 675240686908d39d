//! A field of the records read, by the values that divide them.

use std::collections::BTreeMap;

use research_agents_report::evidence::{Source, plain};
use serde_json::Value;

/// Fewer records than this show nothing together.
pub(crate) const FEWEST: usize = 5;

/// A field that divides the records.
pub(crate) struct Column<'s> {
    pub(crate) name: String,
    /// The value of each record, as people write it; none for an empty cell.
    pub(crate) cells: Vec<Option<&'s Value>>,
    /// Records by value.
    pub(crate) groups: BTreeMap<String, Vec<usize>>,
}

impl<'s> Column<'s> {
    pub(crate) fn new(name: &str, records: &[&'s Source]) -> Self {
        let is_value = |value: &&Value| match value {
            Value::String(text) => !text.trim().is_empty(),
            value => value.is_boolean(),
        };
        let cells: Vec<Option<&Value>> = records
            .iter()
            .map(|record| record.field(name).filter(is_value))
            .collect();

        let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, cell) in cells.iter().enumerate() {
            if let Some(value) = cell {
                groups.entry(plain(value)).or_default().push(at);
            }
        }

        Self {
            name: name.to_owned(),
            cells,
            groups,
        }
    }

    /// Returns how many of these records have each value.
    pub(crate) fn counts(&self, records: &[usize]) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        for cell in records.iter().filter_map(|at| self.cells[*at]) {
            *counts.entry(plain(cell)).or_default() += 1;
        }
        counts
    }

    /// Returns the value of a group.
    pub(crate) fn value(&self, records: &[usize]) -> Value {
        records
            .first()
            .and_then(|at| self.cells[*at])
            .cloned()
            .unwrap_or_default()
    }
}

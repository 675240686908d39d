//! Names of columns.

use std::collections::{HashMap, HashSet};

/// Column names that are not empty and not used twice: `column_3` for the third when it has none, `name_2` for a second `name`.
pub(super) fn unique<'a>(header: impl Iterator<Item = &'a str>) -> Vec<String> {
    let header: Vec<&str> = header.collect();
    let given: HashSet<String> = header.iter().map(|name| name.trim().to_owned()).collect();
    let mut used = HashSet::new();
    let mut numbers: HashMap<String, usize> = HashMap::new();
    header
        .iter()
        .enumerate()
        .map(|(index, name)| {
            let base = match name.trim() {
                "" => format!("column_{}", index + 1),
                name => name.to_owned(),
            };
            let mut name = base.clone();
            // Where the last one of this name ended: thousands of equal names would be counted again and again.
            let number = numbers.entry(base.clone()).or_insert(1);
            while used.contains(&name) || (*number > 1 && given.contains(&name)) {
                *number += 1;
                name = format!("{base}_{number}");
            }
            used.insert(name.clone());
            name
        })
        .collect()
}

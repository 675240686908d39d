//! Reduces the sizes among the arguments of a call.

use std::collections::BTreeMap;

use research_agents_runtime::limits::{Changed, REDUCTION_FACTOR};
use serde_json::Value;

use crate::data::record::Object;

/// Sizes, and the minimum to which each is reduced. A smaller value stays as it is.
const FLOORS: &[(&str, u64)] = &[
    ("batch_size", 10),
    ("page_size", 10),
    ("samples_per_bucket", 1),
    ("top_n", 5),
    ("top_n_per_group", 2),
];

/// Names of the argument for the number of a page, in lower case and without separators. Calls with
/// it keep their sizes, because with another size the page would begin at another record.
const PAGE_NUMBERS: &[&str] = &["page", "pagenumber", "pagenum", "pageno", "pageindex"];

/// Halves the sizes among the arguments, down to their minima; returns what changed, which is
/// nothing when all are small already.
///
/// Only whole numbers are changed, and they stay whole numbers; everything else stays as it is. A
/// number of batches that was given grows as its batches shrink, so that they cover as many records
/// as before.
///
/// ```
/// use research_agents_dataset::reduce;
/// use serde_json::json;
///
/// let given = json!({"batch_size": 75, "max_batches": 3, "filters": "{}"});
/// let mut arguments = given.as_object().cloned().unwrap_or_default();
/// let changed = reduce(&mut arguments);
/// assert_eq!(json!(arguments), json!({"batch_size": 37, "max_batches": 7, "filters": "{}"}));
/// assert_eq!(changed["batch_size"], [75, 37]);
/// ```
pub fn reduce(arguments: &mut Object) -> Changed {
    let counts_pages = arguments.keys().any(|name| is_page_number(name));

    let mut changed = Changed::new();
    for (name, floor) in FLOORS {
        if *name == "page_size" && counts_pages {
            continue;
        }
        let Some(old) = arguments.get(*name).and_then(Value::as_u64) else {
            continue;
        };
        let new = (old / REDUCTION_FACTOR).max(*floor).min(old);
        if new < old {
            arguments.insert((*name).to_owned(), new.into());
            changed.insert((*name).to_owned(), [old, new]);
        }
    }

    let batches = arguments.get("max_batches").and_then(Value::as_u64);
    if let (Some([old, new]), Some(batches)) = (changed.get("batch_size").copied(), batches) {
        let covering = batches.saturating_mul(old).div_ceil(new.max(1));
        arguments.insert("max_batches".to_owned(), covering.into());
        changed.insert("max_batches".to_owned(), [batches, covering]);
    }

    changed
}

fn is_page_number(name: &str) -> bool {
    let plain: String = name
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    PAGE_NUMBERS.contains(&plain.as_str())
}

/// Returns what was requested in place of what was wanted, in words; `None` if nothing was changed.
pub(crate) fn shortfall(wanted: &Object, sent: &Object) -> Option<String> {
    let number = |object: &Object, name: &str| object.get(name).and_then(Value::as_u64);
    let parts: Vec<String> = wanted
        .keys()
        .filter_map(|name| {
            let (old, new) = (number(wanted, name)?, number(sent, name)?);
            (new < old).then(|| format!("{name} {new} instead of {old}"))
        })
        .collect();
    (!parts.is_empty()).then(|| format!("after a failure less was asked for: {}", parts.join(", ")))
}

/// Returns a change of one parameter.
pub(crate) fn one(name: &str, old: usize, new: usize) -> Changed {
    BTreeMap::from([(name.to_owned(), [old as u64, new as u64])])
}

#[cfg(test)]
mod tests;

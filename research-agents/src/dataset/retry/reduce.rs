//! Makes the sizes among the arguments of a call smaller.

use std::collections::BTreeMap;

use serde_json::Value;

use super::FACTOR;
use crate::dataset::record::Object;

/// Changed parameters by name: the old value and the new one.
pub type Changed = BTreeMap<String, [u64; 2]>;

/// Sizes, and the smallest value that each is made to. A smaller one that was given stays.
const FLOORS: &[(&str, u64)] =
    &[("batch_size", 10), ("page_size", 10), ("samples_per_bucket", 1), ("top_n", 5), ("top_n_per_group", 2)];

/// Names of a page's number, without case and joints. Where a walk counts pages, a page of another size begins elsewhere.
const PAGE_NUMBERS: &[&str] = &["page", "pagenumber", "pagenum", "pageno", "pageindex"];

/// Halves the sizes among the arguments, down to their floors; gives what changed, which is nothing when all are small already.
///
/// Only whole numbers are changed, and they stay whole numbers; everything else stays as it is. A number of batches that was
/// given grows as its batches shrink, so that they cover as many records as before.
///
/// ```
/// use research_agents::dataset::reduce;
/// use serde_json::json;
///
/// let mut arguments = json!({"batch_size": 75, "max_batches": 3, "filters": "{}"}).as_object().cloned().unwrap_or_default();
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
        let Some(old) = arguments.get(*name).and_then(Value::as_u64) else { continue };
        let new = (old / FACTOR).max(*floor).min(old);
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
    let plain: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    PAGE_NUMBERS.contains(&plain.as_str())
}

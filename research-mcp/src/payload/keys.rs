//! Finds a value by the name of its key, anywhere in what surrounds the records of a result.

use std::collections::VecDeque;

use serde_json::Value;

/// Deepest object that is looked into, counted from the payload.
const DEPTH: usize = 5;

/// The first value that `accept` takes among those whose key is one of the names; names that come first win, then objects
/// nearer to the root. Lists are not entered: records are no place for what a result says about itself.
///
/// Names are given as [`plain`] makes them.
pub(crate) fn find<'a, T>(payload: &'a Value, names: &[&str], accept: impl Fn(&'a Value) -> Option<T>) -> Option<T> {
    let objects = objects(payload);
    names.iter().find_map(|name| {
        let mut fields = objects.iter().filter_map(|object| object.as_object()).flatten();
        fields.find_map(|(key, value)| (plain(key) == *name).then(|| accept(value)).flatten())
    })
}

/// The payload and the objects in it, nearest first.
fn objects(payload: &Value) -> Vec<&Value> {
    let mut found = Vec::new();
    let mut queue = VecDeque::from([(payload, 0)]);
    while let Some((value, depth)) = queue.pop_front() {
        let Some(fields) = value.as_object() else { continue };
        found.push(value);
        if depth < DEPTH {
            let groups = |key: &str| matches!(key, "aggregations" | "aggs" | "facets");
            queue.extend(fields.iter().filter(|(key, _)| !groups(key)).map(|(_, value)| (value, depth + 1)));
        }
    }
    found
}

/// A name in lower case, without separators and without the prefix of OData.
pub(crate) fn plain(name: &str) -> String {
    let name = name.strip_prefix("@odata.").unwrap_or(name);
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn better_names_win_then_nearer_objects_and_records_are_not_entered() {
        let value = json!({"rows": [{"b": 0}], "deep": {"b": 2, "deeper": {"a_": 1, "B": 3}}});
        assert_eq!(find(&value, &["b"], Value::as_u64), Some(2));
        assert_eq!(find(&value, &["a", "b"], Value::as_u64), Some(1));
        assert_eq!(find(&value, &["c"], Value::as_u64), None);
        assert_eq!(plain("@odata.nextLink"), "nextlink");
    }
}

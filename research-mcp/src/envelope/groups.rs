//! Finds the groups of a result and reads them in their various shapes.

use serde_json::{Map, Value};

use super::buckets::{Aggregation, AggregationKind, Bucket};
use super::context::count;
use super::measures::{self, Correlation, Measure};
use crate::payload::keys::{find, plain};
use crate::payload::payload;

/// Where results keep aggregations by name; as [`plain`] writes them.
const CONTAINERS: &[&str] = &["aggregations", "aggs", "facets", "facetfields"];
/// Where results keep the groups of a single aggregation beside the records; no name of these is that of a field.
const SINGLE: &[&str] =
    &["groups", "groupby", "groupcounts", "groupedcounts", "buckets", "datehistogram", "histogram", "timeline"];
/// Lists of groups inside an aggregation.
const LISTS: &[&str] = &["buckets", "groups", "values", "terms", "counts", "entries", "results", "data"];
/// What a group is called, in the order of preference: the readable form of a date goes before its number.
const KEYS: &[&str] = &["keyasstring", "key", "value", "name", "term", "label", "group", "category"];
/// How many records a group has.
const COUNTS: &[&str] = &["doccount", "count", "n", "total", "records", "frequency", "hits"];
/// Records in groups that were not listed.
const OTHERS: &[&str] = &["otherdoccount", "sumotherdoccount", "othercount", "other"];
/// What an object of aggregations has beside groups.
const NO_GROUPS: &[&str] = &["measures", "metrics", "stats", "statistics", "correlations"];
/// Measures of a field, which are no groups.
const MEASURES: &[&str] = &["avg", "average", "mean", "median", "min", "max", "sum", "std", "value", "count"];

/// Reads the groups of a result, wherever it keeps them: `aggregations`, `aggs` or `facets`, each an object or a list, Solr's
/// `facet_counts`, or groups that stand beside the records.
///
/// Groups are lists of objects with a value and a count under any of the usual names, an object of values and counts, or a list
/// in which values and counts take turns. What looks like none of these is left out.
pub fn aggregations(result: &Value) -> Vec<Aggregation> {
    read(&payload(result))
}

/// All aggregations of a payload, those over time last.
pub(super) fn read(payload: &Value) -> Vec<Aggregation> {
    let several = find(payload, CONTAINERS, |value| match value {
        Value::Object(named) => {
            let groups = named.iter().filter(|(name, _)| !NO_GROUPS.contains(&plain(name).as_str()));
            let found = groups.flat_map(|(name, value)| entry(name, value)).collect();
            Some(found).filter(|found: &Vec<_>| !found.is_empty()).or_else(|| single("", value))
        }
        Value::Array(_) => single("", value),
        _ => None,
    });
    let beside = || SINGLE.iter().find_map(|name| find(payload, &[name], |value| single(name, value)));
    let mut found = several.or_else(beside).unwrap_or_default();
    found.sort_by_key(|one| one.kind == AggregationKind::DateHistogram);
    found
}

/// Statistics over all matching records: beside the groups, or where tools keep them alone.
pub(super) fn read_measures(payload: &Value) -> Vec<Measure> {
    let inside = find(payload, CONTAINERS, |value| {
        Some(measures::measures(value.as_object()?)).filter(|found| !found.is_empty())
    });
    let beside = || {
        find(payload, &NO_GROUPS[..4], |value| {
            let alone = Map::from_iter([("measures".to_owned(), value.clone())]);
            Some(measures::measures(&alone)).filter(|found| !found.is_empty())
        })
    };
    inside.or_else(beside).unwrap_or_default()
}

/// Correlations over all matching records.
pub(super) fn read_correlations(payload: &Value) -> Vec<Correlation> {
    find(payload, CONTAINERS, |value| Some(measures::correlations(value.get("correlations")?))).unwrap_or_default()
}

fn single(name: &str, value: &Value) -> Option<Vec<Aggregation>> {
    Some(entry(name, value)).filter(|found| !found.is_empty())
}

/// The aggregations under one name: one, or a list of them.
fn entry(name: &str, value: &Value) -> Vec<Aggregation> {
    match value {
        Value::Array(items) if items.iter().any(holds_list) => {
            items.iter().filter_map(|item| aggregation(name, item)).collect()
        }
        Value::Array(_) | Value::Object(_) => aggregation(name, value).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn aggregation(name: &str, value: &Value) -> Option<Aggregation> {
    let fields = value.as_object();
    let inner = fields.and_then(|fields| LISTS.iter().find_map(|list| named(fields, &[list])));
    let own = fields.filter(|_| inner.is_some()).and_then(field);
    let (buckets, of) = groups(inner.unwrap_or(value))?;
    let kind = fields.and_then(|fields| named(fields, &["type", "kind"])).and_then(Value::as_str);
    let by_time = |name: &str| ["histogram", "timeline", "overtime"].iter().any(|word| plain(name).contains(word));
    let is_histogram = by_time(name) || kind.is_some_and(by_time) || is_by_time(value);
    let name = Some(name).filter(|name| !name.is_empty() && !SINGLE.contains(&plain(name).as_str()));
    Some(Aggregation {
        kind: if is_histogram { AggregationKind::DateHistogram } else { AggregationKind::GroupBy },
        field: own.or(of).or_else(|| name.map(str::to_owned)),
        buckets,
        other_doc_count: fields.and_then(|fields| named(fields, OTHERS)).and_then(count),
    })
}

/// The field, or several joined by `,`, as the aggregation says it.
fn field(fields: &Map<String, Value>) -> Option<String> {
    match named(fields, &["field", "fields", "by", "groupby"])? {
        Value::String(name) => Some(name.clone()),
        Value::Array(names) => names.iter().map(Value::as_str).collect::<Option<Vec<_>>>().map(|names| names.join(",")),
        _ => None,
    }
}

/// The groups of a list or an object, with the name of the field where the groups themselves say it. None where it holds something
/// else; an empty list has no groups.
fn groups(value: &Value) -> Option<(Vec<Bucket>, Option<String>)> {
    match value {
        Value::Array(items) if items.is_empty() => Some((Vec::new(), None)),
        Value::Array(items) if items.iter().any(Value::is_object) => {
            let found: Vec<(Bucket, Option<String>)> = items.iter().filter_map(|item| bucket(item, None)).collect();
            let field = found.first().and_then(|(_, field)| field.clone());
            (!found.is_empty()).then(|| (found.into_iter().map(|(bucket, _)| bucket).collect(), field))
        }
        Value::Array(items) => Some((in_turns(items)?, None)),
        Value::Object(named) => {
            let counts = named.values().all(|value| count(value).is_some());
            let measures = named.keys().all(|name| MEASURES.contains(&plain(name).as_str()));
            if named.is_empty() || (counts && measures) {
                return None;
            }
            if counts {
                let bucket = |(name, value): (&String, &Value)| {
                    Some(Bucket { key: name.as_str().into(), doc_count: count(value)?, ..Bucket::default() })
                };
                return Some((named.iter().filter_map(bucket).collect(), None));
            }
            let found: Vec<Bucket> =
                named.iter().filter_map(|(name, item)| Some(bucket(item, Some(name))?.0)).collect();
            (!found.is_empty()).then_some((found, None))
        }
        _ => None,
    }
}

/// Solr's lists, in which values and counts take turns.
fn in_turns(items: &[Value]) -> Option<Vec<Bucket>> {
    let pairs = items.chunks(2).map(|pair| match pair {
        [key @ (Value::String(_) | Value::Null), number] => {
            Some(Bucket { key: key.clone(), doc_count: count(number)?, ..Bucket::default() })
        }
        _ => None,
    });
    pairs.collect()
}

/// One group; and the name of the field, where the group has its value under it as a row of a table does.
fn bucket(value: &Value, name: Option<&String>) -> Option<(Bucket, Option<String>)> {
    let fields = value.as_object()?;
    let (counted, doc_count) = COUNTS
        .iter()
        .find_map(|name| fields.iter().find(|(key, value)| plain(key) == *name && count(value).is_some()))?;
    let doc_count = count(doc_count)?;
    let nested = fields.get("buckets").or_else(|| fields.get("sub_buckets"));
    let nested = nested.or_else(|| fields.values().find_map(|inner| inner.get("buckets")));
    let known = || KEYS.iter().find_map(|name| fields.iter().find(|(key, _)| plain(key) == *name));
    let (key, field) = match (known(), name) {
        (Some((_, key)), _) => (key.clone(), None),
        (None, Some(name)) => (name.as_str().into(), None),
        (None, None) => {
            let row = fields.iter().filter(|(key, value)| {
                *key != counted
                    && !value.is_object()
                    && !value.is_array()
                    && !value.is_f64()
                    && !measures::is_named(key)
            });
            let (names, mut values): (Vec<&str>, Vec<Value>) =
                row.map(|(key, value)| (key.as_str(), value.clone())).unzip();
            match values.len() {
                0 => return None,
                1 => (values.remove(0), Some(names.join(","))),
                _ => (Value::Array(values), Some(names.join(","))),
            }
        }
    };
    let inner = nested.and_then(groups).map(|(buckets, _)| buckets).unwrap_or_default();
    let samples = fields.get("samples").and_then(Value::as_array).cloned().unwrap_or_default();
    let measures = measures::measures(fields);
    Some((Bucket { key, doc_count, buckets: inner, samples, measures }, field))
}

/// The first value under one of these names.
fn named<'a>(fields: &'a Map<String, Value>, names: &[&str]) -> Option<&'a Value> {
    names.iter().find_map(|name| fields.iter().find(|(key, _)| plain(key) == *name)).map(|(_, value)| value)
}

/// An aggregation, which has a list of groups inside; a group with groups inside has a value and a count too.
fn holds_list(item: &Value) -> bool {
    let holds = |fields: &Map<String, Value>| {
        let is_list = |value: &Value| value.is_array() || value.is_object();
        let is_group =
            named(fields, KEYS).is_some() && named(fields, COUNTS).is_some_and(|value| count(value).is_some());
        LISTS.iter().any(|list| named(fields, &[list]).is_some_and(is_list)) && !is_group
    };
    item.as_object().is_some_and(holds)
}

/// The groups have a readable date beside the number that stands for it.
fn is_by_time(value: &Value) -> bool {
    let list = value.as_array().or_else(|| value.get("buckets")?.as_array());
    list.and_then(|list| list.first()).is_some_and(|first| first.get("key_as_string").is_some())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    type Groups = Vec<(Value, u64)>;

    /// Field and groups of each aggregation.
    fn found(payload: Value) -> Vec<(Option<String>, Groups)> {
        let groups = |one: Aggregation| one.buckets.into_iter().map(|bucket| (bucket.key, bucket.doc_count)).collect();
        read(&payload).into_iter().map(|one| (one.field.clone(), groups(one))).collect()
    }

    #[test]
    fn groups_are_read_in_many_shapes() {
        let expected = vec![(Some("damage".to_owned()), vec![(json!("None"), 7), (json!("Minor"), 2)])];
        let list = |key: &str, count: &str| json!([{key: "None", count: 7}, {key: "Minor", count: 2}]);
        for payload in [
            json!({"aggregations": {"group_by": {"fields": ["damage"], "buckets": list("value", "count")}}}),
            json!({"aggregations": [{"field": "damage", "buckets": list("key", "doc_count"), "total": 9}]}),
            json!({"aggs": {"damage": {"buckets": list("key", "doc_count")}}}),
            json!({"data": {"facets": {"damage": list("term", "count")}}}),
            json!({"facets": [{"name": "x", "field": "damage", "values": list("name", "n")}]}),
            json!({"facets": {"damage": {"Minor": 2, "None": 7}}}),
            json!({"facet_counts": {"facet_fields": {"damage": ["None", 7, "Minor", 2]}}, "response": {"docs": []}}),
            json!({"hits": [{"damage": "None"}], "groups": list("damage", "count")}),
            json!({"group_by": "damage", "groups": list("damage", "count")}),
        ] {
            let mut read = found(payload.clone());
            read.iter_mut().for_each(|(_, groups)| groups.sort_by_key(|group| std::cmp::Reverse(group.1)));
            assert_eq!(read, expected, "{payload}");
        }
    }

    #[test]
    fn rows_with_several_values_are_groups_of_several_fields() {
        let rows = json!([{"phase": "Climb", "size": "Small", "count": 4, "share": 0.5}, {"phase": "Climb", "size": null, "count": 1}]);
        let expected = vec![(json!(["Climb", "Small"]), 4), (json!(["Climb", null]), 1)];
        assert_eq!(found(json!({ "groups": rows })), [(Some("phase,size".to_owned()), expected)]);
    }

    #[test]
    fn histograms_come_last_and_what_is_no_group_is_left_out() {
        let payload = json!({"aggregations": {
            "date_histogram": {"field": "day", "buckets": [{"key": "2024", "doc_count": 3}]},
            "group_by": {"field": "size", "buckets": [{"key": "Small", "doc_count": 3}]},
            "speed": {"min": 3, "max": 9, "count": 2}, "mean_cost": {"value": 3.0}, "n": 7
        }});
        let kinds: Vec<_> = read(&payload).into_iter().map(|one| (one.kind, one.field.unwrap())).collect();
        assert_eq!(kinds, [(AggregationKind::GroupBy, "size".into()), (AggregationKind::DateHistogram, "day".into())]);
        for none in [
            json!({"aggregations": 3}),
            json!({"groups": ["a", "b"]}),
            json!({"documents": [{"count": 3, "name": "x"}]}),
        ] {
            assert!(read(&none).is_empty(), "{none}");
        }
    }
}

//! The field profile: what the records that were read hold, counted by code.

use std::collections::{HashMap, HashSet};

use research_agents_report::evidence::{
    Source, SourceRegistry, mean_of_numbers, median_of_sorted, plain, sum_of_numbers,
};
use serde_json::Value;

use crate::data::task::{FieldKind, FieldProfile, NumberProfile};
use crate::tools::documents::{flatten, is_blank};

/// The maximum number of most frequent values that a profile lists.
const TOP: usize = 10;

/// Returns a profile of each field, in the order in which the fields first appear. Fields that only
/// repeat the records' ids are left out.
pub(crate) fn profile(sources: &SourceRegistry) -> Vec<FieldProfile> {
    let rows: Vec<(&Source, HashMap<String, Value>)> = sources
        .iter()
        .map(|source| {
            (
                source.as_ref(),
                flatten(source.fields.for_code()).into_iter().collect(),
            )
        })
        .collect();

    let mut names = Vec::new();
    let mut known = HashSet::new();
    for source in sources.iter() {
        for (name, _) in flatten(source.fields.for_code()) {
            if known.insert(name.clone()) {
                names.push(name);
            }
        }
    }

    let is_id = |name: &String| {
        rows.iter().all(|(source, row)| {
            row.get(name)
                .is_some_and(|value| plain(value) == source.record)
        })
    };

    names
        .iter()
        .filter(|name| !is_id(name))
        .map(|name| field(name, &rows))
        .collect()
}

fn field(name: &str, rows: &[(&Source, HashMap<String, Value>)]) -> FieldProfile {
    let cells: Vec<(&Source, &Value)> = rows
        .iter()
        .filter_map(|(source, row)| Some((*source, row.get(name)?)))
        .filter(|cell| !is_blank(cell.1))
        .collect();
    let present = cells.len() as u64;
    let kind = kind(&cells);

    let mut counts: HashMap<String, (Value, u64)> = HashMap::new();
    for (_, value) in &cells {
        counts
            .entry(plain(value))
            .or_insert_with(|| ((*value).clone(), 0))
            .1 += 1;
    }

    let distinct = counts.len() as u64;
    let mut top: Vec<(String, (Value, u64))> = counts.into_iter().collect();
    top.sort_by(|a, b| b.1.1.cmp(&a.1.1).then_with(|| a.0.cmp(&b.0)));

    FieldProfile {
        field: name.to_owned(),
        kind,
        present,
        missing: rows.len() as u64 - present,
        distinct,
        top: top.into_iter().take(TOP).map(|(_, cell)| cell).collect(),
        numbers: if kind == FieldKind::Number {
            numbers(&cells)
        } else {
            None
        },
        dates: if kind == FieldKind::Date {
            dates(&cells)
        } else {
            None
        },
    }
}

/// Returns the type that all values have, else text.
fn kind(cells: &[(&Source, &Value)]) -> FieldKind {
    let all =
        |test: fn(&Value) -> bool| !cells.is_empty() && cells.iter().all(|(_, value)| test(value));
    if all(Value::is_number) {
        FieldKind::Number
    } else if all(Value::is_boolean) {
        FieldKind::Boolean
    } else if all(|value| value.as_str().is_some_and(is_date)) {
        FieldKind::Date
    } else {
        FieldKind::Text
    }
}

/// Returns whether a string is an ISO 8601 date or date-time.
fn is_date(text: &str) -> bool {
    let day = text.get(..10).unwrap_or(text);
    let rest = text.get(10..).unwrap_or_default();
    day.parse::<jiff::civil::Date>().is_ok() && (rest.is_empty() || rest.starts_with(['T', ' ']))
}

fn numbers(cells: &[(&Source, &Value)]) -> Option<NumberProfile> {
    let mut sorted: Vec<(f64, &str)> = cells
        .iter()
        .filter_map(|(source, value)| Some((value.as_f64()?, source.id.as_str())))
        .collect();

    // Stable: among equal values the first record read is the holder.
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (first, last) = (sorted.first()?, sorted.last()?);
    let largest = sorted.iter().find(|(number, _)| *number == last.0)?;
    let values: Vec<f64> = sorted.iter().map(|(number, _)| *number).collect();

    Some(NumberProfile {
        min: (first.0, first.1.to_owned()),
        max: (largest.0, largest.1.to_owned()),
        median: median_of_sorted(&values)?,
        mean: mean_of_numbers(&values)?,
        sum: sum_of_numbers(&values).unwrap_or(f64::NAN),
    })
}

fn dates(cells: &[(&Source, &Value)]) -> Option<(String, String)> {
    let days = || cells.iter().filter_map(|(_, value)| value.as_str());
    Some((days().min()?.to_owned(), days().max()?.to_owned()))
}

#[cfg(test)]
mod tests {
    use research_agents_report::claim::Statistic;
    use research_agents_report::evidence::Evidence;
    use research_agents_report::text::Untrusted;
    use serde_json::json;

    use super::*;

    fn sources() -> SourceRegistry {
        let mut registry = SourceRegistry::default();
        for (id, fields) in [
            (
                "1",
                json!({"id": 1, "size": "Small", "speed": 10, "day": "1995-03-02",
                    "place": {"state": "Ohio"}}),
            ),
            (
                "2",
                json!({"id": 2, "size": "Large", "speed": 30, "day": "1994-01-01",
                    "place": {"state": ""}}),
            ),
            (
                "3",
                json!({"id": 3, "size": "Small", "speed": null, "day": "1999-12-31",
                    "place": {"state": "Utah"}}),
            ),
            (
                "4",
                json!({"id": 4, "size": "Small", "speed": 30, "day": "1999-12-31"}),
            ),
        ] {
            let fields = Untrusted::new(fields.as_object().unwrap().clone());
            registry.register(Source {
                tool: "t".into(),
                record: id.into(),
                fields,
                ..Source::default()
            });
        }

        registry
    }

    fn named(name: &str) -> FieldProfile {
        profile(&sources())
            .into_iter()
            .find(|field| field.field == name)
            .unwrap()
    }

    #[test]
    fn values_are_counted_and_empty_cells_are_missing() {
        let size = named("size");
        assert_eq!(size.top, [(json!("Small"), 3), (json!("Large"), 1)]);
        let state = named("place.state");
        assert_eq!((state.present, state.missing, state.distinct), (2, 2, 2));
        assert!(profile(&sources()).iter().all(|field| field.field != "id"));
    }

    #[test]
    fn numbers_and_dates_have_their_own_summaries() {
        let speed = named("speed");
        assert_eq!(speed.kind, FieldKind::Number);
        let numbers = speed.numbers.unwrap();
        assert_eq!(
            (numbers.min, numbers.max),
            ((10.0, "1".into()), (30.0, "2".into()))
        );
        assert_eq!((numbers.median, numbers.sum), (30.0, 70.0));
        let day = named("day");
        assert_eq!(
            (day.kind, day.dates),
            (
                FieldKind::Date,
                Some(("1994-01-01".into(), "1999-12-31".into()))
            )
        );
    }

    #[test]
    fn the_profile_agrees_with_the_checker() {
        let numbers = named("speed").numbers.unwrap();
        let evidence = Evidence {
            sources: sources(),
            tables: Vec::new(),
            ..Evidence::default()
        };
        for (statistic, value) in [
            (Statistic::Mean, numbers.mean),
            (Statistic::Median, numbers.median),
            (Statistic::Sum, numbers.sum),
        ] {
            assert_eq!(evidence.statistic("speed", statistic), Some(value));
        }
    }
}

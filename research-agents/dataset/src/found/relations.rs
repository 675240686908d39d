//! Relations between the fields of the records read: values that go together more or less often
//! than by chance, and numbers that differ by group.

pub(crate) mod column;
pub(crate) mod measures;

use std::collections::{BTreeMap, HashSet};

use research_agents_report::evidence::{Source, SourceRegistry, plain};

use crate::data::task::{FieldKind, FieldProfile, Relations, ValuePair};
use crate::found::relations::column::{Column, FEWEST};
use crate::found::relations::measures::measures;

/// The maximum number of pairs that are listed.
const PAIRS: usize = 8;

/// A pair is reported from so many standard deviations above or below what independent fields would
/// give (adjusted residual, Haberman 1973): many pairs are compared, and one in two thousand gets
/// there by chance.
const FROM_CHANCE: f64 = 3.5;

/// And if the share of one value among the records with the other is so far from its share in all
/// records.
const APART: f64 = 0.1;

/// A field with more values than this is not compared with others, nor one with a longer value.
const VALUES: (u64, usize) = (200, 80);

/// Returns what the fields of the records show together.
pub(crate) fn relations(sources: &SourceRegistry, profile: &[FieldProfile]) -> Relations {
    let records: Vec<&Source> = sources.iter().map(|source| source.as_ref()).collect();
    let columns: Vec<Column<'_>> = profile
        .iter()
        .filter(|field| divides(field))
        .map(|field| Column::new(&field.field, &records))
        .collect();
    let numeric = profile
        .iter()
        .filter(|field| field.kind == FieldKind::Number && !is_label(&field.field));
    let numeric: Vec<&str> = numeric.map(|field| field.field.as_str()).collect();
    Relations {
        pairs: pairs(&columns, records.len()),
        measures: measures(&records, &numeric, &columns),
    }
}

/// Returns whether a field's values divide the records into groups.
fn divides(field: &FieldProfile) -> bool {
    matches!(field.kind, FieldKind::Text | FieldKind::Boolean)
        && (2..=VALUES.0).contains(&field.distinct)
        && field.distinct < field.present
        // Counts over two fields are stated under their names joined by a comma.
        && !field.field.contains(',')
        && field.top.iter().all(|(value, _)| plain(value).chars().count() <= VALUES.1)
}

/// Returns whether the numbers of a field name records, years or places and measure nothing.
fn is_label(name: &str) -> bool {
    const LABELS: &[&str] = &[
        "id",
        "index",
        "year",
        "latitude",
        "longitude",
        "lat",
        "lon",
        "lng",
        "zip",
        "code",
        "no",
    ];
    words(name).any(|word| LABELS.contains(&word.as_str()))
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

fn pairs(columns: &[Column<'_>], records: usize) -> Vec<ValuePair> {
    let mut found: Vec<(f64, ValuePair)> = Vec::new();
    for (at, a) in columns.iter().enumerate() {
        found.extend(
            columns[at + 1..]
                .iter()
                .flat_map(|b| clearest(a, b, records)),
        );
    }
    found.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
    found
        .into_iter()
        .map(|(_, pair)| pair)
        .take(PAIRS)
        .collect()
}

/// Returns the pair of values of two fields that is furthest from chance, with its distance: what
/// is rarer together than by chance counts as much as what is more frequent. A second pair is the
/// next one of other values of which one never comes without the other.
fn clearest(a: &Column<'_>, b: &Column<'_>, records: usize) -> Vec<(f64, ValuePair)> {
    let crossed: Vec<(&String, BTreeMap<String, u64>)> = a
        .groups
        .iter()
        .map(|(x, with_x)| (x, b.counts(with_x)))
        .collect();

    // Where one field decides the other, as an airport does its state, the pair says nothing new.
    let together: usize = crossed.iter().map(|(_, counts)| counts.len()).sum();
    if together * 10 <= a.groups.len().max(b.groups.len()) * 11 {
        return Vec::new();
    }

    let all = records as f64;

    let mut clear: Vec<(f64, f64, ValuePair)> = Vec::new();
    for ((x, counts), with_x) in crossed.into_iter().zip(a.groups.values()) {
        for (y, with_y) in &b.groups {
            let number = counts.get(y).copied().unwrap_or(0);
            let (nx, ny, n) = (with_x.len() as f64, with_y.len() as f64, number as f64);
            let expected = nx * ny / all;
            let from_chance =
                (n - expected) / (expected * (1.0 - nx / all) * (1.0 - ny / all)).sqrt();
            let apart = (n / nx - ny / all).abs().max((n / ny - nx / all).abs());
            // Few records show nothing together, and nothing where few were to be expected.
            let is_clear = n.max(expected) >= FEWEST as f64
                && from_chance.abs() >= FROM_CHANCE
                && apart >= APART;
            if is_clear && !share_a_word(x, y) {
                let pair = ValuePair {
                    fields: [a.name.clone(), b.name.clone()],
                    values: [a.value(with_x), b.value(with_y)],
                    together: number,
                    each: [with_x.len() as u64, with_y.len() as u64],
                };
                clear.push((from_chance, apart, pair));
            }
        }
    }

    let best = |found: &[(f64, f64, ValuePair)]| {
        let clearer = |best: usize, at: usize| {
            let of = |at: usize| (found[at].0, found[at].1);
            if is_clearer(of(at), of(best)) {
                at
            } else {
                best
            }
        };
        (0..found.len()).reduce(clearer)
    };

    let Some(first) = best(&clear).map(|at| clear.swap_remove(at)) else {
        return Vec::new();
    };

    // With two values each, any pair implies the others.
    let is_open = a.groups.len().max(b.groups.len()) > 2;
    clear.retain(|(_, _, pair)| {
        let is_other = pair.values[0] != first.2.values[0] && pair.values[1] != first.2.values[1];
        is_open && is_other && pair.each.contains(&pair.together)
    });
    let second = best(&clear).map(|at| clear.swap_remove(at));

    [Some(first), second]
        .into_iter()
        .flatten()
        .map(|(from_chance, _, pair)| (from_chance, pair))
        .collect()
}

/// Returns whether one deviation from chance, with the difference in shares that it makes, is
/// clearer than another. Two values of a field mirror each other: there the larger difference is
/// clearer, and of equal ones that of what is more frequent.
pub(crate) fn is_clearer((deviation, apart): (f64, f64), (known, gap): (f64, f64)) -> bool {
    let is_same = |a: f64, b: f64| (a - b).abs() < 1e-6;
    if !is_same(deviation.abs(), known.abs()) {
        deviation.abs() > known.abs()
    } else if !is_same(apart, gap) {
        apart > gap
    } else {
        deviation > known && !is_same(deviation, known)
    }
}

/// Returns whether two values have a word in common: *Small* and *Unknown bird - small* say the
/// same.
fn share_a_word(x: &str, y: &str) -> bool {
    let x: HashSet<String> = words(x).filter(|word| word.chars().count() > 2).collect();
    words(y).any(|word| x.contains(&word))
}

#[cfg(test)]
mod tests {
    use research_agents_report::check::Checker;
    use research_agents_report::claim::{Claim, Statement, Statistic};
    use research_agents_report::evidence::Evidence;
    use research_agents_report::text::Untrusted;
    use serde_json::{Value, json};

    use super::*;
    use crate::found::profile::profile;

    fn registry(rows: impl IntoIterator<Item = Value>) -> SourceRegistry {
        let mut registry = SourceRegistry::default();
        for (at, row) in rows.into_iter().enumerate() {
            let fields = Untrusted::new(row.as_object().unwrap().clone());
            registry.register(Source {
                tool: "t".into(),
                record: format!("r{at}"),
                fields,
                ..Source::default()
            });
        }
        registry
    }

    /// Returns records of strikes: large birds break things, and what they break costs more; the
    /// weekday has nothing to do with it.
    fn strikes() -> SourceRegistry {
        registry((0..60_u32).map(|at| {
            let size = if at % 3 == 0 { "Large" } else { "Small" };
            let damage = if at % 3 == 0 && at % 2 == 0 {
                "Heavy"
            } else {
                "Little"
            };
            json!({
                "size": size, "damage": damage, "weekday": (["Mon", "Tue",
                    "Wed"][(at / 6) as usize % 3]),
                "cost": if size == "Large" { 100 + at } else { at % 7 },
            })
        }))
    }

    fn of(sources: &SourceRegistry) -> Relations {
        relations(sources, &profile(sources))
    }

    #[test]
    fn what_goes_together_is_found_with_its_counts() {
        let pairs = of(&strikes()).pairs;
        assert_eq!(pairs.len(), 1, "{pairs:?}");
        assert_eq!(pairs[0].fields, ["size", "damage"]);
        assert_eq!(
            (pairs[0].values.clone(), pairs[0].together, pairs[0].each),
            ([json!("Large"), json!("Heavy")], 10, [20, 10])
        );
    }

    #[test]
    fn what_is_rarer_together_than_by_chance_is_found_where_it_is_clearer() {
        // Of 17 large ones 8 are whole where 14.6 were to be expected; the 6 dents among them are
        // less far from chance.
        let rows = (0..165_u32).map(|at| {
            let size = if at < 17 { "Large" } else { "Small" };
            let damage = match at {
                0..8 | 17..151 => "Whole",
                8..14 | 151..162 => "Dent",
                _ => "Wreck",
            };
            json!({"size": size, "damage": damage})
        });
        let pairs = of(&registry(rows)).pairs;

        assert_eq!(
            (pairs[0].values.clone(), pairs[0].together),
            ([json!("Large"), json!("Whole")], 8),
            "{pairs:?}"
        );

        // No record of the first group is in q, which holds more than half of the others.
        let never = (0..60_u32).map(|at| {
            let (group, place) = (["x", "y", "z"][at as usize % 3], at / 3);
            let own = match (group, place % 4, place % 8) {
                ("x", ..) => ["p", "r"][place as usize % 2],
                (_, 0, 0) => "p",
                (_, 0, _) => "r",
                _ => "q",
            };
            json!({"a": group, "b": own})
        });
        let pairs = of(&registry(never)).pairs;

        assert_eq!(
            (pairs[0].values.clone(), pairs[0].together),
            ([json!("x"), json!("q")], 0),
            "{pairs:?}"
        );
    }

    #[test]
    fn of_values_that_mirror_each_other_the_clearest_and_more_frequent_is_told() {
        let rows = (0..100_u32).map(
            |at| json!({"a": at % 4 == 0, "b": if at % 4 == 0 || at % 5 == 0 { "p" } else { "q" }}),
        );
        let pairs = of(&registry(rows)).pairs;
        assert_eq!(
            (pairs[0].values.clone(), pairs[0].together),
            ([json!(true), json!("p")], 25),
            "{pairs:?}"
        );
    }

    #[test]
    fn each_value_that_never_comes_without_another_is_told() {
        let rows = (0..90_u32).map(|at| {
            let island = match at {
                0..40 | 70..80 => "Biscoe",
                _ => "Dream",
            };
            let species = match at {
                0..40 => "Gentoo",
                40..70 => "Chinstrap",
                _ => "Adelie",
            };
            json!({"species": species, "island": island})
        });
        let pairs = of(&registry(rows)).pairs;
        let summary: Vec<_> = pairs
            .iter()
            .map(|pair| (pair.values.clone(), pair.together))
            .collect();

        assert_eq!(
            summary,
            [
                ([json!("Gentoo"), json!("Biscoe")], 40),
                ([json!("Chinstrap"), json!("Dream")], 30)
            ]
        );
    }

    #[test]
    fn numbers_that_differ_by_group_are_summarised() {
        let measures = of(&strikes()).measures;

        assert_eq!(
            (measures[0].field.as_str(), measures[0].by.as_str()),
            ("cost", "size")
        );
        assert_eq!(
            (
                measures[0].groups[0].value.clone(),
                measures[0].groups[0].records
            ),
            (json!("Large"), 20)
        );
        assert!(measures[0].left_out.is_empty(), "{measures:?}");

        let mut rows: Vec<Value> = strikes()
            .iter()
            .map(|row| json!(row.fields.for_code()))
            .collect();
        rows.extend((0..4).map(|at| json!({"size": "Huge", "cost": 9000 + at})));
        rows.push(json!({"size": "Tiny"}));
        let left_out = &of(&registry(rows)).measures[0].left_out;
        let few: Vec<_> = left_out
            .iter()
            .map(|group| (group.value.clone(), group.records, group.median))
            .collect();

        assert_eq!(
            few,
            [(json!("Huge"), 4, 9001.5)],
            "who has too few numbers is not dropped silently"
        );
        assert!(
            measures.iter().all(|measure| measure.by != "weekday"),
            "{measures:?}"
        );
    }

    #[test]
    fn the_checker_finds_the_same_numbers() {
        let sources = strikes();
        let found = of(&sources);
        let evidence = Evidence {
            sources,
            tables: Vec::new(),
            ..Evidence::default()
        };
        let checker = Checker::new(&evidence, []);
        let mut claims = Vec::new();
        for measure in &found.measures {
            for group in &measure.groups {
                for (statistic, number) in [
                    (Statistic::Median, group.median),
                    (Statistic::Mean, group.mean),
                    (Statistic::Sum, group.sum),
                ] {
                    let (field, by, value) = (
                        measure.field.clone(),
                        measure.by.clone(),
                        group.value.clone(),
                    );
                    claims.push(Claim::GroupStatistic {
                        field,
                        statistic,
                        number,
                        by,
                        value,
                    });
                }
            }
        }

        assert!(!claims.is_empty());

        for claim in claims {
            let statement = Statement {
                text: "So it is.".into(),
                claims: vec![claim],
            };
            assert!(checker.check(&statement).is_ok(), "{statement:?}");
        }
    }

    #[test]
    fn few_records_and_fields_that_decide_each_other_show_nothing() {
        let places = (0..40_u32)
            .map(|at| json!({"city": format!("c{}", at % 8), "state": format!("s{}", at % 8 / 2)}));
        assert_eq!(of(&registry(places)), Relations::default());
        let few = (0..4_u32).map(|at| json!({"a": at % 2 == 0, "b": at % 2 == 0, "n": at % 2}));
        assert_eq!(of(&registry(few)), Relations::default());
    }
}

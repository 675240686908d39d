//! Changes to a typed claim or to the citations of a sentence: each with the class that it belongs to.

use std::collections::BTreeSet;

use research_agents::dataset::DatasetReport;
use research_agents::kernel::report::Sentence;
use research_agents::kernel::{Basis, Claim, Statistic};
use serde_json::Value;

/// Numbers near a number: one more, one less, each digit changed, two neighbouring digits exchanged.
pub(crate) fn near(number: u64) -> BTreeSet<u64> {
    let digits: Vec<u8> = number.to_string().into_bytes();
    let read = |digits: &[u8]| String::from_utf8_lossy(digits).parse::<u64>().ok();
    let mut found = BTreeSet::from([number + 1, number.saturating_sub(1)]);
    for at in 0..digits.len() {
        let mut changed = digits.clone();
        changed[at] = b'0' + (digits[at] - b'0' + 3) % 10;
        found.extend(read(&changed));
        let mut swapped = digits.clone();
        if at + 1 < swapped.len() {
            swapped.swap(at, at + 1);
            found.extend(read(&swapped));
        }
    }
    found.remove(&number);
    found
}

/// Every change of a claim, given the report that it stands in and the claims beside it.
pub(crate) fn of_claim(claim: &Claim, beside: &[Claim], report: &DatasetReport) -> Vec<(&'static str, Claim)> {
    match claim {
        Claim::Count { over, field, value, number } => {
            let with = |over: &Basis, field: &str, value: &Value, number: u64| Claim::Count {
                over: over.clone(),
                field: field.to_owned(),
                value: value.clone(),
                number,
            };
            let mut found: Vec<_> =
                near(*number).into_iter().map(|near| ("count changed", with(over, field, value, near))).collect();
            let others = beside.iter().filter_map(number_of).filter(|other| other != number);
            found.extend(others.map(|other| ("count swapped", with(over, field, value, other))));
            found.extend(
                values_beside(claim, beside, report).iter().map(|v| ("value changed", with(over, field, v, *number))),
            );
            found.extend(
                fields(report)
                    .iter()
                    .filter(|name| *name != field)
                    .map(|name| ("field changed", with(over, name, value, *number))),
            );
            found.extend(bases(over, report).iter().map(|basis| ("basis changed", with(basis, field, value, *number))));
            found
        }
        Claim::Total { over, number } => {
            let mut found: Vec<_> = near(*number)
                .into_iter()
                .map(|number| ("count changed", Claim::Total { over: over.clone(), number }))
                .collect();
            let others = beside.iter().filter_map(number_of).filter(|other| other != number);
            found.extend(others.map(|number| ("count swapped", Claim::Total { over: over.clone(), number })));
            found.extend(
                bases(over, report).into_iter().map(|over| ("basis changed", Claim::Total { over, number: *number })),
            );
            found
        }
        Claim::Statistic { field, statistic, number, source } => {
            let with = |field: &str, statistic, number, source: &Option<String>| Claim::Statistic {
                field: field.to_owned(),
                statistic,
                number,
                source: source.clone(),
            };
            let step = if number.abs() < 1.0 { 0.1 } else { 1.0 };
            let changed = [number + step, number - step, number * 10.0 + step, -number - step, number + step / 100.0];
            let mut found: Vec<_> =
                changed.into_iter().map(|near| ("statistic changed", with(field, *statistic, near, source))).collect();
            let kinds = [Statistic::Min, Statistic::Max, Statistic::Mean, Statistic::Median, Statistic::Sum];
            let others = kinds.into_iter().filter(|kind| kind != statistic);
            found.extend(others.map(|kind| ("statistic of another kind", with(field, kind, *number, source))));
            let names = fields(report);
            found.extend(
                names
                    .iter()
                    .filter(|name| *name != field)
                    .map(|name| ("field changed", with(name, *statistic, *number, source))),
            );
            if let Some(own) = source {
                let ids = other_sources(own, report);
                found.extend(
                    ids.into_iter().map(|id| ("source id changed", with(field, *statistic, *number, &Some(id)))),
                );
            }
            found
        }
        Claim::GroupStatistic { field, statistic, number, by, value } => {
            let with = |number, by: &str, statistic, value: &Value| Claim::GroupStatistic {
                field: field.clone(),
                statistic,
                number,
                by: by.to_owned(),
                value: value.clone(),
            };
            let step = if number.abs() < 1.0 { 0.1 } else { 1.0 };
            let changed = [number + step, number - step, number * 10.0 + step, number + step / 100.0];
            let mut found: Vec<_> =
                changed.into_iter().map(|near| ("statistic changed", with(near, by, *statistic, value))).collect();
            let kinds = [Statistic::Min, Statistic::Max, Statistic::Mean, Statistic::Median, Statistic::Sum];
            let others = kinds.into_iter().filter(|kind| kind != statistic);
            found.extend(others.map(|kind| ("statistic of another kind", with(*number, by, kind, value))));
            let held =
                report.sources.iter().take(9).filter_map(|source| source.field(by)).filter(|held| *held != value);
            found.extend(held.map(|held| ("value changed", with(*number, by, *statistic, held))));
            found.extend(
                fields(report)
                    .iter()
                    .filter(|name| *name != by)
                    .map(|name| ("field changed", with(*number, name, *statistic, value))),
            );
            found
        }
        Claim::Quote { source, text, start } => {
            let with = |source: &str, text: &str, start: Option<usize>| Claim::Quote {
                source: source.to_owned(),
                text: text.to_owned(),
                start,
            };
            let at = start.unwrap_or(0);
            let shifted = [at + 1, at.wrapping_sub(1), at + 7, at.wrapping_sub(7), at + 1000, 0].into_iter();
            let mut found: Vec<_> = shifted
                .filter(|shifted| *shifted != at)
                .map(|shifted| ("span shifted", with(source, text, Some(shifted))))
                .collect();
            found.push(("span dropped", with(source, text, None)));
            found.extend(letters(text).into_iter().map(|changed| ("quote altered", with(source, &changed, *start))));
            let ids = other_sources(source, report);
            found.extend(ids.iter().map(|id| ("source id changed", with(id, text, *start))));
            let foreign = ids.iter().filter_map(|id| report.sources.get(id));
            found.extend(foreign.filter_map(|other| {
                let line = other.text.for_code().lines().last()?.to_owned();
                (!line.is_empty() && line != *text).then(|| ("quote of another source", with(source, &line, *start)))
            }));
            found
        }
        computed => of_computed(computed, report),
    }
}

const KINDS: [Statistic; 7] = [
    Statistic::Min,
    Statistic::Max,
    Statistic::Mean,
    Statistic::Median,
    Statistic::Sum,
    Statistic::Count,
    Statistic::Distinct,
];

/// Every change of one member of a claim on what the data source computed, or on a record.
fn of_computed(claim: &Claim, report: &DatasetReport) -> Vec<(&'static str, Claim)> {
    let mut found = Vec::new();
    let mut add = |class, change: &dyn Fn(&mut Claim)| {
        let mut changed = claim.clone();
        change(&mut changed);
        found.push((class, changed));
    };

    // The aggregation, the record, and the field.
    let own = claim.aggregation().unwrap_or_default();
    let tables = report.aggregations.iter().map(|table| table.id.as_str()).chain(["A99"]);
    for id in tables.filter(|id| !own.is_empty() && *id != own) {
        add("basis changed", &|claim| id.clone_into(claim.aggregation_mut().unwrap()));
    }
    if let Claim::Field { source, .. } | Claim::Ranked { source, .. } = claim {
        for id in other_sources(source, report) {
            add("source id changed", &|claim| id.clone_into(claim.source_mut().unwrap()));
        }
    }
    for name in fields(report) {
        add("field changed", &|claim| match claim {
            Claim::Measure { field, .. }
            | Claim::GroupMeasure { field, .. }
            | Claim::MeasureText { field, .. }
            | Claim::Field { field, .. }
            | Claim::Ranked { field, .. } => field.clone_from(&name),
            Claim::Correlation { fields, .. } => fields[1].clone_from(&name),
            _ => {}
        });
        add("field changed", &|claim| match claim {
            Claim::GroupMeasure { by, .. } => by.clone_from(&name),
            Claim::MeasureText { group: Some((by, _)), .. } => by.clone_from(&name),
            Claim::Correlation { fields, .. } => fields[0].clone_from(&name),
            _ => {}
        });
    }

    // The statistic and its number.
    for kind in KINDS {
        add("statistic of another kind", &|claim| {
            if let Claim::Measure { statistic, .. }
            | Claim::GroupMeasure { statistic, .. }
            | Claim::MeasureText { statistic, .. } = claim
            {
                *statistic = kind;
            }
        });
    }
    for change in [|x: f64| x + 1.0, |x: f64| x - 1.0, |x: f64| x * 10.0 + 1.0, |x: f64| -x - 1.0, |x: f64| x + 0.01] {
        add("measure changed", &|claim| {
            if let Claim::Measure { number, .. } | Claim::GroupMeasure { number, .. } = claim {
                *number = change(*number);
            }
        });
        add("correlation changed", &|claim| {
            if let Claim::Correlation { number, .. } = claim {
                *number = change(*number);
            }
        });
    }
    for step in [1, 2, 5, 10, 100] {
        add("correlation changed", &|claim| {
            if let Claim::Correlation { count, .. } = claim {
                *count += step;
            }
        });
        add("place changed", &|claim| {
            if let Claim::Ranked { place, .. } = claim {
                *place += step;
            }
        });
    }
    add("place changed", &|claim| {
        if let Claim::Ranked { place, .. } = claim {
            *place -= 1;
        }
    });
    add("direction changed", &|claim| {
        if let Claim::Ranked { highest, .. } = claim {
            *highest = !*highest;
        }
    });

    // The group, the cell, and texts.
    let keys = report.aggregations.iter().flat_map(|table| table.buckets.iter().take(6).map(|bucket| &bucket.key));
    for key in keys.cloned().chain([Value::from("no such value"), Value::Null]) {
        add("group changed", &|claim| match claim {
            Claim::GroupMeasure { value, .. } | Claim::MeasureText { group: Some((_, value)), .. } => {
                value.clone_from(&key);
            }
            _ => {}
        });
    }
    for other in [Value::from("no such value"), Value::from(-1), Value::Null] {
        add("cell changed", &|claim| {
            if let Claim::Field { value, .. } = claim {
                value.clone_from(&other);
            }
        });
    }
    let text = claim.text().unwrap_or_default();
    for changed in letters(text).into_iter().filter(|changed| changed != text) {
        add("text changed", &|claim| {
            if let Claim::MeasureText { text, .. } = claim {
                text.clone_from(&changed);
            }
        });
        add("absent text changed", &|claim| {
            if let Claim::Absent { text, .. } = claim {
                text.clone_from(&changed);
            }
        });
    }

    found.retain(|(_, changed)| changed != claim);
    found
}

/// Every change of the citations of a sentence.
pub(crate) fn of_citations(sentence: &Sentence, report: &DatasetReport) -> Vec<(&'static str, Sentence)> {
    let mut found = Vec::new();
    let mut add = |class, change: &dyn Fn(&mut Sentence)| {
        let mut changed = sentence.clone();
        change(&mut changed);
        found.push((class, changed));
    };
    for at in 0..sentence.sources.len() {
        add("citation dropped", &|sentence| drop(sentence.sources.remove(at)));
        if let Some(id) = other_sources(&sentence.sources[at], report).first() {
            add("citation swapped", &|sentence| sentence.sources[at].clone_from(id));
        }
        if at > 0 {
            add("citation swapped", &|sentence| sentence.sources.swap(at - 1, at));
        }
    }
    for at in 0..sentence.aggregations.len() {
        add("citation dropped", &|sentence| drop(sentence.aggregations.remove(at)));
        add("citation swapped", &|sentence| sentence.aggregations[at].push('0'));
    }
    if let Some(source) = report.sources.iter().find(|source| !sentence.sources.contains(&source.id)) {
        add("citation added", &|sentence| sentence.sources.push(source.id.clone()));
    }
    let tables = report.aggregations.iter().find(|table| !sentence.aggregations.contains(&table.id));
    add("citation added", &|sentence| {
        sentence.aggregations.push(tables.map_or_else(|| "A99".to_owned(), |table| table.id.clone()));
    });
    found
}

fn number_of(claim: &Claim) -> Option<u64> {
    match claim {
        Claim::Count { number, .. } | Claim::Total { number, .. } => Some(*number),
        _ => None,
    }
}

/// Values of the sentence's other claims, groups of the aggregations, and what a record holds in the field.
fn values_beside(claim: &Claim, beside: &[Claim], report: &DatasetReport) -> Vec<Value> {
    let Claim::Count { value: own, field, .. } = claim else { return Vec::new() };
    let claimed = beside.iter().filter_map(|claim| match claim {
        Claim::Count { value, .. } => Some(value.clone()),
        _ => None,
    });
    let keys =
        report.aggregations.iter().flat_map(|table| table.buckets.iter().take(4).map(|bucket| bucket.key.clone()));
    let held = report.sources.iter().take(4).filter_map(|source| source.field(field).cloned());
    let all = claimed.chain(keys).chain(held).chain([Value::from("no such value"), Value::Null]);
    let mut found: Vec<Value> = Vec::new();
    all.filter(|value| value != own).for_each(|value| {
        if !found.contains(&value) {
            found.push(value);
        }
    });
    found
}

/// Names of fields, and one that does not exist.
fn fields(report: &DatasetReport) -> BTreeSet<String> {
    let held = report.sources.iter().take(1).flat_map(|source| source.fields.for_code().keys().cloned());
    let grouped = report.aggregations.iter().map(|table| table.field.clone());
    held.chain(grouped).chain(["no such field".to_owned()]).collect()
}

/// The other bases there are, and one that does not exist.
fn bases(own: &Basis, report: &DatasetReport) -> Vec<Basis> {
    let tables = report.aggregations.iter().map(|table| Basis::Aggregation(table.id.clone()));
    let all = tables.chain([Basis::Records, Basis::Aggregation("A99".to_owned())]);
    all.filter(|basis| basis != own).collect()
}

/// Some other sources, and one that does not exist.
fn other_sources(own: &str, report: &DatasetReport) -> Vec<String> {
    let step = (report.sources.len() / 5).max(1);
    let ids = report.sources.iter().map(|source| source.id.clone()).filter(|id| id != own).step_by(step);
    ids.take(5).chain(["no-such-source".to_owned()]).collect()
}

/// The text with a letter or digit changed, one left out, and a word left out.
fn letters(text: &str) -> Vec<String> {
    let places: Vec<(usize, char)> = text.char_indices().filter(|(_, c)| c.is_ascii_alphanumeric()).collect();
    let mut found = Vec::new();
    for (at, c) in places.iter().step_by((places.len() / 6).max(1)) {
        let other = match c {
            '0'..='8' => char::from(u8::try_from(*c).unwrap_or(b'0') + 1),
            '9' => '0',
            'q' => 'x',
            _ => 'q',
        };
        found.push(format!("{}{other}{}", &text[..*at], &text[at + 1..]));
        found.push(format!("{}{}", &text[..*at], &text[at + 1..]));
    }
    if let Some((before, after)) = text.split_once(' ').and_then(|(first, rest)| Some((first, rest.split_once(' ')?.1)))
    {
        found.push(format!("{before} {after}"));
    }
    found
}

//! The first difference between an aggregation of a bundle and one of a recorded answer.

use research_agents_report::evidence::{Table, TableMeasure, TableRow};
use research_agents_report::text::Line;

use crate::bundle::verify::words::statistic;

/// Returns the first difference of a table from an aggregation. The ids of the table, and those of
/// its records, do not count: a run gives them.
pub(crate) fn difference(table: &Table, origin: &Table) -> Option<String> {
    total(table, origin)
        .or_else(|| rows(table, origin))
        .or_else(|| measures("all records", &table.measures, &origin.measures))
        .or_else(|| correlations(table, origin))
        .or_else(|| scope(table, origin))
}

fn total(table: &Table, origin: &Table) -> Option<String> {
    (table.total != origin.total).then(|| {
        format!(
            "a total of {} is stated, the recorded answer has {}",
            table.total, origin.total
        )
    })
}

/// Compares the rows in their order.
fn rows(table: &Table, origin: &Table) -> Option<String> {
    for (at, row) in table.rows.iter().enumerate() {
        let Some(other) = origin.rows.get(at) else {
            return Some(format!(
                "group {} of {} is not in the recorded answer",
                at + 1,
                table.rows.len()
            ));
        };
        if (&row.field, &row.value, row.count) != (&other.field, &other.value, other.count) {
            return Some(format!(
                "group {}: {} is stated, the recorded answer has {}",
                at + 1,
                in_words(row),
                in_words(other)
            ));
        }

        let of = format!("{} = {}", row.field, row.value);
        let problem =
            measures(&of, &row.measures, &other.measures).or_else(|| source(at, row, other));
        if problem.is_some() {
            return problem;
        }
    }

    (origin.rows.len() > table.rows.len()).then(|| {
        format!(
            "{} groups are stated, the recorded answer has {}",
            table.rows.len(),
            origin.rows.len()
        )
    })
}

fn in_words(row: &TableRow) -> String {
    format!("{} = {}: {}", row.field, row.value, row.count)
}

/// Compares the records at a place of a ranking.
fn source(at: usize, row: &TableRow, other: &TableRow) -> Option<String> {
    let id = |row: &TableRow| row.source.clone().unwrap_or_else(|| "none".to_owned());
    (row.source != other.source).then(|| {
        format!(
            "place {}: the record {} is stated, the recorded answer has {}",
            at + 1,
            id(row),
            id(other)
        )
    })
}

/// Compares the statistics of a group, or of all records.
fn measures(of: &str, stated: &[TableMeasure], actual: &[TableMeasure]) -> Option<String> {
    let in_words = |measure: Option<&TableMeasure>| {
        let Some(measure) = measure else {
            return "none".to_owned();
        };
        let number = measure.number.map(|number| number.to_string());
        let value = number.or_else(|| measure.text.clone()).unwrap_or_default();
        let value = Line::new(&value);
        let (name, field) = (statistic(measure.statistic), &measure.field);
        format!(
            "{name} of {field} {} (n = {})",
            value.as_str(),
            measure.count
        )
    };

    let count = stated.len().max(actual.len());
    let mut differing = (0..count).filter(|at| stated.get(*at) != actual.get(*at));
    differing.next().map(|at| {
        format!(
            "{of}: {} is stated, the recorded answer has {}",
            in_words(stated.get(at)),
            in_words(actual.get(at))
        )
    })
}

fn correlations(table: &Table, origin: &Table) -> Option<String> {
    let in_words = |table: &Table, at: usize| {
        let found = table.correlations.get(at).map(|one| {
            let number = one
                .number
                .map_or_else(|| "none".to_owned(), |n| n.to_string());
            format!(
                "{} over {} records for {}",
                number,
                one.count,
                one.fields.join(", ")
            )
        });
        found.unwrap_or_else(|| "none".to_owned())
    };

    let count = table.correlations.len().max(origin.correlations.len());
    let mut differing =
        (0..count).filter(|at| table.correlations.get(*at) != origin.correlations.get(*at));
    differing.next().map(|at| {
        format!(
            "a correlation of {} is stated, the recorded answer has {}",
            in_words(table, at),
            in_words(origin, at)
        )
    })
}

/// Compares what a table is of: its fields, kind, order, searched text and caption.
fn scope(table: &Table, origin: &Table) -> Option<String> {
    if table.field != origin.field {
        return Some(format!(
            "it is grouped by {}, the recorded answer by {}",
            table.field, origin.field
        ));
    }
    if table.kind != origin.kind {
        return Some(format!(
            "it is a table of the kind {:?}, the recorded answer gives {:?}",
            table.kind, origin.kind
        ));
    }
    if table.order != origin.order {
        return Some("its order is not the one that the recorded call asks for".to_owned());
    }
    if (&table.text, table.searched) != (&origin.text, origin.searched) {
        return Some("its search is not that of the recorded answer".to_owned());
    }

    (table.caption != origin.caption).then(|| {
        format!(
            "`{}` is stated, the recorded answer gives `{}`",
            table.caption, origin.caption
        )
    })
}

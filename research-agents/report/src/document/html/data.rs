//! The list of cited aggregations: each with its title, its chart and all its groups.

use crate::claim::{Basis, Claim};
use crate::document::error::RenderError;
use crate::document::html::markup::Markup;
use crate::document::html::page::Page;
use crate::document::model::{DataRow, DataTable, Report};
use crate::evidence::value::plain;
use crate::language::phrase::Phrase;
use crate::language::tag::Language;
use crate::text::line::Line;
use crate::text::markup::anchor;

/// Writes the list.
///
/// # Errors
///
/// Returns an error if a chart cannot be drawn.
pub(crate) fn write(page: &mut Page, report: &Report) -> Result<(), RenderError> {
    let mut heading = Markup::default();
    heading.element("h2", &[("id", "data")], &report.language.say(Phrase::Data));
    page.add(&heading);
    for table in &report.data {
        let cited = cited_rows(report, table);
        page.part("figure", |page| {
            add_table(page, table, &cited, report.language)
        })?;
    }
    Ok(())
}

/// Adds an aggregation. `cited` are the groups that the report counts.
fn add_table(
    page: &mut Page,
    table: &DataTable,
    cited: &[Vec<Line>],
    language: Language,
) -> Result<(), RenderError> {
    let mut head = Markup::default();
    head.open("h3", &[("id", &format!("data-{}", anchor(&table.id)))]);
    head.element("span", &[("class", "id")], &format!("({})", table.id))
        .text(" ");
    if table.title.is_empty() {
        head.text(table.caption.as_str()).close("h3");
    } else {
        head.text(table.title.as_str()).close("h3");
        head.element("p", &[("class", "scope")], table.scope.as_str());
    }

    let listed = table
        .rows
        .iter()
        .filter(|row| row.keys.len() == table.fields.len());
    let listed = listed.fold(0_u64, |sum, row| sum.saturating_add(row.count));

    if listed < table.total {
        let words = language.say(Phrase::GroupsHold {
            listed,
            total: table.total,
        });
        head.element("p", &[("class", "scope")], &words);
    }

    page.add(&head);
    if let Some(chart) = &table.chart {
        page.draw(&chart.svg()?);
    }

    let mut groups = Markup::default();
    let closed = table.chart.is_some();
    if closed {
        groups.open("details", &[]);
        groups.element(
            "summary",
            &[],
            &language.say(Phrase::GroupsAsTable {
                count: table.rows.len() as u64,
            }),
        );
    }

    // Groups are marked only if the report does not count all of them.
    let marked: &[Vec<Line>] = if table.rows.iter().all(|row| cited.contains(&row.keys)) {
        &[]
    } else {
        cited
    };

    if !marked.is_empty() {
        groups.element(
            "p",
            &[("class", "scope")],
            &language.say(Phrase::GroupsMarked),
        );
    }

    add_rows(&mut groups, table, marked, language);
    if closed {
        groups.close("details");
    }

    page.add(&groups);
    Ok(())
}

/// Adds the groups of an aggregation as a table.
fn add_rows(piece: &mut Markup, table: &DataTable, marked: &[Vec<Line>], language: Language) {
    let all = language.say(Phrase::AllGroups);
    piece.open("table", &[]).open("thead", &[]).open("tr", &[]);
    for field in &table.fields {
        piece.element("th", &[("scope", "col")], field.as_str());
    }

    piece.element(
        "th",
        &[("scope", "col"), ("class", "number")],
        &language.say(Phrase::RecordsColumn),
    );
    piece.close("tr").close("thead").open("tbody", &[]);
    for row in &table.rows {
        let attributes: &[(&str, &str)] = if marked.contains(&row.keys) {
            &[("class", "marked")]
        } else {
            &[]
        };
        piece.open("tr", attributes);
        for at in 0..table.fields.len() {
            piece.element(
                "td",
                &[],
                row.keys.get(at).map_or(all.as_str(), Line::as_str),
            );
        }
        piece
            .element("td", &[("class", "number")], &row.count.to_string())
            .close("tr");
    }

    piece.close("tbody").close("table");
}

/// Returns the values of the groups that sentences of the report count.
fn cited_rows(report: &Report, table: &DataTable) -> Vec<Vec<Line>> {
    let keys = |value: &serde_json::Value| -> Vec<Line> {
        let values = value
            .as_array()
            .map_or_else(|| std::slice::from_ref(value), Vec::as_slice);
        values.iter().map(|key| Line::new(&plain(key))).collect()
    };
    let claims = report
        .sentences()
        .into_iter()
        .flat_map(|sentence| &sentence.claims);
    let counts = claims.filter_map(|claim| match claim {
        Claim::Count {
            over: Basis::Aggregation(id),
            value,
            ..
        } if *id == table.id => Some(keys(value)),
        Claim::GroupMeasure {
            over: id, value, ..
        } if *id == table.id => Some(keys(value)),
        _ => None,
    });
    let is_row = |keys: &Vec<Line>| table.rows.iter().any(|row: &DataRow| row.keys == *keys);

    counts.filter(is_row).collect()
}

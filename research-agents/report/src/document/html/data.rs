//! The list of cited aggregations: each with its title, its chart and all its groups.

use crate::claim::{Basis, Claim};
use crate::document::error::RenderError;
use crate::document::html::markup::Markup;
use crate::document::html::page::Page;
use crate::document::model::{Block, Report};
use crate::document::table::grid::Grid;
use crate::document::table::{DataRow, DataTable, RecordTable};
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
    for table in &report.data {
        let cited = cited_rows(report, table);
        let shown = Shown::new(report, table);
        page.part("figure", |page| {
            add_table(page, table, &cited, shown, report.language)
        })?;
    }
    Ok(())
}

/// The parts of an aggregation that are shown elsewhere in the report.
#[derive(Clone, Copy)]
struct Shown {
    chart: bool,
    rows: bool,
}

impl Shown {
    fn new(report: &Report, table: &DataTable) -> Self {
        let rows = table.rows.len().max(table.measures.len()) as u64;
        let mut shown = Self {
            chart: false,
            rows: false,
        };
        for block in report.blocks() {
            match block {
                Block::Chart { aggregation } if *aggregation == table.id => shown.chart = true,
                Block::Groups { aggregation, most } if *aggregation == table.id => {
                    shown.rows |= *most >= rows;
                }
                _ => {}
            }
        }
        shown
    }
}

/// Adds the first rows of an aggregation, with its title.
pub(crate) fn add_groups(piece: &mut Markup, table: &DataTable, most: u64, language: Language) {
    let mut grid = Grid::of_data(table, language);
    let more = grid.cut(most);

    add_caption(piece, table.shown_title(), Some(&table.id));
    add_grid(piece, &grid, |_| false);
    if more > 0 {
        let words = language.say(Phrase::MoreRows { count: more });
        piece.element("p", &[("class", "scope")], &words);
    }
}

/// Adds a list of records, with its caption.
pub(crate) fn add_records(piece: &mut Markup, records: &RecordTable, language: Language) {
    add_caption(piece, &records.caption, records.aggregation.as_deref());
    add_grid(piece, &Grid::of_records(records, language), |_| false);
    if records.more > 0 {
        let count = records.more;
        let words = language.say(Phrase::MoreRecords { count });
        piece.element("p", &[("class", "scope")], &words);
    }
}

/// Adds the caption of a table, with a link to its aggregation.
fn add_caption(piece: &mut Markup, caption: &Line, aggregation: Option<&str>) {
    piece.open("p", &[("class", "table-title")]);
    piece.text(caption.as_str());
    if let Some(id) = aggregation {
        let target = format!("#data-{}", anchor(id));
        let attributes: &[_] = &[("class", "cite"), ("href", &target)];
        piece.text(" ").element("a", attributes, &format!("({id})"));
    }
    piece.close("p");
}

/// Adds an aggregation. `cited` are the groups that the report counts.
fn add_table(
    page: &mut Page,
    table: &DataTable,
    cited: &[Vec<Line>],
    shown: Shown,
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

    if table.has_groups() && listed < table.total {
        let words = language.say(Phrase::GroupsHold {
            listed,
            total: table.total,
        });
        head.element("p", &[("class", "scope")], &words);
    }

    page.add(&head);
    if let Some(chart) = table.chart.as_ref().filter(|_| !shown.chart) {
        page.draw(&chart.svg()?);
    }

    let grid = Grid::of_data(table, language);
    if shown.rows || grid.rows.is_empty() {
        return Ok(());
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

    add_grid(&mut groups, &grid, |at| {
        table
            .rows
            .get(at)
            .is_some_and(|row| marked.contains(&row.keys))
    });
    if closed {
        groups.close("details");
    }

    page.add(&groups);
    Ok(())
}

/// Adds a table, some of whose rows are marked.
fn add_grid(piece: &mut Markup, grid: &Grid, is_marked: impl Fn(usize) -> bool) {
    let number = |is_number: bool| if is_number { "number" } else { "" };
    piece.open("table", &[]).open("thead", &[]).open("tr", &[]);
    for column in &grid.columns {
        let attributes: &[_] = &[("scope", "col"), ("class", number(column.is_number))];
        let used = if column.is_number { 2 } else { 1 };
        piece.element("th", &attributes[..used], column.name.as_str());
    }

    piece.close("tr").close("thead").open("tbody", &[]);
    for (at, row) in grid.rows.iter().enumerate() {
        let attributes: &[(&str, &str)] = if is_marked(at) {
            &[("class", "marked")]
        } else {
            &[]
        };
        piece.open("tr", attributes);
        for (cell, column) in row.iter().zip(&grid.columns) {
            let attributes: &[(&str, &str)] = if column.is_number {
                &[("class", "number")]
            } else {
                &[]
            };
            piece.element("td", attributes, cell.as_str());
        }
        piece.close("tr");
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

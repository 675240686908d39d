//! Charts of aggregations: what is drawn, as data that a user interface can draw itself, and as SVG.
//!
//! A [`Chart`] holds labels and counts that are ready to be drawn: long lists are folded, gaps in a series of months are filled. Its
//! [`svg`](Chart::svg) is the same bytes for the same chart, needs no font file, and carries its content as text for those who do not
//! see it.

mod columns;
mod draw;
mod fold;
mod label;
mod rows;

use serde::{Deserialize, Serialize};

use self::fold::Folded;
use super::evidence::Table;
use super::language::Language;
use super::line::Line;

/// How a chart is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChartKind {
    /// A bar for each group, from left to right, the groups below each other.
    Bars,
    /// A column for each interval of time.
    Dates,
    /// A bar for each outer group, made up of its inner groups.
    Stacked,
}

/// One group of a chart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChartGroup {
    /// What it is called.
    pub label: Line,
    /// Records in it.
    pub count: u64,
    /// For stacked bars, records in each of the chart's series, in their order; else empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<u64>,
}

/// A chart of one aggregation.
///
/// ```
/// use research_agents::kernel::{Chart, Table, TableRow};
///
/// let row = |value: &str, count| TableRow { field: "size".into(), value: value.into(), count };
/// let rows = vec![row("Small", 99), row("Large", 26)];
/// let table = Table { id: "A1".into(), field: "size".into(), total: 125, rows, ..Table::default() };
/// let chart = Chart::of(&table, "Records by size", false).ok_or("nothing to compare")?;
/// assert_eq!(chart.text(), "Records by size. Small: 99; Large: 26.");
/// assert!(chart.svg()?.contains("<desc id=\"chart-A1-text\">Records by size. Small: 99; Large: 26.</desc>"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Chart {
    /// Id of the aggregation, such as `A1`.
    pub aggregation: String,
    /// How it is drawn.
    pub kind: ChartKind,
    /// What it shows.
    pub title: Line,
    /// Names of the inner groups of stacked bars; else empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub series: Vec<Line>,
    /// The last of the series is no group of the data: it stands for all others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_rest: bool,
    /// The groups, as they are drawn: from the top, or from the left.
    pub groups: Vec<ChartGroup>,
}

/// A chart that could not be drawn.
#[derive(Debug, thiserror::Error)]
#[error("the chart of {aggregation} could not be drawn")]
pub struct ChartError {
    aggregation: String,
    source: Box<dyn std::error::Error + Send + Sync>,
}

impl Chart {
    /// The chart of an aggregation with English words for what stands for all others, as [`in_language`](Self::in_language).
    pub fn of(table: &Table, title: &str, over_time: bool) -> Option<Self> {
        Self::in_language(Language::ENGLISH, table, title, over_time)
    }

    /// The chart of an aggregation; none when it has fewer than two groups, for one bar compares nothing.
    ///
    /// A series over time becomes columns from the first interval to the last, the empty ones between them included where the keys
    /// are years or months; intervals are joined when they are more than 160. A grouping by two fields becomes stacked
    /// bars of at most six inner groups and one of all others. Of more than 20 groups the largest 19 are drawn, and one of all
    /// others.
    pub fn in_language(language: Language, table: &Table, title: &str, over_time: bool) -> Option<Self> {
        let Folded { kind, series, has_rest, groups } =
            if over_time { fold::dates(table) } else { fold::groups(table, language) };
        let (aggregation, title) = (table.id.clone(), Line::new(title));
        (groups.len() > 1).then_some(Self { aggregation, kind, title, series, has_rest, groups })
    }

    /// The content in words: every label with its count.
    pub fn text(&self) -> String {
        let group = |group: &ChartGroup| {
            let named = self.series.iter().zip(&group.parts).filter(|(_, count)| **count > 0);
            let parts: Vec<String> = named.map(|(name, count)| format!("{} {count}", name.as_str())).collect();
            let parts = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
            format!("{}: {}{parts}", group.label.as_str(), group.count)
        };
        let groups: Vec<String> = self.groups.iter().map(group).collect();
        format!("{}. {}.", self.title.as_str().trim_end_matches('.'), groups.join("; "))
    }

    /// The chart as an SVG document that loads nothing. It scales; at its own size, 480 wide, its text is 13 high.
    ///
    /// # Errors
    ///
    /// When the plotting library fails, which it has no reason to.
    pub fn svg(&self) -> Result<String, ChartError> {
        draw::draw(self).map_err(|source| ChartError { aggregation: self.aggregation.clone(), source })
    }
}

#[cfg(test)]
mod tests;

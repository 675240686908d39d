//! The data model of charts.

use serde::{Deserialize, Serialize};

use crate::language::tag::Language;
use crate::text::line::Line;

/// The type of a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChartKind {
    /// Horizontal bars, one for each group.
    Bars,
    /// Columns, one for each interval of time.
    Dates,
    /// Horizontal bars, one for each outer group, stacked from its inner groups.
    Stacked,
}

/// One group of a chart.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChartGroup {
    /// Label of the group.
    pub label: Line,
    /// Number of records in the group.
    pub count: u64,
    /// The statistic of the group, if the chart shows one. A group without one has no bar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<f64>,
    /// Number of records in each of the chart's series, in their order. Empty unless bars are
    /// stacked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<u64>,
}

/// A chart of one aggregation.
///
/// ```
/// use research_agents_report::chart::Chart;
/// use research_agents_report::evidence::{Table, TableRow};
///
/// let row = |value: &str, count| TableRow::new("size", value, count);
/// let table = Table {
///     id: "A1".into(),
///     field: "size".into(),
///     total: 125,
///     rows: vec![row("Small", 99), row("Large", 26)],
///     ..Table::default()
/// };
///
/// let chart = Chart::from_table(&table, "Records by size", false).ok_or("nothing to compare")?;
/// assert_eq!(chart.text(), "Records by size. Small: 99; Large: 26.");
/// assert!(chart.svg()?.contains(&format!("<desc id=\"chart-A1-text\">{}</desc>", chart.text())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Chart {
    /// Id of the aggregation, such as `A1`.
    pub aggregation: String,
    /// Type of the chart.
    pub kind: ChartKind,
    /// Title of the chart.
    pub title: Line,
    /// The language of its numbers.
    #[serde(default, skip_serializing_if = "is_english")]
    pub language: Language,
    /// Whether bars show the numbers of groups instead of their counts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_numbers: bool,
    /// Names of the inner groups. Empty unless bars are stacked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub series: Vec<Line>,
    /// Whether the last of the series is not a group of the data but represents all others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_rest: bool,
    /// The groups in the order in which they are drawn: from the top, or from the left.
    pub groups: Vec<ChartGroup>,
}

fn is_english(language: &Language) -> bool {
    *language == Language::ENGLISH
}

impl Chart {
    /// Returns the length of a group's bar. It is negative for a negative number.
    pub(crate) fn length(&self, group: &ChartGroup) -> f64 {
        if self.has_numbers {
            group.number.unwrap_or(0.0)
        } else {
            group.count as f64
        }
    }

    /// Returns the number of a group as it is written next to its bar. Empty without one.
    pub(crate) fn written(&self, group: &ChartGroup) -> String {
        match (self.has_numbers, group.number) {
            (false, _) => self.language.count(group.count),
            (true, Some(number)) => self.language.measure(number),
            (true, None) => String::new(),
        }
    }

    /// Returns the content as text: every label with its number.
    pub fn text(&self) -> String {
        let group = |group: &ChartGroup| {
            let named = self
                .series
                .iter()
                .zip(&group.parts)
                .filter(|(_, count)| **count > 0);
            let parts: Vec<String> = named
                .map(|(name, count)| format!("{} {}", name.as_str(), self.language.count(*count)))
                .collect();
            let parts = if parts.is_empty() {
                String::new()
            } else {
                format!(" ({})", parts.join(", "))
            };
            let number = self.written(group);
            let number = if number.is_empty() { "–" } else { &number };
            format!("{}: {number}{parts}", group.label.as_str())
        };
        let groups: Vec<String> = self.groups.iter().map(group).collect();

        format!(
            "{}. {}.",
            self.title.as_str().trim_end_matches('.'),
            groups.join("; ")
        )
    }
}

#[cfg(test)]
mod tests;

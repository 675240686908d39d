//! The tables of a report: aggregations with their groups and statistics, and lists of records.

pub(crate) mod grid;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::chart::model::Chart;
use crate::claim::Statistic;
use crate::evidence::table::TableKind;
use crate::text::line::Line;

/// A cited aggregation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DataTable {
    /// Id, such as `A1`.
    pub id: String,
    /// Caption, with the largest groups.
    pub caption: Line,
    /// What it counts, in a few words; empty without a [view](crate::document::TableView).
    #[serde(default)]
    pub title: Line,
    /// Tool and filters; empty without a [view](crate::document::TableView).
    #[serde(default)]
    pub scope: Line,
    /// What it holds.
    #[serde(default, skip_serializing_if = "is_groups")]
    pub kind: TableKind,
    /// Fields of the grouping, the outer one first.
    pub fields: Vec<Line>,
    /// Number of records that match.
    pub total: u64,
    /// Groups in the order of the data source. An inner group follows its outer one.
    pub rows: Vec<DataRow>,
    /// Statistics over all matching records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measures: Vec<DataMeasure>,
    /// Correlations of two fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub correlations: Vec<DataCorrelation>,
    /// Chart of the groups, if there are at least two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chart: Option<Chart>,
}

fn is_groups(kind: &TableKind) -> bool {
    *kind == TableKind::Groups
}

impl DataTable {
    /// Returns whether its rows are groups of records.
    pub(crate) fn has_groups(&self) -> bool {
        matches!(self.kind, TableKind::Groups | TableKind::Course)
    }

    /// Returns its title, or its caption without one.
    pub(crate) fn shown_title(&self) -> &Line {
        if self.title.is_empty() {
            &self.caption
        } else {
            &self.title
        }
    }
}

/// A group of a [`DataTable`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DataRow {
    /// Values in the order of the fields. An outer group has fewer values than there are fields.
    pub keys: Vec<Line>,
    /// Number of records in the group.
    pub count: u64,
    /// Statistics over the records of the group.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measures: Vec<DataMeasure>,
}

/// A statistic of a field in a [`DataTable`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DataMeasure {
    /// Field.
    pub field: Line,
    /// Which statistic.
    pub statistic: Statistic,
    /// Its value, in the unit of the field; none without a value in the field, or if it is not a
    /// number.
    pub number: Option<f64>,
    /// Number of values behind it.
    pub count: u64,
    /// Its value where it is not a number, such as a date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Line>,
}

/// A correlation in a [`DataTable`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DataCorrelation {
    /// The fields.
    pub fields: [Line; 2],
    /// The coefficient; none if it is not defined.
    pub number: Option<f64>,
    /// Number of records with a value in both fields.
    pub count: u64,
}

/// A list of records with the values of some of their fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordTable {
    /// What the records are, in a few words.
    pub caption: Line,
    /// The aggregation that counts or ranks them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aggregation: Option<String>,
    /// Names of the fields.
    pub columns: Vec<String>,
    /// The records, in the order of the data source.
    pub rows: Vec<RecordRow>,
    /// Number of further records that are not listed.
    #[serde(default)]
    pub more: u64,
}

/// A record of a [`RecordTable`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordRow {
    /// Id of the source.
    pub source: String,
    /// Its values in the order of the columns. Text is cut to [`MAX_CELL`] characters.
    pub cells: Vec<Value>,
}

/// The maximum number of characters of a cell of a [`RecordTable`].
pub const MAX_CELL: usize = 80;

//! Aggregations: counts of records by the values of fields, with statistics of other fields;
//! rankings of records, correlations, and searches.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::claim::Statistic;
use crate::evidence::value::same_value;

/// What a data source computed over all matching records: counts by the values of one field or
/// several, statistics, a ranking of records, correlations, or the hits of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// Id, such as `A1`.
    pub id: String,
    /// Caption in the report's list of data: tool, grouping, filters.
    pub caption: String,
    /// Field, or fields joined by `,`. Of a ranking, the field that it is ordered by.
    pub field: String,
    /// Number of records that match.
    pub total: u64,
    /// The groups. Of a ranking, its records in their order; of a search, the searched fields with
    /// hits.
    pub rows: Vec<TableRow>,
    /// What it holds.
    #[serde(default, skip_serializing_if = "TableKind::is_groups")]
    pub kind: TableKind,
    /// Statistics over all matching records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measures: Vec<TableMeasure>,
    /// Correlations of two fields over all matching records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub correlations: Vec<TableCorrelation>,
    /// The order of the rows that the data source was asked for, from its first row on. A ranking
    /// has one; groups have one if they are ordered by a statistic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<TableOrder>,
    /// The text of a search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What a search looked through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub searched: Option<Searched>,
}

/// What a [`Table`] holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TableKind {
    /// Groups of records by the values of fields.
    #[default]
    Groups,
    /// Groups of records by time.
    Course,
    /// The number of records and statistics over all of them, without groups.
    Total,
    /// Records in the order of a field.
    Ranking,
    /// Correlations of numeric fields.
    Correlation,
    /// The fields in which a search found its string.
    Search,
}

impl TableKind {
    fn is_groups(&self) -> bool {
        *self == Self::Groups
    }
}

/// One group of a [`Table`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TableRow {
    /// The field, or fields joined by `,`, that the value belongs to. An inner group has more
    /// fields than its outer one.
    pub field: String,
    /// The value; an array for several fields.
    pub value: Value,
    /// Number of records in the group.
    pub count: u64,
    /// Statistics over the records of the group.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measures: Vec<TableMeasure>,
    /// Of a ranking: the id of the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// A statistic of a field over the records of a [`Table`] or of one of its groups.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableMeasure {
    /// Field.
    pub field: String,
    /// Which statistic.
    pub statistic: Statistic,
    /// Its value, in the unit of the field; none without a value in the field, or if it is not a
    /// number.
    pub number: Option<f64>,
    /// Number of values behind it.
    pub count: u64,
    /// Its value where it is not a number, such as a date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The Pearson correlation of two fields over the records of a [`Table`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableCorrelation {
    /// The fields.
    pub fields: [String; 2],
    /// The coefficient; none if it is not defined.
    pub number: Option<f64>,
    /// Number of records with a value in both fields.
    pub count: u64,
}

/// The order of the rows of a [`Table`] that the data source was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableOrder {
    /// The field that decides.
    pub field: String,
    /// Of groups: the statistic of the field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistic: Option<Statistic>,
    /// Whether the highest value comes first.
    pub highest: bool,
}

/// What a search looked through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Searched {
    /// Number of fields.
    pub fields: u64,
    /// Number of records.
    pub records: u64,
}

impl TableRow {
    /// Creates a group without statistics.
    ///
    /// ```
    /// use research_agents_report::evidence::TableRow;
    ///
    /// let row = TableRow::new("size", "Small", 99);
    /// assert_eq!((row.value.as_str(), row.count), (Some("Small"), 99));
    /// ```
    pub fn new(field: impl Into<String>, value: impl Into<Value>, count: u64) -> Self {
        Self {
            field: field.into(),
            value: value.into(),
            count,
            ..Self::default()
        }
    }

    /// Returns a statistic of a field over the records of the group.
    pub fn measure(&self, field: &str, statistic: Statistic) -> Option<&TableMeasure> {
        find_measure(&self.measures, field, statistic)
    }
}

impl TableMeasure {
    /// Creates a statistic that is a number.
    pub fn new(field: impl Into<String>, statistic: Statistic, number: f64, count: u64) -> Self {
        Self {
            field: field.into(),
            statistic,
            number: Some(number),
            count,
            text: None,
        }
    }
}

impl Table {
    /// Returns the count of a value: of the exact value, else of the only one that is the [same
    /// value](same_value) in another spelling. A value without a row counts 0 if the rows account
    /// for every record; otherwise its count is unknown.
    pub fn count(&self, field: &str, value: &Value) -> Option<u64> {
        if !self.has_groups() {
            return None;
        }
        let rows = || self.rows_of(field);
        match self.row(field, value) {
            Some(row) => Some(row.count),
            None if rows().any(|row| same_value(&row.value, value)) => None,
            None => (rows().next().is_some() && self.is_complete(field)).then_some(0),
        }
    }

    /// Returns the group of a value: of the exact value, else of the only one that is the [same
    /// value](same_value) in another spelling.
    pub fn row(&self, field: &str, value: &Value) -> Option<&TableRow> {
        if let Some(row) = self.rows_of(field).find(|row| row.value == *value) {
            return Some(row);
        }
        let mut alike = self
            .rows_of(field)
            .filter(|row| same_value(&row.value, value));
        match (alike.next(), alike.next()) {
            (Some(row), None) => Some(row),
            _ => None,
        }
    }

    /// Returns the rows of a field, or of fields joined by `,`.
    pub fn rows_of<'t, 'f>(
        &'t self,
        field: &'f str,
    ) -> impl Iterator<Item = &'t TableRow> + use<'t, 'f> {
        self.rows
            .iter()
            .filter(move |row| row.field.eq_ignore_ascii_case(field))
    }

    /// Returns whether the rows are groups of records, which may be counted.
    pub fn has_groups(&self) -> bool {
        matches!(self.kind, TableKind::Groups | TableKind::Course)
    }

    /// Returns whether the rows of a field account for every matching record.
    pub fn is_complete(&self, field: &str) -> bool {
        let counts = self.rows_of(field).map(|row| u128::from(row.count));
        self.has_groups() && counts.sum::<u128>() == u128::from(self.total)
    }

    /// Returns a statistic of a field over all matching records.
    pub fn measure(&self, field: &str, statistic: Statistic) -> Option<&TableMeasure> {
        find_measure(&self.measures, field, statistic)
    }

    /// Returns a statistic of a field over the records of a group.
    pub fn group_measure(
        &self,
        by: &str,
        value: &Value,
        field: &str,
        statistic: Statistic,
    ) -> Option<&TableMeasure> {
        if !self.has_groups() {
            return None;
        }
        self.row(by, value)?.measure(field, statistic)
    }

    /// Returns the correlation of two fields, which are given in any order.
    pub fn correlation(&self, fields: &[String; 2]) -> Option<&TableCorrelation> {
        let [a, b] = fields;
        self.correlations.iter().find(|correlation| {
            let [c, d] = &correlation.fields;
            let is = |x: &str, y: &str| c.eq_ignore_ascii_case(x) && d.eq_ignore_ascii_case(y);
            is(a, b) || is(b, a)
        })
    }

    /// Returns the row at a place of a ranking by a field. The first place is 1.
    pub fn ranked(&self, field: &str, highest: bool, place: u64) -> Option<&TableRow> {
        let order = self.order.as_ref()?;
        let is_asked = order.field.eq_ignore_ascii_case(field) && order.highest == highest;
        if self.kind != TableKind::Ranking || !is_asked {
            return None;
        }
        self.rows.get(usize::try_from(place).ok()?.checked_sub(1)?)
    }

    /// Returns whether no record has a string, according to a search for it.
    pub fn shows_absent(&self, text: &str) -> bool {
        let is_same =
            |searched: &String| searched.trim().to_lowercase() == text.trim().to_lowercase();
        self.kind == TableKind::Search
            && !text.trim().is_empty()
            && self.text.as_ref().is_some_and(is_same)
            && self.total == 0
            && self.rows.iter().all(|row| row.count == 0)
    }
}

fn find_measure<'m>(
    measures: &'m [TableMeasure],
    field: &str,
    statistic: Statistic,
) -> Option<&'m TableMeasure> {
    let mut of_statistic = measures
        .iter()
        .filter(|measure| measure.statistic == statistic);
    of_statistic.find(|measure| measure.field.eq_ignore_ascii_case(field))
}

/// Returns the sum of counts that a tool has stated. It saturates at the largest number of 64 bits.
pub fn sum_of(counts: impl IntoIterator<Item = u64>) -> u64 {
    counts.into_iter().fold(0, u64::saturating_add)
}

/// Returns the sum of totals that tools have stated. `None` if one is unknown, or if the sum
/// exceeds 64 bits.
pub fn known_sum(totals: impl IntoIterator<Item = Option<u64>>) -> Option<u64> {
    totals
        .into_iter()
        .try_fold(0_u64, |sum, total| sum.checked_add(total?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn sums_of_hostile_counts_do_not_overflow() {
        assert_eq!((sum_of([u64::MAX, 1]), sum_of([2, 3])), (u64::MAX, 5));
        assert_eq!(known_sum([Some(2), Some(3)]), Some(5));
        assert_eq!(
            (
                known_sum([Some(u64::MAX), Some(1)]),
                known_sum([Some(1), None]),
                known_sum([])
            ),
            (None, None, Some(0))
        );

        let row = |count| TableRow::new("size", json!(count), count);
        let table = Table {
            total: u64::MAX,
            rows: vec![row(u64::MAX), row(1)],
            ..Table::default()
        };

        assert!(
            !table.is_complete("size"),
            "a sum that is cut short is not the total"
        );
    }

    #[test]
    fn an_absent_value_counts_zero_only_in_a_complete_table() {
        let row = |value: &str, count| TableRow::new("size", json!(value), count);
        let mut table = Table {
            total: 5,
            rows: vec![row("Small", 3), row("Large", 2)],
            ..Table::default()
        };
        assert_eq!(table.count("size", &json!("small")), Some(3));
        assert_eq!(table.count("size", &json!("Medium")), Some(0));
        assert_eq!(table.count("colour", &json!("red")), None);
        table.total = 6;
        assert_eq!(table.count("size", &json!("Medium")), None);
    }
}

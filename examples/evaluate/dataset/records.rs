//! The truth: the records of a data file, read, selected and counted by code that shares nothing with the agent or its server.

mod computed;
mod condition;
mod read;
mod search;
mod time;
mod value;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::case::{Object, Plant};

pub use search::contains;
pub use time::day;
pub use value::{same, shown};

/// Numbers of rows, in file order.
pub type Rows = BTreeSet<usize>;

/// The records of a file.
#[derive(Clone, Debug, Default)]
pub struct Records {
    columns: Vec<String>,
    rows: Vec<Row>,
}

/// A record: its id and its cells by column; nested objects are columns with dotted names, and an empty cell is not there.
#[derive(Clone, Debug)]
struct Row {
    id: String,
    cells: BTreeMap<String, Value>,
}

impl Records {
    /// Number of records.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The names of the columns, in the order of the file.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// How many columns hold texts.
    pub fn text_columns(&self) -> usize {
        let is_text = |cell: &Value| cell.as_str().is_some_and(|text| text.parse::<f64>().is_err());
        let holds_texts = |column: &&String| (0..self.len()).any(|row| is_text(self.cell(row, column)));
        self.columns().iter().filter(holds_texts).count()
    }

    /// The row of a record.
    pub fn row(&self, id: &str) -> Option<usize> {
        self.rows.iter().position(|row| row.id == id)
    }

    /// The columns that a name stands for: the column itself, else several that are joined by commas. The name of the first that
    /// is none otherwise.
    pub fn columns_of(&self, names: &str) -> Result<Vec<&str>, String> {
        let column = |name: &str| self.columns.iter().find(|known| known.eq_ignore_ascii_case(name.trim()));
        if let Some(column) = column(names) {
            return Ok(vec![column]);
        }
        names.split(',').map(|name| column(name).map(String::as_str).ok_or_else(|| name.trim().to_owned())).collect()
    }

    /// The cell of a record; null when it is empty.
    pub fn cell(&self, row: usize, column: &str) -> &Value {
        self.rows.get(row).and_then(|row| row.cells.get(column)).unwrap_or(&Value::Null)
    }

    /// The records that filters select. A field that is not there selects nothing. A search in texts stands beside the fields, under
    /// the name `search`.
    pub fn select(&self, filters: &Object) -> Rows {
        let conditions: Vec<(Option<&str>, &Value)> = filters
            .iter()
            .map(|(field, wanted)| (self.columns_of(field).ok().and_then(|columns| one(&columns)), wanted))
            .collect();
        let holds = |row: &usize| {
            conditions.iter().all(|(column, wanted)| match column {
                Some(column) => condition::holds(self.cell(*row, column), wanted),
                None if wanted.get("text").is_some() => search::holds(&self.cells(*row), wanted),
                None => false,
            })
        };
        (0..self.rows.len()).filter(holds).collect()
    }

    /// The cells of a record with the names of their columns.
    fn cells(&self, row: usize) -> Vec<(&str, &Value)> {
        let cells = self.rows.get(row).into_iter().flat_map(|row| &row.cells);
        cells.map(|(column, cell)| (column.as_str(), cell)).collect()
    }

    /// How many of these records have a value in a field, or values in several. `None` when there is no such field.
    pub fn count(&self, rows: &Rows, field: &str, value: &Value) -> Option<usize> {
        let columns = self.columns_of(field).ok()?;
        let has = |row: &&usize| match (&columns[..], value) {
            ([column], _) => value::has(self.cell(**row, column), value),
            (several, Value::Array(values)) => {
                // Fewer values than columns are a group that has groups inside.
                values.len() <= several.len()
                    && several.iter().zip(values).all(|(column, value)| value::has(self.cell(**row, column), value))
            }
            _ => columns.first().is_some_and(|column| value::has(self.cell(**row, column), value)),
        };
        Some(rows.iter().filter(has).count())
    }

    /// How many of these records have exactly this spelling in a field: a data source may group by spelling.
    pub fn count_spelled(&self, rows: &Rows, field: &str, value: &Value) -> Option<usize> {
        let column = *self.columns_of(field).ok()?.first()?;
        Some(rows.iter().filter(|row| self.cell(**row, column) == value).count())
    }

    /// The rows that have a value in a field.
    pub fn with(&self, rows: &Rows, field: &str, value: &Value) -> Rows {
        rows.iter().copied().filter(|row| self.count(&Rows::from_iter([*row]), field, value) == Some(1)).collect()
    }

    /// The groups of a field, or of several, with the number of records in each; the largest first.
    pub fn groups(&self, rows: &Rows, field: &str) -> Vec<(Value, usize)> {
        let Ok(columns) = self.columns_of(field) else { return Vec::new() };
        let mut groups: BTreeMap<String, (Value, usize)> = BTreeMap::new();
        for row in rows {
            let key = match &columns[..] {
                [column] => self.cell(*row, column).clone(),
                several => several.iter().map(|column| self.cell(*row, column).clone()).collect(),
            };
            groups.entry(key.to_string()).or_insert_with(|| (key, 0)).1 += 1;
        }
        let mut groups: Vec<_> = groups.into_values().collect();
        groups.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        groups
    }

    /// The numbers of a field, in rising order.
    pub fn numbers(&self, rows: &Rows, field: &str) -> Vec<f64> {
        let Ok([column]) = self.columns_of(field).as_deref().map(<[&str; 1]>::try_from).unwrap_or(Ok([""])) else {
            return Vec::new();
        };
        let mut numbers: Vec<f64> = rows.iter().filter_map(|row| value::number(self.cell(*row, column))).collect();
        numbers.sort_by(f64::total_cmp);
        numbers
    }

    /// Those of the records that hold a planted fact.
    pub fn holders(&self, rows: &Rows, plant: &Plant) -> Rows {
        let Ok(columns) = self.columns_of(&plant.field) else { return Rows::new() };
        let text = |row: usize| columns.first().map(|column| shown(self.cell(row, column))).unwrap_or_default();
        rows.iter().copied().filter(|row| says(&text(*row), &plant.says)).collect()
    }

    /// Whether a text stands word for word in a record: in a cell, or as the line `column: cell`.
    pub fn quotes(&self, row: usize, quote: &str) -> bool {
        let Some(row) = self.rows.get(row) else { return false };
        let lines: Vec<String> =
            row.cells.iter().map(|(column, cell)| value::plain_text(&format!("{column}: {}", shown(cell)))).collect();
        let quote = value::plain_text(quote);
        // A quote over several lines has the columns in the order of the file.
        let all: Vec<String> = self
            .columns
            .iter()
            .filter_map(|column| Some(value::plain_text(&format!("{column}: {}", shown(row.cells.get(column)?)))))
            .collect();
        lines.iter().any(|line| line.contains(&quote)) || all.join(" ").contains(&quote)
    }
}

fn one<'c>(columns: &[&'c str]) -> Option<&'c str> {
    match columns {
        [column] => Some(column),
        _ => None,
    }
}

/// Whether all of these words stand in a text, without regard to case.
pub fn says(text: &str, words: &[String]) -> bool {
    let text = text.to_lowercase();
    words.iter().all(|word| text.contains(&word.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const CSV: &str = "id;size;speed;when;note\na;Small;120;2024-01-05;Valve B-17 leaks\nb;small;;2024-02-01;ok\nc;Large;90.5;2023-12-31;\n";

    fn records() -> Records {
        Records::parse("t.csv", CSV.as_bytes(), Some("id"), ';').unwrap()
    }

    fn all() -> Rows {
        records().select(&Object::new())
    }

    #[test]
    fn records_are_selected_by_values_lists_ranges_and_emptiness() {
        let rows =
            |filters: Value| -> Vec<usize> { records().select(filters.as_object().unwrap()).into_iter().collect() };
        assert_eq!(rows(json!({"size": "SMALL"})), [0, 1]);
        assert_eq!(rows(json!({"size": ["Large", "Huge"]})), [2]);
        assert_eq!(rows(json!({"speed": null})), [1]);
        assert_eq!(rows(json!({"speed": {"gte": 90.5, "lt": 120}})), [2]);
        assert_eq!(rows(json!({"when": {"gte": "2024"}})), [0, 1]);
        assert_eq!(rows(json!({"when": {"lte": "2024-01"}, "size": "small"})), [0]);
        assert_eq!(rows(json!({"colour": "red"})), [0; 0]);
        assert_eq!(rows(json!({"size": {"not": "Small"}})), [2]);
        assert_eq!(rows(json!({"note": {"not": ["ok"]}})), [0]);
        assert_eq!(rows(json!({"note": {"missing": true}})), [2]);
        assert_eq!(rows(json!({"note": {"contains": "valve"}, "when": {"month": [1, 12]}})), [0]);
        assert_eq!(rows(json!({"note": {"lacks": "valve"}})), [1]);
        assert_eq!(rows(json!({"search": {"text": "leaking"}})), [0]);
    }

    #[test]
    fn computed_columns_are_there_where_a_text_names_them() {
        let text = "n;m;from;to\n5;3;2024-01-01;2024-01-31\n1;4;2024-02-28;2024-03-01T12:00:00Z\n2;;;\n";
        let records = Records::parse("t.csv", text.as_bytes(), None, ';').unwrap();
        let with = records.with_computed("{\"n − m\": 0} to − from in days, n ÷ m, m + n");
        let rows = with.select(json!({"n − m": {"gt": 0}}).as_object().unwrap());
        assert_eq!(rows.into_iter().collect::<Vec<_>>(), [0]);
        let all = with.select(&Object::new());
        assert_eq!(with.numbers(&all, "n − m"), [-3.0, 2.0]);
        assert_eq!(with.numbers(&all, "to − from in days"), [2.5, 30.0]);
        assert_eq!(with.numbers(&all, "n ÷ m"), [0.25, 5.0 / 3.0]);
        assert_eq!(with.numbers(&all, "m + n"), [5.0, 8.0]);
        assert!(with.columns_of("m − n").is_err() && records.columns_of("n − m").is_err());
    }

    #[test]
    fn values_tuples_and_spans_of_time_are_counted() {
        let count = |field: &str, value: Value| records().count(&all(), field, &value);
        assert_eq!(count("size", json!("Small")), Some(2));
        assert_eq!(count("size,speed", json!(["Large", 90.5])), Some(1));
        assert_eq!(count("when", json!("2024")), Some(2));
        assert_eq!(count("when", json!("2023-Q4")), Some(1));
        assert_eq!(count("speed", Value::Null), Some(1));
        assert_eq!(count("colour", json!("red")), None);
    }

    #[test]
    fn quotes_and_planted_facts_are_found() {
        let records = records();
        assert!(records.quotes(0, "note: Valve B-17 leaks") && records.quotes(0, "B-17  leaks"));
        assert!(!records.quotes(0, "B-18 leaks") && !records.quotes(2, "leaks"));
        let plant = Plant { field: "note".into(), says: vec!["valve b-17".into()], n: 1 };
        assert_eq!(records.holders(&all(), &plant).into_iter().collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn nested_json_is_read_under_dotted_names() {
        let text = r#"[{"id": "x", "place": {"city": "Graz"}, "tags": ["a", "b"]}, {"id": "y"}]"#;
        let records = Records::parse("t.json", text.as_bytes(), Some("id"), ',').unwrap();
        let all = records.select(&Object::new());
        assert_eq!(records.count(&all, "place.city", &json!("graz")), Some(1));
        assert_eq!(records.count(&all, "tags", &json!("b")), Some(1));
        assert_eq!((records.len(), records.row("y")), (2, Some(1)));
    }

    #[test]
    fn records_are_found_by_their_id_or_their_number() {
        let row = |text: &str, id: Option<&str>, wanted: &str| {
            Records::parse("t.csv", text.as_bytes(), id, ',').unwrap().row(wanted)
        };
        assert_eq!(row("x,ID\n1,a\n2,b\n", None, "b"), Some(1));
        assert_eq!(row("x,ID\n1,a\n2,a\n", None, "2"), Some(1), "no id, as two records have it");
        assert_eq!(row("x,ID\n1,a\n2,a\n", Some("ID"), "2"), Some(1));
        assert_eq!(row("x,ID\n1,a\n2,\n", None, "2"), Some(1));
    }
}

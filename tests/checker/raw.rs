//! What the files say, computed without any part of the product: statistics, correlations, orders and searches over
//! their rows.

use research_agents::kernel::Statistic;
use serde_json::Value;

use crate::data::Data;

/// The rows of a file: the cells by the names of their fields, as the file writes them.
pub(crate) struct Raw {
    rows: Vec<Vec<(String, String)>>,
}

impl Raw {
    /// Reads the rows of a data set.
    pub(crate) fn new(data: &Data) -> Self {
        let strikes = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/birdstrikes.csv");
        let (name, content) = match &data.file {
            Some((name, content)) => (*name, content.clone()),
            None => ("birdstrikes.csv", std::fs::read_to_string(strikes).unwrap()),
        };
        let rows = match name.rsplit('.').next().unwrap() {
            "csv" => of_csv(&content),
            "jsonl" => content.lines().map(|line| of_json(&serde_json::from_str(line).unwrap())).collect(),
            _ => serde_json::from_str::<Vec<Value>>(&content).unwrap().iter().map(of_json).collect(),
        };
        Self { rows }
    }

    /// The cells of a field that are not empty, of the rows of a group or of all.
    fn cells<'r>(&'r self, field: &'r str, group: Option<(&'r str, &'r Value)>) -> impl Iterator<Item = &'r str> {
        let rows = self.rows.iter().filter(move |row| group.is_none_or(|(by, value)| is_in(row, by, value)));
        rows.filter_map(|row| cell(row, field)).filter(|cell| !cell.is_empty())
    }

    /// A statistic of the numbers of a field, and how many there are.
    pub(crate) fn measure(
        &self,
        field: &str,
        group: Option<(&str, &Value)>,
        statistic: Statistic,
    ) -> Option<(f64, u64)> {
        let count = self.cells(field, group).count() as u64;
        if matches!(statistic, Statistic::Count | Statistic::Distinct) {
            let mut cells: Vec<&str> = self.cells(field, group).collect();
            if statistic == Statistic::Distinct {
                cells.sort_unstable();
                cells.dedup();
            }
            return Some((cells.len() as f64, count));
        }
        let mut numbers: Vec<f64> = self.cells(field, group).filter_map(number).collect();
        numbers.sort_by(f64::total_cmp);
        let (middle, sum) = (numbers.len() / 2, numbers.iter().sum::<f64>());
        let found = match statistic {
            Statistic::Min => *numbers.first()?,
            Statistic::Max => *numbers.last()?,
            Statistic::Sum => sum,
            Statistic::Mean if !numbers.is_empty() => sum / numbers.len() as f64,
            Statistic::Median if !numbers.is_empty() => (numbers[middle] + numbers[(numbers.len() - 1) / 2]) / 2.0,
            _ => return None,
        };
        Some((found, numbers.len() as u64))
    }

    /// The first or last cell of a field in the order of texts, such as dates.
    pub(crate) fn text(&self, field: &str, group: Option<(&str, &Value)>, statistic: Statistic) -> Option<String> {
        match statistic {
            Statistic::Min => self.cells(field, group).min().map(str::to_owned),
            Statistic::Max => self.cells(field, group).max().map(str::to_owned),
            _ => None,
        }
    }

    /// The correlation of two fields, and how many rows have both.
    pub(crate) fn correlation(&self, fields: &[String; 2]) -> Option<(f64, u64)> {
        let of = |row: &[(String, String)], field: &str| cell(row, field).and_then(number);
        let rows = self.rows.iter();
        let pairs: Vec<(f64, f64)> =
            rows.filter_map(|row| Some((of(row, &fields[0])?, of(row, &fields[1])?))).collect();
        let count = pairs.len() as f64;
        let mean = |pick: fn(&(f64, f64)) -> f64| pairs.iter().map(pick).sum::<f64>() / count;
        let (x, y) = (mean(|pair| pair.0), mean(|pair| pair.1));
        let both = pairs.iter().map(|pair| (pair.0 - x) * (pair.1 - y)).sum::<f64>();
        let one = pairs.iter().map(|pair| (pair.0 - x).powi(2)).sum::<f64>();
        let other = pairs.iter().map(|pair| (pair.1 - y).powi(2)).sum::<f64>();
        (one > 0.0 && other > 0.0).then(|| (both / (one * other).sqrt(), pairs.len() as u64))
    }

    /// The number at a place when the rows are ordered by a field.
    pub(crate) fn at_place(&self, field: &str, highest: bool, place: u64) -> Option<f64> {
        let mut numbers: Vec<f64> = self.cells(field, None).filter_map(number).collect();
        numbers.sort_by(|a, b| if highest { b.total_cmp(a) } else { a.total_cmp(b) });
        numbers.get(usize::try_from(place).ok()?.checked_sub(1)?).copied()
    }

    /// Whether a text is in a cell.
    pub(crate) fn has(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        self.rows.iter().flatten().any(|(_, cell)| cell.to_lowercase().contains(&text))
    }
}

fn cell<'r>(row: &'r [(String, String)], field: &str) -> Option<&'r str> {
    let found = row.iter().find(|(name, _)| name.eq_ignore_ascii_case(field));
    found.map(|(_, cell)| cell.trim())
}

/// Whether a row belongs to a group by one field or several.
fn is_in(row: &[(String, String)], by: &str, value: &Value) -> bool {
    let is = |field: &str, value: &Value| {
        let own = cell(row, field).unwrap_or_default();
        match value {
            Value::Null => own.is_empty(),
            Value::String(text) => own == text.trim(),
            other => {
                let written = other.to_string();
                number(own).is_some_and(|own| Some(own) == other.as_f64()) || own == written
            }
        }
    };
    match value {
        Value::Array(values) => by.split(',').zip(values).all(|(field, value)| is(field.trim(), value)),
        one => is(by, one),
    }
}

/// A number with a decimal point or comma.
fn number(cell: &str) -> Option<f64> {
    cell.parse().or_else(|_| cell.replace(',', ".").parse()).ok().filter(|number: &f64| number.is_finite())
}

fn of_csv(content: &str) -> Vec<Vec<(String, String)>> {
    let first = content.lines().next().unwrap();
    let delimiter = if first.contains(';') { b';' } else { b',' };
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).from_reader(content.as_bytes());
    let names: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let rows = reader.records().map(|record| record.unwrap());
    rows.map(|row| names.iter().cloned().zip(row.iter().map(str::to_owned)).collect()).collect()
}

fn of_json(record: &Value) -> Vec<(String, String)> {
    fn add(name: &str, value: &Value, found: &mut Vec<(String, String)>) {
        let joined = |own: &str| if name.is_empty() { own.to_owned() } else { format!("{name}.{own}") };
        match value {
            Value::Object(members) => members.iter().for_each(|(own, value)| add(&joined(own), value, found)),
            Value::Null => found.push((name.to_owned(), String::new())),
            Value::String(text) => found.push((name.to_owned(), text.clone())),
            other => found.push((name.to_owned(), other.to_string())),
        }
    }
    let mut found = Vec::new();
    add("", record, &mut found);
    found
}

//! Columns that are the differences of two others.

use std::borrow::Cow;

use serde_json::{Number, Value};

use super::{Records, time, value};

/// What stands between two columns in the name of their difference.
const MINUS: &str = " − ";
/// What ends the name where the columns hold dates.
const IN_DAYS: &str = " in days";

const SECONDS_A_DAY: f64 = 86_400.0;

impl Records {
    /// These records, with a column for each difference of two columns that a text names.
    pub fn with_differences(&self, text: &str) -> Cow<'_, Self> {
        let named = self.columns().iter().flat_map(|from| {
            let begins = format!("{from}{MINUS}");
            let others = if text.contains(&begins) { self.columns() } else { &[] };
            others.iter().filter_map(move |other| {
                let days = format!("{begins}{other}{IN_DAYS}");
                let plain = format!("{begins}{other}");
                let name = [days, plain].into_iter().find(|name| text.contains(name.as_str()))?;
                Some((name, from, other))
            })
        });

        let mut with = Cow::Borrowed(self);
        for (name, from, other) in named {
            let of_dates = name.ends_with(IN_DAYS);
            let cells: Vec<Option<f64>> = (0..self.len())
                .map(|row| {
                    let [from, other] = [from, other].map(|column| self.cell(row, column));
                    if of_dates {
                        days_between(from, other)
                    } else {
                        Some(value::number(from)? - value::number(other)?)
                    }
                })
                .collect();
            with.to_mut().add_column(name, cells);
        }
        with
    }

    fn add_column(&mut self, name: String, cells: Vec<Option<f64>>) {
        for (row, cell) in self.rows.iter_mut().zip(cells) {
            if let Some(number) = cell.and_then(Number::from_f64) {
                row.cells.insert(name.clone(), Value::Number(number));
            }
        }
        self.columns.push(name);
    }
}

/// The days from one date to another one, with their times of the day.
fn days_between(from: &Value, other: &Value) -> Option<f64> {
    let [from, other] = [time::moment(from.as_str()?)?, time::moment(other.as_str()?)?];
    Some(from.duration_since(other).as_secs_f64() / SECONDS_A_DAY)
}

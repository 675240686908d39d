//! Columns that are computed of two others.

use std::borrow::Cow;

use serde_json::{Number, Value};

use super::{Records, time, value};

/// What stands between two columns in the name of the one that is computed of them.
const SIGNS: [&str; 3] = [" − ", " + ", " ÷ "];
/// What ends the name where the columns hold dates.
const IN_DAYS: &str = " in days";

const SECONDS_A_DAY: f64 = 86_400.0;

impl Records {
    /// These records, with a column for each difference, sum and ratio of two columns that a text names.
    pub fn with_computed(&self, text: &str) -> Cow<'_, Self> {
        let signs = SIGNS.into_iter().filter(|sign| text.contains(sign));
        let named = signs.flat_map(|sign| {
            let of_sign = self.columns().iter().filter(move |from| text.contains(&format!("{from}{sign}")));
            of_sign.flat_map(move |from| {
                self.columns().iter().filter_map(move |other| {
                    let plain = format!("{from}{sign}{other}");
                    let days = format!("{plain}{IN_DAYS}");
                    let name = [days, plain].into_iter().find(|name| text.contains(name.as_str()))?;
                    Some((name, sign, from, other))
                })
            })
        });

        let mut with = Cow::Borrowed(self);
        for (name, sign, from, other) in named {
            let of_dates = name.ends_with(IN_DAYS);
            let cells: Vec<Option<f64>> = (0..self.len())
                .map(|row| {
                    let [from, other] = [from, other].map(|column| self.cell(row, column));
                    if of_dates {
                        days_between(from, other)
                    } else {
                        computed(sign, value::number(from)?, value::number(other)?)
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

fn computed(sign: &str, from: f64, other: f64) -> Option<f64> {
    match sign {
        " − " => Some(from - other),
        " + " => Some(from + other),
        _ => (other != 0.0).then(|| from / other),
    }
}

//! Aggregate functions that SQLite does not have, or not exactly enough.

use std::collections::HashSet;

use rusqlite::functions::{Aggregate, Context, FunctionFlags};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Error, Result};

use super::functions::PURE;

/// Registers the functions.
///
/// * `exact_sum(x)`: a whole number where all are whole and it fits, else a compensated sum.
/// * `median(x)`, `pearson(x, y)`.
/// * `listed(function, list)`: a measure over the values of JSON lists.
pub(super) fn register(connection: &Connection) -> Result<()> {
    let flags: FunctionFlags = PURE;
    connection.create_aggregate_function("exact_sum", 1, flags, ExactSum)?;
    connection.create_aggregate_function("median", 1, flags, Median)?;
    connection.create_aggregate_function("pearson", 2, flags, Pearson)?;
    connection.create_aggregate_function("listed", 2, flags, Listed)
}

/// A running sum. Whole numbers are summed exactly, others with the compensation of Neumaier (1974).
#[derive(Default)]
struct Sum {
    whole: i128,
    real: f64,
    compensation: f64,
    any_real: bool,
    count: u64,
}

impl Sum {
    fn add(&mut self, value: ValueRef<'_>) {
        match value {
            ValueRef::Integer(whole) => self.whole += i128::from(whole),
            ValueRef::Real(real) => {
                self.any_real = true;
                self.add_real(real);
            }
            _ => return,
        }
        self.count += 1;
    }

    fn add_real(&mut self, real: f64) {
        let sum = self.real + real;
        self.compensation +=
            if self.real.abs() >= real.abs() { (self.real - sum) + real } else { (real - sum) + self.real };
        self.real = sum;
    }

    fn total(&self) -> Value {
        match i64::try_from(self.whole) {
            _ if self.count == 0 => Value::Null,
            Ok(whole) if !self.any_real => Value::Integer(whole),
            _ => Value::Real(self.as_f64()),
        }
    }

    fn as_f64(&self) -> f64 {
        self.real + self.compensation + self.whole as f64
    }
}

struct ExactSum;

impl Aggregate<Sum, Value> for ExactSum {
    fn init(&self, _: &mut Context<'_>) -> Result<Sum> {
        Ok(Sum::default())
    }

    fn step(&self, context: &mut Context<'_>, sum: &mut Sum) -> Result<()> {
        sum.add(context.get_raw(0));
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, sum: Option<Sum>) -> Result<Value> {
        Ok(sum.map_or(Value::Null, |sum| sum.total()))
    }
}

/// All numbers of a group; whole ones stay exact as long as there is no other.
enum Numbers {
    Whole(Vec<i64>),
    Real(Vec<f64>),
}

impl Numbers {
    fn add(&mut self, value: ValueRef<'_>) {
        match (value, self) {
            (ValueRef::Integer(whole), Self::Whole(all)) => all.push(whole),
            (ValueRef::Integer(whole), Self::Real(all)) => all.push(whole as f64),
            (ValueRef::Real(real), Self::Real(all)) => all.push(real),
            (ValueRef::Real(real), numbers) => {
                if let Self::Whole(all) = numbers {
                    let mut all: Vec<f64> = all.iter().map(|whole| *whole as f64).collect();
                    all.push(real);
                    *numbers = Self::Real(all);
                }
            }
            _ => {}
        }
    }

    /// Returns the middle number, or the mean of the two in the middle.
    fn median(self) -> Value {
        match self {
            Self::Whole(mut all) => match middle(&mut all, i64::cmp) {
                Some((low, high)) => {
                    let twice = i128::from(low) + i128::from(high);
                    // Half of an even number fits, because it is between the two.
                    let half = i64::try_from(twice / 2).unwrap_or(low);
                    if twice % 2 == 0 { Value::Integer(half) } else { Value::Real(twice as f64 / 2.0) }
                }
                None => Value::Null,
            },
            Self::Real(mut all) => match middle(&mut all, f64::total_cmp) {
                Some((low, high)) => Value::Real(low / 2.0 + high / 2.0),
                None => Value::Null,
            },
        }
    }
}

/// Returns the one or two in the middle; one is given twice.
fn middle<T: Copy>(all: &mut [T], compare: impl Fn(&T, &T) -> std::cmp::Ordering + Copy) -> Option<(T, T)> {
    if all.is_empty() {
        return None;
    }
    let at = all.len() / 2;
    let even = all.len().is_multiple_of(2);
    let (below, high, _) = all.select_nth_unstable_by(at, compare);
    let high = *high;
    let low = if even { below.iter().copied().max_by(compare).unwrap_or(high) } else { high };
    Some((low, high))
}

struct Median;

impl Aggregate<Numbers, Value> for Median {
    fn init(&self, _: &mut Context<'_>) -> Result<Numbers> {
        Ok(Numbers::Whole(Vec::new()))
    }

    fn step(&self, context: &mut Context<'_>, numbers: &mut Numbers) -> Result<()> {
        numbers.add(context.get_raw(0));
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, numbers: Option<Numbers>) -> Result<Value> {
        Ok(numbers.map_or(Value::Null, Numbers::median))
    }
}

/// Running means and sums of products of deviations, after Welford (1962).
#[derive(Default)]
struct Products {
    count: f64,
    means: [f64; 2],
    squares: [f64; 2],
    product: f64,
}

struct Pearson;

impl Aggregate<Products, Option<f64>> for Pearson {
    fn init(&self, _: &mut Context<'_>) -> Result<Products> {
        Ok(Products::default())
    }

    fn step(&self, context: &mut Context<'_>, sums: &mut Products) -> Result<()> {
        let (Some(x), Some(y)) = (number(context.get_raw(0)), number(context.get_raw(1))) else { return Ok(()) };
        sums.count += 1.0;
        let (dx, dy) = (x - sums.means[0], y - sums.means[1]);
        sums.means[0] += dx / sums.count;
        sums.means[1] += dy / sums.count;
        sums.squares[0] += dx * (x - sums.means[0]);
        sums.squares[1] += dy * (y - sums.means[1]);
        sums.product += dx * (y - sums.means[1]);
        Ok(())
    }

    /// Returns nothing for fewer than two pairs, and where one of the two does not vary.
    fn finalize(&self, _: &mut Context<'_>, sums: Option<Products>) -> Result<Option<f64>> {
        Ok(sums.and_then(|sums| {
            let spread = sums.squares[0].sqrt() * sums.squares[1].sqrt();
            (sums.count >= 2.0 && spread > 0.0).then(|| (sums.product / spread).clamp(-1.0, 1.0))
        }))
    }
}

fn number(value: ValueRef<'_>) -> Option<f64> {
    match value {
        ValueRef::Integer(whole) => Some(whole as f64),
        ValueRef::Real(real) => Some(real),
        _ => None,
    }
}

/// Values of lists, as the function that is asked for needs them.
struct Lists {
    function: String,
    sum: Sum,
    numbers: Numbers,
    least: Option<serde_json::Number>,
    greatest: Option<serde_json::Number>,
    distinct: HashSet<String>,
    records: i64,
    values: i64,
}

struct Listed;

impl Aggregate<Lists, Value> for Listed {
    fn init(&self, context: &mut Context<'_>) -> Result<Lists> {
        Ok(Lists {
            function: context.get(0)?,
            sum: Sum::default(),
            numbers: Numbers::Whole(Vec::new()),
            least: None,
            greatest: None,
            distinct: HashSet::new(),
            records: 0,
            values: 0,
        })
    }

    fn step(&self, context: &mut Context<'_>, lists: &mut Lists) -> Result<()> {
        let ValueRef::Text(text) = context.get_raw(1) else { return Ok(()) };
        let values: Vec<serde_json::Value> =
            serde_json::from_slice(text).map_err(|error| Error::UserFunctionError(Box::new(error)))?;
        lists.records += i64::from(!values.is_empty());
        for value in values {
            lists.values += 1;
            match lists.function.as_str() {
                "distinct" => {
                    lists.distinct.insert(value.to_string());
                }
                "min" | "max" => lists.bound(value),
                _ => lists.number(&value),
            }
        }
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, lists: Option<Lists>) -> Result<Value> {
        Ok(lists.map_or(Value::Null, Lists::result))
    }
}

impl Lists {
    fn number(&mut self, value: &serde_json::Value) {
        let cell = match (value.as_i64(), value.as_f64()) {
            (Some(whole), _) => ValueRef::Integer(whole),
            (None, Some(real)) => ValueRef::Real(real),
            _ => return,
        };
        self.sum.add(cell);
        if self.function == "median" {
            self.numbers.add(cell);
        }
    }

    fn bound(&mut self, value: serde_json::Value) {
        let serde_json::Value::Number(number) = value else { return };
        let size = |number: &serde_json::Number| number.as_f64().unwrap_or_default();
        if self.least.as_ref().is_none_or(|least| size(&number) < size(least)) {
            self.least = Some(number.clone());
        }
        if self.greatest.as_ref().is_none_or(|greatest| size(&number) > size(greatest)) {
            self.greatest = Some(number);
        }
    }

    fn result(self) -> Value {
        let cell = |number: Option<serde_json::Number>| match number {
            None => Value::Null,
            Some(number) => match number.as_i64() {
                Some(whole) => Value::Integer(whole),
                None => Value::Real(number.as_f64().unwrap_or_default()),
            },
        };
        match self.function.as_str() {
            "sum" => self.sum.total(),
            "mean" if self.sum.count == 0 => Value::Null,
            "mean" => Value::Real(self.sum.as_f64() / self.sum.count as f64),
            "median" => self.numbers.median(),
            "min" => cell(self.least),
            "max" => cell(self.greatest),
            "distinct" => Value::Integer(self.distinct.len() as i64),
            "values" => Value::Integer(self.values),
            _ => Value::Integer(self.records),
        }
    }
}

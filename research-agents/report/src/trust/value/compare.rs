//! Compares two values: the same, compatible, or different.

use serde::{Deserialize, Serialize};

use crate::text::words::fold;
use crate::trust::value::model::{Bound, Date, Quantity, Value, Version};

/// The outcome of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sameness {
    /// Both state the same value, up to the precision of the coarser one.
    Same,
    /// Both can be right: *at least 5* and *7*.
    Compatible,
    /// They cannot both be right for the same question.
    Different,
}

/// The tolerance of *about*.
const ABOUT: f64 = 0.05;
/// Maximum relative difference by rounding of factors and of floating-point numbers.
const ROUNDING: f64 = 1e-6;

/// Compares two values of the same question.
///
/// Units of one dimension are converted. Of two precisions, the coarser one decides: *3.14* and
/// *3.1416* are the same. A number without a unit is compatible with the same number with one.
pub fn compare(a: &Value, b: &Value) -> Sameness {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => numbers(a, b),
        (Value::Date(a), Value::Date(b)) => dates(a, b),
        (Value::Version(a), Value::Version(b)) => versions(a, b),
        (Value::YesNo(a), Value::YesNo(b)) => same(a == b),
        (Value::Name(a), Value::Name(b)) => names(a, b),
        (Value::Set(a), Value::Set(b)) if a == b => Sameness::Same,
        (Value::Set(a), Value::Set(b)) if a.is_subset(b) || b.is_subset(a) => Sameness::Compatible,

        // A year may be read as a number, and a version of two numbers too.
        (Value::Number(number), Value::Date(date)) | (Value::Date(date), Value::Number(number)) => {
            let is_year = date.month.is_none()
                && number.unit.is_none()
                && date.year.is_some_and(|year| f64::from(year) == number.low);
            same(is_year)
        }
        (Value::Number(number), Value::Version(version))
        | (Value::Version(version), Value::Number(number)) => {
            let text: Vec<String> = version.numbers.iter().map(u64::to_string).collect();
            let is_same = number.unit.is_none()
                && version.suffix.is_empty()
                && text.len() <= 2
                && text.join(".").parse() == Ok(number.low);
            same(is_same)
        }
        _ => Sameness::Different,
    }
}

fn same(is_same: bool) -> Sameness {
    if is_same {
        Sameness::Same
    } else {
        Sameness::Different
    }
}

/// Names are the same if their words are; a name that contains all words of the other one is
/// compatible with it.
fn names(a: &str, b: &str) -> Sameness {
    let words = |name: &str| -> Vec<String> {
        fold(name)
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty() && *word != "the")
            .map(str::to_owned)
            .collect()
    };
    let (a, b) = (words(a), words(b));
    let within = |a: &[String], b: &[String]| a.iter().all(|word| b.contains(word));
    if a == b {
        Sameness::Same
    } else if within(&a, &b) || within(&b, &a) {
        Sameness::Compatible
    } else {
        Sameness::Different
    }
}

/// Compares two quantities.
fn numbers(a: &Quantity, b: &Quantity) -> Sameness {
    let without_unit = a.unit.is_none() != b.unit.is_none();
    let comparable = match (&a.unit, &b.unit) {
        (Some(a), Some(b)) => a.dimension == b.dimension,
        _ => true,
    };
    // *1 GB* is not *1 GiB*, however coarse a single digit is.
    let is_other_unit = match (&a.unit, &b.unit) {
        (Some(x), Some(y)) => x != y && a.low == b.low && a.high == b.high && a.low != 0.0,
        _ => false,
    };
    if !comparable || is_other_unit {
        return Sameness::Different;
    }

    let (a, b) = if without_unit {
        (Interval::new(a, false), Interval::new(b, false))
    } else {
        (Interval::new(a, true), Interval::new(b, true))
    };
    match a.compare(&b) {
        Sameness::Same if without_unit => Sameness::Compatible,
        other => other,
    }
}

/// A quantity in base units, with what its bound allows.
struct Interval {
    low: f64,
    high: f64,
    precision: f64,
    bound: Bound,
    /// The factor of its unit.
    factor: f64,
}

impl Interval {
    fn new(quantity: &Quantity, converts: bool) -> Self {
        let unit = quantity.unit.as_ref().filter(|_| converts);
        let factor = unit.map_or(1.0, |unit| unit.factor);
        let offset = unit.map_or(0.0, |unit| unit.offset);
        let (low, high) = (
            quantity.low * factor + offset,
            quantity.high * factor + offset,
        );

        let about = if quantity.bound == Bound::About {
            ABOUT * low.abs()
        } else {
            0.0
        };
        Self {
            low,
            high,
            precision: (quantity.precision * factor).max(about),
            bound: quantity.bound,
            factor,
        }
    }

    /// Returns the numbers that it allows.
    fn allowed(&self) -> (f64, f64) {
        let slack = self.precision + ROUNDING * self.high.abs();
        match self.bound {
            Bound::Exact | Bound::About => (self.low - slack, self.high + slack),
            Bound::AtLeast => (self.low - ROUNDING * self.low.abs(), f64::INFINITY),
            Bound::More => (self.low + ROUNDING * self.low.abs(), f64::INFINITY),
            Bound::AtMost => (f64::NEG_INFINITY, self.high + ROUNDING * self.high.abs()),
            Bound::Less => (f64::NEG_INFINITY, self.high - ROUNDING * self.high.abs()),
        }
    }

    fn compare(&self, other: &Self) -> Sameness {
        let exact = |bound: Bound| matches!(bound, Bound::Exact | Bound::About);
        // A whole number of a large unit is not meant to half of it: *1 mile* is not *1.7 km*.
        let is_converted = self.factor != other.factor;
        let is_about = self.bound == Bound::About || other.bound == Bound::About;
        let precision = if is_converted && !is_about {
            self.precision.min(other.precision)
        } else {
            self.precision.max(other.precision)
        };
        let near = |a: f64, b: f64| (a - b).abs() <= precision * (1.0 + 1e-9) + ROUNDING * a.abs();
        let ends_agree = near(self.low, other.low) && near(self.high, other.high);
        let kinds_agree = self.bound == other.bound || exact(self.bound) && exact(other.bound);

        // Integers of the same precision are the same only if they are equal.
        let (coarse, fine) = if self.precision >= other.precision {
            (self, other)
        } else {
            (other, self)
        };
        let equal = (self.low - other.low).abs() <= ROUNDING * self.low.abs()
            && (self.high - other.high).abs() <= ROUNDING * self.high.abs();
        let is_range = |interval: &Self| interval.low < interval.high;
        let rounded = coarse.precision > fine.precision * (1.0 + 1e-9)
            && ends_agree
            && is_range(self) == is_range(other);
        if kinds_agree && (equal || rounded) {
            return Sameness::Same;
        }

        let open = !exact(self.bound) || !exact(other.bound);
        if open || is_range(self) || is_range(other) {
            let (low, high) = self.allowed();
            let (other_low, other_high) = other.allowed();
            let (mut low, mut high) = (low.max(other_low), high.min(other_high));
            // An exact number must lie within the bound without its own slack.
            for exact_one in [self, other] {
                if open && exact(exact_one.bound) {
                    (low, high) = (low.max(exact_one.low), high.min(exact_one.high));
                }
            }
            // Two ranges whose slacks only touch have no number in common.
            let is_common = if open {
                low <= high
            } else {
                low < high - 4.0 * ROUNDING * high.abs()
            };
            if is_common {
                return Sameness::Compatible;
            }
        }
        Sameness::Different
    }
}

/// Compares two dates up to the coarser one.
fn dates(a: &Date, b: &Date) -> Sameness {
    fn differ<T: PartialEq>(a: Option<T>, b: Option<T>) -> bool {
        matches!((a, b), (Some(a), Some(b)) if a != b)
    }
    same(!(differ(a.year, b.year) || differ(a.month, b.month) || differ(a.day, b.day)))
}

/// Compares two versions: `1.2` is `1.2.0`, and compatible with `1.2.3`.
fn versions(a: &Version, b: &Version) -> Sameness {
    let trimmed = |version: &Version| {
        let numbers = &version.numbers;
        let zeros = numbers.iter().rev().take_while(|n| **n == 0).count();
        numbers[..numbers.len() - zeros.min(numbers.len() - 1)].to_vec()
    };
    if trimmed(a) == trimmed(b) {
        return same(a.suffix == b.suffix);
    }

    let (short, long) = if a.numbers.len() < b.numbers.len() {
        (a, b)
    } else {
        (b, a)
    };
    let is_series = short.suffix.is_empty()
        && short.numbers.len() < long.numbers.len()
        && long.numbers.starts_with(&short.numbers);
    if is_series {
        Sameness::Compatible
    } else {
        Sameness::Different
    }
}

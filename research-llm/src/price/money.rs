//! Money as a whole number of billionths of a dollar, so that sums are exact.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::ModelError;

/// US dollars, exact to a billionth. Adds up; never overflows, but stays at the largest amount (18 thousand million).
///
/// In JSON it is the number of billionths.
///
/// ```
/// use research_llm::price::Usd;
///
/// let spent = Usd::cents(1) + "0.0023".parse()?;
/// assert_eq!(spent.to_string(), "$0.0123");
/// assert_eq!(spent.nanos(), 12_300_000);
/// assert_eq!("$2.50".parse::<Usd>()?, Usd::cents(250));
/// # Ok::<(), research_llm::ModelError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Usd(u64);

/// Billionths in a dollar.
const NANOS: u64 = 1_000_000_000;

impl Usd {
    /// No money.
    pub const ZERO: Self = Self(0);

    /// An amount in billionths of a dollar.
    #[must_use]
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// An amount in cents.
    #[must_use]
    pub const fn cents(cents: u64) -> Self {
        Self(cents.saturating_mul(NANOS / 100))
    }

    /// An amount in dollars.
    #[must_use]
    pub const fn dollars(dollars: u64) -> Self {
        Self(dollars.saturating_mul(NANOS))
    }

    /// The amount in billionths of a dollar.
    #[must_use]
    pub const fn nanos(self) -> u64 {
        self.0
    }

    /// The amount in dollars, as near as a floating-point number can be: for display.
    #[must_use]
    pub const fn as_dollars(self) -> f64 {
        self.0 as f64 / NANOS as f64
    }

    /// What is left of this amount after another, or nothing.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Add for Usd {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Usd {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Usd {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Display for Usd {
    /// Writes dollars with at least two decimals and as many as it takes to be exact.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = format!("{:09}", self.0 % NANOS);
        let significant = decimals.trim_end_matches('0').len().max(2);
        write!(f, "${}.{}", self.0 / NANOS, &decimals[..significant])
    }
}

impl FromStr for Usd {
    type Err = ModelError;

    /// Reads an amount of dollars, such as `2`, `0.25` or `$0.0123`, with up to nine decimals.
    ///
    /// # Errors
    /// [`ModelError::InvalidRequest`] if it is no such amount.
    fn from_str(text: &str) -> Result<Self, ModelError> {
        parse(text).ok_or_else(|| {
            ModelError::invalid_request(format!("`{text}` is no amount of dollars; write one such as 0.25"), None)
        })
    }
}

fn parse(text: &str) -> Option<Usd> {
    let text = text.trim();
    let text = text.strip_prefix('$').unwrap_or(text);
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(decimals) || decimals.len() > 9 {
        return None;
    }
    let nanos: u64 = format!("{decimals:0<9}").parse().ok()?;
    whole.parse::<u64>().ok()?.checked_mul(NANOS)?.checked_add(nanos).map(Usd)
}

/// Dollars as a decimal number in JSON, as price lists write them.
pub(super) mod decimal {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    use super::{NANOS, Usd};

    #[expect(clippy::cast_precision_loss, reason = "prices are far below 2^53 billionths")]
    pub(in crate::price) fn serialize<S: Serializer>(amount: &Usd, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(amount.0 as f64 / NANOS as f64)
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "the range is checked first"
    )]
    pub(in crate::price) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Usd, D::Error> {
        let dollars = f64::deserialize(deserializer)?;
        if !(0.0..=1_000_000.0).contains(&dollars) {
            return Err(D::Error::custom("a price is a number of dollars from 0 to 1000000"));
        }
        Ok(Usd((dollars * NANOS as f64).round() as u64))
    }
}

/// The same for an amount that may be missing.
pub(super) mod optional_decimal {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Usd;

    #[derive(Serialize, Deserialize)]
    #[serde(transparent)]
    struct Decimal(#[serde(with = "super::decimal")] Usd);

    pub(in crate::price) fn serialize<S: Serializer>(amount: &Option<Usd>, serializer: S) -> Result<S::Ok, S::Error> {
        amount.map(Decimal).serialize(serializer)
    }

    pub(in crate::price) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Usd>, D::Error> {
        Ok(Option::<Decimal>::deserialize(deserializer)?.map(|decimal| decimal.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_written_exactly_and_read_back() {
        for (nanos, text) in [
            (0, "$0.00"),
            (1, "$0.000000001"),
            (12_300_000, "$0.0123"),
            (NANOS, "$1.00"),
            (1_500_000_000, "$1.50"),
            (u64::MAX, "$18446744073.709551615"),
        ] {
            assert_eq!(Usd::from_nanos(nanos).to_string(), text);
            assert_eq!(text.parse::<Usd>().unwrap(), Usd::from_nanos(nanos));
        }
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        for text in ["", "$", ".5", "1.", "-1", "1e3", "1.0000000001", "18446744074", "1,5", "0.2.3"] {
            assert!(text.parse::<Usd>().is_err(), "{text}");
        }
    }

    #[test]
    fn sums_are_exact_where_floating_point_is_not() {
        let dime: Usd = "0.1".parse().unwrap();
        assert_eq!(std::iter::repeat_n(dime, 10).sum::<Usd>(), Usd::dollars(1));
        assert_eq!(Usd::from_nanos(u64::MAX) + dime, Usd::from_nanos(u64::MAX));
    }
}

//! The JSON form of a number that may be no number, such as a sum that is too large: `null`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes a finite number, and `null` for any other.
pub(crate) fn serialize<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    number.is_finite().then_some(*number).serialize(serializer)
}

/// Reads a number, and NaN for `null`.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

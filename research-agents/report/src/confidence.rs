//! The scale of confidence: a number from 0 to 1 with named bands.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Confidence from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Confidence(f64);

impl Confidence {
    /// Creates a confidence. Values outside of 0 to 1 are clamped, and NaN counts as 0.
    pub fn new(value: f64) -> Self {
        Self(if value.is_nan() {
            0.0
        } else {
            value.clamp(0.0, 1.0)
        })
    }

    /// Returns the number, 0 to 1.
    pub fn value(self) -> f64 {
        self.0
    }

    /// Returns the band: `high` from 0.7, at which a question counts as well answered, `medium`
    /// from 0.4, else `low`.
    pub fn band(self) -> &'static str {
        if self.0 >= 0.7 {
            "high"
        } else if self.0 >= 0.4 {
            "medium"
        } else {
            "low"
        }
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} ({})", self.0, self.band())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_outside_the_scale_are_clamped() {
        assert_eq!(Confidence::new(1.7).value(), 1.0);
        assert_eq!(Confidence::new(-1.0).value(), 0.0);
        assert_eq!(Confidence::new(f64::NAN).value(), 0.0);
    }

    #[test]
    fn the_threshold_itself_is_high() {
        assert_eq!(Confidence::new(0.7).band(), "high");
        assert_eq!(Confidence::new(0.69).to_string(), "0.69 (medium)");
    }
}

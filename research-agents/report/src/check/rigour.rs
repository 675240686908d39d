//! The exactness that is required of claims.

use crate::check::figure::figures;

/// Maximum relative difference of two statistics that are equal up to the rounding of sums.
const EXACT: f64 = 1e-9;

/// The exactness that is required of claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rigour {
    /// Claims of a model: a number may be rounded, and a quote needs no offset.
    Draft,
    /// Claims of a finished report.
    Finished,
}

impl Rigour {
    /// Returns whether a stated statistic agrees with the actual one: in a draft, to the stated
    /// decimals.
    pub(crate) fn agrees(self, stated: f64, actual: f64) -> bool {
        match self {
            _ if !stated.is_finite() => false,
            Self::Draft => {
                let sign_fits = actual == 0.0 || stated == 0.0 || (actual < 0.0) == (stated < 0.0);
                sign_fits
                    && figures(&stated.abs().to_string())
                        .iter()
                        .all(|figure| figure.shows(actual))
            }
            Self::Finished => (actual - stated).abs() <= EXACT * actual.abs(),
        }
    }
}

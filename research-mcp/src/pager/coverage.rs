//! How much of what a query matches was read, without flattery.

use crate::document::Skipped;

/// How much of what a query matches a walk has read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Coverage {
    /// Records that match the query, as the tool says. `None` when it does not say, or not exactly.
    pub matched: Option<u64>,
    /// Distinct documents that the walk handed out.
    pub read: u64,
    /// Records left out because their id was known.
    pub duplicates: u64,
    /// Records that could not become documents.
    pub skipped: Skipped,
    /// The tool itself ended the walk, and did not claim more records than came. Samples of groups are complete only where it
    /// says how many match.
    pub complete: bool,
}

impl Coverage {
    /// The share of the matching records that was read, from 0 to 1.
    ///
    /// `None` when the total is not known. A total below what was read is disproved and not known either, so that a share is never
    /// above 1; a complete walk over nothing gives 1.
    pub fn share(&self) -> Option<f64> {
        match self.matched {
            Some(0) if self.read == 0 => Some(1.0),
            Some(matched) if self.read <= matched => Some(self.read as f64 / matched as f64),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_never_above_one_and_an_unknown_total_stays_unknown() {
        let share = |matched, read| Coverage { matched, read, ..Coverage::default() }.share();
        assert_eq!(share(Some(200), 50), Some(0.25));
        assert_eq!(share(Some(50), 50), Some(1.0));
        assert_eq!(share(Some(50), 51), None);
        assert_eq!(share(None, 50), None);
        assert_eq!(share(Some(0), 0), Some(1.0));
    }
}

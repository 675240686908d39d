//! Leases: which run works on a thread, and for how long others take that for granted.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use super::error::{StoreError, StoreErrorKind};

/// A run's lease of a thread: until it expires, other runs that ask for the lease are refused.
///
/// A lease keeps out those that ask for one. It does not fence: a [claim](super::Checkpointer::claim) without a lease still
/// takes the thread over.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lease {
    /// Number of the lease, which no other lease of the store has.
    pub token: u64,
    /// Id of the run that holds the lease.
    pub run: Arc<str>,
    /// When the run took the lease, by the run's clock, to the millisecond.
    pub since: SystemTime,
    /// When the lease expires unless the run renews it, by the run's clock, to the millisecond.
    pub until: SystemTime,
}

impl Lease {
    /// Creates a lease; for stores that read one back.
    #[must_use]
    pub const fn new(token: u64, run: Arc<str>, since: SystemTime, until: SystemTime) -> Self {
        Self { token, run, since, until }
    }

    /// Returns whether the lease has expired at `now`.
    #[must_use]
    pub fn is_expired(&self, now: SystemTime) -> bool {
        self.until <= now
    }
}

/// The run, and since when it holds the lease in UTC.
impl fmt::Display for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.since.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
        let (days, time) = (seconds / 86_400, seconds % 86_400);
        let (year, month, day) = date(days);
        let (hour, minute, second) = (time / 3_600, time / 60 % 60, time % 60);
        write!(f, "run `{}`, since {year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z", self.run)
    }
}

/// Returns year, month and day of the Gregorian calendar, so many days after 1970-01-01 (the algorithm `civil_from_days` of
/// Howard Hinnant, <https://howardhinnant.github.io/date_algorithms.html>).
const fn date(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year_of_era + (month <= 2) as u64, month, day)
}

/// The answer of a store to a run that asks for the lease of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeaseReply {
    /// The run holds the lease of this number now.
    Granted(u64),
    /// Another run holds this lease, which has not expired.
    Held(Lease),
}

/// Returns the error of a store that keeps no leases.
#[cold]
pub(super) fn unsupported() -> StoreError {
    StoreError::new(
        StoreErrorKind::Unsupported,
        "this store keeps no leases, so that it cannot say whether a run works on a thread; run without `.if_idle(…)`, or \
         implement the lease methods of its `Checkpointer`",
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_lease_names_its_run_and_the_date() {
        let dates = [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_767_225_599, "2025-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ];
        for (seconds, date) in dates {
            let since = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
            let lease = Lease::new(1, "r".into(), since, since);
            assert_eq!(lease.to_string(), format!("run `r`, since {date}"));
        }
    }
}

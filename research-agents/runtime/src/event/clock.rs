//! The time stamps of events: RFC 3339 in UTC with milliseconds.

use std::time::SystemTime;

/// Formats an instant, such as `2026-11-20T07:00:00.123Z`. An instant outside the range of the
/// calendar becomes the Unix epoch.
pub fn rfc3339(instant: SystemTime) -> String {
    let instant = jiff::Timestamp::try_from(instant).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    instant.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn milliseconds_are_always_written() {
        assert_eq!(rfc3339(SystemTime::UNIX_EPOCH), "1970-01-01T00:00:00.000Z");
        let instant = SystemTime::UNIX_EPOCH + Duration::from_millis(1_795_158_000_123);
        assert_eq!(rfc3339(instant), "2026-11-20T07:00:00.123Z");
    }
}

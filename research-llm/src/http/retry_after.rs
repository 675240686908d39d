//! How long a server wants to be left alone, from the headers of its answer.

use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;

/// Reads, in this order, `retry-after-ms` (milliseconds), `retry-after` (seconds or an HTTP date), and for a status of 429 the
/// `x-ratelimit-reset-requests` and `-tokens` of OpenAI and of servers like it (`1s`, `6m0s`, `20ms`): the longest
/// of those whose budget is used up, or the longest of all if none says so.
pub(crate) fn retry_after(status: u16, headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    if let Some(delay) = text("retry-after-ms").and_then(|ms| seconds(ms, 1e-3)) {
        return Some(delay);
    }
    if let Some(value) = text("retry-after") {
        // A date is measured against the server's own clock where it tells the time.
        let now = || text("date").and_then(|date| httpdate::parse_http_date(date).ok()).unwrap_or_else(SystemTime::now);
        let until = |at: SystemTime| at.duration_since(now()).unwrap_or_default();
        let delay = seconds(value, 1.0).or_else(|| httpdate::parse_http_date(value).ok().map(until));
        if delay.is_some() {
            return delay;
        }
    }
    if status != 429 {
        return None;
    }
    let resets = ["requests", "tokens"].map(|what| {
        let reset = text(&format!("x-ratelimit-reset-{what}")).and_then(duration)?;
        let is_used_up = text(&format!("x-ratelimit-remaining-{what}")).is_some_and(|left| left == "0");
        Some((is_used_up, reset))
    });
    resets.into_iter().flatten().max().map(|(_, reset)| reset)
}

/// A decimal number of units of so many seconds.
fn seconds(text: &str, unit: f64) -> Option<Duration> {
    if !text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    Duration::try_from_secs_f64(text.parse::<f64>().ok()? * unit).ok()
}

/// A duration such as `1m30.5s` or `20ms`. A number without a unit may be a point in time and is not read.
fn duration(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut sum = Duration::ZERO;
    while !rest.is_empty() {
        let (number, tail) = rest.split_at(rest.find(|c: char| c.is_ascii_alphabetic())?);
        let (unit, tail) = tail.split_at(tail.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(tail.len()));
        let unit = match unit {
            "ms" => 1e-3,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3_600.0,
            "d" => 86_400.0,
            _ => return None,
        };
        sum = sum.checked_add(seconds(number, unit)?)?;
        rest = tail;
    }
    (!text.is_empty()).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::{HeaderName, HeaderValue};

    fn read(status: u16, headers: &[(&'static str, &str)]) -> Option<Duration> {
        let headers = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap()))
            .collect();
        retry_after(status, &headers)
    }

    #[test]
    fn every_form_of_a_delay_is_read() {
        let ms = Duration::from_millis;
        for (headers, delay) in [
            (vec![("retry-after", "7")], Some(ms(7_000))),
            (vec![("retry-after", "0.25")], Some(ms(250))),
            (vec![("retry-after-ms", "1500"), ("retry-after", "2")], Some(ms(1_500))),
            (
                vec![("date", "Fri, 20 Nov 2026 07:00:00 GMT"), ("retry-after", "Fri, 20 Nov 2026 07:01:30 GMT")],
                Some(ms(90_000)),
            ),
            (
                vec![("date", "Fri, 20 Nov 2026 07:00:00 GMT"), ("retry-after", "Fri, 20 Nov 2026 06:00:00 GMT")],
                Some(ms(0)),
            ),
            (vec![("x-ratelimit-reset-requests", "1m30.5s")], Some(ms(90_500))),
            (
                vec![
                    ("x-ratelimit-reset-requests", "6m0s"),
                    ("x-ratelimit-remaining-requests", "12"),
                    ("x-ratelimit-reset-tokens", "20ms"),
                    ("x-ratelimit-remaining-tokens", "0"),
                ],
                Some(ms(20)),
            ),
            (vec![("x-ratelimit-reset-tokens", "1741305600000")], None),
            (vec![("retry-after", "soon")], None),
            (vec![("retry-after", "-3")], None),
            (vec![("retry-after", "NaN")], None),
            (vec![("retry-after", "99999999999999999999999999")], None),
            (vec![], None),
        ] {
            assert_eq!(read(429, &headers), delay, "{headers:?}");
        }
    }

    #[test]
    fn a_limit_that_is_told_with_every_answer_is_no_delay_of_another_failure() {
        assert_eq!(read(500, &[("x-ratelimit-reset-requests", "1s")]), None);
        assert_eq!(read(503, &[("retry-after", "3")]), Some(Duration::from_secs(3)));
    }
}

//! Reads from the text of a failure how long to wait before a retry.

use std::time::Duration;

use research_llm::Failure;

/// Names of the header, and of fields that repeat it.
const NAMES: &[&str] = &["retry-after", "retry_after", "retryafter"];

/// Returns the delay that a message asks for: `Retry-After: 3`, `"retry_after_ms": 250`, or a
/// sentence such as `try again in 2.5s`.
pub(crate) fn asked(words: &str) -> Option<Duration> {
    let words = words.to_lowercase();
    let named = NAMES.iter().find_map(|name| {
        let rest = &words[words.find(name)? + name.len()..];
        let is_milliseconds = rest.trim_start_matches(['_', '-']).starts_with("ms");
        let start = rest.find(|c: char| c.is_ascii_digit())?;
        // Only punctuation may come in between; otherwise the number belongs to something else.
        let between = rest[..start]
            .trim_start_matches(['_', '-'])
            .trim_start_matches("ms");
        if between.chars().count() > 4 || between.contains(char::is_alphanumeric) {
            return None;
        }
        let end = rest[start..]
            .find(|c: char| !(c.is_ascii_digit() || c == '.'))
            .unwrap_or(rest.len() - start);
        let number: f64 = rest[start..start + end]
            .trim_end_matches('.')
            .parse()
            .ok()?;
        let unit = rest[start + end..].trim_start();
        let seconds = if is_milliseconds || unit.starts_with("ms") {
            number / 1000.0
        } else {
            number
        };
        Duration::try_from_secs_f64(seconds).ok()
    });

    // With the status of a rate limit, the model error reads the sentence.
    named.or_else(|| Failure::new(&words).status(429).into_error().retry_after())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_read_in_every_form_in_use() {
        let cases = [
            ("HTTP 429 Too Many Requests. Retry-After: 3", Some(3_000)),
            (
                "429: {\"error\": \"slow down\", \"retry_after\": 1.5}",
                Some(1_500),
            ),
            ("rate limited, retry_after_ms=250", Some(250)),
            ("Too many requests; retry after 8 seconds", Some(8_000)),
            ("Rate limit reached. Please try again in 644ms.", Some(644)),
            ("Retry-After: Wed, 21 Oct 2026 07:28:00 GMT", None),
            ("Retry-After: soon", None),
            ("503 Service Unavailable", None),
        ];

        for (words, milliseconds) in cases {
            assert_eq!(
                asked(words),
                milliseconds.map(Duration::from_millis),
                "{words}"
            );
        }
    }
}

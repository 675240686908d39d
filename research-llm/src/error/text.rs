//! What can be read out of a provider's words: statuses, numbers of tokens, and how long to wait.

use std::time::Duration;

use super::rules::{LIMIT_AFTER, LIMIT_BEFORE, REASONS, REQUESTED_AFTER, STATUS_WORDS};

/// The words in lower case, without addresses (a number in an address means nothing) and without back quotes.
pub(super) fn normal(message: &str) -> String {
    let mut text = String::with_capacity(message.len());
    for word in message.split_whitespace() {
        let word = word.to_lowercase().replace('`', "").replace('\u{2019}', "'");
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word.find("://").map_or(word.as_str(), |_| ""));
    }
    text
}

/// More of a message than this is not kept, in bytes.
const LONGEST: usize = 2_000;

/// The beginning of a long message.
pub(super) fn cut(text: &str) -> &str {
    let end = (0..=LONGEST.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or_default();
    &text[..end]
}

/// Whether the text holds the parts of the pattern, which `*` separates, one after the other.
pub(super) fn holds(text: &str, pattern: &str) -> bool {
    let mut rest = text;
    pattern.split('*').all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}

/// Whether the text holds one of the patterns.
pub(super) fn holds_any(text: &str, patterns: &[&str]) -> bool {
    patterns.iter().any(|pattern| holds(text, pattern))
}

/// A status that the text names as such: after `status`, `code` or `HTTP`, or before its reason. No other number is one.
pub(super) fn status(text: &str) -> Option<u16> {
    let words: Vec<&str> = text
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | ',')))
        .map(|word| word.trim_matches(['.', ',']))
        .filter(|word| !word.is_empty())
        .collect();
    let word = |at: Option<usize>| at.and_then(|at| words.get(at)).copied().unwrap_or_default();
    words.iter().enumerate().find_map(|(at, number)| {
        let number = number.parse::<u16>().ok().filter(|n| number.len() == 3 && (400..600).contains(n))?;
        let (before, after) = (word(at.checked_sub(1)), word(Some(at + 1)));
        let named = STATUS_WORDS.contains(&before)
            || matches!(before, "1.0" | "1.1" | "2" | "2.0" | "3") && word(at.checked_sub(2)) == "http";
        let reasoned = REASONS.iter().any(|(status, words)| *status == number && words.contains(&after));
        (named || reasoned).then_some(number)
    })
}

/// How many tokens fit and how many were asked for, as far as the text says so.
///
/// A number that was asked for and would fit is not the one that the refusal is about, and is left out.
pub(super) fn tokens(text: &str) -> (Option<u64>, Option<u64>) {
    let (mut limit, mut requested) = (None, None);
    // `210000 tokens > 200000 maximum` and `190000 + 20000 > 200000`.
    if let Some((left, right)) = text.split_once(" > ") {
        limit = leading_number(right);
        let left = left.trim_end_matches(" tokens");
        requested = trailing_number(left).and_then(|last| match left.rsplit_once(" + ") {
            Some((first, _)) => trailing_number(first).and_then(|first| first.checked_add(last)),
            None => Some(last),
        });
    }
    let limit = limit
        .or_else(|| LIMIT_AFTER.iter().find_map(|words| after(text, words)))
        .or_else(|| LIMIT_BEFORE.iter().find_map(|words| before(text, words)));
    let requested = requested.or_else(|| REQUESTED_AFTER.iter().find_map(|words| after(text, words)));
    (limit, requested.filter(|&requested| limit.is_none_or(|limit| requested > limit)))
}

/// How long the text asks to wait: `try again in 7m12.5s`, `retry after 8 seconds`.
pub(super) fn wait(text: &str) -> Option<Duration> {
    ["try again in ", "retry in ", "retry after ", "try again after "]
        .iter()
        .find_map(|words| text.find(words).and_then(|at| duration(&text[at + words.len()..])))
}

/// A span of time at the start of a text, such as `1h2m3.5s`, `20ms` or `8 seconds`.
pub(super) fn duration(text: &str) -> Option<Duration> {
    let mut rest = text.trim_start();
    let mut sum: Option<Duration> = None;
    loop {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
        let Ok(number) = rest[..digits].parse::<f64>() else { return sum };
        let unit_at = rest[digits..].trim_start();
        let letters = unit_at.len() - unit_at.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
        let seconds = match &unit_at[..letters] {
            "ms" | "millisecond" | "milliseconds" => 0.001,
            "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
            "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
            "h" | "hour" | "hours" => 3_600.0,
            "d" | "day" | "days" => 86_400.0,
            _ => return sum,
        };
        let part = Duration::try_from_secs_f64(number * seconds).ok()?;
        sum = Some(sum.unwrap_or_default().saturating_add(part));
        rest = unit_at[letters..].trim_start();
    }
}

/// The number after words, at most a few other characters later.
fn after(text: &str, words: &str) -> Option<u64> {
    text.match_indices(words).find_map(|(at, _)| {
        let rest = &text[at + words.len()..];
        let start = rest.find(|c: char| c.is_ascii_digit())?;
        let between = &rest[..start];
        // A letter right behind would make it another word, and words between would make it another number.
        (between.len() <= 3 && !between.starts_with(char::is_alphanumeric)).then(|| leading_number(&rest[start..]))?
    })
}

/// The number before words.
fn before(text: &str, words: &str) -> Option<u64> {
    text.match_indices(words).find_map(|(at, _)| trailing_number(text[..at].trim_end()))
}

fn leading_number(text: &str) -> Option<u64> {
    let text = text.trim_start();
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == ',')).unwrap_or(text.len());
    text[..end].replace(',', "").parse().ok()
}

fn trailing_number(text: &str) -> Option<u64> {
    let start = text.len() - text.chars().rev().take_while(|c| c.is_ascii_digit() || *c == ',').count();
    text[start..].replace(',', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_a_status_only_where_the_text_says_so() {
        for (text, expected) in [
            ("error code: 429 - {'error': …}", Some(429)),
            ("http/1.1 503 service unavailable", Some(503)),
            ("client error '403 forbidden' for url", Some(403)),
            ("unexpected status 502, retrying", Some(502)),
            ("server error (500 internal server error)", Some(500)),
            ("the prompt has 1500 tokens", None),
            ("the prompt has 500 tokens", None),
            ("limit 1,500 of status 1,429", None),
            ("status 200", None),
        ] {
            assert_eq!(status(text), expected, "{text}");
        }
    }

    #[test]
    fn an_address_is_no_evidence() {
        assert_eq!(normal("GET https://host/403/rate-limit `Failed`"), "get  failed");
    }

    #[test]
    fn spans_of_time_are_read_with_their_units() {
        for (text, milliseconds) in [
            ("20ms", 20),
            ("8 seconds.", 8_000),
            ("7m12.5s. visit", 432_500),
            ("1h1m1s", 3_661_000),
            ("1.5s", 1_500),
            ("2 days", 172_800_000),
        ] {
            assert_eq!(duration(text), Some(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in ["", "soon", "8", "8 apples", "s", "999999999999999999999999 s"] {
            assert_eq!(duration(text), None, "{text}");
        }
    }
}

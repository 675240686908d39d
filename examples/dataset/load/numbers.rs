//! Numbers in the spellings that data files use.

use serde_json::Number;

/// Up to this size doubles hold every whole number.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A whole number without leading zeros, which would be a code such as a postcode.
pub(crate) fn integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = digits == "0" || (!digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit()));
    (plain && !digits.is_empty()).then(|| text.parse().ok()).flatten()
}

/// A number in the usual notation; a whole one stays whole.
pub(crate) fn number(text: &str) -> Option<Number> {
    if let Some(whole) = integer(text) {
        return Some(whole.into());
    }
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once(['.', 'e', 'E'])?;
    let code = whole.len() > 1 && whole.starts_with('0');
    let starts = |part: &str| part.bytes().next().is_some_and(|byte| byte.is_ascii_digit());
    if code
        || !(starts(whole) || (whole.is_empty() && starts(fraction)))
        || !digits.ends_with(|c: char| c.is_ascii_digit())
    {
        return None;
    }
    plain(text.parse().ok()?)
}

/// Whether a text is a number whose thousands are set apart by commas, as `1,234.5`.
pub(crate) fn is_grouped(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').map_or((digits, None), |(whole, fraction)| (whole, Some(fraction)));
    let are_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    let mut rest = groups.peekable();
    rest.peek().is_some()
        && are_digits(first)
        && first.len() <= 3
        && rest.all(|group| group.len() == 3 && are_digits(group))
        && fraction.is_none_or(are_digits)
}

/// `2.0` as `2`, so that both are one group; nothing for what is not finite.
pub(crate) fn plain(value: f64) -> Option<Number> {
    // Whole values below 2^53 are exact, and `2.0` and `2` of one column are the same group.
    if value.fract() == 0.0 && value.abs() < EXACT { Some((value as i64).into()) } else { Number::from_f64(value) }
}

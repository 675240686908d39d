//! Whole numbers beyond 64 bits.

use std::borrow::Cow;

/// Most digits of which every whole number fits into 64 bits.
const SAFE_DIGITS: usize = 18;

/// Puts whole numbers beyond 64 bits into quotes: as numbers they would lose digits.
pub(super) fn quoted(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut out = String::new();
    let (mut copied, mut at, mut in_string) = (0, 0, false);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if in_string => at += 1,
            b'"' => in_string = !in_string,
            b'-' | b'0'..=b'9' if !in_string => {
                let length = bytes[at..].iter().take_while(|byte| is_of_number(**byte)).count();
                let number = &text[at..at + length];
                if is_too_big(number) {
                    out.push_str(&text[copied..at]);
                    out.push_str(&format!("\"{number}\""));
                    copied = at + length;
                }
                at += length - 1;
            }
            _ => {}
        }
        at += 1;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

fn is_of_number(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E')
}

fn is_too_big(number: &str) -> bool {
    let digits = number.strip_prefix('-').unwrap_or(number);
    digits.len() > SAFE_DIGITS
        && !digits.starts_with('0')
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && number.parse::<i64>().is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_beyond_64_bits_are_kept_as_text() {
        let text = r#"{"a": 99999999999999999999, "b": [-9223372036854775809, 9223372036854775807],
            "c": "1 \" 99999999999999999999", "d": 12345678901234567890.5}"#;
        let expected = r#"{"a": "99999999999999999999", "b": ["-9223372036854775809", 9223372036854775807],
            "c": "1 \" 99999999999999999999", "d": 12345678901234567890.5}"#;
        assert_eq!(quoted(text), expected);
        assert!(matches!(quoted("[1, 2.5e300]"), Cow::Borrowed(_)));
    }
}

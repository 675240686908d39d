//! Numbers as digits: their signs, groups and decimals by language.

use crate::language::Language;

/// A number that was read from digits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Digits {
    pub(crate) value: f64,
    /// Half of the last digit that is written.
    pub(crate) precision: f64,
    /// Its length in bytes.
    pub(crate) length: usize,
    /// Whether it is written with digits only.
    pub(crate) is_plain: bool,
}

/// Reads the number at the beginning of a string, which starts with a digit. `None` if the digits
/// belong to something else: a version, a date, an address, a code.
pub(crate) fn read(text: &str, language: Language) -> Option<Digits> {
    let is_english = language == Language::ENGLISH;
    let chars: Vec<(usize, char)> = text.char_indices().take(40).collect();
    let digits = |from: usize| {
        chars[from.min(chars.len())..]
            .iter()
            .take_while(|(_, c)| c.is_ascii_digit())
            .count()
    };

    // Digits and the signs between them.
    let mut end = digits(0);
    let mut parts = vec![end];
    let mut signs = Vec::new();
    while let Some((_, sign)) = chars.get(end) {
        let more = digits(end + 1);
        let groups = matches!(sign, '\u{a0}' | '\u{202f}' | '\u{2009}' | '\'' | '’' | '_')
            || (*sign == ' ' && !is_english);
        let joins = matches!(sign, '.' | ',') && more > 0
            || groups && more == 3 && parts.last().is_some_and(|part| *part <= 3);
        if !joins {
            break;
        }
        signs.push(*sign);
        parts.push(more);
        end += 1 + more;
    }

    let (value, decimals, used) = combine(&chars, &parts, &signs, is_english)?;
    let length = chars.get(used).map_or(text.len().min(40), |(at, _)| *at);
    Some(Digits {
        value,
        precision: 0.5 * 10_f64.powi(-i32::try_from(decimals).unwrap_or(0)),
        length,
        is_plain: used == parts.first().copied().unwrap_or_default(),
    })
}

/// Combines groups of digits to one number: its value, its decimals, and its length in
/// characters.
fn combine(
    chars: &[(usize, char)],
    parts: &[usize],
    signs: &[char],
    is_english: bool,
) -> Option<(f64, usize, usize)> {
    let decimal_sign = if is_english { '.' } else { ',' };
    let group_signs: &[char] = if is_english { &[','] } else { &['.'] };
    let is_group = |at: usize| {
        let sign = signs[at];
        parts[at + 1] == 3
            && (group_signs.contains(&sign) || !matches!(sign, '.' | ','))
            && (at > 0 || parts[0] <= 3 && chars.first().is_some_and(|(_, c)| *c != '0'))
    };

    let mut written = String::new();
    let mut at = 0;
    let take = |from: usize, length: usize| chars[from..from + length].iter().map(|(_, c)| c);
    written.extend(take(0, parts[0]));
    let mut used = parts[0];
    while at < signs.len() && is_group(at) {
        written.extend(take(used + 1, parts[at + 1]));
        used += 1 + parts[at + 1];
        at += 1;
    }

    let mut decimals = 0;
    if at < signs.len() {
        let (sign, length) = (signs[at], parts[at + 1]);
        let is_last = at + 1 == signs.len();
        // Data is written with the other sign too: `3.5` in German, `12,5` in English.
        let other = matches!(sign, '.' | ',') && sign != decimal_sign && at == 0 && length != 3;
        if sign == '.' && !is_last && signs[at + 1] == '.' {
            return None;
        }
        if sign == decimal_sign && (is_last || signs[at + 1] != sign) || other && is_last {
            written.push('.');
            written.extend(take(used + 1, length));
            used += 1 + length;
            decimals = length;
        } else if sign == '.' {
            return None;
        }
    }

    Some((written.parse().ok()?, decimals, used))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_read_by_the_rules_of_the_language() {
        for (code, text, value) in [
            ("en", "1,234.5 m", 1234.5),
            ("en", "12,5 m", 12.5),
            ("en", "3, 4", 3.0),
            ("en", "0.5", 0.5),
            ("en", "1,234,567", 1_234_567.0),
            ("de", "1.234,5", 1234.5),
            ("de", "1.234", 1234.0),
            ("de", "3.5", 3.5),
            ("fr", "1 234,5 km", 1234.5),
            ("fr", "3 4", 3.0),
            ("es", "12.345 km", 12_345.0),
        ] {
            let found = read(text, code.parse().unwrap()).unwrap();
            assert_eq!(found.value, value, "{code} {text}");
        }

        assert_eq!(read("1.2.3", Language::ENGLISH), None);
        assert_eq!(
            read("1.50", Language::ENGLISH).map(|n| n.precision),
            Some(0.005)
        );
    }
}

//! Numbers as questions write them.

use crate::question::read::words::tokens::Token;
use crate::question::read::words::vocabulary::{Role, Vocabulary};

/// Returns the number that a word of digits is, with the decimal sign of the language.
pub(crate) fn parse_number(text: &str, has_decimal_comma: bool) -> Option<f64> {
    let text = text.replace(['_', '\'', '’'], "");
    let groups = |separator: char| {
        let parts: Vec<&str> = text.split(separator).collect();
        parts.len() > 1
            && (1..=3).contains(&parts[0].len())
            && parts[1..].iter().all(|part| part.len() == 3)
    };
    let (comma, point) = (text.contains(','), text.contains('.'));

    let plain = match (comma, point) {
        (true, true) if text.rfind(',') > text.rfind('.') => {
            text.replace('.', "").replace(',', ".")
        }
        (true, true) => text.replace(',', ""),
        (true, false) => {
            let is_grouped = groups(',') && (!has_decimal_comma || text.matches(',').count() > 1);
            if is_grouped {
                text.replace(',', "")
            } else {
                text.replace(',', ".")
            }
        }
        (false, true) => {
            let is_grouped = groups('.') && (has_decimal_comma || text.matches('.').count() > 1);
            if is_grouped {
                text.replace('.', "")
            } else {
                text
            }
        }
        (false, false) => text,
    };
    plain.parse().ok()
}

/// Returns the number at a word and how many words it has: `2.5 million`, `5k`, `five`.
pub(crate) fn number_at(
    tokens: &[Token<'_>],
    at: usize,
    vocabulary: &Vocabulary,
) -> Option<(f64, usize)> {
    let entry = |at: usize| {
        let word = &tokens.get(at)?.lower;
        Some(
            vocabulary
                .longest_at(|k| (k == 0).then_some(word.as_str()))?
                .0,
        )
    };
    let token = &tokens[at];
    let (mut value, mut end) = if token.is_number() {
        let mut text = token.text.to_owned();
        let mut end = at + 1;
        // A space groups digits: `1 000`.
        while tokens.get(end).is_some_and(|next| {
            next.text.len() == 3
                && next.text.bytes().all(|byte| byte.is_ascii_digit())
                && matches!(next.gap, " " | "\u{a0}" | "\u{202f}")
                && text.len() <= 3 + 3 * (end - at - 1)
        }) {
            text.push_str(tokens[end].text);
            end += 1;
        }
        (parse_number(&text, vocabulary.decimal_comma)?, end)
    } else {
        // `a million` is read by its factor; number words add up: `twenty five`.
        let value = entry(at)?.number?;
        let unit = entry(at + 1).and_then(|entry| entry.number);
        match unit.filter(|unit| value >= 20.0 && (1.0..10.0).contains(unit)) {
            Some(unit) => (value + unit, at + 2),
            None => (value, at + 1),
        }
    };

    let is_negative = {
        let gap = token.gap;
        let before = gap.trim_end_matches(['-', '−']);
        before.len() < gap.len() && (before.ends_with([' ', '(', ',']) || at == 0)
    };
    while let Some(factor) = entry(end).and_then(|entry| factor(&entry.roles)) {
        let is_letter = tokens[end].lower.len() == 1;
        if is_letter && !tokens[end].gap.is_empty() {
            break;
        }
        value *= factor;
        end += 1;
    }

    Some((if is_negative { -value } else { value }, end - at))
}

/// Returns what a word such as *million* multiplies a number with.
pub(crate) fn factor(roles: &[Role]) -> Option<f64> {
    roles.iter().find_map(|role| match role {
        Role::Hundred => Some(1e2),
        Role::Thousand => Some(1e3),
        Role::Million => Some(1e6),
        Role::Billion => Some(1e9),
        Role::Dozen => Some(12.0),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_are_read_by_language() {
        for (text, comma, expected) in [
            ("1,000", false, 1_000.0),
            ("1,000", true, 1.0),
            ("1.000", true, 1_000.0),
            ("1.000", false, 1.0),
            ("3,5", true, 3.5),
            ("3,5", false, 3.5),
            ("1.234,5", false, 1_234.5),
            ("1,234.5", true, 1_234.5),
            ("1.234.567", false, 1_234_567.0),
            ("12", true, 12.0),
        ] {
            assert_eq!(parse_number(text, comma), Some(expected), "{text} {comma}");
        }
    }
}

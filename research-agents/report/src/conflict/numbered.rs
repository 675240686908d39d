//! Things that a number tells from others of their kind: *node 1*, *chapter 3*.

use std::collections::HashMap;

use crate::check::grounded::parse::Parsed;
use crate::check::grounded::token::{Kind, Token};
use crate::trust::value::Value;

/// Words after which a noun follows, and no verb.
const BEFORE_NOUNS: [&str; 10] = [
    "of", "on", "in", "at", "the", "for", "from", "by", "a", "an",
];

/// Returns whether both statements number a thing of one kind, and differently: *node 1 fails*,
/// *node 2 fails*. They are about two things.
pub(crate) fn number_others(said: &Parsed, held: &Parsed) -> bool {
    let (said, held) = (numbered(said), numbered(held));
    said.iter().any(|(noun, number)| {
        let other = held.get(noun);
        other.is_some_and(|other| other != number)
    })
}

/// Returns the numbers of numbered things, by the stem of their noun.
fn numbered(parsed: &Parsed) -> HashMap<&str, u64> {
    let tokens = &parsed.tokens;
    let numbers = tokens.iter().enumerate().filter_map(|(at, token)| {
        let Kind::Number(value) = token.kind else {
            return None;
        };
        let Value::Number(quantity) = &parsed.values.get(value)?.value else {
            return None;
        };
        let is_plain = quantity.unit.is_none() && quantity.low == quantity.high;
        let noun = tokens.get(at.checked_sub(1)?)?;
        let before = at.checked_sub(2).and_then(|at| tokens.get(at));
        // A thing is numbered in digits, and *3 times* is how often. At its end a statement gives
        // the number as a value: *listens on port 8080*.
        let is_in_digits = token.lower.starts_with(|c: char| c.is_ascii_digit());
        let after = tokens.get(at + 1..).unwrap_or_default();
        let is_counted = after.first().is_some_and(|next| next.lower == "times");
        let continues = after.iter().any(Token::is_content);

        let is_label = is_plain && is_in_digits && continues && !is_counted;
        (is_label && is_noun(noun, before)).then(|| (noun.stem.as_str(), quantity.low.to_bits()))
    });
    numbers.collect()
}

/// Returns whether a content word is a noun by what is before it. At the start of a statement a
/// verb in the present tense could be there: *Supports 16 shards*.
fn is_noun(word: &Token, before: Option<&Token>) -> bool {
    let is_singular = !word.lower.ends_with('s');
    let follows = before.map_or(is_singular, |before| {
        BEFORE_NOUNS.contains(&before.lower.as_str())
    });
    word.is_content() && follows
}

#[cfg(test)]
mod tests {
    use crate::conflict::between_statements;
    use crate::language::Language;

    #[test]
    fn periods_are_different_times() {
        let month = |of: &str, from: &str, to: &str| {
            format!("{of} has the most records where the date is >= {from} and < {to}: 8 of 58.")
        };
        let march = month("Utah", "1999-03-01", "1999-04-01");
        let february = month("Texas", "1999-02-01", "1999-03-01");
        assert_eq!(
            between_statements(&march, &february, Language::ENGLISH),
            None
        );
    }

    #[test]
    fn numbered_things_are_two_things() {
        let conflict = |a, b| between_statements(a, b, Language::ENGLISH).is_some();
        for (a, b) in [
            ("Node 1 stores 1001 records.", "Node 2 stores 1002 records."),
            ("The backup of node 1 fails.", "The backup of node 2 fails."),
            (
                "Traffic on port 80 is open to 12 hosts.",
                "Traffic on port 443 is open to 9 hosts.",
            ),
        ] {
            assert!(!conflict(a, b), "{a} / {b}");
        }

        for (a, b) in [
            (
                "The library supports 16 shards.",
                "The library supports 12 shards.",
            ),
            ("Node 1 stores 1001 records.", "Node 1 stores 1002 records."),
            (
                "The server listens on port 8080.",
                "The server listens on port 9090.",
            ),
            (
                "Curl retries a transfer three times.",
                "Curl retries a transfer five times.",
            ),
            (
                "Curl retries a transfer 3 times.",
                "Curl retries a transfer 5 times.",
            ),
        ] {
            assert!(conflict(a, b), "{a} / {b}");
        }
    }
}

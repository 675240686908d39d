//! Sentences: where they begin and end in a string.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

/// Abbreviations of six languages.
const ABBREVIATIONS: &str = include_str!("../../rules/abbreviations.txt");

/// Whether a point after an abbreviation may end a sentence.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Abbreviation {
    /// It never does: *e.g.*, *Dr.*
    Inner,
    /// It does before a capital letter: *etc.*, *Inc.*
    MayEnd,
}

static KNOWN: LazyLock<HashMap<&'static str, Abbreviation>> = LazyLock::new(|| {
    let lines = ABBREVIATIONS.lines().filter(|line| !line.starts_with('#'));
    lines
        .flat_map(str::split_whitespace)
        .map(|word| match word.strip_prefix('+') {
            Some(word) => (word, Abbreviation::MayEnd),
            None => (word, Abbreviation::Inner),
        })
        .collect()
});

/// Returns the ranges of the sentences of a string, in order, without the white space around them.
///
/// A sentence ends at `.`, `!`, `?` or `…` before the beginning of another one, at an empty line,
/// and before the mark of a list. Points of abbreviations, initials, numbers, names of files and
/// list numbers end none.
///
/// ```
/// use research_agents_report::text::sentences;
///
/// let text = "Version 2.6 is out, e.g. for Mr. A. Smith. It needs 1.5 GB! \"Why?\" he asked.";
/// let found: Vec<&str> = sentences(text).into_iter().map(|range| &text[range]).collect();
/// assert_eq!(
///     found,
///     [
///         "Version 2.6 is out, e.g. for Mr. A. Smith.",
///         "It needs 1.5 GB!",
///         "\"Why?\" he asked."
///     ]
/// );
/// ```
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;

    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        let ends = match c {
            '.' | '!' | '?' | '…' => is_end(text, start, at, end),
            '。' | '！' | '？' => Some(end),
            '\n' => is_block_end(&text[end..]).then_some(at),
            _ => None,
        };
        if let Some(end) = ends.filter(|end| *end > start) {
            push(text, start..end, &mut found);
            start = end;
        }
    }

    push(text, start..text.len(), &mut found);
    found
}

/// Adds a range without the white space around it, if anything is left.
fn push(text: &str, range: Range<usize>, found: &mut Vec<Range<usize>>) {
    let part = &text[range.clone()];
    let start = range.start + part.len() - part.trim_start().len();
    let end = range.start + part.trim_end().len();
    if start < end && text[start..end].chars().any(char::is_alphanumeric) {
        found.push(start..end);
    }
}

/// Returns whether what follows a line end begins a block: an empty line or a mark of a list.
fn is_block_end(rest: &str) -> bool {
    let line = rest.split('\n').next().unwrap_or_default().trim();
    if line.is_empty() {
        return true;
    }

    let marked = ["- ", "* ", "+ ", "• ", "– ", "· ", "#", "|", ">>> ", "$ "];
    if marked.iter().any(|mark| line.starts_with(mark)) {
        return true;
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    (1..=3).contains(&digits)
        && (line[digits..].starts_with(". ") || line[digits..].starts_with(") "))
}

/// Returns the end of the sentence whose last mark is at `at..end`, with the quotation marks and
/// brackets after it. `None` if the mark ends no sentence.
fn is_end(text: &str, start: usize, at: usize, end: usize) -> Option<usize> {
    let closing = |c: char| {
        matches!(
            c,
            '"' | '\'' | '”' | '’' | '»' | ')' | ']' | '*' | '_' | '`'
        )
    };
    let rest = &text[end..];
    let close = rest.len() - rest.trim_start_matches(closing).len();
    let after = &rest[close..];
    if after.trim().is_empty() {
        return Some(end + close);
    }
    if !after.starts_with(char::is_whitespace) {
        return None;
    }

    let next = after.trim_start();
    let opening = |c: char| "\"'“‘«„([*_`¿¡-–—".contains(c);
    let first = next.trim_start_matches(opening).chars().next()?;
    let begins = first.is_uppercase()
        || first.is_numeric()
        || (first.is_alphabetic() && !first.is_lowercase())
        || next.starts_with(['`', '-', '–']) && first.is_alphanumeric();
    let is_point = text[at..].starts_with('.');
    if !is_point {
        return (begins || close == 0 && !first.is_lowercase()).then_some(end + close);
    }

    // The word before the point, with the points within it.
    let before = &text[start..at];
    let word = before
        .rsplit(|c: char| c.is_whitespace() || "([\"'“‘„«*_`".contains(c))
        .next()
        .unwrap_or_default();
    if word.is_empty() {
        return begins.then_some(end + close);
    }
    let lower = word.to_lowercase();
    match KNOWN.get(lower.as_str()) {
        Some(Abbreviation::Inner) => return None,
        Some(Abbreviation::MayEnd) => {
            return first.is_uppercase().then_some(end + close);
        }
        None => {}
    }

    // An initial, a number before a month, or the number of a list item.
    let letters = word.chars().count();
    let spaced = next.chars().nth(1) == Some('.');
    if letters == 1 && (spaced || word.chars().all(char::is_uppercase) && word != "I") {
        return None;
    }
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    let is_item = before.trim_start() == word;
    if is_number && (is_item || letters <= 2 && is_month(next)) {
        return None;
    }
    begins.then_some(end + close)
}

/// Returns whether a string begins with the German name of a month, which follows `3.` in a date.
fn is_month(text: &str) -> bool {
    const MONTHS: [&str; 12] = [
        "Januar",
        "Februar",
        "März",
        "April",
        "Mai",
        "Juni",
        "Juli",
        "August",
        "September",
        "Oktober",
        "November",
        "Dezember",
    ];
    MONTHS.iter().any(|month| text.starts_with(month))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let found: Vec<&str> = sentences(text).into_iter().map(|r| &text[r]).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn abbreviations_numbers_and_initials_end_none() {
        check(
            "See Fig. 3 and J. R. Smith et al. (2020). It is 2.6.17; use i.e. this.",
            &[
                "See Fig. 3 and J. R. Smith et al. (2020).",
                "It is 2.6.17; use i.e. this.",
            ],
        );
        check(
            "Am 3. März war es z. B. kalt. Danach nicht.",
            &["Am 3. März war es z. B. kalt.", "Danach nicht."],
        );
        check(
            "Edit main.rs now. Run a.out etc. Then stop.",
            &["Edit main.rs now.", "Run a.out etc.", "Then stop."],
        );
        check("He is an I. Then go.", &["He is an I.", "Then go."]);
    }

    #[test]
    fn blocks_and_lists_end_sentences() {
        check(
            "A heading\n\nThe text\ngoes further\n- one\n- two\n1. First. Second\n",
            &[
                "A heading",
                "The text\ngoes further",
                "- one",
                "- two",
                "1. First.",
                "Second",
            ],
        );
    }

    #[test]
    fn quotation_marks_belong_to_their_sentence() {
        check(
            "He said “Stop.” Then she (of course.) left! Really? Yes…",
            &[
                "He said “Stop.”",
                "Then she (of course.) left!",
                "Really?",
                "Yes…",
            ],
        );
        check("¿Qué? ¡Nada! Sí.", &["¿Qué?", "¡Nada!", "Sí."]);
    }

    #[test]
    fn ranges_are_in_order_and_within_the_text() {
        let text = " ü. B ê! \r\n\r\n 東京。大阪。";
        let mut last = 0;
        for range in sentences(text) {
            assert!(range.start >= last && !text[range.clone()].trim().is_empty());
            last = range.end;
        }
        check(text, &["ü.", "B ê!", "東京。", "大阪。"]);
    }
}

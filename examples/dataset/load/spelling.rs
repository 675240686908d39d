//! How the cells of a column are written: numbers and dates as people have them, and marks for a missing value.

mod dates;
mod decorated;

pub(super) use dates::{DateStyle, DateStyles, are_slips};
pub(super) use decorated::{NumberStyle, NumberStyles};

/// How the texts of a column stand for its values.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Spelling {
    /// As data formats write them.
    #[default]
    Plain,
    /// Numbers with separators, units or a decimal comma.
    Numbers(NumberStyle),
    /// Dates that do not begin with the year.
    Dates(DateStyle),
}

/// Returns whether a text says that there is no value. In a column of texts it does so only if the other texts are no codes: `NA`
/// is also a country.
pub(super) fn is_missing(text: &str) -> bool {
    const MARKS: [&str; 19] = [
        "na",
        "n/a",
        "#n/a",
        "nan",
        "n.a.",
        "n.d.",
        "null",
        "none",
        "nil",
        "-",
        "--",
        "–",
        "?",
        "tbd",
        "tba",
        "unknown",
        "not available",
        "not applicable",
        "not reported",
    ];
    /// Letters of the longest mark.
    const LONGEST: usize = 14;

    let text = text.trim();
    text.len() <= LONGEST && MARKS.iter().any(|mark| text.eq_ignore_ascii_case(mark))
}

/// Returns whether a text is a sign that tables of numbers have in place of one: for a trace of something, for a number that is kept
/// secret or that does not exist.
pub(super) fn is_sign(text: &str) -> bool {
    const SIGNS: [&str; 11] = ["t", "tr", "tr.", "trace", "traces", "*", "**", "..", "...", "…", ":"];
    let text = text.trim();
    SIGNS.iter().any(|sign| text.eq_ignore_ascii_case(sign))
}

/// Returns whether a text says that there is no value, and is no ordinary word either.
pub(super) fn is_missing_text(text: &str) -> bool {
    const MARKS: [&str; 6] = ["NA", "N/A", "#N/A", "n/a", "NaN", "NULL"];
    MARKS.contains(&text.trim())
}

//! Words that ask for a grouping, or for a course of time.

use crate::question::lexicon::list::among;

/// Words that a field to group by may follow.
const GROUPING: &str = "affected across among amongst biggest busiest by common different each \
    every frequent largest leading main per popular top various versus what which";

/// Words before `of` that a field to group by may follow, as in `distribution of …`.
const GROUPING_OF: &str = "breakdown comparison distribution frequencies frequency kinds number \
    proportion proportions ranking share shares sorts split spread types";

/// Words between a cue and the field to group by.
const DETERMINERS: &str =
    "all common different each every frequent kind kinds most of other the type types various";

/// Words that ask how something went over time.
const TREND: &str = "develop developed evolution evolve evolved history timeline trend trends";

/// Returns whether a field to group by may follow a lower-case word.
pub(crate) fn is_grouping(word: &str) -> bool {
    among(GROUPING, word)
}

/// Returns whether a field to group by may follow a lower-case word and `of`.
pub(crate) fn is_grouping_with_of(word: &str) -> bool {
    among(GROUPING_OF, word)
}

/// Returns whether a lower-case word may separate a cue from the field to group by.
pub(crate) fn is_determiner(word: &str) -> bool {
    among(DETERMINERS, word)
}

/// Returns whether a lower-case word asks how something went over time.
pub(crate) fn asks_for_trend(word: &str) -> bool {
    among(TREND, word)
}

/// Returns the calendar interval that a lower-case word names.
pub(crate) fn interval(word: &str) -> Option<&'static str> {
    match word {
        "year" | "years" | "yearly" | "annual" | "annually" => Some("year"),
        "quarter" | "quarters" | "quarterly" => Some("quarter"),
        "month" | "months" | "monthly" => Some("month"),
        "week" | "weeks" | "weekly" => Some("week"),
        "day" | "days" | "daily" => Some("day"),
        _ => None,
    }
}

/// Returns whether an interval word asks for a course of time without a `by` or `per` before it.
pub(crate) fn is_adverb_of_interval(word: &str) -> bool {
    matches!(
        word,
        "yearly" | "annual" | "annually" | "quarterly" | "monthly" | "weekly" | "daily"
    )
}

//! What the number of an answer measures.

use research_agents_report::language::Language;
use research_agents_report::text::{is_stop, words};
use research_agents_report::trust::value::{Value, values};

/// What a value is a number of, as its quote writes it. Two that measure different things cannot
/// disagree: *4096 bytes* and *2000 pages*.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    /// The quote does not say, or the value is a date, a version, a name or yes or no.
    Open,
    /// A dimension of units, such as `data`.
    Dimension(String),
    /// Things that are counted.
    Things,
}

impl Measure {
    /// Reads the measure of a value from the words after it.
    pub(super) fn of(value: &Value, quote: &str, language: Language) -> Self {
        let Value::Number(quantity) = value else {
            return Self::Open;
        };
        if let Some(unit) = &quantity.unit {
            return Self::Dimension(unit.dimension.clone());
        }

        let stated = values(quote, language).into_iter();
        let mut stated = stated.filter(|typed| typed.value == *value);
        let counts = stated.any(|typed| counts_things(&quote[typed.span.end..]));
        if counts && language == Language::ENGLISH {
            Self::Things
        } else {
            Self::Open
        }
    }

    /// Returns whether both can be the measure of one question.
    pub(super) fn may_equal(&self, other: &Self) -> bool {
        self == other || *self == Self::Open || *other == Self::Open
    }
}

/// Returns whether the word after a number is a plural, as of things that it counts.
fn counts_things(after: &str) -> bool {
    let own = after.trim_start();
    let is_next = own.len() < after.len() && own.starts_with(char::is_alphabetic);
    let next = words(own).into_iter().next();
    is_next && next.is_some_and(|word| word.lower.ends_with('s') && !is_stop(&word.lower))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(quote: &str) -> Measure {
        let value = values(quote, Language::ENGLISH).remove(0).value;
        Measure::of(&value, quote, Language::ENGLISH)
    }

    #[test]
    fn bytes_are_not_pages() {
        let bytes = measure("The default is 4096 bytes.");
        assert_eq!(bytes, Measure::Dimension("data".to_owned()));
        assert_eq!(measure("The cache holds 2000 pages."), Measure::Things);
        assert!(!bytes.may_equal(&Measure::Things));
    }

    #[test]
    fn a_number_alone_may_be_of_anything() {
        for quote in [
            "The default is 60.",
            "It is 60 if nothing is set.",
            "60 is the default.",
        ] {
            assert_eq!(measure(quote), Measure::Open, "{quote}");
            assert!(measure(quote).may_equal(&measure("The default is 60 seconds.")));
        }
    }
}

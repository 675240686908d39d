//! Checks bounds: *more than 371* needs a number above 371, and not 371 itself.

use crate::check::counts::parsed::ParsedSentence;
use crate::check::counts::support::Support;
use crate::check::failure::Failure;
use crate::check::figure::Figure;

/// Words before a number that the actual one is larger than.
const MORE: [&str; 20] = [
    "more than",
    "greater than",
    "higher than",
    "larger than",
    "exceeds",
    "exceeded",
    "exceeding",
    "upwards of",
    "just over",
    "well over",
    "mehr als",
    "größer als",
    "höher als",
    "gut",
    "plus de",
    "más de",
    "più di",
    "oltre",
    "mais de",
    "meer dan",
];

/// Words before a number that the actual one is smaller than.
const LESS: [&str; 21] = [
    "fewer than",
    "less than",
    "lower than",
    "smaller than",
    "nearly",
    "almost",
    "just under",
    "well under",
    "weniger als",
    "kleiner als",
    "niedriger als",
    "fast",
    "knapp",
    "moins de",
    "presque",
    "menos de",
    "casi",
    "meno di",
    "quasi",
    "quase",
    "minder dan",
];

/// The same before a number of records or a share, as before other numbers they are prepositions.
const MORE_RECORDS: [&str; 3] = ["over", "above", "über"];
const LESS_RECORDS: [&str; 3] = ["under", "below", "unter"];

/// Words before a bound that turn it round.
const NEGATING: [&str; 14] = [
    "none", "neither", "not", "no", "never", "nor", "nicht", "kein", "keine", "pas", "non", "não",
    "niet", "nie",
];

/// Checks every bound before a number that the claims support.
///
/// # Errors
///
/// [`Failure::WrongComparison`] for a bound that is the number itself, or lies on its other side.
pub(crate) fn check(
    sentence: &ParsedSentence<'_>,
    support: &Support,
    is_free: impl Fn(&Figure) -> bool,
) -> Result<(), Failure> {
    for figure in sentence.figures.iter().filter(|figure| !is_free(figure)) {
        let Some((words, is_more)) = bound(sentence, figure) else {
            continue;
        };

        let mut shown = support.shown_by(figure).peekable();
        let (is_known, bound) = (shown.peek().is_some(), figure.number());
        let holds = shown.any(|actual| {
            let (actual, slack) = (actual.abs(), 1e-12 * bound);
            if is_more {
                actual > bound + slack
            } else {
                actual < bound - slack
            }
        });
        if is_known && !holds {
            return Err(Failure::WrongComparison {
                words: words.to_owned(),
                value: figure.text.clone(),
            });
        }
    }
    Ok(())
}

/// Returns the bound before a number, and whether the actual number is larger.
pub(crate) fn bound(
    sentence: &ParsedSentence<'_>,
    figure: &Figure,
) -> Option<(&'static str, bool)> {
    let before = sentence
        .between(0, figure.at.start)
        .trim_end_matches([' ', '\u{a0}', '\u{202f}', '$', '€', '£']);
    let ends_with = |words: &&&'static str| {
        before
            .strip_suffix(**words)
            .is_some_and(|rest| !rest.ends_with(char::is_alphanumeric))
    };
    let find = |words: &'static [&'static str]| words.iter().find(ends_with).copied();

    let more = find(&MORE).map(|words| (words, true));
    let less = || find(&LESS).map(|words| (words, false));
    let of_records = || {
        let more = find(&MORE_RECORDS).map(|words| (words, true));
        more.or_else(|| find(&LESS_RECORDS).map(|words| (words, false)))
    };
    let found = more
        .or_else(less)
        .or_else(|| figure.counts_records().then(of_records).flatten());

    // *No value occurs in more than 1 record* says nothing about the number alone.
    found.filter(|(words, _)| {
        let rest = before.strip_suffix(*words).unwrap_or_default();
        let clause = rest.rsplit([',', ';', ':', '.']).next().unwrap_or_default();
        let mut words = clause.split(|c: char| !c.is_alphanumeric());
        !words.any(|word| NEGATING.contains(&word))
    })
}

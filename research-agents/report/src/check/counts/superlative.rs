//! Checks superlatives against the counts: *Small is the largest group*.

use std::cmp::Ordering;
use std::ops::Range;

use crate::check::counts::parsed::{Group, Mention, ParsedSentence, Row};
use crate::check::counts::rivals::{is_alone, is_beaten};
use crate::check::failure::Failure;
use crate::check::words::{NEGATING, phrases, word_before};
use crate::evidence::value::plain;

/// Superlatives: no group is larger.
const LARGEST: [&str; 25] = [
    "largest group",
    "largest groups",
    "largest number",
    "largest share",
    "largest count",
    "largest part",
    "largest category",
    "biggest group",
    "biggest groups",
    "biggest share",
    "biggest number",
    "highest number",
    "highest count",
    "highest share",
    "top group",
    "peak",
    "most frequent",
    "most common",
    "most often",
    "most numerous",
    "most frequently",
    "most commonly",
    "greatest number",
    "has the most",
    "have the most",
];

/// Superlatives: no group is smaller.
const SMALLEST: [&str; 20] = [
    "smallest group",
    "smallest groups",
    "smallest number",
    "smallest share",
    "smallest count",
    "smallest part",
    "smallest category",
    "lowest number",
    "lowest count",
    "lowest share",
    "fewest",
    "low point",
    "least frequent",
    "least common",
    "least often",
    "least numerous",
    "least frequently",
    "least commonly",
    "rarest",
    "trough",
];

/// Words before a superlative that weaken it: *the second largest group*, *one of the most
/// frequent*.
const WEAKENING: [&str; 12] = [
    "second", "third", "fourth", "fifth", "next", "among", "of", "2nd", "3rd", "4th", "almost",
    "nearly",
];

/// Checks every superlative of a sentence.
///
/// # Errors
///
/// Returns [`Failure::WrongComparison`] for one that contradicts the counts.
pub(crate) fn check(sentence: &ParsedSentence<'_>) -> Result<(), Failure> {
    for (words, sign) in [
        (&LARGEST[..], Ordering::Greater),
        (&SMALLEST[..], Ordering::Less),
    ] {
        for place in phrases(&sentence.folded, words) {
            check_at(sentence, &place, sign)?;
        }
    }
    Ok(())
}

/// Checks the superlative at a position.
fn check_at(
    sentence: &ParsedSentence<'_>,
    place: &Range<usize>,
    sign: Ordering,
) -> Result<(), Failure> {
    let folded = &sentence.folded;
    let start = without_article(folded, place.start);

    if WEAKENING.contains(&word_before(folded, start))
        || WEAKENING.contains(&word_before(folded, place.start))
    {
        return Ok(());
    }

    let is_denied = NEGATING.contains(&word_before(folded, start))
        || NEGATING.contains(&word_before(folded, place.start));

    // It holds if it holds for the values of one of the groups.
    let mut wrong = None;
    for group in &sentence.groups {
        let (subjects, is_plural) = subjects(sentence, group, place);
        let Some(first) = subjects.first() else {
            continue;
        };
        let held = if is_plural {
            &subjects[..]
        } else {
            &subjects[..1]
        };
        let holds =
            !is_beaten(sentence, group, held, sign) && begins_with_the_extreme(group, held, sign);
        if holds != is_denied {
            return Ok(());
        }
        // The list of groups may be incomplete, so that a negation fails only if it is certain.
        if is_denied && !is_alone(group, held, sign) {
            return Ok(());
        }
        wrong = wrong.or_else(|| {
            Some(group.rows[first.row].wrong_comparison(&sentence.text[place.clone()]))
        });
    }

    wrong.map_or(Ok(()), Err)
}

/// Returns whether a list of all groups begins with the extreme one, or does not begin with the
/// other extreme: *the least frequent values are Small (99) and Large (17)* turns the order round.
fn begins_with_the_extreme(group: &Group<'_>, held: &[&Mention], sign: Ordering) -> bool {
    let is_blank = |row: &Row| row.value.is_null() || plain(&row.value).is_empty();
    let mut rows = group.rows.iter().enumerate();
    let is_all = rows.all(|(at, row)| is_blank(row) || held.iter().any(|one| one.row == at));
    let count = |mention: &&&Mention| group.rows[mention.row].count;
    let (Some(first), Some(last)) = (held.first(), held.last()) else {
        return true;
    };
    !is_all || count(&last).cmp(&count(&first)) != sign
}

/// Returns the start of a phrase with the article before it.
fn without_article(folded: &str, at: usize) -> usize {
    let before = folded[..at].trim_end();
    before
        .strip_suffix("the")
        .or_else(|| before.strip_suffix(" a"))
        .map_or(at, str::len)
}

/// Returns the values that a superlative is about, and whether it is about several.
fn subjects<'s>(
    sentence: &'s ParsedSentence<'_>,
    group: &'s Group<'_>,
    place: &Range<usize>,
) -> (Vec<&'s Mention>, bool) {
    // *Small is the largest group*
    let start = without_article(&sentence.folded, place.start);
    let before = group
        .mentions
        .iter()
        .rfind(|mention| mention.at.end <= place.start);
    let copulas = [
        "is",
        "are",
        "was",
        "were",
        "has",
        "have",
        "had",
        "forms",
        "makes up",
        "remains",
        "with",
        "shows",
        "is not",
        "was not",
        "is by far",
        "was by far",
        "is clearly",
        ", which",
        ", which has",
        "does not",
        "do not",
        "did not",
        "",
    ];

    if let Some(mention) = before.filter(|mention| mention.at.end <= start)
        && copulas.contains(&sentence.between(mention.at.end, start).trim())
    {
        return (vec![mention], false);
    }

    // *The largest group by size is Small*, *the largest groups are Small with 99 and Medium with
    // 49*
    let mut after = group
        .mentions
        .iter()
        .filter(|mention| mention.at.start >= place.end)
        .peekable();
    let Some(first) = after.next() else {
        return (Vec::new(), false);
    };
    let between = sentence.between(place.end, first.at.start);

    // A full stop may belong to the name of a field: `Engine No. 2`.
    let is_named = |at: usize| {
        group
            .names
            .iter()
            .any(|name| name.contains(&(place.end + at)))
    };
    let ends = [". ", "; ", " than ", " while ", " but "]
        .iter()
        .any(|end| between.match_indices(end).any(|(at, _)| !is_named(at)));

    if ends || between.len() > 120 {
        return (Vec::new(), false);
    }

    let is_plural = sentence.folded[place.clone()].ends_with('s')
        || between
            .split(' ')
            .any(|word| word == "are" || word == "were");

    let mut found = vec![first];
    for next in after {
        let last = found.last().map_or(first.at.end, |mention| mention.at.end);
        if !is_list(sentence.between(last, next.at.start)) {
            break;
        }
        found.push(next);
    }

    (found, is_plural)
}

/// Returns whether the text between two values makes them items of one list.
fn is_list(between: &str) -> bool {
    let words = between
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    let plain = ["with", "and", "of", "record", "records", "each", "at"];
    words
        .filter(|word| !word.starts_with(|c: char| c.is_ascii_digit()))
        .all(|word| plain.contains(&word))
        && !between.contains([';', ':'])
}

//! Checks superlatives, comparisons and directions against the counts.

use std::cmp::Ordering;

use crate::check::counts::parsed::{Group, Mention, ParsedSentence};
use crate::check::counts::rivals::is_beaten;
use crate::check::counts::{direction, superlative};
use crate::check::failure::Failure;
use crate::check::words::phrases;

/// Checks every superlative, comparison and direction of a sentence.
///
/// # Errors
///
/// Returns [`Failure::WrongComparison`] for one that contradicts the counts of the values it names.
pub(crate) fn check(sentence: &ParsedSentence<'_>) -> Result<(), Failure> {
    superlative::check(sentence)?;
    for group in &sentence.groups {
        direction::check(sentence, group)?;
        comparison(sentence, group)?;
        multiple(sentence, group)?;
    }
    Ok(())
}

/// Checks a comparison of two values, or of one with all others: *Small is more frequent than
/// Medium*, *no size is more frequent than Small*.
fn comparison(sentence: &ParsedSentence<'_>, group: &Group<'_>) -> Result<(), Failure> {
    let more = [
        "more frequent than",
        "more common than",
        "more often than",
        "more records than",
        "more numerous than",
        "larger than",
    ];
    let less = [
        "less frequent than",
        "less common than",
        "less often than",
        "fewer records than",
        "less numerous than",
        "rarer than",
        "smaller than",
    ];

    for (words, sign) in [(&more[..], Ordering::Greater), (&less[..], Ordering::Less)] {
        for place in phrases(&sentence.folded, words) {
            let next = group
                .mentions
                .iter()
                .find(|mention| mention.at.start >= place.end);
            let near = |mention: &&Mention| {
                matches!(
                    sentence.between(place.end, mention.at.start).trim(),
                    "" | "the" | "in" | "at"
                )
            };
            let Some(next) = next.filter(near) else {
                continue;
            };

            // *No size is more frequent than Small*
            let clause = sentence.folded[..place.start]
                .rfind([',', ';', ':', '.'])
                .map_or(0, |at| at + 1);
            let words: Vec<&str> = sentence
                .between(clause, place.start)
                .split_whitespace()
                .collect();
            let none = words
                .first()
                .is_some_and(|word| matches!(*word, "no" | "none"));
            if none && is_beaten(sentence, group, &[next], sign) {
                return Err(group.rows[next.row].wrong_comparison(&sentence.text[place]));
            }

            // *Small is more frequent than Medium*
            let before = group
                .mentions
                .iter()
                .rfind(|m| clause <= m.at.start && m.at.end <= place.start);
            let denied = words
                .iter()
                .any(|word| matches!(*word, "not" | "no" | "never" | "none" | "neither"));
            let plain_words = [
                "is", "are", "was", "were", "has", "have", "had", "much", "far", "clearly",
                "occurs", "occur",
            ];
            let direct = |mention: &&Mention| {
                sentence
                    .between(mention.at.end, place.start)
                    .split_whitespace()
                    .all(|word| plain_words.contains(&word))
            };
            if let Some(before) =
                before.filter(|mention| !denied && mention.row != next.row && direct(mention))
                && group.rows[before.row]
                    .count
                    .cmp(&group.rows[next.row].count)
                    != sign
            {
                return Err(group.rows[before.row].wrong_comparison(&sentence.text[place]));
            }
        }
    }

    Ok(())
}

/// Checks the ratio of two values: *Small is 5.8 times as frequent as Large*.
fn multiple(sentence: &ParsedSentence<'_>, group: &Group<'_>) -> Result<(), Failure> {
    for figure in sentence.figures.iter().filter(|figure| figure.times) {
        let rest = sentence.between(figure.at.end, sentence.folded.len());
        let is_ratio = [
            "times as frequent as",
            "times as common as",
            "times as many as",
            "times as often as",
        ]
        .iter()
        .any(|words| rest.trim_start().starts_with(words));
        let before = group
            .mentions
            .iter()
            .rfind(|mention| mention.at.end <= figure.at.start);
        let after = group
            .mentions
            .iter()
            .find(|mention| mention.at.start >= figure.at.end);
        let (Some(before), Some(after)) = (before, after) else {
            continue;
        };
        let (one, other) = (&group.rows[before.row], &group.rows[after.row]);
        if is_ratio && other.count > 0 && !figure.shows(one.count as f64 / other.count as f64) {
            return Err(one.wrong_comparison(&format!("{} times", figure.text)));
        }
    }

    Ok(())
}

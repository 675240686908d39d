//! Checks that the parts of a statement are not exchanged: subject and object, the two sides of a
//! comparison, the ends of a direction.

use std::ops::Range;

use crate::check::grounded::align::{Alignment, Unit};
use crate::check::grounded::lexicon::ENGLISH;
use crate::check::grounded::mismatch::Mismatch;
use crate::check::grounded::parse::Parsed;
use crate::check::grounded::token::{Kind, Token};

/// Function words whose two sides are not exchangeable.
const PIVOTS: &str = "than to from by of with into onto over under before after above below for in \
    instead on at as upon via through against without per inside within";

/// Checks the order of the words around every verb and preposition that both texts have.
///
/// # Errors
///
/// Returns the first two words that are exchanged.
pub(crate) fn check(
    sentence: &Parsed,
    unit: &Unit,
    alignment: &Alignment,
    within: impl Fn(usize) -> bool,
) -> Result<(), Mismatch> {
    let held = &unit.parsed;
    if let Some(mismatch) = swapped(sentence, held, alignment, &within) {
        return Err(mismatch);
    }

    if let Some(mismatch) = exchanged_subject(sentence, held, alignment, &within) {
        return Err(mismatch);
    }

    for (pivot, token) in sentence.tokens.iter().enumerate() {
        if !within(pivot) {
            continue;
        }
        let is_function =
            token.kind == Kind::Function && PIVOTS.split_whitespace().any(|w| w == token.lower);
        let is_verb = token.kind == Kind::Content && is_verb(sentence, pivot);
        let is_copula = matches!(token.lower.as_str(), "is" | "are" | "was" | "were");
        if !(is_function || is_verb || is_copula) || is_infinitive(sentence, pivot) {
            continue;
        }

        let (left, mut right) = sides(sentence, pivot);
        // The words of a preposition end before the verb: *the name of the key is the best hint*.
        if is_function {
            let is_be = |at: &usize| ENGLISH.is_be(&sentence.tokens[*at].lower);
            right.end = right.clone().find(is_be).unwrap_or(right.end);
        }
        for x in left.clone() {
            for y in right.clone() {
                let Some((there_x, there_y)) = unique(sentence, held, alignment, x, y) else {
                    continue;
                };
                let between = |at: usize| (there_x.min(there_y) < at) && at < there_x.max(there_y);
                let mut places = (0..held.tokens.len()).filter(|at| {
                    between(*at)
                        && if is_verb {
                            alignment.same(pivot) == Some(*at)
                        } else {
                            held.tokens[*at].lower == token.lower && !is_infinitive(held, *at)
                        }
                });
                let Some(place) = places.next() else { continue };
                let is_directed = matches!(
                    token.lower.as_str(),
                    "than" | "over" | "to" | "from" | "into" | "instead" | "before" | "after"
                );
                if is_broken(
                    held,
                    is_directed,
                    there_x.min(there_y)..there_x.max(there_y),
                    place,
                ) {
                    continue;
                }

                let is_inverted = there_y < there_x;
                let wrong = if is_verb {
                    let other_voice = is_passive(sentence, pivot) != is_passive(held, place);
                    let by_agent =
                        has_by(sentence, pivot, y) || has_by(held, place, there_x.max(there_y));
                    if other_voice {
                        !is_inverted && by_agent
                    } else {
                        is_inverted
                    }
                } else if is_copula {
                    is_inverted && (is_indefinite(sentence, pivot) || is_indefinite(held, place))
                } else {
                    is_inverted
                };
                if wrong {
                    return Err(Mismatch::Exchanged {
                        first: sentence.shown(x).to_owned(),
                        second: sentence.shown(y).to_owned(),
                    });
                }
            }
        }
    }
    Ok(())
}

/// Finds a verb whose subject is that of another verb of the evidence, while its own one has
/// another verb in the sentence.
fn exchanged_subject(
    sentence: &Parsed,
    held: &Parsed,
    alignment: &Alignment,
    within: impl Fn(usize) -> bool,
) -> Option<Mismatch> {
    let subject = |parsed: &Parsed, verb: usize| {
        let clause = parsed.tokens[verb].clause;
        let mut before = (0..verb)
            .rev()
            .take_while(|at| parsed.tokens[*at].clause == clause);
        before.find(|at| {
            let token = &parsed.tokens[*at];
            token.is_content() && !token.lower.ends_with("ly")
        })
    };
    for verb in (0..sentence.tokens.len()).filter(|at| within(*at)) {
        let token = &sentence.tokens[verb];
        if token.kind != Kind::Content || !is_verb(sentence, verb) {
            continue;
        }
        let (Some(there), Some(own)) = (alignment.same(verb), subject(sentence, verb)) else {
            continue;
        };
        let (Some(place), Some(other)) = (alignment.same(own), subject(held, there)) else {
            continue;
        };
        let Some(back) = alignment.back(other) else {
            continue;
        };

        let elsewhere = |parsed: &Parsed, a: usize, b: usize| {
            parsed.tokens[a].clause != parsed.tokens[b].clause
        };
        let is_once = unique(sentence, held, alignment, own, back).is_some();
        if is_once && elsewhere(held, place, there) && elsewhere(sentence, back, verb) {
            return Some(Mismatch::Exchanged {
                first: sentence.shown(own).to_owned(),
                second: sentence.shown(back).to_owned(),
            });
        }
    }
    None
}

/// Finds two places between common words at which each text has what the other one has at the other
/// place.
fn swapped(
    sentence: &Parsed,
    held: &Parsed,
    alignment: &Alignment,
    within: impl Fn(usize) -> bool,
) -> Option<Mismatch> {
    // What both texts have between common words.
    let mut gaps: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    let (mut said_from, mut held_from) = (0, 0);
    let ends = alignment.anchors.iter().enumerate();
    let ends = ends.filter_map(|(at, anchor)| Some((at, (*anchor)?)));
    for (at, anchor) in ends.chain([(sentence.tokens.len(), held.tokens.len())]) {
        if at > said_from && anchor > held_from {
            gaps.push((said_from..at, held_from..anchor));
        }
        (said_from, held_from) = (at + 1, anchor + 1);
    }

    let content = |parsed: &Parsed, range: &Range<usize>| -> Vec<String> {
        let tokens = parsed.tokens[range.clone()].iter();
        let words =
            tokens.filter(|token| token.is_content() || matches!(token.kind, Kind::Number(_)));
        words.map(|token| token.stem.clone()).collect()
    };
    for (first, (said, other)) in gaps.iter().enumerate() {
        let (said_words, other_words) = (content(sentence, said), content(held, other));
        if said_words.is_empty() || other_words.is_empty() || !within(said.start) {
            continue;
        }
        for (second, there) in &gaps[first + 1..] {
            let is_swap =
                content(sentence, second) == other_words && content(held, there) == said_words;
            if !is_swap {
                continue;
            }
            // The order of a list and of an equation is free, and the voice may change it.
            let between = || sentence.tokens[said.end..second.start].iter();
            let is_list = between().all(|token| {
                matches!(token.kind, Kind::Mark(_))
                    || matches!(token.lower.as_str(), "and" | "or" | "nor")
            });
            let has_by = |parsed: &Parsed, range: Range<usize>| {
                parsed.tokens[range].iter().any(|token| token.lower == "by")
            };
            let other_voice =
                has_by(sentence, said.start..second.end) != has_by(held, other.start..there.end);
            let is_equation = between().all(|token| {
                matches!(
                    token.lower.as_str(),
                    "is" | "are" | "was" | "were" | "the" | "same" | "as"
                )
            });
            if !(is_list || other_voice || is_equation) {
                let shown = |range: &Range<usize>| {
                    let content = range.clone().find(|at| sentence.tokens[*at].is_content());
                    sentence.shown(content.unwrap_or(range.start)).to_owned()
                };
                return Some(Mismatch::Exchanged {
                    first: shown(said),
                    second: shown(second),
                });
            }
        }
    }
    None
}

/// Returns the tokens on both sides of a pivot, up to the ends of its clause and to conjunctions.
fn sides(sentence: &Parsed, pivot: usize) -> (Range<usize>, Range<usize>) {
    let clause = sentence.tokens[pivot].clause;
    let ends = |token: &Token| {
        token.clause != clause || matches!(token.lower.as_str(), "and" | "or" | "that")
    };
    let mut start = pivot;
    while start > 0 && !ends(&sentence.tokens[start - 1]) {
        start -= 1;
    }
    let mut end = pivot + 1;
    while end < sentence.tokens.len() && !ends(&sentence.tokens[end]) {
        end += 1;
    }
    (start..pivot, pivot + 1..end)
}

/// Returns the places of two words of the sentence in the unit, if both are there once in both
/// texts.
fn unique(
    sentence: &Parsed,
    held: &Parsed,
    alignment: &Alignment,
    x: usize,
    y: usize,
) -> Option<(usize, usize)> {
    let place = |at: usize| {
        let number = || match sentence.tokens[at].kind {
            Kind::Number(_) => {
                let lower = &sentence.tokens[at].lower;
                held.tokens.iter().position(|token| &token.lower == lower)
            }
            _ => None,
        };
        let place = alignment.same(at).or_else(number)?;
        let stem = &sentence.tokens[at].stem;
        let count = |tokens: &[Token]| {
            tokens
                .iter()
                .filter(|token| token.is_word() && &token.stem == stem)
                .count()
        };
        (count(&sentence.tokens) == 1 && count(&held.tokens) <= 1).then_some(place)
    };

    let (x, y) = (place(x)?, place(y)?);
    (x != y).then_some((x, y))
}

/// Returns whether a clause or a conjunction ends between a pivot and the words around it.
fn is_broken(held: &Parsed, is_directed: bool, range: Range<usize>, pivot: usize) -> bool {
    let clause = held.tokens[pivot].clause;
    range
        .clone()
        .chain([range.end])
        .filter_map(|at| held.tokens.get(at))
        .any(|token| {
            if is_directed {
                // What is in brackets and lists does not matter to a direction.
                matches!(token.kind, Kind::Mark(',' | ';' | ':')) || ENGLISH.breaks(&token.lower)
            } else {
                token.clause != clause || matches!(token.lower.as_str(), "and" | "or")
            }
        })
}

/// Returns whether a token is the *to* of an infinitive, which has no two sides.
fn is_infinitive(parsed: &Parsed, at: usize) -> bool {
    let next = parsed.tokens.get(at + 1);
    parsed.tokens[at].lower == "to"
        && next.is_some_and(|next| {
            next.lower == "be" || next.kind == Kind::Content && ENGLISH.is_verb(&next.stem)
        })
}

/// Endings of nouns that have the stem of a verb: *dependency*, *integration*.
const NOUNS: [&str; 12] = [
    "ency", "ancy", "ence", "ance", "tion", "sion", "ment", "ness", "ity", "tions", "sions",
    "ments",
];

/// Returns whether a content word is used as a verb.
fn is_verb(parsed: &Parsed, at: usize) -> bool {
    let lower = parsed.tokens[at].lower.as_str();
    if NOUNS.iter().any(|ending| lower.ends_with(ending)) {
        return false;
    }

    ENGLISH.is_verb(&parsed.tokens[at].stem)
        || at.checked_sub(1).is_some_and(|before| {
            matches!(
                parsed.tokens[before].lower.as_str(),
                "to" | "will"
                    | "can"
                    | "may"
                    | "must"
                    | "should"
                    | "would"
                    | "could"
                    | "not"
                    | "does"
                    | "do"
                    | "did"
            )
        })
}

/// Returns whether a verb is in the passive voice.
fn is_passive(parsed: &Parsed, at: usize) -> bool {
    let lower = parsed.tokens[at].lower.as_str();
    let is_participle = lower.ends_with("ed")
        || lower.ends_with("en")
        || lower.ends_with("wn")
        || ENGLISH.stem(lower) != lower && !lower.ends_with('s') && !lower.ends_with("ing");
    let is_be = |at: usize| {
        let lower = parsed.tokens[at].lower.as_str();
        ENGLISH.is_be(lower) || matches!(lower, "gets" | "get" | "got")
    };
    let has_be = (at.saturating_sub(3)..at).any(is_be);

    // *was left out*, *was originally left out*: a form of an irregular verb after *be*.
    let adverb = at > 0 && parsed.tokens[at - 1].lower.ends_with("ly");
    let before = at.checked_sub(if adverb { 2 } else { 1 });
    let follows_be = before.is_some_and(is_be) && !lower.ends_with("ing");

    let next = parsed.tokens.get(at + 1);
    follows_be || is_participle && (has_be || next.is_some_and(|next| next.lower == "by"))
}

/// Returns whether *by* is between a verb and a word after it.
fn has_by(parsed: &Parsed, verb: usize, word: usize) -> bool {
    (verb..word.min(parsed.tokens.len())).any(|at| parsed.tokens[at].lower == "by")
}

/// Returns whether an indefinite article follows a copula.
fn is_indefinite(parsed: &Parsed, copula: usize) -> bool {
    parsed
        .tokens
        .get(copula + 1)
        .is_some_and(|next| matches!(next.lower.as_str(), "a" | "an"))
}

//! A sentence parsed for checks: its numbers, the groups that its claims count, and the positions
//! of their values.

use std::ops::Range;

use serde_json::Value;

use crate::check::failure::Failure;
use crate::check::figure::{Figure, figures_in};
use crate::check::quote::cuts;
use crate::check::words::{fold, is_ordinary, is_quantity, occurrences, spellings};
use crate::claim::{Basis, Claim};
use crate::evidence::run::Evidence;
use crate::evidence::value::{plain, same_value};
use crate::language::tag::Language;

/// A sentence, its numbers, and the groups that its claims are about.
#[derive(Debug)]
pub(crate) struct ParsedSentence<'a> {
    pub(crate) text: &'a str,
    /// The text in lower case, with the same byte offsets.
    pub(crate) folded: String,
    /// The numbers, in the order of the text.
    pub(crate) figures: Vec<Figure>,
    /// The groups, in the order of the claims.
    pub(crate) groups: Vec<Group<'a>>,
}

/// All values of a field over a basis, some of which the sentence makes claims about.
#[derive(Debug)]
pub(crate) struct Group<'a> {
    pub(crate) over: &'a Basis,
    pub(crate) field: &'a str,
    pub(crate) total: u64,
    pub(crate) rows: Vec<Row>,
    /// The values in the sentence, in its order.
    pub(crate) mentions: Vec<Mention>,
    /// Positions of names of fields and of values. Numbers within them are parts of names.
    pub(crate) names: Vec<Range<usize>>,
}

/// A value with its count.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) value: Value,
    pub(crate) count: u64,
    pub(crate) is_claimed: bool,
}

impl Row {
    /// Returns the failure of a comparison, in these words, that is about the value.
    pub(crate) fn wrong_comparison(&self, words: &str) -> Failure {
        Failure::WrongComparison {
            words: words.to_owned(),
            value: plain(&self.value),
        }
    }
}

/// A value in the sentence.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mention {
    /// Index of its row in the group.
    pub(crate) row: usize,
    pub(crate) at: Range<usize>,
}

impl<'a> ParsedSentence<'a> {
    /// Parses a sentence.
    pub(crate) fn new(
        text: &'a str,
        claims: &'a [Claim],
        evidence: &Evidence,
        language: Language,
    ) -> Self {
        let mut parsed = Self {
            text,
            folded: fold(text),
            figures: figures_in(text, language),
            groups: Vec::new(),
        };

        for claim in claims {
            match claim {
                Claim::Count {
                    over,
                    field,
                    value,
                    number,
                } => {
                    let at = parsed.group(over, field, value.is_array(), evidence);
                    parsed.groups[at].claim(value, *number);
                }
                Claim::Total {
                    over: over @ Basis::Aggregation(id),
                    ..
                } => {
                    if let Some(field) = evidence.table(id).map(|table| table.field.as_str())
                        && let Some(own) =
                            claims.iter().find_map(|claim| spelled(claim, over, field))
                    {
                        parsed.group(over, own, own.contains(','), evidence);
                    }
                }
                _ => {}
            }
        }

        let fields: Vec<&str> = claims.iter().flat_map(Claim::fields).collect();
        for group in &mut parsed.groups {
            group.find_mentions(text, &parsed.folded, &fields);
        }

        parsed
    }

    /// Returns the index of a group, which is added if it is new.
    fn group(
        &mut self,
        over: &'a Basis,
        field: &'a str,
        is_tuple: bool,
        evidence: &Evidence,
    ) -> usize {
        let known = self
            .groups
            .iter()
            .position(|group| group.over == over && group.field == field);

        known.unwrap_or_else(|| {
            let rows = evidence.groups(over, field, is_tuple).into_iter();
            let rows = rows
                .map(|(value, count)| Row {
                    value,
                    count,
                    is_claimed: false,
                })
                .collect();
            let total = evidence.total(over).unwrap_or(0);
            self.groups.push(Group {
                over,
                field,
                total,
                rows,
                mentions: Vec::new(),
                names: Vec::new(),
            });
            self.groups.len() - 1
        })
    }

    /// Returns the text between two positions, in lower case.
    pub(crate) fn between(&self, from: usize, to: usize) -> &str {
        self.folded.get(from..to).unwrap_or_default()
    }
}

/// Returns the field of a count over this basis, in the spelling of its claim.
fn spelled<'a>(claim: &'a Claim, basis: &Basis, wanted: &str) -> Option<&'a str> {
    match claim {
        Claim::Count { over, field, .. } if over == basis && field.eq_ignore_ascii_case(wanted) => {
            Some(field)
        }
        _ => None,
    }
}

impl Group<'_> {
    /// Marks the rows of a value as claimed, or adds one.
    fn claim(&mut self, value: &Value, number: u64) {
        // An exact spelling means one row, another spelling all rows that differ in case.
        let is_exact = self.rows.iter().any(|row| row.value == *value);
        let is_meant = |row: &Row| {
            if is_exact {
                row.value == *value
            } else {
                same_value(&row.value, value)
            }
        };

        let mut is_known = false;
        for row in self.rows.iter_mut().filter(|row| is_meant(row)) {
            (row.is_claimed, row.count) = (true, number);
            is_known = true;
        }
        if !is_known {
            self.rows.push(Row {
                value: value.clone(),
                count: number,
                is_claimed: true,
            });
        }
    }

    /// Returns the claimed rows with their indices.
    pub(crate) fn claimed(&self) -> impl Iterator<Item = (usize, &Row)> {
        self.rows
            .iter()
            .enumerate()
            .filter(|(_, row)| row.is_claimed)
    }

    /// Returns whether the value of a row is in the sentence.
    pub(crate) fn is_named(&self, row: usize) -> bool {
        self.mentions.iter().any(|mention| mention.row == row)
    }

    /// Finds the values in the text, the longest names first. Of names of equal length a claimed
    /// value precedes a field, and a field precedes another value.
    fn find_mentions(&mut self, text: &str, folded: &str, fields: &[&str]) {
        // Each with its position, its rank, and its row unless it is a field.
        let mut found: Vec<(Range<usize>, u8, Option<usize>)> = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            for name in spellings(&row.value) {
                let places = occurrences(text, folded, &name, row.is_claimed).into_iter();
                if row.is_claimed {
                    // Of two values that differ in case, the one with the exact spelling is meant.
                    let rank = |place: &Range<usize>| {
                        u8::from(text.get(place.clone()) != Some(name.as_str()))
                    };
                    found.extend(places.map(|place| (place.clone(), rank(&place), Some(at))));
                } else if !is_quantity(&name) && !is_ordinary(&name) {
                    found.extend(
                        places
                            .filter(|place| is_so_written(text, place, &name))
                            .map(|place| (place, 3, Some(at))),
                    );
                }
            }
        }

        let parts = fields
            .iter()
            .flat_map(|field| [*field].into_iter().chain(field.split(',').map(str::trim)));
        for field in parts.filter(|field| !field.is_empty()) {
            found.extend(
                occurrences(text, folded, field, false)
                    .into_iter()
                    .map(|place| (place, 2, None)),
            );
        }

        // Of overlapping names the first one is taken.
        found.sort_by_key(|(place, rank, _)| (std::cmp::Reverse(place.len()), *rank, place.start));
        for (place, _, row) in found {
            if self
                .names
                .iter()
                .all(|taken| taken.end <= place.start || place.end <= taken.start)
            {
                self.mentions.extend(row.map(|row| Mention {
                    row,
                    at: place.clone(),
                }));
                self.names.push(place);
            }
        }

        self.mentions.sort_by_key(|mention| mention.at.start);
    }

    /// Returns whether a word of a value is in the sentence, outside the names of other values:
    /// *unidentified birds* refers to `Unknown bird or bat`.
    pub(crate) fn is_hinted_at(&self, row: usize, folded: &str) -> bool {
        let others = || self.mentions.iter().filter(|mention| mention.row != row);
        spellings(&self.rows[row].value).iter().any(|name| {
            let name = fold(name);
            name.split(|c: char| !c.is_alphanumeric())
                .filter(|word| word.chars().count() >= 4)
                .any(|word| {
                    let stem: String = word
                        .chars()
                        .take(word.chars().count().saturating_sub(2).max(4))
                        .collect();
                    folded.match_indices(&stem).any(|(at, _)| {
                        !cuts(folded, at)
                            && others().all(|other| at < other.at.start || other.at.end <= at)
                    })
                })
        })
    }
}

/// Returns whether a name is written in its own spelling, except for the case of its first letter.
/// Otherwise a value without a claim is not recognised: it may be an ordinary word.
fn is_so_written(text: &str, place: &Range<usize>, name: &str) -> bool {
    let split = |text: &str| {
        text.chars().next().map(|first| {
            (
                first.to_lowercase().to_string(),
                text[first.len_utf8()..].to_owned(),
            )
        })
    };
    text.get(place.clone())
        .is_some_and(|written| split(written) == split(name))
}

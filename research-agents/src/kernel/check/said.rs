//! What a sentence names: the groups that its counts belong to, and where their values stand among its words.

use std::ops::Range;

use serde_json::Value;

use super::figure::{Figure, figures_in};
use super::quote::cuts;
use super::words::{fold, is_ordinary, is_quantity, occurrences, spellings};
use crate::kernel::claim::{Basis, Claim};
use crate::kernel::evidence::{Evidence, same_value};
use crate::kernel::language::Language;

/// A sentence with what its claims speak of.
#[derive(Debug)]
pub(super) struct Said<'a> {
    pub(super) text: &'a str,
    /// The text in small letters, byte for byte.
    pub(super) folded: String,
    pub(super) figures: Vec<Figure>,
    pub(super) groups: Vec<Group<'a>>,
}

/// The values of one field over one basis of which the sentence claims some.
#[derive(Debug)]
pub(super) struct Group<'a> {
    pub(super) over: &'a Basis,
    pub(super) field: &'a str,
    pub(super) total: u64,
    pub(super) rows: Vec<Row>,
    /// Where values stand in the sentence, in its order.
    pub(super) mentions: Vec<Mention>,
    /// Where names of fields and values stand: numbers in there are none of their own.
    pub(super) names: Vec<Range<usize>>,
}

/// A value with its count.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) value: Value,
    pub(super) count: u64,
    pub(super) is_claimed: bool,
}

/// A value that stands in the sentence.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mention {
    /// Which row of the group.
    pub(super) row: usize,
    pub(super) at: Range<usize>,
}

impl<'a> Said<'a> {
    pub(super) fn of(text: &'a str, claims: &'a [Claim], evidence: &Evidence, language: Language) -> Self {
        let mut said = Self { text, folded: fold(text), figures: figures_in(text, language), groups: Vec::new() };
        for claim in claims {
            match claim {
                Claim::Count { over, field, value, number } => {
                    let at = said.group(over, field, value.is_array(), evidence);
                    said.groups[at].claim(value, *number);
                }
                Claim::Total { over: over @ Basis::Aggregation(id), .. } => {
                    if let Some(field) = evidence.table(id).map(|table| table.field.as_str())
                        && let Some(own) = claims.iter().find_map(|claim| spelled(claim, over, field))
                    {
                        said.group(over, own, own.contains(','), evidence);
                    }
                }
                Claim::Total { .. } | Claim::Statistic { .. } | Claim::GroupStatistic { .. } | Claim::Quote { .. } => {}
            }
        }
        let fields: Vec<&str> = claims.iter().filter_map(field_of).collect();
        for group in &mut said.groups {
            group.find_mentions(text, &said.folded, &fields);
        }
        said
    }

    fn group(&mut self, over: &'a Basis, field: &'a str, is_tuple: bool, evidence: &Evidence) -> usize {
        let known = self.groups.iter().position(|group| group.over == over && group.field == field);
        known.unwrap_or_else(|| {
            let rows = evidence.groups(over, field, is_tuple).into_iter();
            let rows = rows.map(|(value, count)| Row { value, count, is_claimed: false }).collect();
            let total = evidence.total(over).unwrap_or(0);
            self.groups.push(Group { over, field, total, rows, mentions: Vec::new(), names: Vec::new() });
            self.groups.len() - 1
        })
    }

    /// The words between two places, in small letters.
    pub(super) fn between(&self, from: usize, to: usize) -> &str {
        self.folded.get(from..to).unwrap_or_default()
    }
}

/// The field of a count over this basis, in the spelling of its claim.
fn spelled<'a>(claim: &'a Claim, basis: &Basis, wanted: &str) -> Option<&'a str> {
    match claim {
        Claim::Count { over, field, .. } if over == basis && field.eq_ignore_ascii_case(wanted) => Some(field),
        _ => None,
    }
}

fn field_of(claim: &Claim) -> Option<&str> {
    match claim {
        Claim::Count { field, .. } | Claim::Statistic { field, .. } | Claim::GroupStatistic { field, .. } => {
            Some(field)
        }
        Claim::Total { .. } | Claim::Quote { .. } => None,
    }
}

impl Group<'_> {
    fn claim(&mut self, value: &Value, number: u64) {
        // An exact spelling counts for itself, another one for all that differ in case.
        let is_exact = self.rows.iter().any(|row| row.value == *value);
        let is_meant = |row: &Row| if is_exact { row.value == *value } else { same_value(&row.value, value) };
        let mut is_known = false;
        for row in self.rows.iter_mut().filter(|row| is_meant(row)) {
            (row.is_claimed, row.count) = (true, number);
            is_known = true;
        }
        if !is_known {
            self.rows.push(Row { value: value.clone(), count: number, is_claimed: true });
        }
    }

    /// The claimed rows.
    pub(super) fn claimed(&self) -> impl Iterator<Item = (usize, &Row)> {
        self.rows.iter().enumerate().filter(|(_, row)| row.is_claimed)
    }

    pub(super) fn is_named(&self, row: usize) -> bool {
        self.mentions.iter().any(|mention| mention.row == row)
    }

    /// Finds the longest names first; of equal ones a claimed value goes before a field, and a field before another value.
    fn find_mentions(&mut self, text: &str, folded: &str, fields: &[&str]) {
        let mut found: Vec<(Range<usize>, u8, Option<usize>)> = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            for name in spellings(&row.value) {
                let places = occurrences(text, folded, &name, row.is_claimed).into_iter();
                if row.is_claimed {
                    // Of two spellings the one that stands in the sentence is meant.
                    let rank = |place: &Range<usize>| u8::from(text.get(place.clone()) != Some(name.as_str()));
                    found.extend(places.map(|place| (place.clone(), rank(&place), Some(at))));
                } else if !is_quantity(&name) && !is_ordinary(&name) {
                    found.extend(
                        places.filter(|place| is_so_written(text, place, &name)).map(|place| (place, 3, Some(at))),
                    );
                }
            }
        }
        let parts = fields.iter().flat_map(|field| [*field].into_iter().chain(field.split(',').map(str::trim)));
        for field in parts.filter(|field| !field.is_empty()) {
            found.extend(occurrences(text, folded, field, false).into_iter().map(|place| (place, 2, None)));
        }
        found.sort_by_key(|(place, rank, _)| (std::cmp::Reverse(place.len()), *rank, place.start));
        for (place, _, row) in found {
            if self.names.iter().all(|taken| taken.end <= place.start || place.end <= taken.start) {
                self.mentions.extend(row.map(|row| Mention { row, at: place.clone() }));
                self.names.push(place);
            }
        }
        self.mentions.sort_by_key(|mention| mention.at.start);
    }

    /// Whether some word of a value stands in the sentence, outside the names of other values: *unidentified birds* speaks of
    /// `Unknown bird or bat`.
    pub(super) fn is_hinted_at(&self, row: usize, folded: &str) -> bool {
        let others = || self.mentions.iter().filter(|mention| mention.row != row);
        spellings(&self.rows[row].value).iter().any(|name| {
            let name = fold(name);
            name.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() >= 4).any(|word| {
                let stem: String = word.chars().take(word.chars().count().saturating_sub(2).max(4)).collect();
                folded
                    .match_indices(&stem)
                    .any(|(at, _)| !cuts(folded, at) && others().all(|other| at < other.at.start || other.at.end <= at))
            })
        })
    }
}

/// A name that no claim speaks of is taken for one only in its own spelling; its first letter may be a capital.
fn is_so_written(text: &str, place: &Range<usize>, name: &str) -> bool {
    let split = |text: &str| {
        text.chars().next().map(|first| (first.to_lowercase().to_string(), text[first.len_utf8()..].to_owned()))
    };
    text.get(place.clone()).is_some_and(|written| split(written) == split(name))
}

//! Finds superlatives: their adjective, their number, and what they count.

use crate::question::read::reader::Reader;
use crate::question::read::words::vocabulary::{Grade, Role};

/// Why a difference is not the one that is computed, which is of two numbers over all records.
pub(crate) const NO_DIFFERENCES: &str =
    "the differences of single records or groups are not computed";

/// Why a superlative is not applied of which no field says how much there is.
pub(crate) const NOT_MEASURED: &str = "no field of the data measures it";

/// Verbs of time before *longest*.
const LASTS: &[&str] = &[
    "take", "takes", "took", "last", "lasts", "lasted", "dauert", "dauerte", "dure", "dura",
];

/// Verbs before a place in a ranking.
const COMES: &[&str] = &[
    "come", "comes", "came", "rank", "ranks", "ranked", "finishes",
];

/// A superlative of the question.
pub(crate) struct Superlative {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) highest: bool,
    /// Concepts that the adjective measures; empty for `highest`, `most`, `top`.
    pub(crate) concepts: Vec<String>,
    pub(crate) limit: Option<u64>,
    /// The item of a number that does not stand next to the adjective.
    pub(crate) number: Option<usize>,
    /// Whether `most` or `fewest` may count records.
    pub(crate) counts: bool,
    /// Whether it is `top`, `first` or the like, whose measure follows `by`.
    pub(crate) is_top: bool,
    /// Whether it asks for the first or last in time.
    pub(crate) is_time: bool,
}

impl Reader<'_, '_, '_> {
    /// Returns the superlative at an item.
    pub(crate) fn superlative(&self, at: usize) -> Option<Superlative> {
        let item = &self.items[at];
        let next = at + 1;
        let next_degree = self.items.get(next).and_then(|item| item.degree.clone());
        let positive = next_degree.filter(|degree| degree.grade == Grade::Positive);
        let mut found = Superlative {
            start: at,
            end: next,
            highest: true,
            concepts: Vec::new(),
            limit: None,
            number: None,
            counts: false,
            is_top: false,
            is_time: false,
        };

        if let Some(degree) = item
            .degree
            .as_ref()
            .filter(|degree| degree.grade == Grade::Superlative)
        {
            found.highest = degree.high;
            found.concepts = degree
                .concepts
                .iter()
                .filter(|c| *c != "any")
                .cloned()
                .collect();
            // `which climb takes longest`
            let takes = at
                .checked_sub(1)
                .is_some_and(|before| LASTS.contains(&self.lower(before)));
            if takes && found.concepts.iter().any(|concept| concept == "duration") {
                let first = ["duration", "time"].map(str::to_owned);
                found.concepts.splice(0..0, first);
            }
        } else if item.has_any(&[Role::Most, Role::Fewest]) || self.is_romance_superlative(at) {
            let is_most = item.has_any(&[Role::Most, Role::More]);
            found.highest = is_most;
            match positive {
                Some(degree) => {
                    found.highest = degree.high == is_most;
                    found.concepts = degree
                        .concepts
                        .iter()
                        .filter(|c| *c != "any")
                        .cloned()
                        .collect();
                    found.end = next + 1;
                }
                None => found.counts = true,
            }
        } else if item.has_any(&[Role::Top, Role::Bottom]) {
            found.highest = item.has(Role::Top);
            found.is_top = true;
        } else if item.has_any(&[Role::Latest, Role::Earliest, Role::First, Role::Last])
            && item.values.is_empty()
            && !self.is_lasting(at)
        {
            let comes = at
                .checked_sub(1)
                .is_some_and(|before| COMES.contains(&self.lower(before)));
            if comes {
                // `comes last in health`
                found.highest = item.has(Role::First);
                found.is_top = true;
            } else {
                found.highest = item.has_any(&[Role::Latest, Role::Last]);
                found.is_time = true;
            }
        } else {
            return None;
        }

        // `top 5`, `the 5 largest`, `five most expensive`.
        let after = self
            .items
            .get(found.end)
            .and_then(|item| item.number.filter(|_| !self.breaks(found.end)));
        let before = at
            .checked_sub(1)
            .and_then(|b| self.items[b].number.filter(|_| !self.breaks(at)));
        let count = |n: f64| (n.fract() == 0.0 && (1.0..=1000.0).contains(&n)).then_some(n as u64);
        if let Some(n) = after.and_then(count) {
            (found.limit, found.end) = (Some(n), found.end + 1);
        } else if let Some(n) = before
            .and_then(count)
            .filter(|_| at >= 1 && !self.items[at - 1].used)
        {
            (found.limit, found.start) = (Some(n), at - 1);
        }
        // `los 5 países más ricos`: the noun comes between.
        if found.limit.is_none() && !matches!(self.vocabulary.code, "en" | "de") {
            let number = self.number_before(at);
            if let Some(place) = number
                && let Some(n) = self.items[place].number.and_then(count)
            {
                found.limit = Some(n);
                found.number = Some(place);
            }
        }
        if found.limit.is_none()
            && let Some(place) = self.number_of_things(at)
        {
            found.limit = self.items[place].number.and_then(count);
            found.number = Some(place);
        }
        if found.is_time
            && found.limit.is_none()
            && item.ordinal.is_some()
            && item.has(Role::First)
            && self.is_ordinal_of_time(next)
        {
            return None;
        }
        // `top 5 longest`, `5 most expensive`.
        if found.is_top
            && let Some(more) = self.superlative_degree(found.end)
        {
            found.concepts = more.1;
            found.highest = more.0;
            found.end = more.2;
            found.is_top = false;
        }
        Some(found)
    }

    /// Returns whether an item is the verb of *how long does it last*.
    fn is_lasting(&self, at: usize) -> bool {
        let asks_long = |how: usize| {
            let degree = self
                .items
                .get(how + 1)
                .and_then(|item| item.degree.as_ref());
            let mut concepts = degree.iter().flat_map(|degree| &degree.concepts);
            self.has(how, Role::How) && concepts.any(|concept| concept == "duration")
        };
        LASTS.contains(&self.lower(at)) && (0..at).any(asks_long)
    }

    /// Returns the number before a noun that an adjective follows.
    fn number_before(&self, at: usize) -> Option<usize> {
        let is_between = |k: &usize| {
            let item = &self.items[*k];
            item.number.is_some()
                || item.is_open()
                || !item.fields.is_empty()
                || item.has_any(&[Role::Stop, Role::Generic])
        };
        let places = (at.saturating_sub(4)..at).rev().take_while(is_between);
        let mut numbers = places.filter(|k| self.items[*k].number.is_some());
        numbers.next().filter(|k| !self.items[*k].used)
    }

    /// Returns whether an item names a field whose measure was read.
    pub(crate) fn is_read_measure(&self, at: usize) -> bool {
        self.items.get(at).is_some_and(|item| {
            item.used
                && item.fields.iter().any(|found| {
                    self.out
                        .measures
                        .iter()
                        .any(|m| m.field == self.name(found.field))
                })
        })
    }

    fn is_ordinal_of_time(&self, at: usize) -> bool {
        self.has_any(
            at,
            &[
                Role::Quarter,
                Role::Month,
                Role::Week,
                Role::Day,
                Role::Year,
            ],
        )
    }

    fn superlative_degree(&self, at: usize) -> Option<(bool, Vec<String>, usize)> {
        let own = |degree: &crate::question::read::words::vocabulary::Degree| {
            degree
                .concepts
                .iter()
                .filter(|c| *c != "any")
                .cloned()
                .collect::<Vec<_>>()
        };
        let item = self.items.get(at)?;

        if let Some(degree) = item
            .degree
            .as_ref()
            .filter(|d| d.grade == Grade::Superlative)
        {
            return Some((degree.high, own(degree), at + 1));
        }
        if item.has_any(&[Role::Most, Role::Fewest]) {
            let degree = self.items.get(at + 1)?.degree.as_ref()?;
            return Some((degree.high == item.has(Role::Most), own(degree), at + 2));
        }
        None
    }

    /// Returns whether an item is `plus` or `más` of a superlative: no `que` follows its adjective.
    fn is_romance_superlative(&self, at: usize) -> bool {
        if !matches!(self.vocabulary.code, "fr" | "es" | "it" | "pt")
            || !self.has_any(at, &[Role::More, Role::Less])
        {
            return false;
        }
        let is_adjective = |k: usize| self.items.get(k).is_some_and(|item| item.degree.is_some());
        let end = if is_adjective(at + 1) { at + 2 } else { at + 1 };

        // `la più vecchia tra quelle che fumano`
        let is_among = |k: usize| self.has_any(k, &[Role::Between, Role::By]);
        let near = (end..end + 3).take_while(|k| !is_among(*k));
        let compares = near.into_iter().any(|k| {
            self.has(k, Role::Than)
                || (self.has(k, Role::Of)
                    && self
                        .items
                        .get(k + 1)
                        .is_some_and(|item| item.number.is_some()))
        });
        let is_numbered = self
            .items
            .get(end)
            .is_some_and(|item| item.number.is_some());
        !compares && !is_numbered && (is_adjective(at + 1) || !self.is_yes_no())
    }
}

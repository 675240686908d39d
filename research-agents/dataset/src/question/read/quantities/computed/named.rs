//! Reads a difference that is named: *the difference between the high and the low*, *days between
//! order and delivery*, and durations that only two dates tell.

use research_agents_report::claim::Statistic;

use crate::data::filters::operation::Operation;
use crate::data::task::FieldKind;
use crate::question::read::cut::field::{Field, NameWord};
use crate::question::read::cut::naming::Naming;
use crate::question::read::quantities::computed::asked::{Asks, Computed, DURATION, MINUS_WORD};
use crate::question::read::reader::Reader;
use crate::question::read::words::vocabulary::Role;

/// Words for the beginning in names of dates, and for the end.
const STARTS: [&str; 5] = ["start", "begin", "from", "debut", "inicio"];
const ENDS: [&str; 5] = ["end", "finish", "to", "fin", "ende"];

/// Items between a word for a difference and the one that opens its sides, and what they may be.
const NEAR: usize = 6;
const BETWEEN: &[Role] = &[
    Role::Stop,
    Role::Is,
    Role::There,
    Role::Mean,
    Role::Median,
    Role::Light,
];

/// Words before a field of a difference.
const BEFORE: &[Role] = &[Role::Stop, Role::Of];

impl Reader<'_, '_, '_> {
    /// Finds two fields whose difference is named: *the difference between the high and the low*,
    /// *days between order and delivery*, *gross minus budget*.
    pub(super) fn difference_named(&self) -> Option<Computed> {
        let found = (0..self.len()).find_map(|at| {
            let (from, other, end) = self.joined_after(at).or_else(|| self.subtracted_at(at))?;
            Some((at, from, other, end))
        });
        let (at, from, other, end) = found?;
        let are_dates = self.kind(from) == FieldKind::Date;
        let asks = self.extreme_or_measure(true)?;
        // The difference of two means is computed from both.
        if !are_dates && matches!(asks, Asks::Measure(Statistic::Mean)) {
            return None;
        }

        // From an earlier date to a later one.
        let (from, other) = match are_dates {
            true => self.later_first(from, other),
            false => (from, other),
        };
        Some(Computed {
            from,
            operation: Operation::Minus,
            other,
            items: at..end,
            is_only: true,
            asks,
        })
    }

    /// Returns the two fields that are joined after a word for a difference or a time, and where
    /// the second one ends.
    fn joined_after(&self, at: usize) -> Option<(usize, usize, usize)> {
        let joins = |at: usize| self.has_any(at, &[Role::And, Role::To, Role::Until]);
        let opens = |at: usize| self.has_any(at, &[Role::Between, Role::From, Role::Of]);
        let is_difference = self.has(at, Role::Differ);
        let is_time = self.says_long(at) || self.has(at, Role::Day) || self.says(at, "time");
        if !is_difference && !is_time {
            return None;
        }

        // `difference between` is one phrase; `how much time passes between`, `how many days on
        // average are there between`.
        let is_between = |at: &usize| {
            self.items
                .get(*at)
                .is_some_and(|item| item.is_open() || item.has_any(BETWEEN))
        };
        let opened = (at + 1..self.len())
            .take(NEAR)
            .find(|place| opens(*place))
            .filter(|opened| (at + 1..*opened).all(|at| is_between(&at) && !self.breaks(at)));
        let first = match opened {
            Some(opened) => opened + 1,
            None if is_difference => at + 1,
            None => return None,
        };
        let first = self.skip_roles(first, BEFORE);
        let join = (first + 1..self.len().min(first + 3)).find(|at| joins(*at))?;
        let second = self.skip_roles(join + 1, BEFORE);

        let (one, two) = (
            self.comparable_named(first)?,
            self.comparable_named(second)?,
        );
        let are_dates = self.kind(one) == FieldKind::Date;
        let is_alike = one != two && self.kind(one) == self.kind(two);
        (is_alike && (are_dates || is_difference)).then_some((one, two, second + 1))
    }

    /// Returns the two numbers of *gross minus budget*, and where the second one ends.
    fn subtracted_at(&self, at: usize) -> Option<(usize, usize, usize)> {
        let second = self.skip_roles(at + 2, BEFORE);
        if self.lower(at + 1) != MINUS_WORD {
            return None;
        }
        let (one, two) = (self.comparable_named(at)?, self.comparable_named(second)?);
        let are_numbers = self.is_number(one) && self.is_number(two);
        (one != two && are_numbers).then_some((one, two, second + 1))
    }

    /// Returns what is asked of a difference that is named: where it is the highest or lowest, or
    /// its measure over the records; `None` where a superlative is about something else.
    pub(super) fn extreme_or_measure(&self, rises: bool) -> Option<Asks> {
        /// What a superlative may measure of a difference.
        const SIZES: [&str; 5] = ["size", "length", "width", "distance", DURATION];
        let function = (0..self.len()).find_map(|at| match () {
            () if self.has(at, Role::Mean) => Some(Statistic::Mean),
            () if self.has(at, Role::Median) => Some(Statistic::Median),
            () => None,
        });
        let superlative = (0..self.len()).find_map(|at| Some((at, self.superlative(at)?)));
        // The cheapest of *the difference of both prices for the cheapest one* is another thing.
        let measures = |concept: &String| SIZES.contains(&concept.as_str());
        let is_other = superlative
            .as_ref()
            .is_some_and(|(_, found)| found.concepts.first().is_some_and(|first| !measures(first)));
        if is_other {
            return None;
        }

        Some(match (function, superlative) {
            (None, Some((at, found))) => Asks::Extreme {
                highest: rises == found.highest,
                at,
            },
            (function, _) => Asks::Measure(function.unwrap_or(Statistic::Sum)),
        })
    }

    /// Returns the quantity or date that an item names.
    fn comparable_named(&self, at: usize) -> Option<usize> {
        let is_date = |r: &Self, field: usize| {
            r.kind(field) == FieldKind::Date
                && r.field(field).facts.operations.contains(&Operation::Minus)
        };
        self.peek(at, is_date)
            .or_else(|| self.numbers_named(at).first().copied())
    }

    /// Returns the two dates for a question about a duration that no field holds: the only ones of
    /// the data, or the beginning and the end of the same.
    pub(super) fn duration_asked(&self) -> Option<Computed> {
        let holds = |field: &Field<'_>| {
            let mut words = field.words.iter();
            field.facts.kind == FieldKind::Number
                && words.any(|word| word.concepts.contains(&DURATION))
        };
        if self.schema.fields.iter().any(holds) {
            return None;
        }

        let dates: Vec<usize> = self.schema.dates().collect();
        let (one, two) = match dates[..] {
            [one, two] => (one, two),
            _ => self.ends_of_same(&dates)?,
        };
        // `how long after the breach` begins elsewhere.
        let is_since = |at: usize| self.has_any(at + 1, &[Role::After, Role::Before]);
        let at = (0..self.len()).find(|at| self.says_long(*at))?;
        if is_since(at) {
            return None;
        }
        let (from, other) = self.later_first(one, two);
        Some(Computed {
            from,
            operation: Operation::Minus,
            other,
            items: at..at + 1,
            is_only: true,
            asks: Asks::Named(Naming::Concept(DURATION)),
        })
    }

    /// Returns whether an item asks for a duration, as *long* and *longest* do.
    fn says_long(&self, at: usize) -> bool {
        let degree = self.items[at].degree.as_ref();
        let mut concepts = degree.iter().flat_map(|degree| &degree.concepts);
        concepts.any(|concept| concept == DURATION) || self.says(at, DURATION)
    }

    /// Returns the only two dates whose names differ in a word for the beginning and one for the
    /// end, as `audition_date_start` and `audition_date_end`.
    fn ends_of_same(&self, dates: &[usize]) -> Option<(usize, usize)> {
        let rest = |field: usize, ends: &[&str]| -> Option<Vec<&str>> {
            let words = &self.field(field).words;
            let is_end = |word: &&NameWord| ends.contains(&word.lower.as_str());
            let others = words.iter().filter(|word| !is_end(word));
            words
                .iter()
                .any(|word| is_end(&word))
                .then(|| others.map(|word| word.lower.as_str()).collect())
        };
        let named = |field: usize| {
            let mut matches = self.items.iter().flat_map(|item| &item.fields);
            matches.any(|found| found.field == field)
        };
        let pairs = dates.iter().filter_map(|start| {
            let of = rest(*start, &STARTS)?;
            let end = dates
                .iter()
                .find(|end| rest(**end, &ENDS).as_ref() == Some(&of))?;
            Some((*start, *end))
        });
        let pairs: Vec<(usize, usize)> = pairs.collect();

        let mut named_pairs = pairs.iter().filter(|pair| named(pair.0) || named(pair.1));
        match pairs[..] {
            [only] => Some(only),
            _ => named_pairs
                .next()
                .copied()
                .filter(|_| named_pairs.next().is_none()),
        }
    }

    /// Returns two dates, the one that begins later first.
    fn later_first(&self, one: usize, two: usize) -> (usize, usize) {
        let earliest = |field: usize| {
            let range = self.field(field).facts.range.as_ref();
            range.and_then(|(first, _)| first.as_str())
        };
        if earliest(one) > earliest(two) {
            (one, two)
        } else {
            (two, one)
        }
    }
}

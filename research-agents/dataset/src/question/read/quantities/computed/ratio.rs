//! Reads a number for each unit of another one: *price per square foot*, *points per game*, *the
//! ratio of students to teachers*, *population density*.

use crate::data::filters::operation::Operation;
use crate::question::read::cut::naming::Naming;
use crate::question::read::quantities::computed::asked::{Asks, Computed};
use crate::question::read::reader::Reader;
use crate::question::read::words::units::{is_area, unit};
use crate::question::read::words::vocabulary::Role;

/// Items between a number and what it is counted for.
const NEAR: usize = 3;

/// Words before a number that another one is divided by.
const BEFORE: &[Role] = &[Role::Stop, Role::Of];

/// Words before and between the numbers of a ratio.
const OPENING: &[Role] = &[Role::Stop, Role::Of, Role::Between, Role::From];
const JOINING: &[Role] = &[Role::To, Role::And, Role::Per];

/// The concepts of what is counted, measured or paid for, although it does not add up.
const UNITS: [&str; 9] = [
    "area",
    "distance",
    "weight",
    "duration",
    "games",
    "population",
    "bedrooms",
    "time",
    "budget",
];

/// The concept of how many people there are.
const PEOPLE: &str = "population";

/// The concept of areas.
const AREA: &str = "area";

/// The concepts of ratios, with those of the two numbers.
const RATIOS: [(&str, &str, &[&str]); 2] = [
    ("density", PEOPLE, &[AREA]),
    ("margin", "profit", &["sales", "revenue"]),
];

impl Reader<'_, '_, '_> {
    /// Finds two numbers whose ratio the question names.
    pub(super) fn ratio_named(&self) -> Option<Computed> {
        self.number_per()
            .or_else(|| self.ratio_of())
            .or_else(|| self.known_ratio())
    }

    /// Finds a number for each unit of another one: *points per game*, *income per capita*.
    fn number_per(&self) -> Option<Computed> {
        (1..self.len()).find_map(|at| {
            let (others, last) = match () {
                () if self.has(at, Role::PerHead) => (self.quantities_of(PEOPLE), at),
                () if self.has(at, Role::Per) => self.unit_behind(at),
                () => return None,
            };
            let divides = |field: &usize| self.divides(*field);
            let others: Vec<usize> = others.into_iter().filter(divides).collect();
            // `per household` divides by their number and not by their income.
            let (counts, rest): (Vec<usize>, Vec<usize>) = others
                .into_iter()
                .partition(|field| self.is_called_count(*field));
            let others = if counts.is_empty() { rest } else { counts };

            let back = (at.saturating_sub(NEAR)..at).rev();
            let mut back = back.take_while(|before| !self.breaks(before + 1));
            let (first, froms) = back.find_map(|before| {
                let mut named = match self.lower(before) {
                    "people" | "persons" => self.quantities_of(PEOPLE),
                    _ => self.numbers_named(before),
                };
                named.retain(|from| !others.contains(from));
                (!named.is_empty()).then_some((before, named))
            })?;
            self.ratio(&froms, &others, first, last)
        })
    }

    /// Returns the numbers that are named behind *per*, and the item that ends their name: *per
    /// square foot*, *per dollar of budget*.
    fn unit_behind(&self, per: usize) -> (Vec<usize>, usize) {
        let is_unit = |at: usize| at < self.len() && unit(self.lower(at)).is_some();
        let mut last = self.skip_roles(per + 1, BEFORE);
        if is_unit(last) && self.has(last + 1, Role::Of) {
            last = self.skip_roles(last + 1, BEFORE);
        }

        // `gdp per km2`
        if last < self.len() && is_area(self.lower(last)) {
            return (self.quantities_of(AREA), last);
        }
        // `price per night` is not the price over the `minimum_nights`.
        let is_whole = |field: &usize| {
            let mut fields = self.items[last].fields.iter();
            let is_full = fields.any(|found| found.field == *field && found.is_full);
            is_full || self.counted_words(*field) <= 1
        };
        let mut others = self.numbers_named(last);
        others.retain(is_whole);
        let is_square = last < self.len() && self.says(last, AREA) && is_unit(last + 1);
        (others, last + usize::from(is_square))
    }

    /// Finds two numbers of a ratio: *the ratio of students to teachers*, *the student to teacher
    /// ratio*.
    fn ratio_of(&self) -> Option<Computed> {
        let mut names = self.schema.fields.iter().flat_map(|field| &field.words);
        let has_ratio = names.any(|word| word.lower == "ratio");
        // A field that is called a ratio is meant, unless both numbers are named in full.
        let numbers = |at: usize| {
            let named = self.numbers_named(at);
            let full = self.items.get(at).and_then(|item| item.fields.first());
            let is_full = full.is_some_and(|best| best.is_full);
            if has_ratio && !is_full {
                Vec::new()
            } else {
                named
            }
        };
        let joins = |at: usize| self.has_any(at, JOINING);

        (0..self.len()).find_map(|at| {
            if !self.has(at, Role::Ratio) {
                return None;
            }
            let first = self.skip_roles(at + 1, OPENING);
            let last = self.skip_roles(first + 2, BEFORE);
            if joins(first + 1) {
                let (froms, others) = (numbers(first), numbers(last));
                return self.ratio(&froms, &others, at, last);
            }
            let before = at.checked_sub(3).filter(|before| joins(before + 1))?;
            let (froms, others) = (numbers(before), numbers(at - 1));
            self.ratio(&froms, &others, before, at)
        })
    }

    /// Finds the numbers of a ratio that has a name, such as *density*, and no field.
    fn known_ratio(&self) -> Option<Computed> {
        RATIOS.iter().find_map(|(name, from, others)| {
            let at = (0..self.len()).find(|at| self.measures_concept(*at, name))?;
            if !self.quantities_of(name).is_empty() {
                return None;
            }

            let from = self.quantities_of(from);
            let others = others.iter().map(|other| self.quantities_of(other));
            let others = others.into_iter().find(|found| !found.is_empty())?;
            let (from, other) = (*from.first()?, *others.first()?);
            // `population density`, `profit margin`
            let before = self.before(at).filter(|before| !self.breaks(before + 1));
            let first = before.filter(|before| self.numbers_named(*before) == [from]);
            let naming = match first {
                Some(first) if self.says(at, name) => self.naming(first, at),
                _ => Naming::Concept(name),
            };
            Some(Computed {
                from,
                operation: Operation::Over,
                other,
                items: first.unwrap_or(at)..at + 1,
                is_only: true,
                asks: Asks::Named(naming),
            })
        })
    }

    /// Returns the ratio of the first of some numbers to the first of others, which the items name.
    fn ratio(
        &self,
        froms: &[usize],
        others: &[usize],
        first: usize,
        last: usize,
    ) -> Option<Computed> {
        let from = *froms.first()?;
        let other = *others.iter().find(|other| **other != from)?;
        Some(Computed {
            from,
            operation: Operation::Over,
            other,
            items: first..last + 1,
            is_only: froms.len() == 1 && others.len() == 1,
            asks: Asks::Named(self.naming(first, last)),
        })
    }

    /// Returns what some items say, as the name of a field.
    pub(super) fn naming(&self, first: usize, last: usize) -> Naming {
        let said = &self.tokens[self.items[first].start..self.items[last].end];
        Naming::Phrase(said.iter().map(|token| token.lower.clone()).collect())
    }

    /// Returns the quantities of a concept.
    fn quantities_of(&self, concept: &str) -> Vec<usize> {
        let fields = self.schema.with_concept(concept).iter();
        let mut fields: Vec<usize> = fields.map(|(field, _)| *field).collect();
        fields.retain(|field| self.is_quantity(*field) && self.field(*field).years.is_none());
        fields.dedup();
        fields
    }

    /// Returns whether something can be counted for each unit of a field.
    fn divides(&self, field: usize) -> bool {
        let facts = self.field(field);
        let mut known = facts.words.iter().flat_map(|word| word.concepts);
        facts.years.is_none()
            && (known.any(|concept| UNITS.contains(concept)) || self.adds_up(field))
    }

    /// Returns whether an item is a word of a concept, or an adjective that it measures.
    fn measures_concept(&self, at: usize, concept: &str) -> bool {
        let degree = self.items[at].degree.as_ref();
        let mut measured = degree.into_iter().flat_map(|degree| &degree.concepts);
        measured.any(|measured| measured == concept) || self.says(at, concept)
    }
}

//! Reads the number that an adjective asks for: *how old*, *how long does it last*.

use crate::question::read::cut::items::Item;
use crate::question::read::reader::Reader;
use crate::question::read::words::vocabulary::{Grade, Role};

impl Reader<'_, '_, '_> {
    /// Returns whether a question ends by asking how much a superlative before it is, which its
    /// answer says anyway: *in which year was it highest, and how high was it*.
    pub(crate) fn asks_how_much_that_is(&self, at: usize) -> bool {
        if !self.has_any(at, &[Role::How, Role::HowMuch, Role::HowMany]) {
            return false;
        }
        let is_degree = |item: &Item| {
            let degree = item.degree.as_ref();
            degree.is_some_and(|degree| degree.grade == Grade::Positive)
        };
        let has_degree = self.has(at, Role::How) && self.items.get(at + 1).is_some_and(is_degree);
        let rest = at + 1 + usize::from(has_degree);
        let backward = &self.vocabulary.framing.backward;
        let says_nothing = |at: usize| {
            self.has_any(at, &[Role::Is, Role::Stop, Role::There, Role::Relation])
                || backward.iter().any(|word| word == self.lower(at))
        };

        let joins = self.breaks(at) || self.before(at).is_some_and(|at| self.has(at, Role::And));
        let ranks = (0..at).any(|at| self.superlative(at).is_some());
        joins && (rest..self.len()).all(says_nothing) && (ranks || self.relates(at))
    }

    /// Returns whether the words before a place ask for a relation: of two numbers that are
    /// compared, as *higher* and *higher*, or in words for one.
    fn relates(&self, end: usize) -> bool {
        let compares = |at: &usize| {
            let degree = self.items[*at].degree.as_ref();
            let is_compared = degree.is_some_and(|degree| degree.grade == Grade::Comparative);
            is_compared || self.has_any(*at, &[Role::More, Role::Less])
        };
        let says = (0..end).any(|at| self.has_any(at, &[Role::Relation, Role::Depend]));
        says || (0..end).filter(compares).count() > 1
    }

    /// Reads *how old*: the number that the adjective asks for.
    pub(crate) fn read_how_degree(&mut self, at: usize) {
        let Some(degree) = self.items.get(at + 1).and_then(|item| item.degree.clone()) else {
            // `how humid`
            let is_word = self.items.get(at + 1).is_some_and(Item::is_open);
            let is_adverb = self.lower(at + 1).ends_with("ly");
            let asks = is_word && !is_adverb && self.has(at + 2, Role::Is);
            if asks {
                let said = self.said(at, at + 2).to_owned();
                self.refused(&said, "no field says it");
                self.asked.unheld.push(said);
                self.take(at, at + 2);
            }
            return;
        };
        if degree.grade != Grade::Positive {
            return;
        }
        let said = self.said(at, at + 2).to_owned();
        // `how old` asks for an age, or for the year since when something is there.
        let asks_age = degree.concepts.first().is_some_and(|first| first == "age");
        // `long` does not abbreviate `longitude`.
        let is_measured = |r: &Self, field: usize| {
            let names = r.items[at + 1].fields.iter();
            let is_full = names
                .clone()
                .any(|found| found.field == field && found.is_full);
            let says = |concept: &String| {
                let words = &r.field(field).words;
                words
                    .iter()
                    .any(|word| word.concepts.contains(&concept.as_str()))
            };
            let is_age = !asks_age || r.tells_age(field);
            r.is_number(field) && is_age && (is_full || degree.concepts.iter().any(says))
        };
        let field = match self.choose(at + 1, is_measured) {
            Some(field) => Some(field),
            None => {
                // Another year says no age.
                let concepts = if asks_age {
                    &degree.concepts[..1]
                } else {
                    &degree.concepts
                };
                let measured = self.measured_by(concepts, &said).map(|(field, _)| field);
                measured.filter(|field| !asks_age || self.tells_age(*field))
            }
        };

        // `how long does a giraffe sleep`: the verb names the number.
        let named = (at + 2..self.len()).find(|place| {
            !self.items[*place].used
                && self.items[*place].values.is_empty()
                && self.peek(*place, |r, f| r.is_quantity(f)).is_some()
        });
        // `how large is a tip`: the number that is large, and not another one that is a size.
        let is_size = degree.concepts.first().is_some_and(|first| first == "size");
        let full = named.filter(|named| {
            let best = self.items[*named].fields.first();
            is_size && best.is_some_and(|best| best.is_full && self.is_quantity(best.field))
        });
        let field = field.filter(|_| full.is_none());
        let field = match (field, named) {
            (None, Some(named)) => {
                let field = self.choose(named, |r, f| r.is_quantity(f));
                self.take(named, named + 1);
                field
            }
            (field, _) => field,
        };
        match field {
            Some(field) => {
                self.asked.opening.get_or_insert(at);
                self.want(field);
                let gives = format!("the field {}", self.name(field));
                self.derive(&said, &gives);
            }
            None => {
                self.refused(&said, "no field says it");
                self.asked.unheld.push(said);
            }
        }
        self.take(at, at + 2);
    }

    /// Returns whether a field holds ages, or the years in which something began.
    fn tells_age(&self, field: usize) -> bool {
        const BEGINNINGS: [&str; 12] = [
            "birth",
            "born",
            "founded",
            "established",
            "built",
            "constructed",
            "opened",
            "since",
            "created",
            "manufactured",
            "released",
            "dob",
        ];

        let facts = self.field(field);
        let is_calendar = facts.years.is_some()
            || facts
                .words
                .iter()
                .any(|word| matches!(word.lower.as_str(), "year" | "month" | "date"));
        !is_calendar
            || facts.words.iter().any(|word| {
                BEGINNINGS.contains(&word.lower.as_str()) || word.concepts.contains(&"founded")
            })
    }
}

//! Reads what is asked of the difference of two fields: in how many records one is above the other,
//! and where a number has grown the most between two years.

pub(crate) mod asked;
pub(crate) mod compared;
pub(crate) mod games;
pub(crate) mod named;
pub(crate) mod words;

use serde_json::json;

use crate::data::task::FieldFacts;
use crate::question::read::functions::function_name;
use crate::question::read::quantities::difference::asked::{Asks, Difference, MINUS_WORD};
use crate::question::read::quantities::difference::games::{ENDING, OUTCOMES, SIDES};
use crate::question::read::reader::Reader;
use crate::question::read::words::vocabulary::Role;
use crate::question::reading::{Outcome, Sign};

impl Reader<'_, '_, '_> {
    /// Returns the difference that the question is about, where the tool computes it.
    pub(crate) fn difference_asked(&self) -> Option<Difference> {
        let has_any = self
            .schema
            .fields
            .iter()
            .any(|field| field.facts.has_differences);
        if !has_any {
            return None;
        }

        let found = self
            .years_apart()
            .or_else(|| self.fields_compared())
            .or_else(|| self.difference_named())
            .or_else(|| self.games_decided())
            .or_else(|| self.duration_asked());
        found.filter(|found| {
            let facts = |field: usize| self.field(field).facts;
            FieldFacts::difference(facts(found.from), facts(found.other)).is_some()
        })
    }

    /// Reads a difference, which is the last field.
    pub(crate) fn read_difference(&mut self, asked: &Difference) {
        let Some(field) = self.schema.fields.len().checked_sub(1) else {
            return;
        };
        let said = self.said(asked.items.start, asked.items.end).to_owned();
        let superlative = match asked.asks {
            Asks::Extreme { at, .. } => self.superlative(at),
            Asks::Sign(_) | Asks::Measure(_) => None,
            // Its words name it.
            Asks::Duration => return,
        };
        for at in asked.items.clone() {
            if !self.may_restrict(at) || self.is_part_of(at, asked) {
                self.take(at, at + 1);
            }
        }

        self.asked.has_difference = true;
        // A difference that is the highest has a direction, which the words do not say.
        let is_extreme = matches!(asked.asks, Asks::Extreme { .. });
        let is_undirected = is_extreme && (0..self.len()).any(|at| self.has(at, Role::Differ));
        if asked.is_only && !is_undirected {
            self.applied(&said, field);
        } else {
            let name = self.name(field).to_owned();
            let note = format!("“{said}” is read as {name}");
            self.out.notes.push(note);
            self.condition(&said, Outcome::Ambiguous { fields: vec![name] });
        }
        match (&asked.asks, superlative) {
            (Asks::Sign(sign), _) => {
                let name = self.name(field).to_owned();
                let condition = match sign {
                    Sign::Equal => json!(0),
                    Sign::Different => json!({"not": 0}),
                    Sign::Above => json!({"gt": 0}),
                    Sign::AtLeast => json!({"gte": 0}),
                    Sign::Below => json!({"lt": 0}),
                    Sign::AtMost => json!({"lte": 0}),
                };
                self.out.filters.insert(name, condition);
                self.note_filter(asked.items.start, &said, field);
            }
            (Asks::Extreme { highest, .. }, Some(mut found)) => {
                found.highest = *highest;
                found.concepts.clear();
                let end = asked.items.end.max(found.end);
                self.take(found.start, found.end);
                if let Some(number) = found.number {
                    self.take(number, number + 1);
                }
                self.rank_by_field(&found, field, end, &said);
            }
            (Asks::Measure(function), _) => {
                self.derive(
                    &said,
                    &format!("the {} of {}", function_name(*function), self.name(field)),
                );
                self.add_measure(*function, field);
                for at in 0..self.len() {
                    if self.has_any(at, &[Role::Mean, Role::Median]) {
                        self.take(at, at + 1);
                    }
                }
            }
            (Asks::Extreme { .. } | Asks::Duration, _) => {}
        }
    }

    /// Returns whether an item names one of the two fields, a year that tells them apart, or how a
    /// game went.
    fn is_part_of(&self, at: usize, asked: &Difference) -> bool {
        let item = &self.items[at];
        let names = |field: usize| item.fields.iter().any(|found| found.field == field);
        let numbers = self.numbers_named(at);
        let is_named = numbers.contains(&asked.from) || numbers.contains(&asked.other);
        names(asked.from)
            || names(asked.other)
            || is_named
            || self.year_said(at).is_some()
            // `more games than they lost`, `gross minus budget`
            || self.schema.is_title(&self.tokens[item.start])
            || self.says(at, "games")
            || self.lower(at) == MINUS_WORD
            || OUTCOMES
                .iter()
                .chain(&SIDES)
                .chain([&ENDING])
                .any(|word| self.says(at, word))
    }
}

//! Reads what is asked of a field that the tool computes of two others: in how many records one is
//! above the other, where a number has grown the most between two years, *price per square foot*.

pub(crate) mod asked;
pub(crate) mod compared;
pub(crate) mod games;
pub(crate) mod named;
pub(crate) mod ratio;
pub(crate) mod total;
pub(crate) mod words;

use serde_json::json;

use crate::data::task::FieldFacts;
use crate::question::read::cut::naming::Naming;
use crate::question::read::functions::function_name;
use crate::question::read::quantities::computed::asked::{Asks, Computed, MINUS_WORD};
use crate::question::read::quantities::computed::games::{ENDING, OUTCOMES, SIDES};
use crate::question::read::reader::Reader;
use crate::question::read::words::vocabulary::Role;
use crate::question::reading::{Outcome, Sign};

impl Reader<'_, '_, '_> {
    /// Returns the computed field that the question is about, where the tool computes it.
    pub(crate) fn computed_asked(&self) -> Option<Computed> {
        let has_any = self
            .schema
            .fields
            .iter()
            .any(|field| !field.facts.operations.is_empty());
        if !has_any {
            return None;
        }

        let found = self
            .years_apart()
            .or_else(|| self.fields_compared())
            .or_else(|| self.difference_named())
            .or_else(|| self.games_decided())
            .or_else(|| self.duration_asked())
            .or_else(|| self.ratio_named())
            .or_else(|| self.total_named());
        found.filter(|found| {
            let facts = |field: usize| self.field(field).facts;
            FieldFacts::computed(facts(found.from), found.operation, facts(found.other)).is_some()
        })
    }

    /// Reads a computed field, which is the last one.
    pub(crate) fn read_computed(&mut self, asked: &Computed) {
        let Some(field) = self.schema.fields.len().checked_sub(1) else {
            return;
        };
        let said = match asked.naming() {
            Some(Naming::Phrase(words)) => words.join(" "),
            Some(Naming::Concept(concept)) => (*concept).to_owned(),
            None => self.said(asked.items.start, asked.items.end).to_owned(),
        };
        let superlative = match asked.asks {
            Asks::Extreme { at, .. } => self.superlative(at),
            Asks::Sign(_) | Asks::Measure(_) => None,
            Asks::Named(_) => {
                if !asked.is_only {
                    self.note_guess(&said, field);
                }
                return;
            }
        };
        for at in asked.items.clone() {
            if !self.may_restrict(at) || self.is_part_of(at, asked) {
                self.take(at, at + 1);
            }
        }

        self.asked.has_computed = true;
        // A difference that is the highest has a direction, which the words do not say.
        let is_extreme = matches!(asked.asks, Asks::Extreme { .. });
        let is_undirected = is_extreme && (0..self.len()).any(|at| self.has(at, Role::Differ));
        if asked.is_only && !is_undirected {
            self.applied(&said, field);
        } else {
            self.note_guess(&said, field);
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
            (Asks::Extreme { .. } | Asks::Named(_), _) => {}
        }
    }

    /// Notes that words are read as a computed field, though others may be meant.
    fn note_guess(&mut self, said: &str, field: usize) {
        let name = self.name(field).to_owned();
        self.out.notes.push(format!("“{said}” is read as {name}"));
        self.condition(said, Outcome::Ambiguous { fields: vec![name] });
    }

    /// Returns whether an item names one of the two fields, a year that tells them apart, or how a
    /// game went.
    fn is_part_of(&self, at: usize, asked: &Computed) -> bool {
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

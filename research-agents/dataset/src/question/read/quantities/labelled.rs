//! Reads numbers that label a kind: `type 6`, `cat 5`, `version 16.0`.

use serde_json::{Value, json};

use crate::data::task::FieldKind;
use crate::question::read::quantities::figure::Figure;
use crate::question::read::reader::{Reader, number};
use crate::question::read::words::concepts::concepts;
use crate::question::read::words::vocabulary::Role;

/// Letters of an abbreviation at least.
const SHORTEST: usize = 3;

impl Reader<'_, '_, '_> {
    /// Reads a number right behind a word of the name of a field whose values are such numbers, or
    /// behind another noun where exactly one field has the number among its few values. Returns
    /// whether it was read.
    pub(crate) fn read_label(&mut self, figure: &Figure, at: usize) -> bool {
        let noun = (0..figure.start)
            .rev()
            .find(|place| !self.has_any(*place, &[Role::Of, Role::Stop, Role::Exactly]));
        let is_joined = |noun: &usize| (*noun + 1..=figure.start).all(|at| !self.breaks(at));
        let Some(noun) = noun.filter(is_joined) else {
            return false;
        };
        let is_noun = !self.items[noun].has_any(&[Role::In, Role::From, Role::To, Role::Is])
            && self.items[noun].number.is_none()
            && self.items[noun].moment.is_none();
        if !is_noun || figure.unit.is_some() {
            return false;
        }

        let fields = 0..self.schema.fields.len();
        let valued: Vec<(usize, Value)> = fields
            .filter_map(|field| Some((field, self.label_of(field, figure.low, at)?)))
            .collect();
        let mut named: Vec<&(usize, Value)> = valued
            .iter()
            .filter(|(field, _)| self.is_word_of(noun, *field))
            .collect();
        let is_open = self.items[noun].roles.is_empty() && self.items[noun].values.is_empty();
        if named.is_empty() && is_open {
            named = valued
                .iter()
                .filter(|(field, _)| self.has_listed(*field))
                .collect();
        }
        let [(field, value)] = named[..] else {
            return false;
        };

        let (field, value) = (*field, value.clone());
        // The winner of *the winner of the 5k* is another thing.
        let is_apart = noun + 1 < figure.start && !self.is_word_of(noun, field);
        let noun = if is_apart { figure.start } else { noun };
        let said = self.said(noun, figure.end).to_owned();
        if (noun..figure.end).any(|place| self.negated[place]) {
            self.add_part(field, "not", value);
        } else {
            self.add_value(field, value);
        }
        self.note_filter(figure.start, &said, field);
        // `won series 6` names the series, and what is so of its winner.
        let truth = self.items[noun].fields.iter().find_map(|found| {
            let (yes, _) = self.field(found.field).truth.clone()?;
            (found.is_full && found.field != field).then_some((found.field, yes))
        });
        if let Some((truth, yes)) = truth {
            self.add_value(truth, yes);
            self.note_filter(noun, &said, truth);
        }
        self.take(noun, figure.end);
        true
    }

    /// Reads `the fourth quarter`, `on third down`, where a field holds such numbers.
    pub(crate) fn read_ordinals(&mut self) {
        for at in 0..self.len() {
            let item = &self.items[at];
            let Some(ordinal) = item.ordinal.filter(|_| !item.used) else {
                continue;
            };
            // `the first week` may be the earliest one.
            let is_place = self
                .before(at)
                .is_some_and(|before| self.has(before, Role::In));
            let noun = at + 1;
            if ordinal == 1 && !is_place || noun >= self.len() || self.breaks(noun) {
                continue;
            }
            let is_it = |r: &Self, field: usize| {
                let names = r.items[noun].fields.iter();
                let is_full = names
                    .clone()
                    .any(|found| found.field == field && found.is_full);
                is_full && r.label_of(field, f64::from(ordinal), at).is_some()
            };
            let is_free = !self.items[noun].used;
            let Some(field) = self.peek(noun, is_it).filter(|_| is_free) else {
                continue;
            };

            let said = self.said(at, noun + 1).to_owned();
            if let Some(value) = self.label_of(field, f64::from(ordinal), at) {
                self.add_value(field, value);
                self.note_filter(at, &said, field);
                self.take(at, noun + 1);
            }
        }
    }

    fn has_listed(&self, field: usize) -> bool {
        !self.field(field).facts.values.is_empty()
    }

    /// Returns the value of a field of few values that a number is.
    fn label_of(&self, field: usize, said: f64, at: usize) -> Option<Value> {
        let facts = self.field(field);
        if facts.is_identifier || facts.truth.is_some() || facts.years.is_some() {
            return None;
        }
        let written = self.said(at, at + 1);
        let is_it = |value: &&Value| match value {
            Value::Number(known) => known.as_f64() == Some(said),
            Value::String(text) => text == written || text.parse::<f64>().ok() == Some(said),
            _ => false,
        };
        if let Some(listed) = facts.facts.values.iter().find(is_it) {
            return Some(listed.clone());
        }

        let range = facts.facts.range.as_ref()?;
        let (low, high) = (range.0.as_f64()?, range.1.as_f64()?);
        let is_category = facts.facts.kind == FieldKind::Number
            && facts.facts.values.is_empty()
            && self.is_groupable(field)
            && (low..=high).contains(&said);
        is_category
            .then(|| number(said))
            .filter(|value| *value != json!(null))
    }

    /// Returns whether a word is one of the name of a field, of its concepts, or the beginning of
    /// one.
    fn is_word_of(&self, at: usize, field: usize) -> bool {
        let token = &self.tokens[self.items[at].end - 1];
        let meant = concepts().of(&token.lower, &token.stem, &token.own_stem);
        self.field(field).words.iter().any(|word| {
            let is_abbreviated =
                token.lower.len() >= SHORTEST && word.lower.starts_with(&token.lower);
            word.stem == token.stem
                || word.stem == token.own_stem
                || is_abbreviated
                || meant.iter().any(|one| word.concepts.contains(one))
        })
    }
}

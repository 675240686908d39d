//! Which quantities words name where two of them are compared.

use crate::question::read::cut::field::Field;
use crate::question::read::cut::items::{FieldMatch, Item};
use crate::question::read::quantities::computed::games::SIDES;
use crate::question::read::reader::Reader;
use crate::question::read::words::concepts::concepts;
use crate::question::read::words::vocabulary::Role;

impl Reader<'_, '_, '_> {
    /// Returns the quantities that an item names best, by words of their names or other names of
    /// them, as *men* do `population_male`.
    pub(super) fn numbers_named(&self, at: usize) -> Vec<usize> {
        let Some(item) = self.items.get(at) else {
            return Vec::new();
        };
        if item.number.is_some() || item.moment.is_some() {
            return Vec::new();
        }
        let can = |field: usize| {
            self.is_quantity(field) && !self.field(field).facts.operations.is_empty()
        };
        let named = item.fields.iter().filter(|found| can(found.field));
        let named: Vec<&FieldMatch> = named.collect();
        if let Some(best) = named.first() {
            let as_well = |found: &&&FieldMatch| {
                let is_near = !best.is_full && found.score * 3 >= best.score;
                found.score == best.score || is_near
            };
            return named
                .iter()
                .filter(as_well)
                .map(|found| found.field)
                .collect();
        }

        let lower = &self.tokens[item.start].lower;
        let is_other_name = |field: &Field<'_>| {
            let mut words = field.words.iter();
            words.any(|word| concepts().is_same_value(lower, &word.lower))
        };
        let fields = 0..self.schema.fields.len();
        let other: Vec<usize> = fields
            .filter(|field| can(*field) && is_other_name(self.field(*field)))
            .collect();
        if let [only] = other[..] {
            return vec![only];
        }
        // `did the guests score more than the hosts`
        let sides = self.schema.sides_of_games();
        match (sides, SIDES.map(|side| self.says(at, side))) {
            (Some((home, _)), [true, false]) => vec![home],
            (Some((_, away)), [false, true]) => vec![away],
            _ => Vec::new(),
        }
    }

    /// Returns whether an item is a word of a concept.
    pub(super) fn says(&self, at: usize, concept: &str) -> bool {
        if self.has(at, Role::Stop) {
            return false;
        }
        let is_said = |item: &Item| {
            let tokens = &self.tokens[item.start..item.end];
            tokens.iter().any(|token| {
                concepts()
                    .of(&token.lower, &token.stem, &token.own_stem)
                    .contains(&concept)
            })
        };
        self.items.get(at).is_some_and(is_said)
    }
}

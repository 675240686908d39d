//! Reads *negative* and *positive* of a quantity: `a negative inflation`.

use serde_json::json;

use crate::question::read::reader::Reader;
use crate::question::read::words::vocabulary::Role;

/// Beginnings of words for less than nothing.
const NEGATIVE: &str = "negati";

/// Beginnings of words for more than nothing.
const POSITIVE: &str = "positi";

/// Items between a quantity and its sign.
const BETWEEN: usize = 3;

impl Reader<'_, '_, '_> {
    /// Restricts a quantity that has negative values to those of a sign.
    pub(crate) fn read_signs(&mut self) {
        for at in 0..self.len() {
            let word = self.lower(at);
            let is_negative = word.starts_with(NEGATIVE);
            let is_sign = is_negative || word.starts_with(POSITIVE);
            let item = &self.items[at];
            if !is_sign || item.used || !item.fields.is_empty() || !item.values.is_empty() {
                continue;
            }
            let Some(place) = self.signed_quantity(at) else {
                continue;
            };

            let has_sign = |r: &Self, field: usize| r.has_both_signs(field);
            if let Some(field) = self.choose(place, has_sign) {
                let (from, to) = (at.min(place), at.max(place) + 1);
                let said = self.said(from, to).to_owned();
                let key = if is_negative { "lt" } else { "gt" };
                self.add_part(field, key, json!(0));
                self.note_filter(at, &said, field);
                self.take(at, at + 1);
                self.take(place, place + 1);
            }
        }
    }

    /// Returns the nearest item that names a quantity with both signs.
    fn signed_quantity(&self, at: usize) -> Option<usize> {
        const LINKS: &[Role] = &[Role::Stop, Role::Is, Role::Of];
        let names = |place: usize| {
            let is_near = !self.items[place].used;
            is_near
                && self
                    .peek(place, |r, field| r.has_both_signs(field))
                    .is_some()
        };
        let is_link = |place: &usize| self.has_any(*place, LINKS) || names(*place);
        let behind = (at + 1..self.len().min(at + 1 + BETWEEN)).take_while(is_link);
        let before = (at.saturating_sub(BETWEEN)..at).rev().take_while(is_link);
        behind.chain(before).find(|place| names(*place))
    }

    fn has_both_signs(&self, field: usize) -> bool {
        let range = self.field(field).facts.range.as_ref();
        let low = range.and_then(|(low, _)| low.as_f64());
        self.is_quantity(field) && low.is_some_and(|low| low < 0.0)
    }
}

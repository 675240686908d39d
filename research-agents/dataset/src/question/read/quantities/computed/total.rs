//! Reads the sum of two numbers of each record: *goals and assists combined*, *the goals of a
//! game*.

use crate::data::filters::operation::Operation;
use crate::data::task::FieldKind;
use crate::question::read::quantities::computed::asked::{Asks, Computed};
use crate::question::read::quantities::computed::games::SIDES;
use crate::question::read::reader::Reader;
use crate::question::read::words::vocabulary::Role;

/// Words before the numbers of a sum.
const BEFORE: &[Role] = &[Role::Stop, Role::Of];

impl Reader<'_, '_, '_> {
    /// Finds two numbers whose sum the question names.
    pub(super) fn total_named(&self) -> Option<Computed> {
        self.numbers_combined().or_else(|| self.both_sides())
    }

    /// Finds two numbers that are added: *goals and assists combined*, *the combined length of
    /// wings and tail*.
    fn numbers_combined(&self) -> Option<Computed> {
        (1..self.len()).find_map(|and| {
            if !self.has(and, Role::And) || self.breaks(and) {
                return None;
            }
            let (first, last) = (and - 1, self.skip_roles(and + 1, BEFORE));
            let behind = Some(last + 1).filter(|at| self.has(*at, Role::Combined));
            let before = (0..first).rev().find(|at| !self.has_any(*at, BEFORE));
            let before = before.filter(|at| self.has(*at, Role::Combined));
            if behind.is_none() && before.is_none() {
                return None;
            }

            let (froms, others) = (self.numbers_named(first), self.numbers_named(last));
            let ([from], [other]) = (froms.as_slice(), others.as_slice()) else {
                return None;
            };
            let (first, last) = (before.unwrap_or(first), behind.unwrap_or(last));
            (from != other).then(|| self.total(*from, *other, first, last))
        })
    }

    /// Finds the number that both sides of a game have, where no side and no team is said: *how
    /// many goals were scored per game*.
    fn both_sides(&self) -> Option<Computed> {
        let (home, away) = self.schema.sides_of_games()?;
        let is_side = |at: usize| {
            let mut fields = self.items[at].fields.iter();
            let is_team = |field: usize| {
                let words = self.field(field).words.iter();
                let mut known = words.flat_map(|word| word.concepts);
                self.kind(field) == FieldKind::Text && known.any(|concept| SIDES.contains(concept))
            };
            let mut values = self.items[at].values.iter();
            fields.any(|found| is_team(found.field))
                || values.any(|value| is_team(value.field))
                || SIDES.iter().any(|side| self.says(at, side))
        };
        if (0..self.len()).any(is_side) {
            return None;
        }

        let names_both = |at: &usize| {
            let named = self.numbers_named(*at);
            named.contains(&home) && named.contains(&away) && named.len() == 2
        };
        let at = (0..self.len()).find(names_both)?;
        // `how many goals were scored`
        let verb = self.skip_roles(at + 1, &[Role::Is]);
        let last = Some(verb).filter(|verb| names_both(verb) && !self.breaks(*verb));
        Some(self.total(home, away, at, last.unwrap_or(at)))
    }

    fn total(&self, from: usize, other: usize, first: usize, last: usize) -> Computed {
        Computed {
            from,
            operation: Operation::Plus,
            other,
            items: first..last + 1,
            is_only: true,
            asks: Asks::Named(self.naming(first, last)),
        }
    }
}

//! Reads how games ended that have a number for each side: *how many games did the home team win*,
//! *ended in a draw*.

use crate::data::filters::operation::Operation;
use crate::question::read::quantities::computed::asked::{Asks, Computed};
use crate::question::read::quantities::mirrored;
use crate::question::read::reader::Reader;
use crate::question::reading::Sign;

/// The concepts of how a game went.
pub(super) const OUTCOMES: [&str; 3] = ["draw", "victory", "defeat"];

/// The concept of verbs for how something ends.
pub(super) const ENDING: &str = "ending";

/// The concepts of the sides of a game.
pub(super) const SIDES: [&str; 2] = ["home", "away"];

impl Reader<'_, '_, '_> {
    /// Finds games that a side won, or none: *how many games did the home team win*, *ended in a
    /// draw*.
    pub(super) fn games_decided(&self) -> Option<Computed> {
        let (home, away) = self.schema.sides_of_games()?;
        let is_free = |at: usize| {
            let item = &self.items[at];
            item.values.is_empty() && !item.fields.iter().any(|found| found.is_full)
        };
        let says =
            |concept: &str| (0..self.len()).find(|at| is_free(*at) && self.says(*at, concept));
        let (at, sign) = match (says("draw"), says("victory"), says("defeat")) {
            (Some(at), ..) => (at, Sign::Equal),
            (_, Some(at), _) => (at, Sign::Above),
            (_, _, Some(at)) => (at, Sign::Below),
            _ => return None,
        };

        let says_side = |at: &usize| SIDES.iter().any(|side| self.says(*at, side));
        let (place, sign) = match (0..self.len()).find(says_side) {
            _ if sign == Sign::Equal => (at, sign),
            Some(place) if self.says(place, "home") => (place, sign),
            Some(place) => (place, mirrored(sign)),
            None => return None,
        };
        // `the highest home win` is one game, and `the most home wins` are several.
        let counts = |at: usize| self.superlative(at).is_some_and(|found| found.counts);
        let asks = match self.extreme_or_measure(sign == Sign::Above) {
            Some(Asks::Extreme { highest, at }) if sign != Sign::Equal && !counts(at) => {
                Asks::Extreme { highest, at }
            }
            _ => Asks::Sign(sign),
        };
        // `ended in a draw`
        let before = self.before(at).filter(|before| self.says(*before, ENDING));
        let start = before.unwrap_or(at).min(place);
        Some(Computed {
            from: home,
            operation: Operation::Minus,
            other: away,
            items: start..at.max(place) + 1,
            is_only: true,
            asks,
        })
    }
}

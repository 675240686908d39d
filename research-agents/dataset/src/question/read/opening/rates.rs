//! Reads comparisons of how often something is so: *are women more likely to survive*.

use crate::question::read::reader::Reader;
use crate::question::read::words::vocabulary::Role;
use crate::question::reading::{AnswerShape, YesNoTest};

/// Words for how often something is so, behind *more* or *less*.
const RATES: &[&str] = &[
    "likely",
    "often",
    "frequently",
    "commonly",
    "wahrscheinlich",
    "probable",
    "probables",
];

/// Verbs of what there are records of.
const HAPPENS: &[&str] = &[
    "happen", "happens", "happened", "occur", "occurs", "occurred",
];

impl Reader<'_, '_, '_> {
    /// Returns whether what compares is how often something is so: *more likely*, *less often*.
    pub(crate) fn compares_rates(&self, start: usize) -> bool {
        let is_bare = self.has_any(start, &[Role::More, Role::Less]);
        is_bare && RATES.contains(&self.lower(start + 1))
    }

    /// Makes the condition next to *more likely* the part whose shares are compared. Without one it
    /// is not clear which share is meant.
    pub(crate) fn settle_rate(&mut self) -> bool {
        let compared = match &self.out.test {
            Some(YesNoTest::Groups { field, .. }) => field.clone(),
            _ => return false,
        };
        let Some(at) = self.asked.rate else {
            return false;
        };
        let filters = &self.out.filters;
        let others = self.asked.filter_items.iter();
        let others = others.filter(|(_, name)| *name != compared && filters.contains_key(name));
        let nearest = others.min_by_key(|(place, _)| place.abs_diff(at));
        // `do strikes happen more often at dusk than at dawn`: the records are what happens.
        let happens = self
            .before(at)
            .is_some_and(|verb| HAPPENS.contains(&self.lower(verb)));
        if nearest.is_none() && happens && self.lower(at + 1) != "likely" {
            self.take(at, at + 2);
            self.out.answer = match self.is_yes_no() {
                true => AnswerShape::YesNo,
                false => AnswerShape::Compare,
            };
            return true;
        }
        let Some(name) = nearest.map(|(_, name)| name.clone()) else {
            let said = self.said(at, at + 2).to_owned();
            self.refused(&said, "it is not clear of what the shares are compared");
            self.out.test = None;
            self.out.answer = AnswerShape::Overview;
            return true;
        };

        if let Some(condition) = self.out.filters.remove(&name) {
            self.out.part.insert(name, condition);
        }
        let said = self.said(at + 1, at + 2).to_owned();
        self.out.unread.retain(|word| *word != said);
        self.out.answer = AnswerShape::Share;
        true
    }
}

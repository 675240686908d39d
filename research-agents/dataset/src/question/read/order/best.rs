//! Finds what *best* and *top* rank by where no adjective and no noun says it.

use research_agents_report::claim::Statistic;

use crate::question::read::order::ranked::{Ranked, Ranking};
use crate::question::read::order::superlative::{NOT_MEASURED, Superlative};
use crate::question::read::reader::Reader;
use crate::question::read::words::vocabulary::Role;

impl Reader<'_, '_, '_> {
    /// Finds what `best` and `top` rank by where nothing is said: a rating, else the number of
    /// records.
    pub(super) fn ranked_at_top(&mut self, found: &Superlative, said: &str) -> Ranking {
        let rating = self.measured_by(&["rating".to_owned()], said);
        let names_count =
            (found.end..self.len()).any(|at| self.has_any(at, &[Role::Common, Role::HowMany]));
        if rating.is_none() && found.limit.is_none() && !names_count {
            self.refuse_superlative(found, NOT_MEASURED);
            return Ranking::Read;
        }

        let repeats = self
            .groups_beside(found.end)
            .is_some_and(|(_, repeats)| repeats);
        match rating {
            Some((field, _)) if !repeats || found.limit.is_none() => {
                Ranking::Field(Ranked::apart(found, field))
            }
            _ => {
                self.take(found.start, found.end);
                self.rank_groups_by_count(found, found.end);
                Ranking::Read
            }
        }
    }

    /// Ranks by the number before what is at the top: *points by team, top 5*, *goals: who is
    /// best*.
    pub(super) fn ranked_at_end(&mut self, found: &Superlative, said: &str) -> Option<Ranking> {
        const OPENING: &[Role] = &[Role::What, Role::Show, Role::Is, Role::Stop];
        const ASKING: &[Role] = &[Role::Who, Role::Which, Role::Is, Role::Stop];
        let is_best = found.is_top || found.concepts.first().is_some_and(|one| one == "rating");
        let at = self.skip_roles(0, OPENING);
        let is_named = |r: &Self, field: usize| {
            let best = r.items[at].fields.first();
            let is_full = best.is_some_and(|best| best.field == field && best.is_full);
            r.is_quantity(field) && (is_full || r.counted_words(field) <= 1)
        };
        let is_free = at < found.start && !self.items[at].used;
        if !is_best || !is_free || self.peek(at, is_named).is_none() {
            return None;
        }

        let by = self.has(at + 1, Role::By).then_some(at + 1);
        let group = by.and_then(|by| {
            let noun = self.skip_roles(by + 1, &[Role::Stop, Role::Of]);
            let group = self.peek(noun, |r, field| r.is_groupable(field))?;
            Some((by, noun, group))
        });
        let end = group.map_or(at, |(_, noun, _)| noun) + 1;
        let rest = self.skip_roles(end, ASKING);
        if rest < found.start || !(end..=found.start).any(|place| self.breaks(place)) {
            return None;
        }
        let field = self.choose(at, is_named)?;
        self.take(at, at + 1);
        let Some((by, noun, group)) = group else {
            return Some(Ranking::Field(Ranked::apart(found, field)));
        };
        self.take(by, noun + 1);
        self.take(found.start, found.end);
        let function = match self.take_pending_function() {
            Some(function) => function,
            None if self.adds_up(field) => Statistic::Sum,
            None => Statistic::Mean,
        };
        let measure = self.add_measure(function, field);
        self.asked.is_measure_assumed = true;
        self.rank_groups(found, Some(group), measure, said);
        Some(Ranking::Read)
    }

    /// Ranks by the one measure that was read: *best month (average sales)*.
    pub(super) fn rank_by_only_measure(&mut self, found: &Superlative, said: &str) -> bool {
        let counts = found.counts && self.counts_a_noun(found.end);
        if counts || self.out.measures.len() != 1 {
            return false;
        }
        let which = self
            .which_group(found.start, found.end)
            .or_else(|| self.things_at_top(found));
        if which.is_some() {
            self.take(found.start, found.end);
            self.rank_groups(found, which, 0, said);
        }
        which.is_some()
    }
}

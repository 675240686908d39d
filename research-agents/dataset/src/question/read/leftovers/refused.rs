//! Reports words of structure that nothing came of, so that none vanishes.

use crate::question::read::reader::Reader;
use crate::question::read::words::vocabulary::Role;

impl Reader<'_, '_, '_> {
    /// Reports groupings that nothing came of, as *by cause* where no field tells it.
    pub(crate) fn refuse_groupings(&mut self) {
        for at in 0..self.len() {
            // `gdp per head` of a table that has no such number.
            if self.has(at, Role::PerHead) && !self.items[at].used {
                let noun = self.before(at).filter(|before| !self.items[*before].used);
                let start = noun.unwrap_or(at);
                let said = self.said(start, at + 1).to_owned();
                self.refused(&said, "no field tells it");
                self.asked.unheld.push(said);
                self.take(start, at + 1);
                continue;
            }

            let noun = self.skip_roles(at + 1, &[Role::Stop]);
            let is_by = self.has(at, Role::By) && !self.items[at].used && at > 0;
            let is_noun = self.items.get(noun).is_some_and(|item| {
                let says_nothing = item.fields.is_empty() && item.values.is_empty();
                item.has(Role::Light) && says_nothing && !item.used && !self.breaks(noun)
            });
            let is_last = noun + 1 >= self.len()
                || self.breaks(noun + 1)
                || self.has_any(noun + 1, &[Role::In, Role::And, Role::From]);
            if is_by && is_noun && is_last {
                let said = self.said(at, noun + 1).to_owned();
                self.refused(&said, "no field tells it");
                self.take(at, noun + 1);
            }
        }
    }

    /// Reports negations that nothing came of.
    pub(crate) fn refuse_negations(&mut self) {
        for at in 0..self.len() {
            if self.items[at].used || !self.has_any(at, &[Role::Not, Role::Without, Role::Except]) {
                continue;
            }
            let next = self.skip_roles(at + 1, &[Role::Stop, Role::Of, Role::Light, Role::Is]);
            let is_pending = (at + 1..(at + 7).min(self.len()))
                .any(|k| self.negated[k] && self.is_left(k) && self.items[k].looked_up.is_none());
            let is_read =
                (at + 1..(at + 9).min(self.len())).any(|k| self.negated[k] && self.items[k].used);
            if is_pending || is_read {
                continue;
            }
            let end = (next + 1).min(self.len());
            let said = self.said(at, end.max(at + 1)).to_owned();
            self.refused(&said, "it is not clear what is denied");
        }
    }
}

//! Marks the items that a word such as *not* or *except* denies.

use crate::question::read::reader::Reader;
use crate::question::read::words::vocabulary::Role;

/// Words that lead from a denial, or from what it denies, to what it denies too.
const LINKS: &[Role] = &[
    Role::Stop,
    Role::Of,
    Role::In,
    Role::From,
    Role::By,
    Role::To,
];

impl Reader<'_, '_, '_> {
    /// Marks what is negated: the next value, field or open word after a negation.
    pub(crate) fn mark_negations(&mut self) {
        for at in 0..self.len() {
            if !self.has_any(at, &[Role::Not, Role::Except]) || self.items[at].used {
                continue;
            }

            // `non-smoking men` are men.
            let is_prefix = at + 1 < self.len() && self.gap(at + 1) == "-";
            if is_prefix {
                self.negated[at + 1] = true;
                continue;
            }
            let mut next = at + 1;
            let mut any = false;
            while next < self.len() && next <= at + 8 {
                let item = &self.items[next];
                if self.breaks(next) && !(any && self.gap(next).trim() == ",") {
                    break;
                }
                let is_content = !item.values.is_empty()
                    || !item.fields.is_empty()
                    || item.is_quoted
                    || item.is_open()
                    || item.moment.is_some()
                    || item.has(Role::Missing);
                let joins = [Role::Or, Role::And, Role::Is, Role::Light, Role::With];
                let is_joint = item.has_any(LINKS) || item.has_any(&joins);
                if is_content && !(any && item.has_any(&[Role::Is])) {
                    let is_more = any
                        && !self.has_any(next - 1, &[Role::Or, Role::And])
                        && self.gap(next).trim() != ","
                        && !self.has_any(next - 1, LINKS)
                        && item.values.is_empty();
                    if is_more {
                        break;
                    }
                    self.negated[next] = true;
                    any = true;
                } else if !is_joint {
                    break;
                }
                next += 1;
            }
        }
    }
}

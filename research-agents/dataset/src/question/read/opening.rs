//! Reads how a question opens, and what relates or compares: which, who, share, relation, trend.

use research_agents_report::claim::Statistic;
use serde_json::Value;

use crate::data::task::FieldKind;
use crate::question::read::cut::items::{Fit, ValueMatch};
use crate::question::read::quantities::mirrored;
use crate::question::read::reader::Reader;
use crate::question::read::words::vocabulary::{Grade, Role};
use crate::question::reading::{AnswerShape, Sign, YesNoTest};

impl Reader<'_, '_, '_> {
    /// Reads `which species`, `what colour`: the field that is asked for.
    pub(crate) fn read_which(&mut self) {
        for at in 0..self.len() {
            if self.has(at, Role::Who) && self.asked.which.is_none() {
                self.read_who(at);
            }
            if !self.has_any(at, &[Role::Which, Role::What]) || self.asked.which.is_some() {
                continue;
            }
            self.asked.opening.get_or_insert(at);
            let place = if self.has(at, Role::Which) {
                self.skip_roles(
                    at + 1,
                    &[
                        Role::Of,
                        Role::Stop,
                        Role::Distinct,
                        Role::Generic,
                        Role::HowMany,
                        Role::All,
                    ],
                )
            } else {
                self.skip_roles(at + 1, &[Role::Distinct])
            };
            let item = match self.items.get(place) {
                Some(item) if !self.breaks(place) => item,
                _ => continue,
            };

            let is_direct =
                self.has(at, Role::Which) || self.said(at, at + 1).split(' ').count() == 1;
            let fits = |r: &Self, f: usize| {
                (r.is_groupable(f) || r.kind(f) == FieldKind::Text)
                    && r.field(f).truth.is_none()
                    && !r.field(f).is_prose
                    && r.kind(f) != FieldKind::Date
            };
            let is_named = item
                .fields
                .iter()
                .any(|m| fits(self, m.field) && (m.is_full || m.score >= 300));
            if is_direct && is_named && !item.used {
                self.asked.which = self.choose(place, fits);
                // The word is the field that is asked for, not a condition.
                self.items[place].values.clear();
            }
        }
    }

    /// Reads `who won`, `who directed`: the field that the verb names.
    fn read_who(&mut self, at: usize) {
        let place = self.skip_roles(at + 1, &[Role::Stop, Role::Is]);
        let is_agent = |r: &Self, field: usize| {
            r.kind(field) == FieldKind::Text
                && r.field(field).truth.is_none()
                && !r.field(field).is_prose
        };
        let is_named = self.items.get(place).is_some_and(|item| {
            let best = item.fields.first();
            !item.used && best.is_some_and(|best| best.score >= 300 && is_agent(self, best.field))
        });
        if is_named && !self.breaks(place) {
            self.asked.opening.get_or_insert(at);
            self.asked.which = self.choose(place, is_agent);
            self.take(place, place + 1);
        }
    }

    /// Reads questions about relations, shares and comparisons, whose fields are not conditions.
    pub(crate) fn read_relations(&mut self) {
        for at in 0..self.len() {
            if self.items[at].used {
                continue;
            }
            if self.has_any(at, &[Role::Relation, Role::Depend]) {
                self.read_relation(at);
            } else if self.has(at, Role::Share)
                && self.asked.share.is_none()
                && !self.names_share(at)
            {
                self.asked.share = Some(at);
                self.take(at, at + 1);
            } else if self.has(at, Role::Range) {
                self.read_range(at);
            }
        }
        self.read_proportion();
    }

    /// Reads `does a bigger budget mean higher gross`, `do heavier diamonds cost more`: two numbers
    /// that grow with each other, or one that falls while the other grows.
    fn read_proportion(&mut self) {
        let is_than = (0..self.len()).any(|at| self.has_any(at, &[Role::Than, Role::Above]));
        if !self.asked.relation.is_empty() || is_than {
            return;
        }
        let mut grown: Vec<(usize, usize, bool)> = Vec::new();
        let mut at = 0;
        while at < self.len() {
            let found = self.growth(at);
            at = found.map_or(at + 1, |(_, end, _)| end);
            grown.extend(found);
        }
        let [(one, _, rises), (other, end, also)] = grown[..] else {
            return;
        };
        if one == other {
            return;
        }

        let said = self.said(0, end).to_owned();
        let gives = format!(
            "the relation of {} and {}",
            self.name(one),
            self.name(other)
        );
        self.derive(&said, &gives);
        for at in 0..end {
            let is_part = self.growth(at).is_some()
                || self.peek(at, |_, f| f == one || f == other).is_some()
                || self.items[at].degree.is_some();
            if is_part {
                self.take(at, at + 1);
            }
        }
        self.asked.relation = vec![one, other];
        self.asked.together = Some(rises == also);
    }

    /// Returns the number that grows or falls at an item, where its words end, and whether it
    /// grows: `heavier`, `more expensive`, `higher gross`, `cost more`, `wind goes up`.
    fn growth(&mut self, at: usize) -> Option<(usize, usize, bool)> {
        let quantity = |r: &Self, f: usize| r.is_quantity(f);
        if self.items[at].used {
            return None;
        }
        if self.has_any(at, &[Role::Rise, Role::Fall]) {
            let rises = self.has(at, Role::Rise);
            let before = (at.saturating_sub(3)..at).rev();
            let place = before
                .chain(at + 1..(at + 3).min(self.len()))
                .find(|place| self.peek(*place, quantity).is_some())?;
            return Some((self.peek(place, quantity)?, at.max(place) + 1, rises));
        }

        let degree = self.items[at].degree.clone();
        let (concepts, end, rises) = match degree {
            Some(degree) if degree.grade == Grade::Comparative => {
                (degree.concepts, at + 1, degree.high)
            }
            _ if self.has_any(at, &[Role::More, Role::Less]) => {
                let next = self.items.get(at + 1).and_then(|item| item.degree.clone());
                let positive = next.filter(|degree| degree.grade == Grade::Positive);
                let rises = self.has(at, Role::More);
                match positive {
                    Some(degree) => (degree.concepts, at + 2, degree.high == rises),
                    None => (Vec::new(), at + 1, rises),
                }
            }
            _ => return None,
        };
        if let Some(field) = self.peek(end, quantity).filter(|_| !self.breaks(end)) {
            return Some((field, end + 1, rises));
        }
        let concepts: Vec<String> = concepts.into_iter().filter(|c| c != "any").collect();
        if !concepts.is_empty() {
            let said = self.said(at, end).to_owned();
            return self
                .measured_by(&concepts, &said)
                .map(|(field, _)| (field, end, rises));
        }
        let before = self.before(at)?;
        let field = self.peek(before, quantity)?;
        Some((field, end, rises))
    }

    /// Returns whether a word such as `rate` is the name of a field.
    fn names_share(&self, at: usize) -> bool {
        self.items[at]
            .fields
            .first()
            .is_some_and(|found| found.is_full)
    }

    fn read_relation(&mut self, at: usize) {
        let is_numeric = |r: &Self, f: usize| r.is_number(f) && r.field(f).truth.is_none();
        let is_any = |r: &Self, f: usize| is_numeric(r, f) || r.is_groupable(f);
        let mut fields: Vec<(usize, usize)> = Vec::new();
        for place in 0..self.len() {
            let item = &self.items[place];
            if item.used || item.fields.is_empty() || place == at {
                continue;
            }
            let is_value = !item.values.is_empty() && !item.fields[0].is_full;
            let best = self
                .peek(place, is_numeric)
                .filter(|f| {
                    item.fields
                        .iter()
                        .any(|m| m.field == *f && m.score * 10 >= item.fields[0].score * 9)
                })
                .or_else(|| self.peek(place, is_any));
            if let Some(field) = best.filter(|_| !is_value)
                && fields.iter().all(|(known, _)| *known != field)
            {
                fields.push((field, place));
            }
        }
        // Measured fields were read as functions: `does the average fare depend on the class`.
        for measure in self.out.measures.clone() {
            if let Some(field) = self.field_named(&measure.field)
                && fields.iter().all(|(known, _)| *known != field)
            {
                fields.insert(0, (field, usize::MAX));
            }
        }
        if fields.len() < 2 {
            return;
        }

        fields.truncate(2);
        if !self.is_number(fields[0].0) && self.is_number(fields[1].0) {
            fields.swap(0, 1);
        }
        let said = self.said(at, at + 1).to_owned();
        for (_, place) in &fields {
            if *place < self.len() {
                // The choice notes fields that fit equally well.
                let chosen = fields.iter().find(|(_, p)| p == place).map(|(f, _)| *f);
                self.choose(*place, |_, f| Some(f) == chosen);
                self.take(*place, *place + 1);
            }
        }
        self.take(at, at + 1);
        let names = [self.name(fields[0].0), self.name(fields[1].0)];
        let gives = format!("the relation of {} and {}", names[0], names[1]);
        self.derive(&said, &gives);
        self.asked.relation = fields.iter().map(|(field, _)| *field).collect();
    }

    fn read_range(&mut self, at: usize) {
        let fits = |r: &Self, f: usize| matches!(r.kind(f), FieldKind::Number | FieldKind::Date);
        let place = (at + 1..(at + 5).min(self.len())).find(|k| self.peek(*k, fits).is_some());
        let Some(field) = place.and_then(|place| self.choose(place, fits)) else {
            return;
        };
        self.add_measure(Statistic::Min, field);
        self.add_measure(Statistic::Max, field);
        self.out.answer = AnswerShape::Range;
        let end = place.unwrap_or(at) + 1;
        let said = self.said(at, end).to_owned();
        self.derive(&said, &format!("the range of {}", self.name(field)));
        self.take(at, end);
    }

    /// Reads `are A heavier than B`: two values of a field against each other.
    pub(crate) fn read_comparisons(&mut self) {
        for than in 0..self.len() {
            let is_than = self.has_any(
                than,
                &[
                    Role::Than,
                    Role::Of,
                    Role::Above,
                    Role::Below,
                    Role::Before,
                    Role::After,
                ],
            );
            if !is_than || self.items[than].used || self.asked.threshold.is_some() {
                continue;
            }
            // The second side: a value right after `than`, of the field of a value before it.
            let after = self.skip_roles(
                than + 1,
                &[
                    Role::Stop,
                    Role::Of,
                    Role::In,
                    Role::To,
                    Role::From,
                    Role::By,
                    Role::With,
                    Role::All,
                    Role::Generic,
                ],
            );
            let Some(item) = self.items.get(after) else {
                continue;
            };
            if item.number.is_some() && item.values.is_empty() {
                continue;
            }
            let Some((sign, start, concepts)) = self.comparison_at(than) else {
                continue;
            };
            // `party D … than party R`: the field is named with each.
            let is_meant = |r: &Self, place: usize, value: &ValueMatch| {
                !value.needs_field || r.field_beside(place, value.field).is_some()
            };
            let after = if item.values.is_empty() && !item.fields.is_empty() {
                after + 1
            } else {
                after
            };
            let Some(item) = self.items.get(after) else {
                continue;
            };
            let pair = item
                .values
                .iter()
                .filter(|value| is_meant(self, after, value))
                .find_map(|second| {
                    // `are A heavier than B`, `did more A than B survive`
                    (0..start).rev().chain(start + 1..than).find_map(|place| {
                        let first = self.items[place].values.iter().find(|v| {
                            v.field == second.field
                                && is_meant(self, place, v)
                                && v.value != second.value
                        })?;
                        Some((place, first.clone(), second.clone()))
                    })
                });
            // Two columns of numbers are not values of one column.
            let names_number = |r: &Self, place: usize| {
                let fields = &r.items[place].fields;
                fields
                    .iter()
                    .any(|found| found.is_full && r.is_quantity(found.field))
            };
            let pair = pair
                .filter(|(place, ..)| !names_number(self, *place) && !names_number(self, after))
                .or_else(|| self.truth_pair(start, after));
            let Some((place, first, second)) = pair else {
                continue;
            };
            let asks = (0..self.len().min(3)).any(|at| {
                self.has_any(
                    at,
                    &[
                        Role::Which,
                        Role::What,
                        Role::Who,
                        Role::Show,
                        Role::HowMany,
                    ],
                )
            });
            if !self.is_yes_no() && asks {
                continue;
            }

            let said = self.said(start, than + 1).to_owned();
            let near = (start..than).find(|k| self.peek(*k, |r, f| r.is_quantity(f)).is_some());
            let mut measured = None;
            if self.out.measures.is_empty() {
                if let Some(near) = near {
                    measured = self.choose(near, |r, f| r.is_quantity(f));
                    self.take(near, near + 1);
                } else if !concepts.is_empty() {
                    measured = self.measured_by(&concepts, &said).map(|(field, _)| field);
                }
                if measured.is_none() {
                    let other = (0..self.len()).find(|k| {
                        !self.items[*k].used
                            && self
                                .peek(*k, |r, f| r.is_number(f) && r.field(f).truth.is_none())
                                .is_some()
                    });
                    if let Some(other) = other {
                        measured = self.choose(other, |r, f| r.is_number(f));
                        self.take(other, other + 1);
                    }
                }
                if measured.is_none() && !concepts.is_empty() {
                    self.refused(&said, "no field of the data measures it");
                    self.take(start, than + 1);
                    continue;
                }
            }
            if let Some(field) = measured {
                let is_counted = near.is_some_and(|near| self.counts_more(start, near));
                let (function, words) = if is_counted && self.adds_up(field) {
                    (Statistic::Sum, "sum")
                } else {
                    (Statistic::Mean, "mean")
                };
                self.add_measure(function, field);
                self.asked.is_measure_assumed = true;
                self.out.notes.push(format!(
                    "“{said}” compares the {words} of {}",
                    self.name(field)
                ));
            }
            // Of two years, the older one is the lower one; the faster one takes less time.
            let says = |wanted: &str| concepts.iter().any(|concept| concept == wanted);
            let is_low = measured.is_some_and(|field| {
                says("age") && self.field(field).years.is_some()
                    || says("speed") && self.is_low_better(field)
            });
            let sign = if is_low { mirrored(sign) } else { sign };
            let name = self.name(first.field).to_owned();
            self.out.test = Some(YesNoTest::Groups {
                field: name.clone(),
                values: [first.value.clone(), second.value.clone()],
                sign,
            });
            self.add_value(first.field, first.value);
            self.add_value(first.field, second.value);
            let after = if self.has(after, Role::Not) {
                self.take(after, after + 1);
                after + 1
            } else {
                after
            };
            for at in [place, after] {
                let said = self.said(at, at + 1).to_owned();
                self.applied(&said, first.field);
                self.take(at, at + 1);
            }
            self.add_group(first.field);
            // `did more men die than women`: the verb is another condition.
            for at in start..=than {
                let is_truth = self.peek(at, |r, f| r.field(f).truth.is_some()).is_some();
                if !is_truth {
                    self.take(at, at + 1);
                }
            }
        }
    }

    /// Returns whether a comparison is of how many there are of what a field counts, as *more
    /// people injured*.
    fn counts_more(&self, start: usize, near: usize) -> bool {
        let is_bare = self.has_any(start, &[Role::More, Role::Less]) && start < near;
        let is_mean = (0..self.len()).any(|at| self.has(at, Role::Mean));
        is_bare
            && !is_mean
            && (start + 1..near).all(|at| self.has_any(at, &[Role::Generic, Role::Stop]))
    }

    /// Returns the values of a truth that a comparison is between: *smokers* and *non-smokers*.
    fn truth_pair(&self, start: usize, after: usize) -> Option<(usize, ValueMatch, ValueMatch)> {
        let is_denied = self.has_any(after, &[Role::Not, Role::Without]);
        let is_rest = matches!(self.lower(after), "other" | "others" | "rest");
        let second = after + usize::from(is_denied);
        let is_truth = |r: &Self, f: usize| r.field(f).truth.is_some();
        let field = match is_rest {
            true => (0..start).rev().find_map(|at| self.peek(at, is_truth)),
            false => self.peek(second, is_truth),
        }?;
        let names = |place: &usize| self.peek(*place, |_, f| f == field).is_some();
        let place = (0..start).rev().find(names)?;
        let before = place.checked_sub(1);
        let is_first_denied =
            before.is_some_and(|before| self.has_any(before, &[Role::Not, Role::Without]));
        let is_denied = if is_rest { !is_first_denied } else { is_denied };
        if is_denied == is_first_denied {
            return None;
        }

        let (yes, no) = self.field(field).truth.clone()?;
        let value = |value: Value| ValueMatch {
            field,
            value,
            fit: Fit::Whole,
            needs_field: false,
            count: None,
        };
        let (first, other) = if is_denied { (yes, no) } else { (no, yes) };
        Some((place, value(first), value(other)))
    }

    /// Returns the comparison that ends with an item: `heavier than`, `more than`.
    fn comparison_at(&self, than: usize) -> Option<(Sign, usize, Vec<String>)> {
        let signed = |high: bool| if high { Sign::Above } else { Sign::Below };
        if self.has_any(than, &[Role::Above, Role::Below]) {
            // `bigger than` is one phrase, whose adjective says what is compared.
            let word = self.lower(than);
            let entry = self.vocabulary.longest_at(|k| (k == 0).then_some(word));
            let concepts = entry.and_then(|(entry, _)| entry.degree.as_ref());
            let concepts = concepts
                .map(|degree| degree.concepts.clone())
                .unwrap_or_default();
            let concepts = concepts
                .into_iter()
                .filter(|concept| concept != "any")
                .collect();
            return Some((signed(self.has(than, Role::Above)), than, concepts));
        }

        for back in 1..=5 {
            let at = than.checked_sub(back)?;
            let item = &self.items[at];
            if let Some(degree) = &item.degree {
                let less = at
                    .checked_sub(1)
                    .is_some_and(|b| self.has_any(b, &[Role::Less, Role::Fewest]));
                let more = at
                    .checked_sub(1)
                    .is_some_and(|b| self.has_any(b, &[Role::More, Role::Most]));
                if degree.grade == Grade::Comparative || less || more {
                    let concepts = degree
                        .concepts
                        .iter()
                        .filter(|c| *c != "any")
                        .cloned()
                        .collect();
                    return Some((
                        signed(degree.high != less),
                        at - usize::from(less || more),
                        concepts,
                    ));
                }
            }
            if item.has_any(&[Role::More, Role::Less]) {
                return Some((signed(item.has(Role::More)), at, Vec::new()));
            }
        }
        None
    }
}

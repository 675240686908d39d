//! Reads comparisons: the values of a field, of a truth, or an adjective before *than*.

use std::cmp::Reverse;

use research_agents_report::claim::Statistic;
use serde_json::Value;

use crate::question::read::cut::items::{Fit, ValueMatch};
use crate::question::read::quantities::mirrored;
use crate::question::read::reader::Reader;
use crate::question::read::words::vocabulary::{Grade, Role};
use crate::question::reading::{Sign, YesNoTest};

impl Reader<'_, '_, '_> {
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
                    Role::Who,
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
                        let others = self.items[place].values.iter().filter(|v| {
                            v.field == second.field
                                && is_meant(self, place, v)
                                && v.value != second.value
                        });
                        // Of several that are called so, most records decide.
                        let first = others.rev().max_by_key(|v| (Reverse(v.fit), v.count))?;
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
            if !self.is_yes_no() && asks && !self.asks_how_much_more() {
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
                let adds_up = self.adds_up(field)
                    || near.is_some_and(|near| self.counts_what_is_said(near, field));
                let (function, words) = if is_counted && adds_up {
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
            let sign = measured.map_or(sign, |field| self.compared_sign(field, &concepts, sign));
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
                // What is counted, and not measured, is still to be found.
                let is_counted = self.out.measures.is_empty() && self.items[at].is_open();
                if !is_truth && !is_counted {
                    self.take(at, at + 1);
                }
            }
        }
    }

    /// Returns how two numbers of a field compare: of two years, the older one is the lower one,
    /// and the faster one takes less time.
    pub(crate) fn compared_sign(&self, field: usize, concepts: &[String], sign: Sign) -> Sign {
        let says = |wanted: &str| concepts.iter().any(|concept| concept == wanted);
        let is_low = says("age") && self.field(field).years.is_some()
            || says("speed") && self.is_low_better(field);
        if is_low { mirrored(sign) } else { sign }
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
        // `than those who don't`
        let is_bare = is_denied && (after + 1 >= self.len() || self.breaks(after + 1));
        let is_rest = is_bare || matches!(self.lower(after), "other" | "others" | "rest");
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
    pub(crate) fn comparison_at(&self, than: usize) -> Option<(Sign, usize, Vec<String>)> {
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

        for back in 1..=7 {
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

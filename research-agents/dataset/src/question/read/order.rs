//! Reads superlatives and rankings: the record, the group or the number that is the highest.

pub(crate) mod around;
pub(crate) mod best;
pub(crate) mod ranked;
pub(crate) mod ranking;
pub(crate) mod superlative;

use crate::data::task::FieldKind;
use crate::question::read::functions::FUNCTIONS;
use crate::question::read::order::ranked::Ranking;
use crate::question::read::order::superlative::{NO_DIFFERENCES, NOT_MEASURED, Superlative};
use crate::question::read::reader::Reader;
use crate::question::read::words::concepts::concepts;
use crate::question::read::words::vocabulary::{Grade, Role};
use crate::question::reading::{AnswerShape, Order, OrderBy};

impl Reader<'_, '_, '_> {
    pub(crate) fn read_superlatives(&mut self) {
        for at in 0..self.len() {
            if self.items[at].used || self.asked.superlative.is_some() {
                continue;
            }
            if self.has(at, Role::Sorted) {
                self.read_sorted(at);
            } else if self.read_last_periods(at) {
                // The data does not say when they end.
            } else if self.read_direction(at) {
                // The groups that are asked for have an order.
            } else if let Some(superlative) = self.superlative(at) {
                self.read_superlative(superlative);
            }
        }
        self.read_limit_behind();
    }

    /// Reads how many a sentence behind the question wants: *Name the first three.*
    fn read_limit_behind(&mut self) {
        /// Things that are asked for at most.
        const MOST: f64 = 100.0;
        const BESIDE: &[Role] = &[Role::Top, Role::First, Role::Bottom, Role::Most];
        let Some(superlative) = self.asked.superlative else {
            return;
        };
        let is_one = |order: &Order| order.limit == Some(1);
        let is_ranked = matches!(self.out.answer, AnswerShape::Record | AnswerShape::TopGroup);
        if !is_ranked || !self.out.order.as_ref().is_some_and(is_one) {
            return;
        }

        let opens = |at: &usize| self.gap(*at).contains(['.', '?', '!', ';']);
        let Some(start) = (superlative + 1..self.len()).find(opens) else {
            return;
        };
        let ranks = |at: usize| {
            let degree = self.items.get(at).and_then(|item| item.degree.as_ref());
            let is_superlative = degree.is_some_and(|degree| degree.grade == Grade::Superlative);
            is_superlative || self.has_any(at, BESIDE)
        };
        let limit = (start + 1..self.len()).find_map(|at| {
            let number = self.items[at].number.filter(|_| !self.items[at].used)?;
            let is_few = number.fract() == 0.0 && (2.0..=MOST).contains(&number);
            let is_limit = is_few && (ranks(at - 1) || ranks(at + 1));
            is_limit.then_some((at, number as u64))
        });
        let shows = (start..self.len()).any(|at| self.has(at, Role::Show));
        if let Some((at, number)) = limit.filter(|_| shows)
            && let Some(order) = &mut self.out.order
        {
            order.limit = Some(number);
            self.take(start, at + 1 + usize::from(!self.breaks(at + 1)));
        }
    }

    /// Reads `the last 5 years`, which cannot be applied.
    fn read_last_periods(&mut self, at: usize) -> bool {
        const PERIODS: &[Role] = &[
            Role::Year,
            Role::Month,
            Role::Week,
            Role::Day,
            Role::Quarter,
            Role::Decade,
        ];
        let is_counted = self
            .items
            .get(at + 1)
            .is_some_and(|item| item.number.is_some());
        if !self.has(at, Role::Last) || !is_counted || !self.has_any(at + 2, PERIODS) {
            return false;
        }

        let said = self.said(at, at + 3).to_owned();
        self.refused(&said, "the data does not say what today is");
        self.take(at, at + 3);
        true
    }

    /// Reads `largest first`: the order of the groups.
    fn read_direction(&mut self, at: usize) -> bool {
        let highest = match &self.items[at].degree {
            Some(degree) if degree.grade == Grade::Superlative => degree.high,
            _ if self.has(at, Role::Most) => true,
            _ if self.has(at, Role::Fewest) => false,
            _ => return false,
        };
        let names_groups = (0..self.len()).any(|by| self.has(by, Role::By));
        if !self.has(at + 1, Role::First) || !names_groups {
            return false;
        }
        self.asked.direction = Some(highest);
        self.take(at, at + 2);
        true
    }

    fn read_sorted(&mut self, at: usize) {
        let place = self.skip_roles(at + 1, &[Role::Stop, Role::Of, Role::By]);

        if let Some(field) = self.choose(place, |_, _| true) {
            let is_measured = self
                .out
                .measures
                .iter()
                .position(|m| m.field == self.name(field));
            let by = is_measured.map_or_else(
                || OrderBy::Field(self.name(field).to_owned()),
                OrderBy::Measure,
            );
            let is_text = self.kind(field) == FieldKind::Text;
            let highest = !is_text
                && !(place..self.len()).any(|k| {
                    self.items[k].has(Role::Min)
                        || self.lower(k).starts_with("ascend")
                        || self.lower(k).starts_with("aufsteig")
                });
            self.out.order = Some(Order {
                by,
                highest,
                limit: None,
            });
            self.take(at, place + 1);
        }
    }

    fn read_superlative(&mut self, found: Superlative) {
        let said = self.said(found.start, found.end).to_owned();
        if let Some(number) = found.number {
            self.take(number, number + 1);
            self.ask_for_counted(number + 1, found.start);
        }
        let noun = self.skip_roles(found.end, &[Role::Stop, Role::Of, Role::Generic, Role::All]);
        let noun = self.amount_of(noun).unwrap_or(noun);
        if self.read_superlative_of(&found, noun, &said) {
            return;
        }

        let mut ranked = match self.ranked(&found, noun, &said) {
            Ranking::Field(ranked) => ranked,
            Ranking::Read => return,
            Ranking::Nothing => return self.rank_unmeasured(&found, &said),
        };

        // The fastest time is the lowest one.
        let is_fast = found.concepts.iter().any(|concept| concept == "speed");
        let is_best = found.is_top || found.concepts.iter().any(|concept| concept == "rating");
        if (is_fast || is_best) && self.is_low_better(ranked.field) {
            ranked.highest = !ranked.highest;
        }
        let found = Superlative {
            highest: ranked.highest,
            ..found
        };
        self.take(found.start, ranked.end);
        self.rank_by_field(&found, ranked.field, ranked.end, &said);
    }

    /// Asks for the category whose values a number before a superlative counts: *the two regions
    /// where the rate is highest*.
    fn ask_for_counted(&mut self, noun: usize, superlative: usize) {
        let is_category = |r: &Self, field: usize| {
            let best = r.items[noun].fields.first();
            let is_best = best.is_some_and(|best| best.field == field && best.score >= 300);
            is_best && r.is_groupable(field) && r.kind(field) == FieldKind::Text
        };
        // `the three cities with the most listings` is read by what they have.
        let is_apart = noun < superlative && !self.has(noun + 1, Role::With);
        let is_free = is_apart && self.asked.which.is_none() && !self.items[noun].used;
        if is_free && let Some(field) = self.peek(noun, is_category) {
            self.asked.which = Some(field);
            self.take(noun, noun + 1);
        }
    }

    /// Returns the number whose amount a noun asks for: the labor of *the largest amount of family
    /// labor*, where no field is called `amount`.
    fn amount_of(&self, noun: usize) -> Option<usize> {
        let item = self.items.get(noun)?;
        let token = &self.tokens[item.start];
        let said = concepts().of(&token.lower, &token.stem, &token.own_stem);
        let is_literal = item.fields.iter().any(|found| {
            let mut words = self.field(found.field).words.iter();
            words.any(|word| word.stem == token.stem)
        });
        let is_amount = !is_literal && !item.has(Role::HowMany) && said.contains(&"amount");
        let of = self.has(noun + 1, Role::Of) && is_amount;
        let number = of.then(|| self.skip_roles(noun + 2, &[Role::Stop, Role::Of]))?;

        let best = self.items.get(number)?.fields.first()?;
        (best.is_full && self.is_quantity(best.field) && !self.breaks(number)).then_some(number)
    }

    /// Reads a superlative whose noun says what is ranked without a field of the data: *the most
    /// common species*, *the highest average*, *the highest share*.
    fn read_superlative_of(&mut self, found: &Superlative, noun: usize, said: &str) -> bool {
        // `the most common species`.
        if self.has(noun, Role::Common)
            && (found.counts || found.is_top || found.concepts.is_empty())
        {
            self.take(found.start, noun + 1);
            self.rank_groups_by_count(found, noun + 1);
            return true;
        }

        // `the largest difference between men and women`, which is of each record or group.
        if self.has(noun, Role::Differ) && self.items[noun].fields.is_empty() {
            self.refuse_superlative(found, NO_DIFFERENCES);
            return true;
        }

        if found.counts && self.rank_by_verb(found, noun, said) {
            return true;
        }

        // `which class had the highest share of survivors`
        if self.asked.share == Some(noun) && noun < self.len() {
            if let Some(which) = self.which_group(found.start, noun) {
                self.add_group(which);
            }
            self.asked.superlative = Some(found.start);
            self.asked.direction = Some(found.highest);
            self.take(found.start, found.end);
            return true;
        }

        self.rank_by_number(found, noun, said) || self.rank_by_function(found, noun, said)
    }

    /// Reads `the highest number of passengers`, and *the number of passengers is highest*, where
    /// a field holds it.
    fn rank_by_number(&mut self, found: &Superlative, noun: usize, said: &str) -> bool {
        /// Words between a number and its superlative.
        const BETWEEN: usize = 6;
        let is_number =
            |at: usize| self.has(at, Role::HowMany) && !self.lower(at).starts_with("how");
        let before = || {
            let is_predicate = |at: &usize| self.has_any(*at, &[Role::Is, Role::Stop]);
            let verb = self.before(found.start).filter(is_predicate);
            let end = verb.unwrap_or(found.start);
            let places = end.saturating_sub(BETWEEN)..end;
            places.rev().find(|at| is_number(*at))
        };
        let is_behind = noun < self.len() && is_number(noun);
        let Some(number) = (if is_behind { Some(noun) } else { before() }) else {
            return false;
        };

        let counted = self.skip_roles(number + 1, &[Role::Stop, Role::Of]);
        let holds = |r: &Self, field: usize| r.holds_number(counted, field);
        let Some(field) = self.peek(counted, holds) else {
            return false;
        };
        // It may have been read as the sum.
        let name = self.name(field).to_owned();
        self.out.measures.retain(|measure| measure.field != name);
        let counted_end = self.counted_end(counted);
        self.take(number, counted_end);
        self.take(found.start, found.end);
        let end = if is_behind { counted_end } else { found.end };
        self.rank_by_field(found, field, end, said);
        true
    }

    /// Returns whether a field holds the number of what an item names.
    pub(crate) fn holds_number(&self, counted: usize, field: usize) -> bool {
        let counts = self.adds_up(field) || self.counts_what_is_said(counted, field);
        self.is_quantity(field) && counts
    }

    /// Returns whether some field holds the number of what an item names.
    pub(crate) fn holds_number_of(&self, counted: usize) -> bool {
        self.peek(counted, |r, field| r.holds_number(counted, field))
            .is_some()
    }

    /// Reads `the highest average X`, whose measure was read already.
    fn rank_by_function(&mut self, found: &Superlative, noun: usize, said: &str) -> bool {
        let is_function_behind = self.has_any(noun, FUNCTIONS);
        // `el mayor peso medio`: the function follows its field. `la masse moyenne la plus élevée`.
        let is_measured = self.is_read_measure(noun)
            || !self.breaks(found.start)
                && self.before(found.start).is_some_and(|before| {
                    self.has_any(before, FUNCTIONS) || self.is_read_measure(before)
                });

        if is_function_behind || is_measured {
            let Some(at) = self.out.measures.len().checked_sub(1) else {
                return false;
            };
            let target = noun + usize::from(is_function_behind);
            let which = self.which_group(found.start, target);
            self.take(found.start, found.end);
            self.rank_groups(found, which, at, said);
            return true;
        }
        if self.has(noun, Role::HowMany) {
            self.take(found.start, noun + 1);
            self.rank_groups_by_count(found, noun + 1);
            return true;
        }
        false
    }

    /// Ranks groups by their counts where no field is ranked, or says that nothing measures it.
    fn rank_unmeasured(&mut self, found: &Superlative, said: &str) {
        // `the most popular song` is the most frequent one.
        let noun = self.skip_roles(found.end, &[Role::Stop, Role::Of]);
        let is_records = self
            .items
            .get(noun)
            .is_some_and(|item| self.schema.is_title(&self.tokens[item.start]));
        let is_frequent = said.to_lowercase().ends_with("popular")
            && (is_records || self.groups_beside(found.end).is_some());
        if found.counts || is_frequent {
            self.take(found.start, found.end);
            return self.rank_groups_by_count(found, found.end);
        }
        self.refuse_superlative(found, NOT_MEASURED);
    }

    /// Returns whether a field holds times that something takes, or places of a ranking.
    pub(crate) fn is_low_better(&self, field: usize) -> bool {
        const LOW: [&str; 7] = [
            "time", "seconds", "minutes", "duration", "rank", "place", "position",
        ];
        let words = &self.field(field).words;
        self.is_number(field) && words.iter().any(|word| LOW.contains(&word.lower.as_str()))
    }

    /// Notes that nothing measures a superlative: the question is not answered.
    pub(crate) fn refuse_superlative(&mut self, found: &Superlative, why: &str) {
        let mut end = found.end;
        let place = self.skip_roles(end, &[Role::Stop, Role::Of, Role::All]);
        let is_noun = self.items.get(place).is_some_and(|item| {
            let is_named = item.has_any(&[Role::Generic, Role::Differ, Role::Rise, Role::Fall]);
            !item.used && (item.is_open() || item.looked_up.is_some() || is_named)
        });
        if is_noun && !self.breaks(place) {
            end = place + 1;
        }
        let said = self.said(found.start, end).to_owned();
        self.refused(&said, why);
        self.asked.unheld.push(said);
        self.take(found.start, end);
    }

    /// Returns the category that a question word, or a word behind the superlative, asks for, and
    /// whether its values repeat.
    pub(crate) fn groups_beside(&self, end: usize) -> Option<(usize, bool)> {
        let is_category = |r: &Self, f: usize| {
            matches!(r.kind(f), FieldKind::Text | FieldKind::Boolean) && !r.field(f).is_prose
                || (r.is_number(f) && r.is_groupable(f) && r.field(f).truth.is_none())
        };
        if let Some(which) = self.asked.which {
            return Some((which, !self.schema.is_unique(which)));
        }

        let place = self.skip_roles(
            end,
            &[Role::Stop, Role::Of, Role::Generic, Role::In, Role::Light],
        );
        // `the most common cat breed`: a value restricts the category.
        let is_value = self.items.get(place).is_some_and(|item| {
            item.fields.is_empty() && item.values.iter().any(|value| !value.needs_field)
        });
        let is_beside =
            is_value && !self.breaks(place + 1) && self.peek(place + 1, is_category).is_some();
        let place = place + usize::from(is_beside);
        let item = self.items.get(place).filter(|_| !self.breaks(place))?;
        if item.used {
            return None;
        }
        let field = self.peek(place, is_category)?;
        // `who had the biggest breach` does not ask for the `date_of_breach`, nor the *deadliest
        // fire* for the values of `is_fire`.
        let asks_who = self.has(self.opener(), Role::Who);
        let is_truth = self.kind(field) == FieldKind::Boolean || self.field(field).truth.is_some();
        // `the most powerful wind turbine` does not ask for the `wind_class`.
        let is_modifier = self.items.get(place + 1).is_some_and(|next| {
            let is_other = next.fields.iter().all(|found| found.field != field);
            let is_noun = next.is_open() || !next.fields.is_empty() && is_other;
            is_noun && !next.used && !self.breaks(place + 1)
        }) && !self.is_verb_form(place + 1);
        let is_in_part = !asks_who && !is_truth && !is_modifier;
        let is_named = item
            .fields
            .iter()
            .any(|m| m.field == field && (m.is_full || m.score >= 300 && is_in_part));
        is_named.then(|| (field, !self.schema.is_unique(field)))
    }

    fn which_group(&self, start: usize, end: usize) -> Option<usize> {
        if let Some(which) = self.asked.which {
            return Some(which);
        }
        let category = |r: &Self, f: usize| r.is_groupable(f) && r.kind(f) != FieldKind::Date;
        let near = (start.saturating_sub(4)..start)
            .rev()
            .chain(end..(end + 4).min(self.len()));
        near.filter(|k| !self.items[*k].used)
            .find_map(|k| self.peek(k, category))
    }
}

//! Reads superlatives and rankings: the record, the group or the number that is the highest.

pub(crate) mod around;
pub(crate) mod ranking;
pub(crate) mod superlative;

use crate::data::task::FieldKind;
use crate::question::read::cut::items::Item;
use crate::question::read::functions::FUNCTIONS;
use crate::question::read::order::superlative::Superlative;
use crate::question::read::quantities::unit_concepts;
use crate::question::read::reader::Reader;
use crate::question::read::words::units::unit;
use crate::question::read::words::vocabulary::{Grade, Role};
use crate::question::reading::{Order, OrderBy};

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
        }
        let place = self.skip_roles(found.end, &[Role::Stop, Role::Of, Role::Generic, Role::All]);

        // `the most common species`.
        if self.has(place, Role::Common)
            && (found.counts || found.is_top || found.concepts.is_empty())
        {
            self.take(found.start, place + 1);
            return self.rank_groups_by_count(&found, place + 1);
        }

        if found.counts && self.rank_by_verb(&found, place, &said) {
            return;
        }

        // `which class had the highest share of survivors`
        if self.asked.share == Some(place) && place < self.len() {
            if let Some(which) = self.which_group(found.start, place) {
                self.add_group(which);
            }
            self.asked.superlative = Some(found.start);
            self.asked.direction = Some(found.highest);
            return self.take(found.start, found.end);
        }

        // `the highest average X`: the measure was read already, or is `by` something.
        let mut function = None;
        let mut target = place;
        if self.has_any(place, FUNCTIONS) {
            function = self.out.measures.last().cloned();
            target = place + 1;
        } else if self.is_read_measure(place) {
            // `el mayor peso medio`: the function follows its field.
            function = self.out.measures.last().cloned();
        } else if self
            .before(found.start)
            .is_some_and(|before| self.has_any(before, FUNCTIONS) || self.is_read_measure(before))
            && !self.breaks(found.start)
        {
            // `la masse moyenne la plus élevée`.
            function = self.out.measures.last().cloned();
        } else if self.has(place, Role::HowMany) {
            self.take(found.start, place + 1);
            return self.rank_groups_by_count(&found, place + 1);
        }
        if function.is_some() {
            let at = self.out.measures.len() - 1;
            let which = self.which_group(found.start, target);
            self.take(found.start, found.end);
            return self.rank_groups(&found, which, at, &said);
        }

        // The field that is ranked by: named after the superlative, after `by`, or measured by the
        // adjective.
        // `the most prizes` does not ask for the latest year.
        let counts = found.counts && !found.is_time;
        let numeric = |r: &Self, f: usize| {
            let is_year = counts && r.field(f).years.is_some();
            (r.is_number(f) && r.field(f).truth.is_none() && !r.field(f).is_identifier && !is_year)
                || (r.kind(f) == FieldKind::Date)
        };
        let mut highest = found.highest;
        let mut field = None;
        let mut used = (found.start, found.end);
        let takes_dates = found.is_time
            || found
                .concepts
                .iter()
                .any(|concept| matches!(concept.as_str(), "date" | "year"));
        let near = (place..(place + 2).min(self.len())).find(|&k| {
            !self.breaks(k)
                && !self.items[k].used
                && self.peek(k, numeric).is_some()
                && (k == place
                    || self.items[place].is_open() && found.concepts.is_empty() && !found.counts)
                && self.items[k].fields.first().is_some_and(|best| {
                    self.peek(k, numeric).is_some_and(|f| {
                        f == best.field
                            || self.items[k]
                                .fields
                                .iter()
                                .any(|o| o.field == f && o.score * 2 >= best.score)
                    })
                })
                && (takes_dates
                    || self.items[k].fields[0].is_full
                    || self
                        .peek(k, numeric)
                        .is_some_and(|f| self.kind(f) != FieldKind::Date))
                // `the most courses` counts courses, and has nothing to do with `course_number`.
                && !(found.counts && self.names_text_in_full(k))
                && !(found.is_time
                    && self.items[k].fields.first().is_some_and(|f| {
                        self.kind(f.field) != FieldKind::Date && self.field(f.field).years.is_none()
                    }))
        });
        let names_by = (found.end..self.len()).any(|k| self.has_any(k, &[Role::By, Role::Sorted]));
        // `the deadliest year`: another field than the named one is measured.
        let near = near.filter(|&near| {
            let is_named = |r: &Self, f: usize, concept: &String| {
                let words = &r.field(f).words;
                words
                    .iter()
                    .any(|word| word.concepts.contains(&concept.as_str()))
            };
            // The first concept that a field has decides: an age before a date.
            let first = found.concepts.iter().find(|concept| {
                let mut fields = 0..self.schema.fields.len();
                fields.any(|f| numeric(self, f) && is_named(self, f, concept))
            });
            let of_concept =
                |r: &Self, f: usize| first.is_some_and(|concept| is_named(r, f, concept));
            let is_measured = self
                .peek(near, |r, f| numeric(r, f) && of_concept(r, f))
                .is_some();
            let others =
                (0..self.schema.fields.len()).any(|f| numeric(self, f) && of_concept(self, f));
            let is_time = self
                .peek(near, numeric)
                .is_some_and(|f| self.field(f).years.is_some() || self.kind(f) == FieldKind::Date);
            let is_period = self
                .peek(near, numeric)
                .is_some_and(|f| is_named(self, f, &"month".to_owned()));
            // `the busiest precinct` is not the one with the highest number.
            let is_code = found.concepts.iter().any(|concept| concept == "count")
                && self
                    .peek(near, numeric)
                    .is_some_and(|f| self.is_groupable(f));
            if is_code && !is_measured {
                return false;
            }
            let is_other = is_time && others || is_period;
            !is_other || found.concepts.is_empty() && !found.is_top || is_measured
        });
        if let Some(near) = near
            && (!found.is_top || !names_by)
        {
            field = self.choose_ranked(near, &found.concepts);
            used.1 = near + 1;
        }
        if field.is_none()
            && let Some(by) = (found.end..self.len())
                .find(|&k| self.has_any(k, &[Role::By, Role::Sorted]) && !self.items[k].used)
        {
            let mut target = self.skip_roles(by + 1, &[Role::Stop, Role::Of]);
            // `by people affected`
            if matches!(self.lower(target), "people" | "persons" | "individuals") {
                target += 1;
            }
            let is_column = target < self.len()
                && self.field_called(target).is_some()
                && !self.items[target].used;
            if self.has_any(target, FUNCTIONS) && !is_column {
                if let Some(at) = self.out.measures.len().checked_sub(1) {
                    let which = self.which_group(found.start, found.end);
                    self.take(found.start, found.end);
                    self.take(by, target + 1);
                    return self.rank_groups(&found, which, at, &said);
                }
            } else if self.has(target, Role::HowMany)
                || self.has(target, Role::Generic) && self.lower(target).starts_with("number")
            {
                // `by number of votes`, where a field holds the votes.
                let counted = self.skip_roles(target + 1, &[Role::Stop, Role::Of]);
                let holds = |r: &Self, f: usize| {
                    r.is_quantity(f) && (r.adds_up(f) || r.counts_what_is_said(counted, f))
                };
                if self.peek(counted, holds).is_some()
                    && let Some(field) = self.choose(counted, holds)
                {
                    self.take(by, counted + 1);
                    self.take(found.start, found.end);
                    return self.rank_by_field(&found, field, found.end, &said);
                }
                self.take(by, target + 1);
                self.take(found.start, found.end);
                return self.rank_groups_by_count(&found, found.end);
            } else if self.peek(target, numeric).is_some() && !self.items[target].used {
                field = self.choose(target, numeric);
                self.take(by, target + 1);
            }
        }
        // `richest in protein`: the field behind the adjective says what is measured.
        if field.is_none() && !found.concepts.is_empty() && self.has(found.end, Role::In) {
            let target = self.skip_roles(found.end + 1, &[Role::Stop]);
            let numeric = |r: &Self, f: usize| r.is_quantity(f);
            if self.peek(target, numeric).is_some() && !self.items[target].used {
                field = self.choose(target, numeric);
                self.take(found.end, target + 1);
            }
        }
        if field.is_none()
            && !found.concepts.is_empty()
            && let Some((measured, is_time)) = self.measured_by(&found.concepts, &said)
        {
            field = Some(measured);
            let flips = is_time && found.concepts.first().is_some_and(|c| c == "age");
            highest = highest != flips;
        }
        // `la popolazione maggiore`: the field comes before the adjective.
        if field.is_none()
            && found.concepts.is_empty()
            && !found.counts
            && !found.is_top
            && !self.breaks(found.start)
            && let Some(before) = (found.start.saturating_sub(6)..found.start)
                .rev()
                .find(|place| !self.items[*place].used && self.peek(*place, numeric).is_some())
        {
            field = self.choose(before, numeric);
            // What stands between them is read on its own: `in which year did Ada first win`.
            self.take(before, before + 1);
        }
        // `takes the most hours`
        let counted = unit(self.lower(place)).filter(|_| self.lower(place).len() > 2);
        if let Some(counted) = counted.filter(|_| field.is_none() && found.counts) {
            let concepts: Vec<String> = unit_concepts(counted)
                .iter()
                .map(|concept| (*concept).to_owned())
                .collect();
            if let Some((measured, false)) = self.measured_by(&concepts, &said) {
                field = Some(measured);
                used.1 = place + 1;
            }
        }
        // `the most people working in retail`
        let is_word = self.items.get(place).is_some_and(|item| {
            item.fields.iter().all(|found| !found.is_full) && item.values.is_empty()
        });
        if field.is_none()
            && found.counts
            && is_word
            && self.schema.record_name().is_some()
            && let Some((at, column)) = self.column_of_kind(place + 1)
        {
            field = Some(column);
            self.take(at, at + 1);
            used.1 = place + 1;
        }
        // `sleeps the most`, `makes the most at the box office`: no noun follows that is counted.
        if field.is_none() && found.counts && !self.counts_a_noun(found.end) {
            let before = self
                .before(found.start)
                .filter(|before| *before + 3 >= found.start);
            let later = found.end..self.len();
            let near = before.into_iter().chain(later).find(|&k| {
                let is_best = self.peek(k, numeric).is_some_and(|field| {
                    let best = &self.items[k].fields[0];
                    best.field == field || best.score == self.score_of(k, field)
                });
                !self.items[k].used
                    && is_best
                    && self.kind(self.items[k].fields[0].field) != FieldKind::Date
            });
            if let Some(near) = near {
                field = self.choose(near, numeric);
                self.take(near, near + 1);
            }
        }
        if field.is_none() && found.is_time {
            field = self
                .schema
                .dates()
                .next()
                .or_else(|| self.schema.years().next());
        }
        // `best month (average sales)`: the measure is read already.
        let is_ranked_by_measure = !found.counts || !self.counts_a_noun(found.end);
        if field.is_none() && self.out.measures.len() == 1 && is_ranked_by_measure {
            let which = self.which_group(found.start, found.end);
            if which.is_some() {
                self.take(found.start, found.end);
                return self.rank_groups(&found, which, 0, &said);
            }
        }
        // `the highest rate in 1990` of a table with a column for each year.
        if field.is_none()
            && let Some((at, column)) = self.year_column_named()
        {
            field = Some(column);
            self.take(at, at + 1);
        }
        if field.is_none() && found.is_top {
            // `best` and `top` without a measure: a rating, or else the number of records.
            field = self
                .measured_by(&["rating".to_owned()], &said)
                .map(|(field, _)| field);
            if field.is_none() && found.limit.is_none() && !self.names_common(&found) {
                return self.refuse_superlative(&found, "no field of the data measures it");
            }
            if field.is_none()
                || self
                    .groups_beside(found.end)
                    .is_some_and(|(_, repeats)| repeats && found.limit.is_some())
            {
                self.take(found.start, found.end);
                return self.rank_groups_by_count(&found, found.end);
            }
        }
        let Some(field) = field else {
            if found.counts {
                self.take(found.start, found.end);
                return self.rank_groups_by_count(&found, found.end);
            }
            // `the most popular song` is the most frequent one.
            let is_frequent =
                said.to_lowercase().ends_with("popular") && self.groups_beside(found.end).is_some();
            if is_frequent {
                self.take(found.start, found.end);
                return self.rank_groups_by_count(&found, found.end);
            }
            return self.refuse_superlative(&found, "no field of the data measures it");
        };

        // The fastest time is the lowest one.
        let is_fast = found.concepts.iter().any(|concept| concept == "speed");
        let is_best = found.is_top || found.concepts.iter().any(|concept| concept == "rating");
        if (is_fast || is_best) && self.is_low_better(field) {
            highest = !highest;
        }
        let found = Superlative { highest, ..found };
        self.take(used.0, used.1);
        self.rank_by_field(&found, field, used.1, &said);
    }

    /// Returns whether the groups of a superlative are counted: it names a measure `by number of`.
    fn names_common(&self, found: &Superlative) -> bool {
        (found.end..self.len()).any(|at| self.has_any(at, &[Role::Common, Role::HowMany]))
    }

    /// Returns whether a field holds times that something takes, or places of a ranking.
    pub(crate) fn is_low_better(&self, field: usize) -> bool {
        const LOW: [&str; 7] = [
            "time", "seconds", "minutes", "duration", "rank", "place", "position",
        ];
        let words = &self.field(field).words;
        self.is_number(field) && words.iter().any(|word| LOW.contains(&word.lower.as_str()))
    }

    /// Returns whether an item is the whole name of a field of texts, and part of that of numbers.
    fn names_text_in_full(&self, at: usize) -> bool {
        let fields = &self.items[at].fields;
        let is_text = |field: usize| self.kind(field) == FieldKind::Text;
        let mut full = fields
            .iter()
            .filter(|found| found.is_full)
            .map(|found| found.field);
        let numbers = fields.iter().filter(|found| self.is_number(found.field));
        full.any(is_text) && numbers.into_iter().all(|found| !found.is_full)
    }

    /// Returns whether a noun follows that `most` counts.
    fn counts_a_noun(&self, at: usize) -> bool {
        let place = self.skip_roles(at, &[Role::Stop, Role::Of, Role::All]);
        let is_noun = |item: &Item| {
            item.has(Role::Generic)
                || !item.fields.is_empty()
                || item.is_open()
                || item.looked_up.is_some()
        };
        self.items
            .get(place)
            .is_some_and(|item| is_noun(item) && !self.breaks(place))
    }

    fn score_of(&self, at: usize, field: usize) -> u32 {
        let found = self.items[at]
            .fields
            .iter()
            .find(|found| found.field == field);
        found.map_or(0, |found| found.score)
    }

    /// Notes that nothing measures a superlative: the question is not answered.
    pub(crate) fn refuse_superlative(&mut self, found: &Superlative, why: &str) {
        let mut end = found.end;
        let place = self.skip_roles(end, &[Role::Stop, Role::Of, Role::All]);
        let is_noun = self.items.get(place).is_some_and(|item| {
            !item.used && (item.is_open() || item.looked_up.is_some() || item.has(Role::Generic))
        });
        if is_noun && !self.breaks(place) {
            end = place + 1;
        }
        let said = self.said(found.start, end).to_owned();
        self.refused(&said, why);
        self.asked.unheld.push(said);
        self.take(found.start, end);
    }

    /// Returns the numeric field that an item names, one of the adjective's concepts first.
    fn choose_ranked(&mut self, at: usize, concepts: &[String]) -> Option<usize> {
        let numeric = |r: &Self, f: usize| {
            (r.is_number(f) && r.field(f).truth.is_none() && !r.field(f).is_identifier)
                || (r.kind(f) == FieldKind::Date)
        };
        let fits = |r: &Self, f: usize| {
            numeric(r, f)
                && r.field(f).words.iter().any(|word| {
                    word.concepts
                        .iter()
                        .any(|c| concepts.iter().any(|own| own == c))
                })
        };
        if !concepts.is_empty() && self.peek(at, fits).is_some() {
            return self.choose(at, fits);
        }
        self.choose(at, numeric)
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
        let item = self.items.get(place).filter(|_| !self.breaks(place))?;
        if item.used {
            return None;
        }
        let field = self.peek(place, is_category)?;
        // `who had the biggest breach` does not ask for the `date_of_breach`, nor the *deadliest
        // fire* for the values of `is_fire`.
        let asks_who = self.has(self.opener(), Role::Who);
        let is_truth = self.kind(field) == FieldKind::Boolean || self.field(field).truth.is_some();
        let is_named = item
            .fields
            .iter()
            .any(|m| m.field == field && (m.is_full || m.score >= 300 && !asks_who && !is_truth));
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

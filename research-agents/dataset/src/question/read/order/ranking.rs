//! Ranks records and groups by what a superlative measures.

use crate::data::task::FieldKind;
use crate::question::read::cut::items::Item;
use crate::question::read::functions::function_name;
use crate::question::read::order::superlative::Superlative;
use crate::question::read::reader::Reader;
use crate::question::read::words::vocabulary::Role;
use crate::question::reading::{AnswerShape, Course, Order, OrderBy};
use research_agents_report::claim::Statistic;

impl Reader<'_, '_, '_> {
    /// Ranks groups by the number of their records.
    pub(crate) fn rank_groups_by_count(&mut self, found: &Superlative, end: usize) {
        self.asked.superlative = Some(found.start);
        let asks_who = (0..self.len().min(3)).any(|k| self.has(k, Role::Who));
        // `manufacturer with the largest number of models`
        let thing = self.thing_with(found);
        let thing = thing.and_then(|with| self.category_before(with));
        let beside = thing.or_else(|| self.groups_beside(end).map(|(field, _)| field));
        let later = (end..self.len()).find_map(|k| {
            (!self.items[k].used && !self.has(k, Role::By)).then(|| {
                self.peek(k, |r, f| {
                    r.is_groupable(f) && r.field(f).truth.is_none() && r.items[k].fields[0].is_full
                })
            })?
        });
        let is_time = self.out.histogram.is_some();
        let asked_time = (0..self.len()).find(|&k| {
            self.has_any(
                k,
                &[
                    Role::Year,
                    Role::Month,
                    Role::Day,
                    Role::Week,
                    Role::Quarter,
                ],
            ) && k > 0
                && (self.has_any(k - 1, &[Role::Which, Role::What]) || k >= end)
        });
        let by_name = |r: &mut Self, field: usize| {
            if let Some(place) =
                (0..r.len()).find(|k| !r.items[*k].used && r.peek(*k, |_, f| f == field).is_some())
            {
                r.take(place, place + 1);
            }
            r.add_group(field);
            r.want(field);
        };
        let earlier = (0..found.start).rev().find_map(|k| {
            let is_free = !self.items[k].used && !self.has(k, Role::By);
            let fits = |r: &Self, f: usize| {
                let mut names = r.items[k].fields.iter();
                let is_full = names.any(|found| found.field == f && found.is_full);
                r.is_groupable(f)
                    && r.field(f).truth.is_none()
                    && r.kind(f) != FieldKind::Date
                    && (is_full || !r.is_quantity(f))
            };
            self.peek(k, fits)
                .filter(|_| is_free && self.items[k].fields[0].score >= 400)
        });

        // `artist with the most tracks`: what is counted is the records.
        let beside = match (beside, earlier) {
            (Some(counted), Some(earlier))
                if counted != earlier
                    && (self.schema.record_name() == Some(counted)
                        || self.schema.name_field() == Some(counted)
                        || self.schema.is_unique(counted)) =>
            {
                Some(earlier)
            }
            (beside, _) => beside,
        };
        // `who has won the most oscars` does not ask for the years of the oscars.
        let is_year = |field: &usize| self.field(*field).years.is_some();
        let later = later.filter(|field| !asks_who || !is_year(field));
        let beside = beside.filter(|field| !asks_who || !is_year(field));
        match (beside.or(later).or(earlier), asked_time) {
            // `the date with the most orders`
            (Some(field), _) if self.kind(field) == FieldKind::Date => {
                self.out.histogram = Some(Course {
                    field: self.name(field).to_owned(),
                    interval: "day".to_owned(),
                });
            }
            (Some(field), _) => by_name(self, field),
            (None, Some(time)) if !is_time => {
                let date = self.schema.dates().next();
                let interval = [
                    (Role::Year, "year"),
                    (Role::Quarter, "quarter"),
                    (Role::Month, "month"),
                    (Role::Week, "week"),
                    (Role::Day, "day"),
                ]
                .into_iter()
                .find(|(role, _)| self.has(time, *role))
                .map_or("year", |(_, name)| name);
                match (date, self.schema.years().next()) {
                    (_, Some(year)) if interval == "year" => self.add_group(year),
                    (Some(date), _) => {
                        self.out.histogram = Some(crate::question::reading::Course {
                            field: self.name(date).to_owned(),
                            interval: interval.to_owned(),
                        });
                    }
                    _ => {}
                }
                self.take(time, time + 1);
            }
            _ => {}
        }
        // `quel est le titre le plus fréquent`: long texts are groups only where nothing else is.
        if self.out.group_by.is_empty() && self.out.histogram.is_none() {
            let repeats =
                |r: &Self, f: usize| r.kind(f) == FieldKind::Text && !r.schema.is_unique(f);
            let named = (0..found.start).rev().find_map(|k| {
                let is_full = self.items[k]
                    .fields
                    .first()
                    .is_some_and(|best| best.is_full);
                self.peek(k, repeats).filter(|_| is_full)
            });
            if let Some(field) = named {
                by_name(self, field);
            }
        }
        // `top 3 cat names`, `who has won the most prizes`
        // `the restaurants that were inspected most often`
        let is_frequent = (found.start..end).any(|k| self.has(k, Role::Common));
        // Who asks for the most frequent name knows that names repeat.
        let is_unique = |r: &Self, field: usize| {
            let is_counted = r.field(field).facts.distinct.is_some();
            r.schema.is_unique(field) && (is_counted || !is_frequent)
        };
        // `most common bird` does not ask for the names of airports.
        let is_other = self.items.get(self.skip(end)).is_some_and(|noun| {
            let token = &self.tokens[noun.start];
            let is_noun = noun.is_open() || noun.looked_up.is_some();
            is_noun && !self.schema.is_title(token) && !self.breaks(self.skip(end))
        });
        let asks_names = asks_who
            || is_frequent && !is_other
            || (end..self.len()).any(|k| matches!(self.lower(k), "name" | "names"));
        if self.out.group_by.is_empty()
            && self.out.histogram.is_none()
            && let Some(name) = self
                .schema
                .name_field()
                .filter(|name| asks_names && !is_unique(self, *name) && self.is_called_name(*name))
        {
            by_name(self, name);
        }
        if self.out.group_by.is_empty() && self.out.histogram.is_none() {
            return self.refuse_superlative(found, "no category of the data is named to rank");
        }
        // That each value, or each day, has one record answers nothing.
        let is_day = |course: &Course| course.interval == "day";
        let date = self.out.histogram.as_ref().filter(|course| is_day(course));
        let date = date.and_then(|course| self.field_named(&course.field));
        if let Some(date) = date.filter(|date| self.schema.is_unique(*date)) {
            self.out.histogram = None;
            let name = self.name(date).to_owned();
            self.out.group_by.retain(|group| *group != name);
            return self.refuse_superlative(found, "each value has one record");
        }
        if let [name] = self.out.group_by.as_slice()
            && self.out.histogram.is_none()
            && let Some(field) = self.field_named(name)
            && is_unique(self, field)
        {
            self.out.group_by.clear();
            return self.refuse_superlative(found, "each value has one record");
        }
        self.out.order = Some(Order {
            by: OrderBy::Count,
            highest: found.highest,
            limit: found.limit.or(Some(1)),
        });
        self.out.answer = AnswerShape::TopGroup;
    }

    /// Returns what the records are about, which is ranked where no category is named: *top 3 by
    /// total spend*.
    pub(crate) fn things_at_top(&self, found: &Superlative) -> Option<usize> {
        let is_grouped = !self.out.group_by.is_empty() || self.out.histogram.is_some();
        let name = self
            .schema
            .name_field()
            .filter(|_| found.is_top && !is_grouped)?;
        let is_category = self.kind(name) == FieldKind::Text && !self.field(name).is_prose;
        is_category.then_some(name)
    }

    /// Ranks groups by a measure that the question names.
    pub(crate) fn rank_groups(
        &mut self,
        found: &Superlative,
        which: Option<usize>,
        measure: usize,
        said: &str,
    ) {
        self.asked.superlative = Some(found.start);
        let which = which.or_else(|| self.things_at_top(found));
        if let Some(field) = which {
            if let Some(place) = (0..self.len())
                .find(|k| !self.items[*k].used && self.peek(*k, |_, f| f == field).is_some())
            {
                self.take(place, place + 1);
            }
            self.add_group(field);
            self.want(field);
        }

        self.out.order = Some(Order {
            by: OrderBy::Measure(measure),
            highest: found.highest,
            limit: found.limit.or(Some(1)),
        });
        self.out.answer = AnswerShape::TopGroup;
        let gives = format!(
            "the {} measure",
            if found.highest { "highest" } else { "lowest" }
        );
        self.derive(said, &gives);
    }

    /// Returns whether a question asks for a number and then which thing has it: *what is the
    /// highest price, and which region is that in*.
    fn asks_which_has_it(&self, end: usize) -> bool {
        let asks_number = self.has_any(self.opener(), &[Role::What, Role::HowMuch]);
        let which = (end + 1..self.len()).find(|at| self.has(*at, Role::Which));
        asks_number
            && which.is_some_and(|which| {
                (which.saturating_sub(2)..which).any(|at| at >= end && self.has(at, Role::And))
            })
    }

    /// Returns whether the noun before an item is a change, such as *drop*: one of a record, of
    /// which no mean is taken.
    fn is_change(&self, end: usize) -> bool {
        let noun = end.checked_sub(1);
        noun.is_some_and(|noun| self.has_any(noun, &[Role::Rise, Role::Fall]))
    }

    pub(crate) fn rank_by_field(
        &mut self,
        found: &Superlative,
        field: usize,
        end: usize,
        said: &str,
    ) {
        self.asked.superlative = Some(found.start);
        let name = self.name(field).to_owned();
        let function = if found.highest {
            Statistic::Max
        } else {
            Statistic::Min
        };
        let gives = format!(
            "the {} {name}",
            if found.highest { "highest" } else { "lowest" }
        );
        self.derive(said, &gives);
        let order = |limit: Option<u64>| {
            Some(Order {
                by: OrderBy::Field(name.clone()),
                highest: found.highest,
                limit,
            })
        };

        // `the highest price by cut`, `in each cut`.
        let groups_later = (end..self.len()).any(|k| {
            self.has(k, Role::By) && !self.items[k].used && {
                let place =
                    self.skip_roles(k + 1, &[Role::Stop, Role::Of, Role::By, Role::Distinct]);
                self.peek(place, |r, f| r.is_groupable(f)).is_some()
                    || self.has_any(place, &[Role::Year, Role::Month])
            }
        });
        if groups_later {
            self.add_measure(function, field);
            return;
        }

        if self.rank_periods(found, field, end, said) {
            return;
        }
        let beside = self.groups_beside(end).filter(|(group, _)| *group != field);
        // `which species has the heaviest penguin`: another noun follows the adjective, whose
        // record is asked for.
        let has_noun = !found.concepts.is_empty()
            && self.items.get(self.skip(end)).is_some_and(|item| {
                (item.is_open() || item.has(Role::Generic)) && !self.breaks(self.skip(end))
            });
        // `the lowest rated movie`: a noun directly follows the field.
        let with = self.thing_with(found);
        // `the cities with the most listings`, where a city has several records.
        let thing = with.and_then(|with| self.category_before(with));
        let beside = beside.or(thing.map(|group| (group, true)));
        let has_noun = has_noun
            || with.is_some() && thing.is_none()
            || (!found.counts
                && self
                    .items
                    .get(end)
                    .is_some_and(|item| item.is_open() && !self.breaks(end)));
        if let Some((group, true)) = beside
            && !(has_noun && self.asked.which.is_some())
            && !(self.kind(group) == FieldKind::Text && self.read_single_records())
            && !self.is_change(end)
            && !self.asks_which_has_it(end)
        {
            let is_time = self.kind(field) == FieldKind::Date || self.field(field).years.is_some();
            let pending = self.take_pending_function();
            // `where were the most bikes stolen` counts what a field counts.
            let noun = end.checked_sub(1);
            let is_counted =
                found.counts && noun.is_some_and(|noun| self.counts_what_is_said(noun, field));
            let adds_up = self.adds_up(field) || is_counted;
            let function = match (pending, is_time, adds_up) {
                (Some(pending), ..) => pending,
                (_, true, _) => function,
                (_, _, true) => Statistic::Sum,
                _ => Statistic::Mean,
            };
            let measure = self.add_measure(function, field);
            self.out.notes.push(format!(
                "“{said}” is read as the {} of {name} in each {}",
                function_name(function),
                self.name(group)
            ));
            self.asked.is_measure_assumed = true;
            self.rank_groups(found, Some(group), measure, said);
            return;
        }

        if let Some((group, _)) = beside {
            if let Some(place) = (0..self.len())
                .find(|k| !self.items[*k].used && self.peek(*k, |_, f| f == group).is_some())
            {
                self.take(place, place + 1);
            }
            self.want(group);
        }
        // `What is the highest price?` asks for the number.
        let opener = self.opener();
        let asks_number = beside.is_none()
            && found.limit.is_none()
            && !has_noun
            && self.asked.which.is_none()
            && !self.has_any(opener, &[Role::Who, Role::Which, Role::Show, Role::Where])
            && self.names_field_only(found, field);
        if asks_number {
            self.add_measure(function, field);
            // The record is named too, where something tells records apart.
            let asks_more = self.asks_of_record(Role::When) || self.asks_of_record(Role::Where);
            if self.schema.record_name().is_none() && !asks_more {
                self.out.order = order(Some(1));
                self.out.answer = AnswerShape::Measure;
                return;
            }
        }
        self.out.order = order(found.limit.or(Some(1)));
        self.out.answer = AnswerShape::Record;
        const TIMES: &[Role] = &[Role::Day, Role::Week, Role::Month, Role::Year];
        let names_time = self.has_any(self.skip(found.end), TIMES) && !self.breaks(found.end);
        if self.asks_of_record(Role::When) || names_time {
            let dates = self.schema.dates().chain(self.schema.years());
            match dates.into_iter().next() {
                Some(time) => self.want(time),
                None => self.want_concepts(&["month", "time"]),
            }
        }
        if self.asks_of_record(Role::Where) {
            // Where one gets something is a place and what it is called.
            if let Some(name) = self.schema.record_name() {
                self.want(name);
            }
            self.want_concepts(&["place", "city", "country", "region"]);
        }
        if let Some(with) = with {
            self.want_attributes(with);
        }
        let named = self.schema.record_name();
        if self.out.wanted.is_empty()
            && let Some(name_field) = named
        {
            self.want(name_field);
        }
        self.want(field);
    }

    /// Returns whether a question asks when or where the record of a superlative was: at its
    /// beginning, or behind all that selects it.
    fn asks_of_record(&self, role: Role) -> bool {
        let says_nothing =
            |item: &Item| item.values.is_empty() && item.fields.is_empty() && item.number.is_none();
        let ends = |at: usize| self.has(at, role) && self.items[at..].iter().all(says_nothing);
        let joins = |at: usize| at > 0 && (self.breaks(at) || self.has(at - 1, Role::And));
        self.has(self.opener(), role) || (1..self.len()).any(|at| ends(at) && joins(at))
    }

    /// Reads `the rainiest month`: the period with the highest or lowest measure.
    fn rank_periods(&mut self, found: &Superlative, field: usize, end: usize, said: &str) -> bool {
        const PERIODS: [(Role, &str); 4] = [
            (Role::Year, "year"),
            (Role::Quarter, "quarter"),
            (Role::Month, "month"),
            (Role::Week, "week"),
        ];
        let period = |r: &Self, at: usize| {
            let named = PERIODS.iter().find(|(role, _)| r.has(at, *role));
            named.map(|(_, interval)| *interval)
        };
        let after = self.skip_roles(end, &[Role::Stop, Role::Of]);
        let opening = (0..found.start)
            .find(|at| self.has_any(*at, &[Role::Which, Role::What]))
            .map(|at| at + 1);
        let place = [Some(after), opening].into_iter().flatten();
        let Some((at, interval)) = place
            .into_iter()
            .find_map(|at| Some((at, period(self, at)?)))
        else {
            return false;
        };
        // A column of months is grouped by like any other.
        let is_column = self.asked.which.is_some_and(|which| {
            let words = &self.field(which).words;
            words.iter().any(|word| word.concepts.contains(&interval))
        });
        if is_column {
            return false;
        }
        let is_time = self.kind(field) == FieldKind::Date || self.field(field).years.is_some();
        let (date, year) = (self.schema.dates().next(), self.schema.years().next());
        if is_time || self.breaks(at) && at == after {
            return false;
        }

        // A column of the weeks names the week of each record.
        let names_period = |date: &usize| {
            let words = &self.field(*date).words;
            words.iter().any(|word| word.lower == interval)
        };
        if let Some(date) = date.filter(names_period) {
            self.want(date);
            self.take(at, at + 1);
            return false;
        }
        match (date, year) {
            (_, Some(year)) if interval == "year" => self.add_group(year),
            (Some(date), _) => {
                self.out.histogram = Some(Course {
                    field: self.name(date).to_owned(),
                    interval: interval.to_owned(),
                });
            }
            _ => {
                self.refused(said, "no field holds dates");
                let period = self.said(at, at + 1).to_owned();
                self.asked.unheld.push(period);
                self.take(at, at + 1);
                return true;
            }
        }
        let function = match (self.take_pending_function(), self.adds_up(field)) {
            (Some(pending), _) => pending,
            (None, true) => Statistic::Sum,
            (None, false) => Statistic::Mean,
        };
        let measure = self.add_measure(function, field);
        self.out.notes.push(format!(
            "“{said}” is read as the {} of {} in each {interval}",
            function_name(function),
            self.name(field)
        ));
        self.take(at, at + 1);
        self.rank_groups(found, None, measure, said);
        true
    }

    /// Returns whether the superlative names its field, so that a number is asked for.
    fn names_field_only(&self, found: &Superlative, field: usize) -> bool {
        (found.start..(found.end + 3).min(self.len()))
            .filter(|k| self.items[*k].degree.is_none())
            .any(|k| self.items[k].fields.iter().any(|m| m.field == field))
            && !found.is_top
    }
}

//! Reads groupings: `by X`, `for each X`, `over time`, `monthly`.

use serde_json::Value;

use crate::data::task::FieldKind;
use crate::question::interpret::dates::default_interval;
use crate::question::read::reader::Reader;
use crate::question::read::words::vocabulary::Role;
use crate::question::reading::Course;

const INTERVALS: &[(Role, &str)] = &[
    (Role::Year, "year"),
    (Role::Quarter, "quarter"),
    (Role::Month, "month"),
    (Role::Week, "week"),
    (Role::Day, "day"),
    (Role::Decade, "year"),
];

/// Numbers of at most so many different values may be grouped by.
const MOST_GROUPS: u64 = 40;

/// Words for an interval of time at which something happens.
const ADVERBS: &[&str] = &[
    "yearly",
    "annual",
    "annually",
    "quarterly",
    "monthly",
    "weekly",
    "daily",
    "jahrlich",
    "monatlich",
    "wochentlich",
    "taglich",
    "mensuel",
    "mensuelle",
    "annuel",
    "annuelle",
    "mensual",
    "anual",
    "mensuales",
    "mensile",
    "mensili",
    "annuale",
    "mensal",
    "mensais",
];

impl Reader<'_, '_, '_> {
    /// Returns whether records can be grouped by a field.
    pub(crate) fn is_groupable(&self, field: usize) -> bool {
        let field = self.field(field);
        let facts = field.facts;

        match facts.kind {
            FieldKind::Text => !field.is_prose,
            FieldKind::Boolean | FieldKind::Date => true,
            FieldKind::Number => {
                let width = facts.range.as_ref().and_then(|(low, high)| {
                    Some(high.as_i64()?.checked_sub(low.as_i64()?)?.unsigned_abs())
                });
                field.years.is_some()
                    || field.truth.is_some()
                    || !facts.values.is_empty()
                    || facts
                        .distinct
                        .is_some_and(|distinct| distinct <= MOST_GROUPS)
                    || (facts.distinct.is_none() && width.is_some_and(|width| width < MOST_GROUPS))
            }
        }
    }

    pub(crate) fn add_group(&mut self, field: usize) {
        if self.kind(field) == FieldKind::Date {
            let interval = self.interval_of(field);
            self.out.histogram.get_or_insert(Course {
                field: self.schema.fields[field].facts.name.clone(),
                interval,
            });
            return;
        }
        let name = self.name(field).to_owned();
        if !self.out.group_by.contains(&name) {
            self.out.group_by.push(name);
        }
    }

    fn interval_of(&self, field: usize) -> String {
        default_interval(self.field(field).facts, &self.out.filters).to_owned()
    }

    pub(crate) fn read_groupings(&mut self) {
        for at in 0..self.len() {
            if self.items[at].used {
                continue;
            }
            if self.has(at, Role::By) {
                self.read_by(at);
            } else if self.has(at, Role::Trend) {
                self.read_trend(at);
            } else if self.has(at, Role::Distribution) {
                self.read_distribution(at);
            } else if self.is_adverb(at) {
                self.read_interval(at, at);
            }
        }
    }

    /// Returns whether an item is `monthly` or the like.
    fn is_adverb(&self, at: usize) -> bool {
        ADVERBS.contains(&self.lower(at))
            && self.items[at].end == self.items[at].start + 1
            && self.items[at]
                .fields
                .iter()
                .all(|found| !found.is_full || self.field(found.field).years.is_some())
    }

    fn read_by(&mut self, at: usize) {
        let mut place = self.skip_roles(
            at + 1,
            &[
                Role::Stop,
                Role::Of,
                Role::All,
                Role::Distinct,
                Role::By,
                Role::In,
                Role::Generic,
                Role::HowMany,
            ],
        );
        let mut end = at;

        while place < self.len() && !(self.breaks(place) && self.gap(place).trim() != ",") {
            // Words before the name of a field that do not belong to it: `by the passenger's sex`.
            if self.items[place].is_open()
                && !self.is_name(place)
                && self
                    .items
                    .get(place + 1)
                    .is_some_and(|next| !next.fields.is_empty())
            {
                place += 1;
            }
            // `by country of origin`, of a field that is called so.
            let is_open = self.items[place].is_open() || self.items[place].looked_up.is_some();
            let named = self.skip_roles(place + 1, &[Role::Of]);
            let is_of_field = is_open
                && named == place + 2
                && self
                    .items
                    .get(named)
                    .is_some_and(|item| !item.fields.is_empty());
            if is_of_field {
                place = named;
            }
            if !self.read_group(at, place) {
                break;
            }
            end = place + 1;
            let next = self.skip_roles(end, &[Role::And, Role::By, Role::Stop]);
            let is_list = next > end || self.gap(end).trim() == ",";
            if !is_list {
                break;
            }
            place = next;
        }
        if end > at {
            let said = self.said(at, end).to_owned();
            let gives = format!("the grouping {}", self.out.group_by.join(", "));
            if !self.out.group_by.is_empty() {
                self.derive(&said, &gives);
            }
            self.take(at, end);
        }
    }

    /// Returns whether *by* and a truth value say who did something: `paid by smokers`.
    pub(crate) fn is_agent(&self, by: usize, place: usize) -> bool {
        let names_truth = self.items[place]
            .fields
            .first()
            .is_some_and(|found| self.field(found.field).truth.is_some());
        by > 0
            && names_truth
            && self.lower(by) == "by"
            && self.lower(place).ends_with('s')
            && self.lower(by - 1).ends_with('d')
    }

    /// Reads one field or interval to group by.
    fn read_group(&mut self, by: usize, place: usize) -> bool {
        let item = &self.items[place];
        if item.used && !item.fields.is_empty() && self.asked.which.is_none() {
            return false;
        }
        if self.is_agent(by, place) {
            return false;
        }
        // An age is counted in years, and is not named by them.
        let names = |field: usize| {
            let mut words = self.field(field).words.iter();
            !words.any(|word| matches!(word.lower.as_str(), "age" | "ages" | "aged"))
        };
        let is_full = item.fields.first().is_some_and(|found| {
            found.is_full && self.kind(found.field) != FieldKind::Date && names(found.field)
        });
        if !is_full
            && item.has_any(&[
                Role::Year,
                Role::Quarter,
                Role::Month,
                Role::Week,
                Role::Day,
                Role::Decade,
            ])
        {
            return self.read_interval(by, place);
        }
        if !item.values.is_empty() && !item.fields.iter().any(|found| found.is_full) {
            return false;
        }
        let Some(best) = item.fields.first().cloned() else {
            return false;
        };
        // `among the bills` are records, and no groups by `total_bill`.
        let is_among = matches!(self.lower(by), "among" | "amongst");
        if is_among && !best.is_full && self.is_quantity(best.field) {
            return false;
        }

        let is_near = |r: &Self, field: usize| {
            r.is_groupable(field)
                && r.items[place]
                    .fields
                    .iter()
                    .any(|found| found.field == field && found.score * 2 >= best.score)
        };
        if let Some(field) = self.choose(place, is_near) {
            self.add_group(field);
            return true;
        }
        let is_ratio = matches!(self.lower(by), "per" | "pro" | "par" | "por");
        let said = self.said(by, place + 1).to_owned();
        let Some(field) = self.choose(place, |_, _| true) else {
            return false;
        };
        if is_ratio || self.field(field).is_prose {
            self.refused(
                &said,
                "records cannot be grouped by this field, which has too many values",
            );
            return true;
        }
        if self.asked.superlative.is_some() {
            return false;
        }
        let note = format!(
            "{} has many values, each of which is a group",
            self.name(field)
        );
        self.out.notes.push(note);
        self.add_group(field);
        true
    }

    /// Reads a calendar interval.
    fn read_interval(&mut self, from: usize, place: usize) -> bool {
        let roles = &self.items[place].roles;
        let Some((role, interval)) = INTERVALS.iter().find(|(role, _)| roles.contains(role)) else {
            return false;
        };
        let said = self.said(from, place + 1).to_owned();
        let named = |r: &Self, concept: &str| {
            r.schema
                .with_concept(concept)
                .iter()
                .map(|(field, _)| *field)
                .find(|field| {
                    r.field(*field)
                        .words
                        .iter()
                        .filter(|word| !word.is_filler)
                        .count()
                        == 1
                        && r.kind(*field) != FieldKind::Date
                })
        };
        let year = self
            .schema
            .years()
            .next()
            .filter(|_| matches!(role, Role::Year | Role::Decade));

        let month = if *role == Role::Month {
            named(self, "month")
        } else {
            None
        };
        if let Some(field) = year.or(month) {
            self.add_group(field);
        } else {
            let mut dates = self.schema.dates();
            let Some(field) = dates.next() else {
                self.refused(&said, "no field holds dates");
                self.take(from, place + 1);
                return true;
            };
            let near = (from.saturating_sub(4)..from)
                .rev()
                .find_map(|before| self.peek(before, |r, f| r.kind(f) == FieldKind::Date));
            self.out.histogram = Some(Course {
                field: self.name(near.unwrap_or(field)).to_owned(),
                interval: (*interval).to_owned(),
            });
        }
        if *role == Role::Decade {
            self.out.notes.push("decades are shown by year".to_owned());
        }
        self.derive(&said, &format!("a course by {interval}"));
        self.take(from, place + 1);
        true
    }

    pub(crate) fn read_trend(&mut self, at: usize) {
        let said = self.said(at, at + 1).to_owned();
        let date = self.schema.dates().next();
        let year = self.schema.years().next();
        let is_years = self.lower(at).contains("year") || said.contains("year");

        match (date, year) {
            (Some(date), year) if !(is_years && year.is_some()) => {
                let interval = self.interval_of(date);
                let interval = if is_years {
                    "year".to_owned()
                } else {
                    interval
                };
                if self.out.histogram.is_none() {
                    self.out.histogram = Some(Course {
                        field: self.name(date).to_owned(),
                        interval,
                    });
                }
            }
            (_, Some(year)) => {
                if self.out.group_by.is_empty() {
                    self.add_group(year);
                }
            }
            _ => {
                self.refused(&said, "no field holds dates");
                self.take(at, at + 1);
                return;
            }
        }
        self.derive(&said, "a course over time");
        self.take(at, at + 1);
    }

    fn read_distribution(&mut self, at: usize) {
        let place = self.skip_roles(
            at + 1,
            &[Role::Of, Role::Stop, Role::All, Role::In, Role::By],
        );
        if place >= self.len() {
            return;
        }
        let said = self.said(at, place + 1).to_owned();

        if let Some(field) = self.choose(place, |r, f| {
            r.is_groupable(f) && r.kind(f) != FieldKind::Date
        }) {
            self.add_group(field);
            let gives = format!("the grouping {}", self.name(field));
            self.derive(&said, &gives);
            self.take(at, place + 1);
        } else if let Some(field) = self.choose(place, |r, f| r.is_number(f)) {
            use research_agents_report::claim::Statistic;
            for function in [
                Statistic::Min,
                Statistic::Median,
                Statistic::Mean,
                Statistic::Max,
            ] {
                self.add_measure(function, field);
            }
            self.take(at, place + 1);
        }
    }

    /// Returns the field of a filter by its name.
    pub(crate) fn field_named(&self, name: &str) -> Option<usize> {
        self.schema
            .fields
            .iter()
            .position(|field| field.facts.name == name)
    }

    /// Returns whether a filter is one value.
    pub(crate) fn is_single(value: &Value) -> bool {
        !matches!(value, Value::Array(_) | Value::Object(_))
    }
}

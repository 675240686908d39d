//! Reads times: they restrict a field of dates, or of years.

pub(crate) mod columns;
pub(crate) mod compared;
pub(crate) mod parts;

use serde_json::{Value, json};

use crate::data::task::FieldKind;
use crate::question::interpret::dates::calendar::{Moment, Part, Period, iso, share_year};
use crate::question::read::cut::items::Fit;
use crate::question::read::reader::{Reader, number};
use crate::question::read::words::vocabulary::Role;
use crate::question::reading::{Candidate, CandidateMatch};

/// Words before a time, which decide how it restricts.
const OPENERS: &[Role] = &[
    Role::In,
    Role::Since,
    Role::Before,
    Role::After,
    Role::Until,
    Role::From,
    Role::Between,
    Role::Exactly,
    Role::Decade,
];

impl Reader<'_, '_, '_> {
    /// Returns whether four digits mean a year and not another number.
    pub(crate) fn time_is_meant(&self, at: usize, is_measured: bool) -> bool {
        let Some(moment) = self.items[at].moment else {
            return false;
        };
        let has_times =
            self.schema.dates().next().is_some() || self.schema.years().next().is_some();
        if !moment.is_bare_year() {
            return true;
        }
        let year = f64::from(moment.year.unwrap_or_default());
        let is_sized = (1500.0..=2150.0).contains(&year);

        let before = (0..at)
            .rev()
            .take(3)
            .find(|place| !self.has(*place, Role::Stop));
        let is_dated = before.is_some_and(|place| {
            self.has_any(place, OPENERS)
                || self.has_any(place, &[Role::Year, Role::Month])
                || self.items[place].moment.is_some()
        });
        let is_near_year = before.is_some_and(|place| {
            self.peek(place, |r, f| {
                r.field(f).years.is_some() || r.kind(f) == FieldKind::Date
            })
            .is_some()
        });
        // `larceny thefts 1990` asks for a year of the data; `elevation of 1990` for a number.
        let is_told =
            before.is_some_and(|place| self.has_any(place, &[Role::Is, Role::Of, Role::Exactly]));
        let is_of_data = !is_told && self.schema.years().any(|field| self.has_year(field, year));
        is_sized && has_times && (is_dated || is_near_year || is_of_data || !is_measured)
    }

    /// Returns whether a year lies within those of a field.
    fn has_year(&self, field: usize, year: f64) -> bool {
        let range = self.field(field).facts.range.as_ref();
        range.is_some_and(|(low, high)| {
            low.as_f64().is_some_and(|low| low <= year)
                && high.as_f64().is_some_and(|high| year <= high)
        })
    }

    pub(crate) fn read_times(&mut self) {
        let mut at = 0;
        while at < self.len() {
            let is_time = self.items[at].moment.is_some() && !self.items[at].used;
            at = if is_time {
                self.read_time(at).max(at + 1)
            } else {
                at + 1
            };
        }

        for at in 0..self.len() {
            if self.items[at].used || !self.has_any(at, &[Role::Relative, Role::Ago]) {
                continue;
            }
            let is_about_rows =
                !self.schema.dates().any(|_| true) && !self.schema.years().any(|_| true);
            let said = self.said(at, at + 1).to_owned();
            let why = if is_about_rows {
                "no field holds dates"
            } else {
                "the data does not say what today is"
            };
            self.refused(&said, why);
            self.take(at, at + 1);
        }
    }

    /// Reads the times from an item on, and returns where reading continues.
    fn read_time(&mut self, at: usize) -> usize {
        let Some(first) = self.items[at].moment else {
            return at + 1;
        };
        // `Feb-2018` of a column of such texts is its value.
        let values = &self.items[at].values;
        let is_value = values
            .iter()
            .any(|value| value.fit == Fit::Whole && !value.needs_field);
        if is_value && self.schema.dates().next().is_none() {
            return at + 1;
        }
        let mut start = at;
        let mut role = None;
        while let Some(place) = start.checked_sub(1) {
            if self.breaks(start) {
                break;
            }
            let item = &self.items[place];
            let found = OPENERS
                .iter()
                .find(|role| item.has(**role) && item.fields.is_empty());
            match found {
                Some(Role::Decade) => {}
                Some(found) => {
                    (role, start) = (Some(*found), place);
                    // `after the end of`, `before or in`.
                    break;
                }
                None if item.has_any(&[Role::Stop, Role::Of])
                    || (item.has_any(&[Role::Year, Role::Month]) && !item.used) => {}
                None => break,
            }
            start = place;
        }
        if role.is_none() {
            start = at;
        }

        // A range, or a list of times.
        let opens = matches!(role, Some(Role::Between | Role::From));
        let mut end = at + 1;
        let dash = matches!(self.gap(end).trim(), "-" | "–" | "—");
        let joins =
            self.has_any(end, &[Role::To, Role::Until]) || (opens && self.has(end, Role::And));
        let second = if dash {
            end
        } else {
            self.skip_roles(end + 1, &[Role::Stop, Role::Of, Role::In, Role::To])
        };
        let last = self
            .items
            .get(second)
            .and_then(|item| item.moment)
            .filter(|_| dash || joins);
        let mut others = Vec::new();
        if last.is_some() {
            end = second + 1;
        } else {
            while let Some(place) = self.next_in_list(end) {
                others.extend(self.items[place].moment);
                end = place + 1;
            }
        }
        // `in 1990 or later`
        if last.is_none() && others.is_empty() && self.has_any(end, &[Role::AtLeast, Role::AtMost])
        {
            let is_least = self.has(end, Role::AtLeast);
            role = Some(if is_least { Role::Since } else { Role::Until });
            end += 1;
        }
        let said = self.said(start, end).to_owned();
        let is_denied = self.negated[at]
            || start
                .checked_sub(1)
                .is_some_and(|b| self.has_any(b, &[Role::Not, Role::Except]));

        let all: Vec<Moment> = [Some(first), last]
            .into_iter()
            .flatten()
            .chain(others.iter().copied())
            .collect();
        if self.read_time_of_columns(start, end, &all, is_denied) {
            self.take(start, end);
            return end;
        }
        if self.read_quarter_in_text(start, end, &all, is_denied) {
            self.take(start, end);
            return end;
        }
        let Some((field, from)) = self.time_field(start, end, &all) else {
            self.refused(&said, "no field holds such times");
            self.take(start, end);
            return end;
        };
        let ok = match last {
            Some(last) => self.apply_range(field, first, last, is_denied),
            None => {
                // `from 1976` is in 1976; `from 1976 on` is since 1976.
                let goes_on = ["on", "onward", "onwards", "an", "aan"].contains(&self.lower(end));
                let role = match role {
                    Some(Role::From) if goes_on => Some(Role::Since),
                    Some(Role::From) => Some(Role::In),
                    role => role,
                };
                end += usize::from(goes_on);
                self.apply_times(field, role, &all, is_denied)
            }
        };
        if ok {
            let said = self.said(from.min(start), end).to_owned();
            self.applied(&said, field);
            let gives = format!("a condition on {}", self.name(field));
            self.derive(&said, &gives);
            let name = self.name(field).to_owned();
            self.asked.filter_items.push((at, name));
        } else {
            self.refused(&said, "this time cannot be applied");
        }
        self.take(start, end);
        end
    }

    /// Reads `the third quarter of 2000` where texts such as `2000 Q3` are looked up at the data
    /// source, and returns whether it has one.
    fn read_quarter_in_text(
        &mut self,
        start: usize,
        end: usize,
        times: &[Moment],
        is_denied: bool,
    ) -> bool {
        let [time] = times else {
            return false;
        };
        let (Part::Months(first, 3), Some(year)) = (time.part, time.year) else {
            return false;
        };
        if is_denied || self.schema.dates().next().is_some() {
            return false;
        }

        let quarter = first.div_ceil(3);
        for text in [format!("{year} Q{quarter}"), format!("Q{quarter} {year}")] {
            let entries = &self.found.entries;
            let Some(entry) = entries.iter().find(|entry| entry.text == text) else {
                self.out.further.push(text);
                continue;
            };
            let is_whole = |one: &&Candidate| one.matching <= CandidateMatch::Case;
            if let Some(candidate) = entry.candidates.iter().find(is_whole)
                && let Some(field) = self.field_named(&candidate.field)
            {
                let said = self.said(start, end).to_owned();
                self.add_value(field, candidate.value.clone());
                self.note_filter(start, &said, field);
                return true;
            }
        }
        false
    }

    fn next_in_list(&self, end: usize) -> Option<usize> {
        let comma = matches!(self.gap(end).trim(), "," | "/" | "&");
        let joined = self.has_any(end, &[Role::And, Role::Or, Role::Versus]);
        let place = if comma && !joined {
            end
        } else if joined {
            self.skip_roles(end + 1, &[Role::In, Role::Stop])
        } else {
            return None;
        };
        self.items.get(place)?.moment.map(|_| place)
    }

    /// Returns the field that times restrict, and the item that names it.
    fn time_field(&mut self, start: usize, end: usize, times: &[Moment]) -> Option<(usize, usize)> {
        let only_years = times
            .iter()
            .all(|m| matches!(m.part, Part::Year | Part::Decade));
        let holds = move |r: &Self, field: usize| {
            r.kind(field) == FieldKind::Date || (only_years && r.field(field).years.is_some())
        };

        // A word near the time names the field: `released in`, `hire date after`.
        let nearby = (start.saturating_sub(4)..start)
            .rev()
            .chain(end..(end + 2).min(self.len()));
        for place in nearby {
            if self.peek(place, holds).is_some() && !(place >= end && self.breaks(end)) {
                let field = self.choose(place, holds)?;
                if self.field(field).years.is_none() || self.items[place].fields[0].score >= 300 {
                    return Some((field, place.min(start)));
                }
            }
        }

        let year = times.iter().filter_map(|time| time.year).next();
        let is_in = |field: usize| {
            let Some(((low, high), year)) = self.field(field).facts.range.as_ref().zip(year) else {
                return true;
            };
            let bound = |value: &Value| match value {
                Value::String(text) => text.get(..4).and_then(|year| year.parse::<i64>().ok()),
                value => value
                    .as_f64()
                    .map(|v| v as i64 + self.field(field).years.unwrap_or_default()),
            };
            bound(low)
                .zip(bound(high))
                .is_none_or(|(low, high)| (low..=high).contains(&i64::from(year)))
        };
        let mut fields: Vec<usize> = self.schema.dates().collect();
        if only_years {
            let is_plain = |field: usize| {
                self.field(field)
                    .words
                    .iter()
                    .filter(|word| !word.is_filler)
                    .count()
                    == 1
            };
            let years: Vec<usize> = self.schema.years().collect();
            let (plain, other): (Vec<usize>, Vec<usize>) =
                years.into_iter().partition(|f| is_plain(*f));
            fields = plain.into_iter().chain(fields).chain(other).collect();
        }
        // Events are meant before births.
        let is_birth = |field: &usize| {
            let words = &self.field(*field).words;
            words
                .iter()
                .any(|word| matches!(word.lower.as_str(), "birth" | "born" | "dob" | "birthdate"))
        };
        fields.sort_by_key(is_birth);
        let preferred = fields
            .iter()
            .find(|field| self.preferred.contains(field))
            .copied();
        let chosen = preferred
            .or_else(|| fields.iter().find(|field| is_in(**field)).copied())
            .or_else(|| fields.first().copied())?;
        Some((chosen, start))
    }

    pub(crate) fn year_value(&self, field: usize, year: i32) -> Value {
        let base = self.field(field).years.unwrap_or_default();
        number((i64::from(year) - base) as f64)
    }

    /// Returns the year of all dates of a field, if it is one: days without a year are of that one.
    fn only_year(&self, field: usize) -> Option<i32> {
        let (low, high) = self.field(field).facts.range.as_ref()?;
        let year = |value: &Value| value.as_str()?.get(..4)?.parse().ok();
        year(low).filter(|first| Some(*first) == year(high))
    }

    /// Returns a day in the only year that a field has, if it is said without one.
    fn dated(&self, field: usize, moment: Moment) -> Moment {
        let is_day = matches!(moment.part, Part::Day(..)) && moment.year.is_none();
        match self.only_year(field).filter(|_| is_day) {
            Some(year) => moment.in_year(year),
            None => moment,
        }
    }

    fn apply_range(&mut self, field: usize, first: Moment, last: Moment, is_denied: bool) -> bool {
        let (first, last) = share_year(first, last);
        let (first, last) = (self.dated(field, first), self.dated(field, last));
        if is_denied {
            return false;
        }

        if let (Part::Months(from, _), Part::Months(to, _), None) =
            (first.part, last.part, first.year)
        {
            let months: Vec<u32> = if from <= to {
                (from..=to).collect()
            } else {
                (from..=12).chain(1..=to).collect()
            };
            self.add_part(field, "month", json!(months));
            return true;
        }
        let Some((first, last)) = first.period().zip(last.period()) else {
            return false;
        };
        self.add_period(field, first.to(last));
        true
    }

    fn add_period(&mut self, field: usize, period: Period) {
        if self.field(field).years.is_some() {
            self.add_part(field, "gte", self.year_value(field, period.start.0));
            self.add_part(field, "lte", self.year_value(field, period.end.0 - 1));
        } else {
            self.add_part(field, "gte", iso(period.start));
            self.add_part(field, "lt", iso(period.end));
        }
    }

    fn apply_times(
        &mut self,
        field: usize,
        role: Option<Role>,
        times: &[Moment],
        is_denied: bool,
    ) -> bool {
        let is_years = self.field(field).years.is_some();
        let times: Vec<Moment> = times.iter().map(|time| self.dated(field, *time)).collect();
        let times = times.as_slice();

        // Months of any year.
        if times.iter().all(|time| time.year.is_none()) {
            let mut months = Vec::new();
            for time in times {
                let Part::Months(first, count) = time.part else {
                    return false;
                };
                months.extend(first..first + count);
            }
            if is_denied
                || matches!(
                    role,
                    Some(Role::Since | Role::Before | Role::After | Role::Until)
                )
            {
                return false;
            }
            let month = if months.len() == 1 {
                json!(months[0])
            } else {
                json!(months)
            };
            self.add_part(field, "month", month);
            return true;
        }

        let shared = times.iter().filter_map(|time| time.year).next_back();
        let periods: Vec<Period> = times
            .iter()
            .filter_map(|time| {
                if time.year.is_some() {
                    time.period()
                } else {
                    time.in_year(shared?).period()
                }
            })
            .collect();
        let Some(&period) = periods.first().filter(|_| periods.len() == times.len()) else {
            return false;
        };
        if periods.len() > 1 {
            if is_years && times.iter().all(Moment::is_bare_year) {
                for time in times {
                    let value = self.year_value(field, time.year.unwrap_or_default());
                    if is_denied {
                        self.add_part(field, "not", value)
                    } else {
                        self.add_value(field, value)
                    }
                }
                return true;
            }
            let Some(joined) = Period::joined(periods).filter(|_| !is_denied) else {
                return false;
            };
            self.add_period(field, joined);
            return true;
        }

        let (start, end) = if is_years {
            (
                self.year_value(field, period.start.0),
                self.year_value(field, period.end.0 - 1),
            )
        } else {
            (iso(period.start), iso(period.end))
        };
        let sign = self.sign_of(role, is_denied);
        match (sign, is_years) {
            (Some("gte"), _) => self.add_part(field, "gte", start),
            (Some("gt"), true) => self.add_part(field, "gt", end),
            (Some("gt"), false) => self.add_part(field, "gte", end),
            (Some("lt"), _) => self.add_part(field, "lt", start),
            (Some("lte"), true) => self.add_part(field, "lte", end),
            (Some("lte"), false) => self.add_part(field, "lt", end),
            (Some(_), _) => return false,
            (None, true) if is_denied && start == end => self.add_part(field, "not", start),
            (None, _) if is_denied => return false,
            (None, true) if start == end => self.add_value(field, start),
            (None, _) => self.add_period(field, period),
        }
        true
    }

    fn sign_of(&self, role: Option<Role>, is_denied: bool) -> Option<&'static str> {
        let sign = match role? {
            Role::Since | Role::From => "gte",
            Role::After => "gt",
            Role::Before => "lt",
            Role::Until => "lte",
            _ => return None,
        };
        Some(match (sign, is_denied) {
            ("gte", true) => "lt",
            ("gt", true) => "lte",
            ("lt", true) => "gte",
            ("lte", true) => "gt",
            _ => sign,
        })
    }
}

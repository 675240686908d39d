//! Reads times of data in which year, quarter, month and day are columns of numbers.

use serde_json::json;

use crate::question::interpret::dates::calendar::{Moment, Part};
use crate::question::read::reader::Reader;

/// The number of months of a quarter.
const QUARTER: u32 = 3;

impl Reader<'_, '_, '_> {
    /// Reads `June 2010`, `the third quarter of 2009` and `25 December 2001` where their parts are
    /// columns of numbers, and returns whether they are.
    pub(crate) fn read_time_of_columns(
        &mut self,
        start: usize,
        end: usize,
        times: &[Moment],
        is_denied: bool,
    ) -> bool {
        let [time] = times else {
            return false;
        };
        let parts: Option<Vec<(usize, u32)>> = match time.part {
            Part::Months(month, 1) => self
                .column_of("month", 12)
                .map(|field| vec![(field, month)]),
            Part::Months(month, QUARTER) => self
                .column_of("quarter", 4)
                .map(|field| vec![(field, month.div_ceil(QUARTER))]),
            Part::Day(month, day) => {
                let columns = self.column_of("month", 12).zip(self.column_of("day", 31));
                columns.map(|(of_month, of_day)| vec![(of_month, month), (of_day, day)])
            }
            _ => None,
        };
        let Some(parts) = parts else {
            return false;
        };

        let has_dates = self.schema.dates().next().is_some();
        let year = self.schema.years().next();
        if has_dates || is_denied || (time.year.is_some() && year.is_none()) {
            return false;
        }
        let said = self.said(start, end).to_owned();
        for (field, value) in parts {
            self.add_value(field, json!(value));
            self.note_filter(start, &said, field);
        }
        if let (Some(number), Some(field)) = (time.year, year) {
            let value = self.year_value(field, number);
            self.add_value(field, value);
            self.note_filter(start, &said, field);
        }
        true
    }

    /// Returns the column of numbers from one to the most that a part of a time has.
    fn column_of(&self, part: &str, most: u32) -> Option<usize> {
        let says_part = |field: usize| {
            let mut words = self.field(field).words.iter();
            words.any(|word| {
                let is_date = part == "day" && word.lower == "date";
                word.lower == part || word.concepts.contains(&part) || is_date
            })
        };
        let has_all = |field: usize| {
            let range = self.field(field).facts.range.as_ref();
            let high = range.and_then(|(_, high)| high.as_f64());
            // Days of a week go up to seven, and those of a year further than a month.
            let least = if part == "day" { 28.0 } else { 0.0 };
            high.is_some_and(|high| high <= f64::from(most) && high >= least)
        };
        let mut fields = 0..self.schema.fields.len();
        fields.find(|field| self.is_number(*field) && says_part(*field) && has_all(*field))
    }
}

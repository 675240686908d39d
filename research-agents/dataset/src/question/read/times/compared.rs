//! Reads comparisons of two years: `were there more storms in 2018 than in 2019`.

use research_agents_report::claim::Statistic;
use serde_json::{Value, json};

use crate::question::interpret::dates::calendar::{Moment, Part};
use crate::question::read::reader::Reader;
use crate::question::read::words::vocabulary::Role;
use crate::question::reading::{Course, YesNoTest};

impl Reader<'_, '_, '_> {
    /// Reads a comparison of the numbers of two years, which a column of years or dates tells
    /// apart.
    pub(crate) fn read_years_compared(&mut self) {
        if !self.is_yes_no() || self.out.test.is_some() {
            return;
        }
        let is_than = |at: &usize| self.has_any(*at, &[Role::Than, Role::Above, Role::Below]);
        let Some(than) = (1..self.len()).find(is_than) else {
            return;
        };
        let year = |at: usize| {
            let moment = self.items[at].moment?;
            moment.year.filter(|_| moment.part == Part::Year)
        };
        let before = (0..than).rev().find_map(|at| Some((at, year(at)?)));
        let after = (than + 1..self.len().min(than + 4)).find_map(|at| Some((at, year(at)?)));
        let ((first, one), (second, other)) = match (before, after) {
            (Some(before), Some(after)) => (before, after),
            _ => return,
        };
        let Some((sign, start, concepts)) = self.comparison_at(than) else {
            return;
        };
        let years = [one, other].map(|year| Moment::new(Some(year), Part::Year));
        let Some((field, _)) = self.time_field(first, first + 1, &years) else {
            return;
        };

        let mut sign = sign;
        if self.out.measures.is_empty() {
            match self.measure_compared(start, than, &concepts) {
                Some(field) => sign = self.compared_sign(field, &concepts, sign),
                // `hotter` of a table without temperatures does not count records.
                None if !concepts.is_empty() => return,
                None => {}
            }
        }
        let said = self.said(first, second + 1).to_owned();
        let values = if self.field(field).years.is_some() {
            self.compare_column(field, [one, other])
        } else {
            self.compare_dates(field, [one, other])
        };
        self.out.test = Some(YesNoTest::Groups {
            field: self.name(field).to_owned(),
            values,
            sign,
        });
        self.note_filter(first, &said, field);
        for at in [first, second] {
            let opens = self.before(at).filter(|before| self.has(*before, Role::In));
            self.take(opens.unwrap_or(at), at + 1);
        }
        for at in start..=than {
            // What is counted, and not measured, is still to be found.
            if !self.out.measures.is_empty() || !self.items[at].is_open() {
                self.take(at, at + 1);
            }
        }
    }

    /// Measures what is compared: a number that is named, or that an adjective or a verb measures.
    fn measure_compared(
        &mut self,
        start: usize,
        than: usize,
        concepts: &[String],
    ) -> Option<usize> {
        // The years are what is compared by.
        let is_quantity =
            |r: &Self, field: usize| r.is_quantity(field) && r.field(field).years.is_none();
        let near =
            (start..than).find(|at| !self.items[*at].used && self.peek(*at, is_quantity).is_some());
        let verb = self.quantity_of_verb(start);
        let measured = match (near, verb) {
            (_, Some((verb, field))) => Some((field, Some(verb))),
            (Some(near), None) => self
                .choose(near, is_quantity)
                .map(|field| (field, Some(near))),
            (None, None) => {
                let said = self.said(start, than).to_owned();
                self.measured_by(concepts, &said)
                    .map(|(field, _)| (field, None))
            }
        };
        let (field, place) = measured?;

        let (function, words) = if self.adds_up(field) {
            (Statistic::Sum, "sum")
        } else {
            (Statistic::Mean, "mean")
        };
        self.add_measure(function, field);
        self.asked.is_measure_assumed = true;
        let said = self.said(start, than + 1).to_owned();
        let name = self.name(field);
        self.out
            .notes
            .push(format!("“{said}” compares the {words} of {name}"));
        if let Some(place) = place {
            self.take(place, place + 1);
        }
        Some(field)
    }

    fn compare_column(&mut self, field: usize, years: [i32; 2]) -> [Value; 2] {
        let values = years.map(|year| self.year_value(field, year));
        for value in &values {
            self.add_value(field, value.clone());
        }
        self.add_group(field);
        values
    }

    fn compare_dates(&mut self, field: usize, years: [i32; 2]) -> [Value; 2] {
        let [first, last] = [years[0].min(years[1]), years[0].max(years[1])]
            .map(|year| Moment::new(Some(year), Part::Year));
        self.apply_range(field, first, last, false);
        self.out.histogram = Some(Course {
            field: self.name(field).to_owned(),
            interval: "year".to_owned(),
        });
        years.map(|year| json!(year.to_string()))
    }
}

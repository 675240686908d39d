//! Tables with a column that says how many things each record is about.

use research_agents_report::claim::Statistic;

use crate::question::read::reader::Reader;
use crate::question::read::words::vocabulary::Role;
use crate::question::reading::{AnswerShape, OrderBy};

/// Names of columns that say how many things a record is about.
const TALLIES: [&str; 5] = ["count", "counts", "freq", "frequency", "n"];

/// Words for the records themselves.
const RECORDS: [&str; 6] = ["record", "records", "row", "rows", "entry", "entries"];

/// Returns whether a column of this name says how many things a record is about.
pub(crate) fn is_tally(name: &str) -> bool {
    TALLIES.contains(&name.to_lowercase().as_str())
}

impl Reader<'_, '_, '_> {
    /// Adds up that column where a question counts: *how many women were nurses* of a table with
    /// one record for each job and sex.
    pub(crate) fn settle_tallies(&mut self) {
        let says_records = (0..self.len()).any(|at| RECORDS.contains(&self.lower(at)));
        let is_counted =
            self.out.measures.is_empty() && self.out.part.is_empty() && self.out.having.is_none();
        let Some(field) = self.tally().filter(|_| is_counted && !says_records) else {
            return;
        };

        // `which jobs are there` asks for the groups alone.
        let asks_number = (0..self.len()).any(|at| self.has(at, Role::HowMany));
        match self.out.answer {
            AnswerShape::Count => self.out.answer = AnswerShape::Measure,
            AnswerShape::Groups | AnswerShape::Course | AnswerShape::Compare if asks_number => {}
            AnswerShape::TopGroup => {
                let order = self.out.order.as_mut();
                let Some(order) = order.filter(|order| order.by == OrderBy::Count) else {
                    return;
                };
                order.by = OrderBy::Measure(0);
            }
            AnswerShape::YesNo if !self.out.group_by.is_empty() => {}
            _ => return,
        }
        self.add_measure(Statistic::Sum, field);
        self.asked.is_measure_assumed = true;
        let note = format!("{} says how many each record stands for", self.name(field));
        self.out.notes.push(note);
    }

    /// Returns the only column that says how many things a record is about.
    fn tally(&self) -> Option<usize> {
        let is_tally = |field: &usize| is_tally(self.name(*field)) && self.is_quantity(*field);
        let mut tallies = (0..self.schema.fields.len()).filter(is_tally);
        let tally = tallies.next().filter(|_| tallies.next().is_none())?;

        let range = self.field(tally).facts.range.as_ref();
        let is_positive = range.is_some_and(|(low, _)| low.as_f64().is_some_and(|low| low >= 0.0));
        (is_positive && !self.out.filters.contains_key(self.name(tally))).then_some(tally)
    }
}

//! Reads comparisons of two years: `were there more storms in 2018 than in 2019`.

use research_agents_report::claim::Statistic;
use serde_json::{Value, json};

use crate::question::interpret::dates::calendar::{Moment, Part};
use crate::question::read::reader::Reader;
use crate::question::read::words::vocabulary::{Grade, Role};
use crate::question::reading::{AnswerShape, Course, Sign, YesNoTest};

impl Reader<'_, '_, '_> {
    /// Reads a comparison of the numbers of two years, which a column of years or dates tells
    /// apart.
    pub(crate) fn read_years_compared(&mut self) {
        if self.out.test.is_some() || self.read_change() {
            return;
        }
        if !self.is_yes_no() && !self.asks_how_much_more() {
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
                // `hotter` of a table without temperatures does not count records, nor does `spend
                // more`.
                None if !concepts.is_empty() || self.compares_verb(start) => return,
                None => {}
            }
        }
        self.compare_years(field, [(first, one), (second, other)], sign);
        for at in start..=than {
            if !self.may_restrict(at) {
                self.take(at, at + 1);
            }
        }
    }

    /// Returns whether what is compared is what a verb says that no number of the data measures:
    /// *did they spend more in 2020 than in 2010*.
    pub(crate) fn compares_verb(&self, comparative: usize) -> bool {
        let next = self.items.get(comparative + 1);
        let is_bare = self.has_any(comparative + 1, &[Role::In, Role::Than])
            || next.is_some_and(|next| next.moment.is_some());
        // `is the number of cars higher for`
        let is_count = (0..comparative).any(|at| self.has(at, Role::HowMany));
        let verb = self.before(comparative);
        is_bare
            && !is_count
            && verb.is_some_and(|verb| {
                let item = &self.items[verb];
                let is_title = self.schema.is_title(&self.tokens[item.start]);
                let is_word = item.roles.iter().all(|role| *role == Role::Light);
                is_word && item.fields.is_empty() && !item.used && !is_title
            })
    }

    /// Returns whether a question asks for the difference of two numbers: *how many more*, *how
    /// much higher*, *how many thousand more*.
    pub(crate) fn asks_how_much_more(&self) -> bool {
        let compares = |at: usize| {
            let degree = self.items.get(at).and_then(|item| item.degree.as_ref());
            let is_comparative = degree.is_some_and(|degree| degree.grade == Grade::Comparative);
            is_comparative || self.has_any(at, &[Role::More, Role::Less])
        };
        (0..self.len()).any(|at| {
            let asks = self.has_any(at, &[Role::HowMany, Role::HowMuch, Role::How]);
            let is_between = self.has_any(at + 1, &[Role::Stop, Role::Thousand, Role::Million]);
            asks && (compares(at + 1) || is_between && compares(at + 2))
        })
    }

    /// Reads whether, and how much, a number has changed from one year to another: *by how much did
    /// divorces rise from 1950 to 1980*, *the difference in divorces between 1950 and 1980*.
    fn read_change(&mut self) -> bool {
        let says = |roles: &[Role]| (0..self.len()).find(|at| self.has_any(*at, roles));
        let asks_much = says(&[Role::HowMuch, Role::HowMany]).is_some();
        let is_yes_no = self.is_yes_no() && !self.asks_how_much_more();
        let change = says(&[Role::Rise, Role::Fall]).filter(|_| asks_much || is_yes_no);
        let Some(change) = change.or_else(|| says(&[Role::Differ])) else {
            return false;
        };
        let year = |at: usize| {
            let moment = self.items.get(at)?.moment?;
            moment.year.filter(|_| moment.part == Part::Year)
        };
        let pair = (0..self.len()).find_map(|at| {
            let is_apart = self.has(change, Role::Differ) && self.has(at, Role::In);
            let joins = (is_apart || self.has_any(at, &[Role::From, Role::Between]))
                && self.has_any(at + 2, &[Role::To, Role::Until, Role::And]);
            let years = (at + 1, year(at + 1)?, at + 3, year(at + 3)?);
            joins.then_some(years)
        });
        // `the difference between 1950 and 1980` is one phrase.
        let pair = pair.or_else(|| {
            let is_joined = self.has(change, Role::Differ) && self.has(change + 2, Role::And);
            let years = (change + 1, year(change + 1)?, change + 3, year(change + 3)?);
            is_joined.then_some(years)
        });
        let Some((first, one, second, other)) = pair else {
            return false;
        };
        let years = [one, other].map(|year| Moment::new(Some(year), Part::Year));
        let Some((field, _)) = self.time_field(first, first + 1, &years) else {
            return false;
        };

        if self.out.measures.is_empty() && self.measure_compared(0, self.len(), &[]).is_none() {
            return false;
        }
        let sign = match self.has(change, Role::Fall) {
            true if is_yes_no => Sign::Below,
            _ => Sign::Above,
        };
        self.compare_years(field, [(second, other), (first, one)], sign);
        self.take(change, change + 1);
        self.take(first - 1, second + 1);
        if !is_yes_no {
            self.out.answer = AnswerShape::Compare;
        }
        true
    }

    /// Compares the numbers of two years, each with its item, by the field that has them.
    fn compare_years(&mut self, field: usize, pair: [(usize, i32); 2], sign: Sign) {
        let [(first, one), (second, other)] = pair;
        let said = self.said(first.min(second), first.max(second) + 1);
        let said = said.to_owned();
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
        if !said.is_empty() {
            let name = self.name(field);
            let note = format!("“{said}” compares the {words} of {name}");
            self.out.notes.push(note);
        }
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

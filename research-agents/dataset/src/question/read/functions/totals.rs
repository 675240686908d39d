//! Reads tables whose records say how many there were of something, such as arrivals by quarter and
//! country: what a question counts is the sum of that number, and not the records.

use research_agents_report::claim::Statistic;

use serde_json::Value;

use crate::data::task::FieldKind;
use crate::question::read::cut::items::FieldMatch;
use crate::question::read::reader::Reader;
use crate::question::read::words::vocabulary::{PERIODS, Role};
use crate::question::reading::{AnswerShape, Order, OrderBy, Outcome, YesNoTest};

/// Names of the number of a record that counts something, whatever other numbers there are.
const COUNTS: [&str; 8] = [
    "count",
    "counts",
    "n",
    "freq",
    "frequency",
    "cases",
    "number",
    "anzahl",
];

/// Words for the records of a table themselves.
pub(crate) const RECORDS: [&str; 12] = [
    "record",
    "records",
    "row",
    "rows",
    "entry",
    "entries",
    "line",
    "lines",
    "observation",
    "observations",
    "datapoints",
    "datensatze",
];

/// Items between a verb and *in total*.
const NEAR: usize = 6;

impl Reader<'_, '_, '_> {
    /// Reads how much was spent where one column is called a total or an amount. Where none is, the
    /// question asks for something that no field holds.
    pub(crate) fn settle_amount(&mut self) {
        const MONEY: [&str; 4] = ["money", "cash", "spend", "spent"];
        const CALLED: [&str; 2] = ["total", "amount"];
        let is_number = |name: &String| self.field_named(name).is_some_and(|f| self.is_quantity(f));
        let is_measured = !self.out.measures.is_empty()
            || self.out.wanted.iter().any(is_number)
            || self.out.order.is_some();
        let asks = |at: &usize| {
            let is_much = self.has(*at, Role::HowMuch) || self.has(*at, Role::What);
            is_much && (*at..self.len()).any(|word| MONEY.contains(&self.lower(word)))
        };
        let Some(at) = (0..self.len()).find(asks).filter(|_| !is_measured) else {
            return;
        };

        let is_called = |field: &usize| {
            let mut names = self.field(*field).words.iter();
            let name = names.find(|word| !word.is_filler);
            let is_only = self.field(*field).words.len() == 1;
            let is_called = name.is_some_and(|word| CALLED.contains(&word.lower.as_str()));
            self.is_quantity(*field) && is_only && is_called
        };
        let mut fields = (0..self.schema.fields.len()).filter(is_called);
        let word = (at..self.len()).find(|word| MONEY.contains(&self.lower(*word)));
        let said = self.said(at, word.unwrap_or(at) + 1).to_owned();
        match (fields.next(), fields.next()) {
            (Some(field), None) => {
                let name = self.name(field).to_owned();
                self.out
                    .notes
                    .push(format!("“{said}” is read as the sum of {name}"));
                self.condition(&said, Outcome::Ambiguous { fields: vec![name] });
                self.add_measure(Statistic::Sum, field);
                for word in at..self.len() {
                    if MONEY.contains(&self.lower(word)) {
                        self.take(word, word + 1);
                    }
                }
            }
            _ => self.asked.unheld.push(said),
        }
    }

    /// Returns whether a total belongs to a bound and asks for no sum: *more than 300 total
    /// points*, *more than 500 points altogether*.
    pub(crate) fn is_of_bound(&mut self, at: usize) -> bool {
        let is_sum = self.has(at, Role::Sum) || self.items[at].leading == Some(Role::Sum);
        let is_bound = |number: usize| {
            let before = self.before(number);
            let compares = [
                Role::Above,
                Role::Below,
                Role::AtLeast,
                Role::AtMost,
                Role::Exactly,
            ];
            self.items[number].number.is_some()
                && before.is_some_and(|before| self.has_any(before, &compares))
        };
        let names = |noun: usize| self.peek(noun, |r, field| r.is_quantity(field)).is_some();
        let Some(before) = self.before(at).filter(|_| is_sum && !self.breaks(at)) else {
            return false;
        };

        let is_whole = is_bound(before) && names(at);
        let number = before.checked_sub(1);
        let is_behind = names(before) && number.is_some_and(is_bound) && !names(at);
        if is_behind {
            self.take(at, at + 1);
        }
        is_whole || is_behind
    }

    /// Reads *per game* of a list of games: a mean over the records.
    pub(crate) fn read_per_record(&mut self) {
        let means = (0..self.len()).any(|at| self.has(at, Role::Mean));
        let noun = |per: usize| self.skip_roles(per + 1, &[Role::Stop, Role::Of]);
        let is_record = |noun: usize| {
            let item = self.items.get(noun);
            item.is_some_and(|item| {
                let is_word = item.end == item.start + 1 && item.fields.is_empty();
                self.schema.is_title(&self.tokens[item.start]) && is_word
            })
        };
        let measures = |per: usize| {
            let mut before = (per.saturating_sub(4)..per).rev();
            before.any(|at| self.peek(at, |r, field| r.is_quantity(field)).is_some())
        };
        let found = (1..self.len())
            .find(|per| self.has(*per, Role::Per) && is_record(noun(*per)) && measures(*per));
        let Some(per) = found else {
            return;
        };

        let noun = noun(per);
        self.take(noun, noun + 1);
        if means {
            self.take(per, per + 1);
        } else {
            self.items[per].roles = vec![Role::Mean];
        }
    }

    /// Makes *in total* a part of the name of a field that has a word of it and that a word before
    /// it means: `Total Pay` of *was paid more than 20 million in total*.
    pub(crate) fn settle_named_totals(&mut self) {
        for at in 1..self.len() {
            let last = self.tokens[self.items[at].end - 1].stem.clone();
            if !self.has(at, Role::Sum) || !self.items[at].fields.is_empty() {
                continue;
            }

            let is_total = |found: &FieldMatch| {
                let mut words = self.field(found.field).words.iter();
                words.any(|word| word.stem == last) && self.is_quantity(found.field)
            };
            let verb = (at.saturating_sub(NEAR)..at)
                .rev()
                .take_while(|before| !self.breaks(before + 1))
                .find_map(|before| {
                    let found = self.items[before]
                        .fields
                        .iter()
                        .find(|found| is_total(found))?;
                    Some((before, found.field))
                });
            if let Some((verb, field)) = verb {
                self.items[verb].fields = vec![FieldMatch::full(field)];
                self.take(at, at + 1);
            }
        }
    }

    /// Returns the field of a table of counts that says how many there were: its only quantity, or
    /// the one that is called a count.
    pub(crate) fn total_field(&self) -> Option<usize> {
        let is_quantity = |field: &usize| {
            self.is_quantity(*field) && self.field(*field).years.is_none() && !self.is_code(*field)
        };
        let quantities: Vec<usize> = (0..self.schema.fields.len()).filter(is_quantity).collect();
        let called = |field: &&usize| {
            let name = self.name(**field).to_lowercase();
            COUNTS.contains(&name.as_str()) && self.counts_things(**field)
        };

        match quantities.as_slice() {
            [only]
                if self.counts_things(*only)
                    && self.adds_up(*only)
                    && self.is_crossing_beside(*only) =>
            {
                Some(*only)
            }
            // Each thing of a table with names is a record.
            _ if self.schema.record_name().is_some() => None,
            several => several.iter().find(called).copied(),
        }
    }

    /// Returns whether the fields other than one make up the records: nearly each combination of
    /// their values has one, as each quarter with each country, while events have too many values.
    fn is_crossing_beside(&self, field: usize) -> bool {
        /// Combinations for each record at most.
        const SPARSE: u64 = 3;
        let records = self.schema.records().unwrap_or_default();
        let others = (0..self.schema.fields.len()).filter(|other| *other != field);
        let mut combinations: u64 = 1;
        for other in others {
            let distinct = self.field(other).facts.distinct.unwrap_or(u64::MAX);
            combinations = combinations.saturating_mul(distinct.max(1));
        }
        combinations <= records.saturating_mul(SPARSE)
    }

    /// Returns whether a question counts records, as *how many entries* or *how many quarters*.
    fn counts_records(&self) -> bool {
        let opening = self.asked.opening.filter(|at| self.has(*at, Role::HowMany));
        let noun = opening.map(|at| self.skip_roles(at + 1, &[Role::Stop, Role::Of, Role::All]));
        let is_period = noun.is_some_and(|noun| self.has_any(noun, PERIODS));
        let names_field = noun
            .and_then(|noun| self.items.get(noun)?.fields.first())
            .is_some_and(|best| best.is_full && Some(best.field) != self.total_field());
        let says_records = (0..self.len()).any(|at| RECORDS.contains(&self.lower(at)));
        is_period || names_field || says_records
    }

    /// Measures the sum of what the records of a table of counts count, where a question would
    /// count the records.
    pub(crate) fn settle_total(&mut self) {
        let counts = match self.out.answer {
            AnswerShape::Count | AnswerShape::Course | AnswerShape::Compare => true,
            AnswerShape::Groups => self.out.wanted.is_empty(),
            AnswerShape::TopGroup => {
                let order = self.out.order.as_ref();
                order.is_some_and(|order| order.by == OrderBy::Count)
                    && !(0..self.len()).any(|at| self.has(at, Role::Common))
            }
            AnswerShape::YesNo => self.compares_counts(),
            _ => false,
        };
        let is_free = self.out.measures.is_empty() && self.out.having.is_none();
        if !counts || !is_free || self.counts_records() {
            return;
        }
        let Some(field) = self.total_field() else {
            return;
        };
        let name = self.name(field).to_owned();
        if self.out.filters.contains_key(&name) || self.out.part.contains_key(&name) {
            return;
        }

        let measure = self.add_measure(Statistic::Sum, field);
        self.out.mentioned.retain(|known| *known != name);
        self.out
            .notes
            .push(format!("what is counted is the sum of {name}"));
        match (&self.out.answer, &self.out.order) {
            (AnswerShape::Count, _) => self.out.answer = AnswerShape::Measure,
            (AnswerShape::TopGroup, Some(order)) => {
                self.out.order = Some(Order {
                    by: OrderBy::Measure(measure),
                    ..order.clone()
                });
            }
            _ => {}
        }
    }

    /// Takes back the sum of what no record that is meant has: *how many shootings killed no one*
    /// counts shootings.
    pub(crate) fn drop_sums_of_nothing(&mut self) {
        let filters = &self.out.filters;
        let is_zero = |name: &String| filters.get(name).and_then(Value::as_i64) == Some(0);
        self.out
            .measures
            .retain(|measure| measure.function != Statistic::Sum || !is_zero(&measure.field));
    }

    /// Adds up the one column of counts that a count names and that nothing came of: *incendies
    /// criminels (arson)* of `Arson`, *the total number of stroke deaths* of `Deaths`.
    pub(crate) fn settle_counted_mention(&mut self) {
        // `share of counties with …`: each record is one.
        if let Some(share) = self.asked.share
            && let Some(name) = self.schema.name_field()
        {
            let noun = self.skip_roles(share + 1, &[Role::Of, Role::Stop]);
            let is_said = self.items.get(noun).is_some_and(|item| {
                let stem = &self.tokens[item.start].stem;
                let mut words = self.field(name).words.iter();
                words.any(|word| word.stem == *stem)
            });
            let name = self.name(name).to_owned();
            self.out
                .mentioned
                .retain(|field| !is_said || *field != name);
        }
        let is_count = self.out.answer == AnswerShape::Count && self.out.having.is_none();
        // `in how many countries was the population shrinking`
        let opening = self.asked.opening.and_then(|at| at.checked_sub(1));
        let is_in = opening.is_some_and(|before| self.has(before, Role::In));
        if !is_count || is_in || !self.out.measures.is_empty() || self.counts_records() {
            return;
        }
        let mentioned = self.out.mentioned.iter();
        let mentioned: Vec<usize> = mentioned
            .filter_map(|name| self.field_named(name))
            .collect();
        let counted = mentioned.iter().copied();
        let counted: Vec<usize> = counted
            .filter(|field| self.counts_things(*field) && self.is_what_is_counted(*field))
            .collect();
        if counted.is_empty()
            && let &[field] = mentioned.as_slice()
        {
            self.settle_having_some(field);
        }
        let &[field] = counted.as_slice() else {
            return;
        };

        let name = self.name(field).to_owned();
        self.out.mentioned.retain(|known| *known != name);
        self.add_measure(Statistic::Sum, field);
        self.asked.is_measure_assumed = true;
        self.out.answer = AnswerShape::Measure;
        self.out
            .notes
            .push(format!("what is counted is the sum of {name}"));
    }

    /// Reads *how many bookings had children*: those with more than none of what a field counts.
    fn settle_having_some(&mut self, field: usize) {
        let names = |at: &usize| {
            self.items[*at]
                .fields
                .iter()
                .any(|found| found.field == field)
        };
        let place = (0..self.len()).find(names);
        let skipped = [Role::Stop, Role::All];
        let before =
            place.and_then(|place| (0..place).rev().find(|at| !self.has_any(*at, &skipped)));
        let has = before.is_some_and(|before| {
            let verbs = ["had", "has", "have", "with", "having", "got"];
            verbs.contains(&self.lower(before)) && !self.negated[before]
        });
        let facts = self.field(field).facts;
        let is_whole = facts.range.as_ref().is_some_and(|(_, high)| high.is_i64());
        let counts = self.is_quantity(field) && self.lacks_by_zero(field) && is_whole;
        let Some(place) = place.filter(|_| has && counts) else {
            return;
        };

        let name = self.name(field).to_owned();
        let said = self.said(place, place + 1).to_owned();
        self.out.mentioned.retain(|known| *known != name);
        self.add_part(field, "gt", Value::from(0));
        self.note_filter(place, &said, field);
    }

    /// Returns whether a field is named with the noun of *how many*, and not by a phrase that says
    /// more of it: *how many restaurants have reviews* does not count the reviews.
    fn is_what_is_counted(&self, field: usize) -> bool {
        let Some(opening) = self.asked.opening else {
            return false;
        };
        let names = |at: &usize| {
            self.items[*at]
                .fields
                .iter()
                .any(|found| found.field == field)
        };
        let place = (opening + 1..self.len()).find(names);

        place.is_some_and(|place| {
            (opening + 1..place).all(|at| {
                let roles = &self.items[at].roles;
                let is_phrase =
                    |role: &Role| matches!(role, Role::Stop | Role::Of | Role::All | Role::Generic);
                roles.iter().all(is_phrase)
            })
        })
    }

    /// Returns the quantity of a table with a column for each kind, which *in* names after a place:
    /// `retail_trade` of `the most people working in retail`.
    pub(crate) fn column_of_kind(&self, from: usize) -> Option<(usize, usize)> {
        (from..self.len()).find_map(|at| {
            let item = &self.items[at];
            let is_named = item.fields.first().is_some_and(|best| best.score >= 500);
            let follows_in = self
                .before(at)
                .is_some_and(|before| self.has(before, Role::In));
            let is_column = |r: &Self, field: usize| {
                r.is_quantity(field) && r.field(field).years.is_none() && !r.is_code(field)
            };
            let field = self.peek(at, is_column)?;
            (is_named && follows_in && !item.used && item.values.is_empty()).then_some((at, field))
        })
    }

    /// Reads `how many people worked in construction in June 2010`: the number of a column, at the
    /// time that is named. Returns whether it does.
    pub(crate) fn read_column_of_kind(&mut self) -> bool {
        let opening = self.asked.opening.filter(|at| self.has(*at, Role::HowMany));
        let Some(opening) = opening.filter(|_| self.out.measures.is_empty()) else {
            return false;
        };
        let is_time = |name: &String| {
            let field = self.field_named(name);
            field.is_some_and(|field| {
                self.kind(field) == FieldKind::Date || self.field(field).years.is_some()
            })
        };
        let noun = self.skip_roles(opening + 1, &[Role::Stop, Role::Of]);
        let is_word = self.items.get(noun).is_some_and(|item| {
            item.fields.iter().all(|found| !found.is_full) && item.values.is_empty()
        });
        if !is_word || !self.out.filters.keys().any(is_time) {
            return false;
        }
        let Some((at, field)) = self.column_of_kind(noun + 1) else {
            return false;
        };

        let function = match self.adds_up(field) {
            true => Statistic::Sum,
            false => Statistic::Mean,
        };
        self.add_measure(function, field);
        self.asked.is_measure_assumed = true;
        let said = self.said(at, at + 1).to_owned();
        self.derive(&said, &format!("the number of {}", self.name(field)));
        self.take(at, at + 1);
        true
    }

    /// Measures the sum whose share is asked for, in a table of counts.
    pub(crate) fn measure_total_of_share(&mut self) {
        let is_free = self.out.measures.is_empty() && self.out.group_by.is_empty();
        let is_asked = self.asked.share.is_some() && !self.counts_records();
        if let Some(field) = self.total_field().filter(|_| is_free && is_asked) {
            let name = self.name(field).to_owned();
            if !self.out.filters.contains_key(&name) {
                self.add_measure(Statistic::Sum, field);
            }
        }
    }

    /// Returns whether a yes-no question compares the numbers of records of groups or times.
    fn compares_counts(&self) -> bool {
        matches!(
            self.out.test,
            Some(YesNoTest::Groups { .. } | YesNoTest::Trend { .. })
        )
    }
}

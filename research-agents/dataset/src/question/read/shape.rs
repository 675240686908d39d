//! Settles the shape of the answer from what was read.

pub(crate) mod fragments;
pub(crate) mod listing;
pub(crate) mod tallies;
pub(crate) mod yes_no;

use research_agents_report::claim::Statistic;
use serde_json::Value;

use crate::data::filters::operation::Operation;
use crate::data::record::Object;
use crate::question::read::order::superlative::NO_DIFFERENCES;
use crate::question::read::reader::Reader;
use crate::question::read::words::concepts::concepts;
use crate::question::read::words::vocabulary::Role;
use crate::question::reading::{AnswerShape, Measure, Order, OrderBy, Sign, YesNoTest};

impl Reader<'_, '_, '_> {
    pub(crate) fn settle_shape(&mut self) {
        let opener = self.opener();
        let says = |r: &Self, roles: &[Role]| (0..r.len()).any(|at| r.has_any(at, roles));

        self.measure_total_of_share();
        self.drop_sums_of_nothing();
        if let [first, second] = self.asked.relation[..] {
            self.settle_relation(first, second);
        } else if self.is_share_of_part_sum() && self.settle_share() {
            self.out.answer = AnswerShape::Share;
        } else if let Some(said) = self.share_of_a_sum() {
            // The share of the records would be another number.
            self.refused(&said, "a share of a sum is not computed");
            self.settle_measures();
        } else if self.asked.share.is_some() && self.settle_share() {
            self.out.answer = AnswerShape::Share;
        } else if self.asked.share.is_some() && !self.has_shares_of_groups() {
            let share = self.asked.share.unwrap_or_default();
            let said = self.said(share, share + 1).to_owned();
            self.refused(
                &said,
                "it is not clear which part of which whole is asked for",
            );
            self.settle_measures();
        } else if matches!(
            self.out.answer,
            AnswerShape::TopGroup | AnswerShape::Record | AnswerShape::Range
        ) {
            self.release_asked_record();
        } else if self.settle_rate() {
            // Shares are compared.
        } else if matches!(self.out.test, Some(YesNoTest::Groups { .. }))
            && (self.out.answer == AnswerShape::Compare || self.asks_how_much_more())
        {
            self.out.answer = AnswerShape::Compare;
        } else if self.is_yes_no() {
            self.settle_yes_no();
        } else if let Some(field) = self.text_of_selected(opener) {
            self.list_field(field, opener);
        } else if let Some(field) = self.number_of_some_named() {
            self.list_field(field, opener);
        } else if self.names_fields_apart() && self.compare_columns() {
            self.settle_measures();
        } else if let Some(field) = self.asked.distinct {
            self.settle_distinct(field);
        } else if self.chooses_between_columns() && self.compare_columns() {
            // Both columns are measured.
        } else if !self.out.measures.is_empty() {
            self.settle_measures();
        } else if self.asks_number_of_record() {
            // `how many internet users does Kenya have`
            self.out.answer = AnswerShape::List;
        } else if self.asks_how_much_more() && self.compare_columns() {
            self.out.test = Some(YesNoTest::Measures { sign: Sign::Above });
            self.out.answer = AnswerShape::Compare;
        } else if self.read_column_of_kind() {
            self.settle_measures();
        } else if self.has_any(opener, &[Role::HowMany]) || self.asks_count() {
            self.out.answer = self.grouped().unwrap_or(AnswerShape::Count);
            self.cross_alternatives();
            self.compare_counts();
        } else if says(self, &[Role::Compare, Role::Versus, Role::Differ]) && self.settle_compare()
        {
            self.out.answer = AnswerShape::Compare;
        } else if let Some(shape) = self.grouped() {
            self.add_wanted_measure();
            self.out.answer = shape;
        } else if self.names_what_is_counted(opener) && self.read_counted_phrase() {
            match self.number_of_some_named() {
                Some(field) => self.list_field(field, opener),
                None => self.settle_measures(),
            }
        } else {
            self.settle_list(opener);
            if let Some(share) = self.asked.share {
                let said = self.said(share, share + 1).to_owned();
                self.refused(
                    &said,
                    "it is not clear which part of which whole is asked for",
                );
            }
        }
        self.settle_difference();
        self.settle_total();
    }

    /// Asks for the difference of the two values, or of the two fields, that a comparison is
    /// between.
    fn settle_difference(&mut self) {
        let differ = (0..self.len()).find(|at| self.has(*at, Role::Differ));
        let differ = differ.filter(|_| !self.asked.has_computed);
        let says = differ.is_some();
        if says && self.measures_two_fields() {
            self.out.test = Some(YesNoTest::Measures { sign: Sign::Above });
            self.out.answer = AnswerShape::Compare;
            return;
        }

        let is_ranked = matches!(self.out.answer, AnswerShape::TopGroup | AnswerShape::Record);
        if let Some(differ) = differ.filter(|_| is_ranked || self.names_fields_apart()) {
            let said = self.said(differ, differ + 1).to_owned();
            self.refused(&said, NO_DIFFERENCES);
            return;
        }

        let is_asked = says && !self.out.measures.is_empty() || self.asks_how_much_more();
        let [field] = self.out.group_by.as_slice() else {
            return;
        };
        let is_compared = self.out.answer == AnswerShape::Compare && self.out.test.is_none();
        if let Some(Value::Array(values)) = self.out.filters.get(field).filter(|_| is_asked)
            && let [one, other] = values.as_slice()
            && is_compared
        {
            self.out.test = Some(YesNoTest::Groups {
                field: field.clone(),
                values: [one.clone(), other.clone()],
                sign: Sign::Above,
            });
        }
    }

    /// Returns whether a question names two quantities that are apart: *the difference between
    /// price and cost*.
    fn names_fields_apart(&self) -> bool {
        const BETWEEN: &[Role] = &[Role::Stop, Role::Between, Role::Of, Role::In];
        let is_quantity = |at: usize| {
            let field = self.peek(at, |r, field| r.is_quantity(field));
            let mut names = self.items.get(at).into_iter().flat_map(|item| &item.fields);
            field.is_some_and(|field| names.any(|found| found.field == field && found.is_full))
        };
        (0..self.len()).any(|at| {
            let first = self.skip_roles(at + 1, BETWEEN);
            let second = self.skip_roles(first + 2, BETWEEN);
            let is_joined = self.has(at, Role::Differ) && self.has(first + 1, Role::And);
            is_joined && is_quantity(first) && is_quantity(second)
        })
    }

    /// Returns whether one statistic of two fields is asked for, over all records together.
    fn measures_two_fields(&self) -> bool {
        let is_whole = self.out.answer == AnswerShape::Measure
            && self.out.test.is_none()
            && self.out.group_by.is_empty();
        let [one, other] = self.out.measures.as_slice() else {
            return false;
        };
        is_whole && one.function == other.function && one.field != other.field
    }

    /// Returns whether the question asks which share some records have of the sum of a field
    /// without negative numbers: `what share of total sales comes from the West`.
    fn is_share_of_part_sum(&self) -> bool {
        let [measure] = self.out.measures.as_slice() else {
            return false;
        };
        let range = self
            .field_named(&measure.field)
            .and_then(|field| self.field(field).facts.range.as_ref());
        let is_positive = range.is_some_and(|(low, _)| low.as_f64().is_some_and(|low| low >= 0.0));
        self.share_of_a_sum().is_some()
            && measure.function == Statistic::Sum
            && is_positive
            && self.out.group_by.is_empty()
            && !self.out.filters.is_empty()
            && self.out.search.is_empty()
    }

    /// Returns the words for a share of the sum of a field, as in `what share of total sales`.
    fn share_of_a_sum(&self) -> Option<String> {
        let share = self.asked.share?;
        let is_sum = |measure: &Measure| measure.function == Statistic::Sum;
        self.out
            .measures
            .iter()
            .any(is_sum)
            .then(|| self.said(share, share + 1).to_owned())
    }

    /// Returns whether groups were read, each of which is a share of the whole.
    fn has_shares_of_groups(&self) -> bool {
        !self.out.group_by.is_empty() || self.out.measures.is_empty()
    }

    /// Returns whether the question asks for a number of records without measures.
    fn asks_count(&self) -> bool {
        let is_count = (0..self.len().min(6))
            .any(|at| self.has(at, Role::HowMany) && !self.has_any(at, &[Role::Light]));
        is_count && self.out.wanted.is_empty()
    }

    /// Returns the shape of groups, if the question asks for groups.
    fn grouped(&self) -> Option<AnswerShape> {
        let is_year = self.out.group_by.first().is_some_and(|name| {
            self.field_named(name)
                .is_some_and(|field| self.field(field).years.is_some())
        });
        if self.out.histogram.is_some() && self.out.group_by.is_empty()
            || is_year && self.out.group_by.len() == 1
        {
            return Some(AnswerShape::Course);
        }
        (!self.out.group_by.is_empty()).then_some(AnswerShape::Groups)
    }

    fn settle_relation(&mut self, first: usize, second: usize) {
        let names = [self.name(first).to_owned(), self.name(second).to_owned()];
        if self.is_number(first) && !self.is_number(second) {
            let known = self
                .out
                .measures
                .iter()
                .any(|measure| measure.field == names[0]);
            if !known {
                self.add_measure(Statistic::Mean, first);
            }
            self.out.group_by.clear();
            self.add_group(second);
        } else if !self.is_number(first) {
            self.out.group_by = names.to_vec();
        } else {
            self.out
                .measures
                .retain(|measure| !names.contains(&measure.field));
        }

        if self.is_yes_no() {
            self.out.test = Some(YesNoTest::Related {
                fields: names.clone(),
                together: self.asked.together,
            });
            self.out.answer = AnswerShape::YesNo;
        } else {
            self.out.answer = AnswerShape::Relation { fields: names };
        }
    }

    /// Splits the conditions of a share into those of the whole and those of the part. `share of X
    /// that are Y`, `what share of X is Y`: the last condition is of the part, the others of the
    /// whole; a single one is of the part.
    fn settle_share(&mut self) -> bool {
        self.read_share_with_a_value();
        let mut order: Vec<String> = Vec::new();
        for (_, name) in &self.asked.filter_items {
            if self.out.filters.contains_key(name) && !order.contains(name) {
                order.push(name.clone());
            }
        }
        if order.is_empty() {
            return !self.out.group_by.is_empty();
        }

        let last_of = |name: &String| {
            self.asked
                .filter_items
                .iter()
                .filter(|(_, n)| n == name)
                .map(|(at, _)| *at)
                .max()
                .unwrap_or(0)
        };
        // `share of items over 1000 mg`: what is compared is the part.
        let is_compared = |name: &&String| {
            let is_computed = self.asked.has_computed && Operation::split(name).is_some();
            is_computed || self.out.filters.get(*name).is_some_and(is_range)
        };
        let compared: Vec<String> = order.iter().filter(is_compared).cloned().collect();
        // The verb divides: what comes after it is the part.
        let verb = (0..self.len()).find(|&at| {
            self.asked.share.is_some_and(|share| at > share)
                && (self.has_any(at, &[Role::Is, Role::With, Role::Without, Role::Whose])
                    || matches!(self.lower(at), "that" | "who" | "which"))
        });
        let verb = verb.or_else(|| self.verb_of_share());
        let part: Vec<String> = match verb {
            None if !compared.is_empty() && compared.len() < order.len() => compared,
            Some(verb) if order.iter().any(|name| last_of(name) > verb) && order.len() > 1 => order
                .iter()
                .filter(|name| last_of(name) > verb)
                .cloned()
                .collect(),
            _ => {
                let is_of = self.out.group_by.is_empty() && order.len() > 1;
                let last = order.iter().max_by_key(|name| last_of(name)).cloned();
                // `the share of women in first class`: the first one is the part.
                let first = order.iter().min_by_key(|name| last_of(name)).cloned();
                let is_truth = last.as_ref().is_some_and(|name| {
                    self.field_named(name)
                        .is_some_and(|field| self.field(field).truth.is_some())
                });
                if is_of && verb.is_none() && !is_truth {
                    first.into_iter().collect()
                } else {
                    last.into_iter().collect()
                }
            }
        };
        let mut moved = Object::new();
        for name in part {
            if let Some(condition) = self.out.filters.remove(&name) {
                moved.insert(name, condition);
            }
        }
        self.out.part = moved;
        true
    }

    /// Returns the place of a verb that no vocabulary knows, after the noun of a share: *suffer* of
    /// `what percentage of the nurses suffer from apnea`.
    fn verb_of_share(&self) -> Option<usize> {
        let share = self.asked.share?;
        let of = (share + 1..self.len()).find(|at| self.has(*at, Role::Of))?;
        let noun = self.skip_roles(of, &[Role::Of, Role::Stop, Role::All]);
        let verb = noun + 1;
        let item = self.items.get(verb).filter(|_| !self.breaks(verb))?;
        let (noun, word) = (self.lower(noun), self.lower(verb));
        let is_plural = noun.ends_with('s') && !word.ends_with('s');
        let is_past = word.ends_with("ed");
        let is_verb = concepts().is_verb(word) || is_plural || is_past;
        let is_free = !item.used && item.values.is_empty() && item.number.is_none();
        (self.vocabulary.code == "en" && is_free && item.roles.is_empty() && is_verb)
            .then_some(verb)
    }

    /// Reads `what share of the brands has guidelines`: the part is what has a value of a field.
    fn read_share_with_a_value(&mut self) {
        let Some(share) = self
            .asked
            .share
            .filter(|_| self.asked.filter_items.is_empty())
        else {
            return;
        };

        let has = (share + 1..self.len()).find(|at| {
            self.has(*at, Role::With) || matches!(self.lower(*at), "has" | "have" | "had")
        });
        let Some(has) = has else {
            return;
        };
        let place = self.skip_roles(has + 1, &[Role::Stop, Role::Of]);
        let is_last = place + 1 >= self.len() || self.breaks(place + 1);
        let Some(field) = self.choose(place, |_, _| true).filter(|_| is_last) else {
            return;
        };
        let said = self.said(has, place + 1).to_owned();
        self.require(field);
        self.note_filter(place, &said, field);
        self.take(has, place + 1);
    }

    /// Returns the item that names a number which nothing has used.
    pub(crate) fn named_number(&self) -> Option<usize> {
        let is_number = |r: &Self, field: usize| {
            r.is_number(field) && r.field(field).truth.is_none() && r.field(field).years.is_none()
        };
        (0..self.len()).find(|at| !self.items[*at].used && self.peek(*at, is_number).is_some())
    }

    /// Measures the number that is named where a test needs one.
    fn add_wanted_measure(&mut self) {
        if !self.out.measures.is_empty() {
            return;
        }

        if let Some(at) = self.named_number()
            && let Some(field) = self.choose(at, |r, f| {
                r.is_number(f) && r.field(f).truth.is_none() && r.field(f).years.is_none()
            })
        {
            let function = if self.adds_up(field) {
                Statistic::Sum
            } else {
                Statistic::Mean
            };
            self.add_measure(function, field);
            self.note_assumed(function, field);
            self.take(at, at + 1);
        }
    }

    fn note_assumed(&mut self, function: Statistic, field: usize) {
        self.asked.is_measure_assumed = true;
        let name = self.name(field);
        let function = crate::question::read::functions::function_name(function);
        self.out
            .notes
            .push(format!("{name} is read as its {function}"));
    }

    fn settle_distinct(&mut self, field: usize) {
        let name = self.name(field).to_owned();
        self.out.measures.insert(
            0,
            Measure {
                function: Statistic::Distinct,
                field: name.clone(),
            },
        );

        self.out.answer = if self.out.group_by.is_empty() {
            AnswerShape::Distinct
        } else {
            AnswerShape::Groups
        };
        let gives = format!("the number of different values of {name}");
        let said = self
            .asked
            .opening
            .map(|at| self.said(at, at + 1).to_owned())
            .unwrap_or_default();
        self.derive(&said, &gives);
    }

    fn settle_measures(&mut self) {
        if self.out.answer == AnswerShape::Measure
            && self.out.group_by.is_empty()
            && self.out.histogram.is_none()
        {
            return;
        }
        self.out.answer = self.grouped().unwrap_or(AnswerShape::Measure);
        if self.out.answer == AnswerShape::Measure && self.settle_compare() {
            self.out.answer = AnswerShape::Compare;
        }
    }

    /// Groups by a field of which several values are named, so that they can be compared.
    fn settle_compare(&mut self) -> bool {
        let Some((field, _)) = self.alternatives() else {
            return !self.out.group_by.is_empty();
        };
        if !self.out.group_by.contains(&field) {
            self.out.group_by.insert(0, field);
        }
        let says = (0..self.len())
            .any(|at| self.has_any(at, &[Role::Compare, Role::Versus, Role::Differ]));
        if says {
            self.add_wanted_measure();
        }
        true
    }

    /// Groups by the field of named alternatives too: *how many males and females in each class*.
    fn cross_alternatives(&mut self) {
        let joined = (0..self.len()).any(|at| self.has(at, Role::And));
        if self.out.answer == AnswerShape::Groups
            && joined
            && let Some((field, _)) = self.alternatives()
            && !self.out.group_by.contains(&field)
        {
            self.out.group_by.push(field);
        }
    }

    /// Shows the counts of several values each, where they are compared.
    fn compare_counts(&mut self) {
        let says = (0..self.len())
            .any(|at| self.has_any(at, &[Role::Compare, Role::Versus, Role::Differ]));
        if self.out.answer == AnswerShape::Count && says && self.settle_compare() {
            self.out.answer = AnswerShape::Compare;
        }
    }

    /// Notes the fields that are named and were used by nothing.
    pub(crate) fn settle_mentions(&mut self) {
        self.want_named(false);
        let used: Vec<String> = self
            .out
            .group_by
            .iter()
            .chain(&self.out.wanted)
            .cloned()
            .chain(
                self.out
                    .measures
                    .iter()
                    .map(|measure| measure.field.clone()),
            )
            .collect();
        self.out.mentioned.retain(|name| !used.contains(name));
    }

    /// Orders a course over years by the year.
    pub(crate) fn settle_order(&mut self) {
        let fulfilling = self.out.having.as_ref().map(|having| {
            let highest = !matches!(having.sign, Sign::Below | Sign::AtMost);
            (having.measure, highest)
        });
        if let Some((measure, highest)) = fulfilling.filter(|_| self.out.order.is_none()) {
            self.out.order = Some(Order {
                by: measure.map_or(OrderBy::Count, OrderBy::Measure),
                highest,
                limit: None,
            });
        }
        if let Some(highest) = self.asked.direction.filter(|_| self.out.order.is_none()) {
            let by = if self.out.measures.is_empty() {
                OrderBy::Count
            } else {
                OrderBy::Measure(0)
            };
            self.out.order = Some(Order {
                by,
                highest,
                limit: None,
            });
        }

        if self.out.answer == AnswerShape::Course
            && self.out.order.is_none()
            && self.out.histogram.is_none()
        {
            self.out.order = Some(Order {
                by: OrderBy::Key,
                highest: false,
                limit: None,
            });
        }
    }

    /// Sorts alternatives into the order of the schema.
    pub(crate) fn settle_alternatives(&mut self) {
        for field in &self.schema.fields {
            if let Some(Value::Array(values)) = self.out.filters.get_mut(&field.facts.name) {
                let is_listed =
                    |value: &Value| field.facts.values.iter().position(|listed| listed == value);
                values.sort_by_key(is_listed);
            }
        }
    }
}

/// Returns whether a condition compares with a number.
fn is_range(condition: &Value) -> bool {
    let has = |key: &str| condition.get(key).is_some_and(Value::is_number);
    ["gt", "gte", "lt", "lte"].into_iter().any(has)
}

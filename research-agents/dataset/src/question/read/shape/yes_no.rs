//! Settles what a question that is answered by yes or no tests.

use research_agents_report::claim::Statistic;
use serde_json::Value;

use crate::question::read::reader::Reader;
use crate::question::read::words::vocabulary::{Grade, Role};
use crate::question::reading::{AnswerShape, Measure, Outcome, Sign, YesNoTest};

impl Reader<'_, '_, '_> {
    pub(crate) fn settle_yes_no(&mut self) {
        self.out.answer = AnswerShape::YesNo;
        if self.out.test.is_some() {
            return;
        }
        let rises = (0..self.len())
            .find(|&at| self.has_any(at, &[Role::Rise, Role::Fall]) && !self.items[at].used);
        if let Some(at) = rises {
            self.add_wanted_measure();
            if self.out.histogram.is_none() && self.out.group_by.is_empty() {
                self.read_trend(at);
            }
            let rises = self.has(at, Role::Rise);
            self.take(at, at + 1);
            if self.out.histogram.is_some() || !self.out.group_by.is_empty() {
                self.out.test = Some(YesNoTest::Trend { rises });
            }
            return;
        }
        if self.tests_trend_of_degree() {
            return;
        }
        let is_fixed = self
            .out
            .measures
            .first()
            .is_some_and(|measure| self.out.filters.contains_key(&measure.field));
        if let Some((sign, number)) = self.asked.threshold.filter(|_| !is_fixed) {
            self.out.test = Some(YesNoTest::Threshold { sign, number });
            return;
        }
        let says = |roles: &[Role]| (0..self.len()).any(|at| self.has_any(at, roles));
        // `does price differ between red and blue`, `is price different for red and blue`
        let is_apart = says(&[Role::By, Role::Distinct])
            && self.alternatives().is_some()
            && self.named_number().is_some();
        let compares = is_apart || says(&[Role::Differ, Role::Compare, Role::Same]);

        if compares
            && (!self.out.measures.is_empty()
                || self.alternatives().is_some()
                || !self.out.group_by.is_empty())
        {
            self.settle_compare();
            self.add_wanted_measure();
            if !self.out.group_by.is_empty() {
                self.out.answer = AnswerShape::Compare;
                return;
            }
        }
        if !self.out.group_by.is_empty() && self.out.filters.is_empty() {
            self.add_wanted_measure();
            self.out.answer = AnswerShape::Compare;
            return;
        }
        let all = (0..self.len().min(4))
            .find(|at| self.has(*at, Role::All) && !matches!(self.lower(*at), "any"));
        if all.is_some() && !self.out.filters.is_empty() {
            let last = self
                .asked
                .filter_items
                .iter()
                .rev()
                .map(|(_, name)| name.clone())
                .next();
            if let Some(name) = last
                && let Some(condition) = self.out.filters.remove(&name)
            {
                self.out.part.insert(name, condition);
                self.out.test = Some(YesNoTest::All);
                return;
            }
        }
        let compared = (0..self.len()).find(|at| !self.items[*at].used && self.compares(*at));
        let has_or = (0..self.len()).any(|at| self.has(at, Role::Or));
        if let Some(at) = compared.filter(|_| has_or)
            && let Some((field, _)) = self.alternatives()
        {
            // `higher in Austin or in Dallas`
            let degree = self.items[at].degree.as_ref();
            let highest = degree.map_or(!self.has(at, Role::Less), |degree| degree.high);
            self.add_wanted_measure();
            self.out.group_by = vec![field];
            self.asked.direction = Some(highest);
            self.out.answer = AnswerShape::Groups;
            return;
        }
        if let Some(at) = compared
            && self.compare_columns()
        {
            let degree = self.items[at].degree.as_ref();
            let is_more = degree.map_or(!self.has_any(at, &[Role::Less, Role::Below]), |d| d.high);
            let sign = if is_more { Sign::Above } else { Sign::Below };
            // `more votes than`: what the columns count.
            let than = (at + 1..self.len()).find(|k| self.has(*k, Role::Than));
            let between = at + 1..than.unwrap_or(at + 1).min(at + 3);
            let counted: Vec<String> = between
                .filter(|k| self.items[*k].fields.is_empty())
                .map(|k| self.said(k, k + 1).to_owned())
                .collect();
            self.out.unread.retain(|word| !counted.contains(word));
            self.out
                .conditions
                .retain(|condition| !counted.contains(&condition.said));
            // With other words between, it is not sure that the columns are what is compared.
            if self.out.measures.len() == 2 && self.out.unread.is_empty() {
                self.out.answer = AnswerShape::YesNo;
                self.out.test = Some(YesNoTest::Measures { sign });
            }
            return;
        }
        if let Some(at) = compared {
            // Records that exist answer no comparison.
            let said = self.said(at, (at + 2).min(self.len())).to_owned();
            self.refused(&said, "it is not clear what is compared");
            self.out.answer = AnswerShape::Overview;
            return;
        }
        if !self.asks_existence() {
            // That there are records answers nothing.
            self.out.answer = AnswerShape::Overview;
            return;
        }
        self.out.test = Some(YesNoTest::Exists);
    }

    /// Ranks all records where a question asks of one whether it is the first: *is Avatar the most
    /// expensive film?*
    pub(crate) fn release_asked_record(&mut self) {
        let name = self
            .schema
            .record_name()
            .or_else(|| self.schema.name_field());
        let name = name.filter(|_| self.is_yes_no() && self.out.answer == AnswerShape::Record);
        let Some(name) = name.map(|name| self.name(name).to_owned()) else {
            return;
        };
        if !self.out.filters.get(&name).is_some_and(Self::is_single) {
            return;
        }

        self.out.filters.remove(&name);
        self.out.conditions.retain(|condition| {
            let field = match &condition.outcome {
                Outcome::Applied { field } => field,
                Outcome::Ambiguous { fields } => &fields[0],
                Outcome::NotApplied { .. } => return true,
            };
            *field != name
        });
        self.out.notes.push(format!(
            "The record with that {name} is compared with all others."
        ));
    }

    /// Reads `have they become older over the years`: a course of the number that the adjective
    /// measures.
    fn tests_trend_of_degree(&mut self) -> bool {
        let is_course = self.out.histogram.is_some() || self.out.group_by.len() == 1;
        let has_than = (0..self.len()).any(|at| self.has(at, Role::Than));
        let degree = self.items.iter().position(|item| {
            let degree = item.degree.as_ref();
            !item.used && degree.is_some_and(|degree| degree.grade == Grade::Comparative)
        });
        let Some(at) = degree.filter(|_| is_course && !has_than) else {
            return false;
        };
        let Some(degree) = self.items[at].degree.clone() else {
            return false;
        };

        let said = self.said(at, at + 1).to_owned();
        let Some((field, false)) = self.measured_by(&degree.concepts, &said) else {
            return false;
        };
        if self
            .out
            .group_by
            .iter()
            .any(|name| name == self.name(field))
        {
            return false;
        }
        self.add_measure(Statistic::Mean, field);
        self.take(at, at + 1);
        self.out.test = Some(YesNoTest::Trend { rises: degree.high });
        true
    }

    /// Returns whether a question such as *which is dearer, tea from Mombasa or from Kolkata*
    /// compares what it names.
    pub(crate) fn chooses_between_columns(&self) -> bool {
        let has_or = (0..self.len()).any(|at| self.has(at, Role::Or));
        has_or && self.out.group_by.is_empty() && (0..self.len()).any(|at| self.compares(at))
    }

    /// Measures two columns that are compared, as in *did Coderre get more votes than Bergeron*. A
    /// column that was taken for a value of another one is a column again.
    pub(crate) fn compare_columns(&mut self) -> bool {
        let mut columns: Vec<(usize, usize)> = Vec::new();
        for at in 0..self.len() {
            if let Some(field) = self.column_told(at)
                && columns.iter().all(|(known, _)| *known != field)
            {
                columns.push((field, at));
            }
        }
        let [(first, one), (second, other)] = columns[..] else {
            return false;
        };

        let says_mean = |measure: &Measure| measure.function == Statistic::Mean;
        let is_mean = self.out.measures.iter().any(says_mean);
        self.out.measures.clear();
        for (field, at) in [(first, one), (second, other)] {
            let said = self.said(at, at + 1).to_owned();
            let is_value = |filter: &Value| {
                filter
                    .as_str()
                    .is_some_and(|value| value.eq_ignore_ascii_case(&said))
            };
            self.out.filters.retain(|_, filter| !is_value(filter));
            let adds_up = self.adds_up(first) && self.adds_up(second);
            let counts = (0..self.len()).any(|at| self.has_any(at, &[Role::More, Role::Less]));
            let averages = self.asked.functions.is_empty() && counts;
            let function = if !is_mean && (adds_up || averages) {
                Statistic::Sum
            } else {
                Statistic::Mean
            };
            self.add_measure(function, field);
            self.take(at, at + 1);
        }
        self.asked.functions.clear();
        self.out.answer = AnswerShape::Measure;
        true
    }

    /// Returns the column of quantities that an item names: in full or for the most part, or by a
    /// word that no other field has in its name, as *Kolkata* of `tea_kolkata`.
    pub(crate) fn column_told(&self, at: usize) -> Option<usize> {
        let field = self.peek(at, |r, field| r.is_quantity(field))?;
        let item = &self.items[at];
        let is_named = item.fields.first().is_some_and(|found| found.score >= 500);
        let tells_one = |place: usize| {
            let stem = &self.tokens[place].stem;
            matches!(self.schema.with_stem(stem), [(only, _)] if *only == field)
        };
        let is_word = item.roles.is_empty() && item.degree.is_none();
        (is_named || is_word && (item.start..item.end).any(tells_one)).then_some(field)
    }

    /// Returns whether a yes-no question asks whether there are records of a kind: it says so, or
    /// it has several conditions, or one that compares.
    fn asks_existence(&self) -> bool {
        let says_any = |at: usize| {
            let is_any = matches!(
                self.lower(at),
                "any"
                    | "anyone"
                    | "anybody"
                    | "ever"
                    | "some"
                    | "someone"
                    | "included"
                    | "listed"
                    | "represented"
                    | "contain"
                    | "include"
            );
            is_any || self.said(at, at + 1).to_lowercase().contains("there")
        };

        let truth = self.vocabulary.framing.truth.as_str();
        let is_said = (0..self.len()).any(says_any)
            || self.vocabulary.code != "en"
            || self.question.contains(truth);

        let compares = self.out.filters.values().any(Value::is_object);
        let has_condition = !self.out.filters.is_empty() || !self.out.search.is_empty();
        let conditions = self.out.filters.len() + self.out.unknown.len();
        has_condition && (is_said || compares || conditions > 1)
    }

    /// Returns whether an item compares: *more*, *than*, *bigger*.
    fn compares(&self, at: usize) -> bool {
        let degree = self.items[at].degree.as_ref();
        self.has_any(
            at,
            &[Role::More, Role::Less, Role::Than, Role::Above, Role::Below],
        ) || degree.is_some_and(|degree| degree.grade == Grade::Comparative)
    }
}

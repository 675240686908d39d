//! Settles what depends on the whole question: shares, comparisons, the course of time, the
//! subject, the words left over.

use research_agents_report::text::Word;
use serde_json::Value;

use crate::data::task::{FieldFacts, FieldKind};
use crate::question::interpret::dates;
use crate::question::interpret::interpretation::{Histogram, Interpretation};
use crate::question::interpret::reader::Reader;
use crate::question::lexicon;

impl Reader<'_, '_> {
    /// Settles what depends on the whole: the course of time, denied values, the subject, and the
    /// words left over.
    pub(crate) fn finish(mut self) -> Interpretation {
        self.read_share();
        self.compare_alternatives();
        self.settle_denials();
        self.settle_trend();
        self.order_alternatives();
        let content = |reader: &Self, index: usize| {
            !reader.taken[index] && !lexicon::is_stop(reader.lower(index))
        };
        let first = (0..self.words.len())
            .find(|&index| content(&self, index) && !self.words[index].is_number());
        if let Some(start) = first {
            let mut end = start;
            while end < self.words.len()
                && content(&self, end)
                && !self.words[end].is_number()
                && (end == start || !self.breaks(end))
            {
                end += 1;
            }
            self.out.subject = Some(self.span(start, end).to_owned());
        }

        let left: Vec<String> = (0..self.words.len())
            .filter(|&i| content(&self, i))
            .map(|i| self.words[i].text.to_owned())
            .collect();
        self.out.unmatched = left;
        self.out.nouns = self
            .nouns()
            .into_iter()
            .map(|i| self.words[i].text.to_owned())
            .collect();
        self.out.denied = (0..self.words.len())
            .filter(|&i| content(&self, i) && self.negated[i])
            .map(|i| self.words[i].text.to_owned())
            .collect();

        self.out
    }

    fn settle_trend(&mut self) {
        if !self.wants_trend || self.out.histogram.is_some() {
            return;
        }

        let facts: Vec<&FieldFacts> = self.fields.iter().map(|field| field.facts).collect();
        let date = facts
            .iter()
            .find(|f| f.kind == FieldKind::Date && self.out.mentioned.contains(&f.name))
            .or_else(|| facts.iter().find(|f| f.kind == FieldKind::Date));

        match date {
            Some(date) => {
                let interval = dates::default_interval(date, &self.out.filters);
                self.out.histogram = Some(Histogram {
                    field: date.name.clone(),
                    interval,
                });
            }
            None => self
                .out
                .refused
                .push("a course over time (no field holds dates)".to_owned()),
        }
    }

    /// Sorts alternatives into the order of the schema, so that they do not depend on the order in
    /// which they were found.
    fn order_alternatives(&mut self) {
        for field in &self.fields {
            if let Some(Value::Array(values)) = self.out.filters.get_mut(&field.facts.name) {
                values.sort_by_key(|value| {
                    field.facts.values.iter().position(|listed| listed == value)
                });
            }
        }
    }

    /// Reads the share of a value among all values of its field: its one condition becomes the
    /// grouping.
    fn read_share(&mut self) {
        let asks = |word: &Word<'_>| {
            matches!(
                word.lower.as_str(),
                "share" | "proportion" | "percentage" | "fraction"
            )
        };
        if !self.out.group_by.is_empty() || !self.words.iter().any(asks) {
            return;
        }

        let values: Vec<String> = self
            .out
            .filters
            .iter()
            .filter(|(_, condition)| condition.is_string())
            .map(|(name, _)| name.clone())
            .collect();

        if let [name] = values.as_slice() {
            self.out.filters.remove(name);
            self.out.derived.push(format!(
                "a share is asked for, so {name} is grouped by and not filtered"
            ));
            self.out.group_by.push(name.clone());
            self.out.grouping_asked = true;
        }
    }

    /// Compares several values of one field: the records are grouped by it unless another grouping
    /// was requested.
    fn compare_alternatives(&mut self) {
        if !self.out.group_by.is_empty() {
            return;
        }
        let compared = self.out.filters.iter().find(|(_, condition)| {
            condition
                .as_array()
                .is_some_and(|values| (2..=6).contains(&values.len()))
        });
        if let Some(name) = compared.map(|(name, _)| name.clone()) {
            self.out
                .derived
                .push(format!("several values of {name} give the grouping {name}"));
            self.out.group_by.push(name);
            self.out.grouping_asked = true;
        }
    }
}

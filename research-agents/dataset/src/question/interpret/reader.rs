//! The state of interpreting a question: its words, which of them are used, and the result so far.

use std::collections::HashSet;

use research_agents_report::evidence::plain;
use research_agents_report::text::{Word, stems, words};
use serde_json::{Value, json};

use crate::data::task::FieldFacts;
use crate::question::interpret::field::{Field, NameWord};
use crate::question::interpret::interpretation::{Doubtful, Interpretation};
use crate::question::lexicon;

/// A question that is being interpreted.
pub(crate) struct Reader<'q, 'f> {
    pub(crate) question: &'q str,
    pub(crate) words: Vec<Word<'q>>,
    pub(crate) fields: Vec<Field<'f>>,
    /// By word, whether it is used.
    pub(crate) taken: Vec<bool>,
    /// By word, whether it is negated.
    pub(crate) negated: Vec<bool>,
    pub(crate) out: Interpretation,
    pub(crate) wants_trend: bool,
    /// Negated values, by field.
    pub(crate) denied: Vec<(usize, Value, String)>,
    /// Indices of the fields that the user means where words fit several.
    pub(crate) preferred: Vec<usize>,
    /// Stems of the schema: a word with one of them is not misspelt.
    pub(crate) known: HashSet<String>,
}

impl<'q, 'f> Reader<'q, 'f> {
    pub(crate) fn new(question: &'q str, facts: &'f [FieldFacts]) -> Self {
        let question_words = words(question);
        let fields: Vec<Field<'f>> = facts
            .iter()
            .map(|facts| Field {
                facts,
                words: words(&facts.name)
                    .into_iter()
                    .map(|word| NameWord {
                        weak: lexicon::is_generic(&word.lower),
                        filler: lexicon::is_stop(&word.lower)
                            && !lexicon::is_generic_noun(&word.lower),
                        lower: word.lower,
                        stem: word.stem,
                    })
                    .collect(),
            })
            .collect();

        let mut known: HashSet<String> = fields
            .iter()
            .flat_map(|f| f.words.iter().map(|word| word.stem.clone()))
            .collect();
        known.extend(
            facts
                .iter()
                .flat_map(|f| &f.values)
                .flat_map(|value| stems(&plain(value))),
        );

        Self {
            question,
            taken: vec![false; question_words.len()],
            negated: vec![false; question_words.len()],
            words: question_words,
            fields,
            out: Interpretation::default(),
            wants_trend: false,
            denied: Vec::new(),
            preferred: Vec::new(),
            known,
        }
    }

    /// Sets the fields that the user means where words fit several.
    pub(crate) fn preferring(mut self, names: &[String]) -> Self {
        self.preferred = (0..self.fields.len())
            .filter(|&f| names.contains(&self.fields[f].facts.name))
            .collect();
        self
    }

    /// Notes that words fit several fields, unless the user has said which of them is meant.
    pub(crate) fn doubt_fields(
        &mut self,
        start: usize,
        end: usize,
        fits: &[(usize, Option<Value>)],
    ) {
        if fits.len() < 2 || fits.iter().any(|(field, _)| self.preferred.contains(field)) {
            return;
        }
        let name = |field: usize| self.fields[field].facts.name.clone();
        let fits = fits
            .iter()
            .map(|(field, value)| (name(*field), value.as_ref().map(plain)))
            .collect();
        self.out.doubtful.push(Doubtful {
            said: self.span(start, end).to_owned(),
            fits,
        });
    }

    /// Returns a word in lower case; an empty string beyond the last word.
    pub(crate) fn lower(&self, index: usize) -> &str {
        self.words.get(index).map_or("", |word| word.lower.as_str())
    }

    /// Returns the text between a word and the one before it.
    pub(crate) fn gap(&self, index: usize) -> &'q str {
        match (
            index
                .checked_sub(1)
                .and_then(|before| self.words.get(before)),
            self.words.get(index),
        ) {
            (Some(before), Some(word)) => &self.question[before.end..word.start],
            (None, Some(word)) => &self.question[..word.start],
            (Some(before), None) => &self.question[before.end..],
            (None, None) => "",
        }
    }

    /// Returns whether a sentence or clause ends before a word. A full stop without a space, as in
    /// `location.city`, joins two words.
    pub(crate) fn breaks(&self, index: usize) -> bool {
        let gap = self.gap(index);
        gap != "." && gap.contains(['.', ',', ';', ':', '?', '!', '(', ')'])
    }

    /// Returns the text of words as it is in the question.
    pub(crate) fn span(&self, start: usize, end: usize) -> &'q str {
        match (
            self.words.get(start),
            end.checked_sub(1).and_then(|last| self.words.get(last)),
        ) {
            (Some(first), Some(last)) if first.start < last.end => {
                &self.question[first.start..last.end]
            }
            _ => "",
        }
    }

    /// Returns whether words exist and none of them is used.
    pub(crate) fn free(&self, start: usize, end: usize) -> bool {
        end <= self.words.len() && !self.taken[start..end].contains(&true)
    }

    /// Marks words as used.
    pub(crate) fn take(&mut self, start: usize, end: usize) {
        let end = end.min(self.taken.len());
        self.taken[start.min(end)..end].fill(true);
    }

    /// Notes what words were interpreted as.
    pub(crate) fn note(&mut self, start: usize, end: usize, gives: &str) {
        let line = format!("“{}” gives {gives}", self.span(start, end));
        self.out.derived.push(line);
    }

    /// Notes why words were not applied.
    pub(crate) fn refuse(&mut self, start: usize, end: usize, why: &str) {
        let line = format!("“{}” ({why})", self.span(start, end));
        self.out.refused.push(line);
    }

    /// Marks the words that a negation negates: those up to the end of the clause or the next
    /// preposition.
    pub(crate) fn mark_negations(&mut self) {
        let mut index = 0;
        while index < self.words.len() {
            let pair = lexicon::NEGATION_PAIRS
                .iter()
                .any(|(a, b)| self.lower(index) == *a && self.lower(index + 1) == *b);
            // `no more than` and `not less than` are comparisons.
            let compares = lexicon::BEFORE_NUMBER.iter().any(|(phrase, _)| {
                phrase.len() == 3
                    && phrase
                        .iter()
                        .enumerate()
                        .all(|(k, word)| self.lower(index + k) == *word)
            });
            // `not only … but also` negates nothing.
            let only = self.lower(index + 1) == "only";

            if !(pair || lexicon::is_negation(self.lower(index))) || compares || only {
                index += 1;
                continue;
            }

            // Function words between the negation and what it negates are skipped.
            let mut at = index + if pair { 2 } else { 1 };
            while at < self.words.len() && !self.breaks(at) && lexicon::is_stop(self.lower(at)) {
                at += 1;
            }
            while at < self.words.len() && !self.breaks(at) {
                let word = self.lower(at);
                if lexicon::is_stop(word) && !matches!(word, "and" | "or" | "nor" | "the") {
                    break;
                }
                self.negated[at] = true;
                at += 1;
            }

            index = at.max(index + 1);
        }
    }

    /// Adds a value to a field's filter; several values of a field are alternatives.
    pub(crate) fn add_value(&mut self, field: usize, value: Value) {
        let name = self.fields[field].facts.name.clone();
        match self.out.filters.get_mut(&name) {
            None => {
                self.out.filters.insert(name, value);
            }
            Some(Value::Array(values)) => {
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            Some(old) if *old == value => {}
            Some(Value::Object(_)) => {}
            Some(old) => *old = Value::Array(vec![old.take(), value]),
        }
    }

    /// Adds a bound to a field's range.
    pub(crate) fn add_bound(&mut self, field: usize, operator: &str, bound: Value) {
        let name = self.fields[field].facts.name.clone();
        let range = self
            .out
            .filters
            .entry(name)
            .or_insert_with(|| Value::Object(serde_json::Map::new()));
        if let Value::Object(range) = range {
            range.insert(operator.to_owned(), bound);
        }
    }

    /// Adds a bound or an exact value of a numeric field.
    pub(crate) fn add_number(&mut self, field: usize, comparison: lexicon::Comparison, value: f64) {
        let value = number(value);
        match comparison {
            lexicon::Comparison::Equal => self.add_value(field, value),
            lexicon::Comparison::Above => self.add_bound(field, "gt", value),
            lexicon::Comparison::AtLeast => self.add_bound(field, "gte", value),
            lexicon::Comparison::Below => self.add_bound(field, "lt", value),
            lexicon::Comparison::AtMost => self.add_bound(field, "lte", value),
        }
    }
}

/// Returns a number as JSON: whole numbers without a fraction.
pub(crate) fn number(value: f64) -> Value {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the value was just found to be whole and small"
    )]
    if value.fract() == 0.0 && value.abs() < 9.0e15 {
        json!(value as i64)
    } else {
        json!(value)
    }
}

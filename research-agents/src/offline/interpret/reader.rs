//! The state of reading a question: its words, which of them are used, and what they gave so far.

use std::collections::HashSet;

use serde_json::Value;

use super::super::text::{Word, stems, words};
use super::phrase::{Field, NameWord};
use super::{Doubtful, Interpretation, lexicon, number, plain};
use crate::dataset::task::FieldFacts;

/// A question that is being read.
pub(super) struct Reader<'q, 'f> {
    pub(super) question: &'q str,
    pub(super) words: Vec<Word<'q>>,
    pub(super) fields: Vec<Field<'f>>,
    pub(super) taken: Vec<bool>,
    pub(super) negated: Vec<bool>,
    pub(super) out: Interpretation,
    pub(super) wants_trend: bool,
    /// Values that were denied, by field.
    pub(super) denied: Vec<(usize, Value, String)>,
    /// Fields that the user means where words fit several, by their places.
    pub(super) preferred: Vec<usize>,
    /// Stems that the schema knows: a word with one of them is not misspelt.
    pub(super) known: HashSet<String>,
}

impl<'q, 'f> Reader<'q, 'f> {
    pub(super) fn new(question: &'q str, facts: &'f [FieldFacts]) -> Self {
        let question_words = words(question);
        let fields: Vec<Field<'f>> = facts
            .iter()
            .map(|facts| Field {
                facts,
                words: words(&facts.name)
                    .into_iter()
                    .map(|word| NameWord {
                        weak: lexicon::is_generic(&word.lower),
                        filler: lexicon::is_stop(&word.lower) && !lexicon::is_generic_noun(&word.lower),
                        lower: word.lower,
                        stem: word.stem,
                    })
                    .collect(),
            })
            .collect();
        let mut known: HashSet<String> =
            fields.iter().flat_map(|f| f.words.iter().map(|word| word.stem.clone())).collect();
        known.extend(facts.iter().flat_map(|f| &f.values).flat_map(|value| stems(&plain(value))));
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

    /// Names the fields that are meant where words fit several.
    pub(super) fn preferring(mut self, names: &[String]) -> Self {
        self.preferred = (0..self.fields.len()).filter(|&f| names.contains(&self.fields[f].facts.name)).collect();
        self
    }

    /// Remembers that words fit several fields. Where the user has said which one is meant, there is no doubt.
    pub(super) fn doubt_fields(&mut self, start: usize, end: usize, fits: &[(usize, Option<Value>)]) {
        if fits.len() < 2 || fits.iter().any(|(field, _)| self.preferred.contains(field)) {
            return;
        }
        let name = |field: usize| self.fields[field].facts.name.clone();
        let fits = fits.iter().map(|(field, value)| (name(*field), value.as_ref().map(plain))).collect();
        self.out.doubtful.push(Doubtful { said: self.span(start, end).to_owned(), fits });
    }

    pub(super) fn lower(&self, index: usize) -> &str {
        self.words.get(index).map_or("", |word| word.lower.as_str())
    }

    /// What stands between a word and the one before it.
    pub(super) fn gap(&self, index: usize) -> &'q str {
        match (index.checked_sub(1).and_then(|before| self.words.get(before)), self.words.get(index)) {
            (Some(before), Some(word)) => &self.question[before.end..word.start],
            (None, Some(word)) => &self.question[..word.start],
            (Some(before), None) => &self.question[before.end..],
            (None, None) => "",
        }
    }

    /// Whether a sentence or clause ends before a word. A point right between two words, as in `location.city`, joins them.
    pub(super) fn breaks(&self, index: usize) -> bool {
        let gap = self.gap(index);
        gap != "." && gap.contains(['.', ',', ';', ':', '?', '!', '(', ')'])
    }

    /// The question's own text of some words.
    pub(super) fn span(&self, start: usize, end: usize) -> &'q str {
        match (self.words.get(start), end.checked_sub(1).and_then(|last| self.words.get(last))) {
            (Some(first), Some(last)) if first.start < last.end => &self.question[first.start..last.end],
            _ => "",
        }
    }

    pub(super) fn free(&self, start: usize, end: usize) -> bool {
        end <= self.words.len() && !self.taken[start..end].contains(&true)
    }

    pub(super) fn take(&mut self, start: usize, end: usize) {
        let end = end.min(self.taken.len());
        self.taken[start.min(end)..end].fill(true);
    }

    pub(super) fn note(&mut self, start: usize, end: usize, gives: &str) {
        let line = format!("“{}” gives {gives}", self.span(start, end));
        self.out.derived.push(line);
    }

    pub(super) fn refuse(&mut self, start: usize, end: usize, why: &str) {
        let line = format!("“{}” ({why})", self.span(start, end));
        self.out.refused.push(line);
    }

    /// Marks the words that a negation denies: up to the end of the clause or the next preposition.
    pub(super) fn mark_negations(&mut self) {
        let mut index = 0;
        while index < self.words.len() {
            let pair =
                lexicon::NEGATION_PAIRS.iter().any(|(a, b)| self.lower(index) == *a && self.lower(index + 1) == *b);
            // `no more than` and `not less than` compare; they do not deny.
            let compares = lexicon::BEFORE_NUMBER.iter().any(|(phrase, _)| {
                phrase.len() == 3 && phrase.iter().enumerate().all(|(k, word)| self.lower(index + k) == *word)
            });
            // `not only … but also` denies nothing.
            let only = self.lower(index + 1) == "only";
            if !(pair || lexicon::is_negation(self.lower(index))) || compares || only {
                index += 1;
                continue;
            }
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
    pub(super) fn add_value(&mut self, field: usize, value: Value) {
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
    pub(super) fn add_bound(&mut self, field: usize, operator: &str, bound: Value) {
        let name = self.fields[field].facts.name.clone();
        let range = self.out.filters.entry(name).or_insert_with(|| Value::Object(serde_json::Map::new()));
        if let Value::Object(range) = range {
            range.insert(operator.to_owned(), bound);
        }
    }

    /// Adds a bound or an exact value of a numeric field.
    pub(super) fn add_number(&mut self, field: usize, comparison: lexicon::Comparison, value: f64) {
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

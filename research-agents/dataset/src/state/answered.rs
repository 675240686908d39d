//! Answers to the sub-questions: how well each one is answered, computed from what was gathered.
//!
//! Four things answer a question: an aggregation by a field that it names, the number of matching
//! records when it asks how many there are, findings that were drawn for it, and a field that it
//! names and the records that were read hold. What was counted over all matching records weighs 0.9
//! regardless of what was read. A finding of enough records, or a field of the records, weighs 0.5
//! and up to 0.4 more by the share of matching records that was read; a finding of fewer records
//! 0.3 and up to 0.2 more. The best of them counts, and 0.1 is added if another kind answers too.
//! Without any, confidence is 0.

use std::collections::{BTreeSet, HashSet};

use research_agents_report::text::{name_words, word_list};
use serde_json::Value;

use crate::data::record::{AggregationResult, Finding, SubQuestion};
use crate::state::model::DatasetState;

/// Longest value, in characters, of a field that answers a question by its values; longer ones are
/// prose.
const SHORT: usize = 80;
/// Fewest letters of a word that alone identifies a field's name, as *theme* for `event_theme`.
const LONG_WORD: usize = 4;

/// The gathered material that bears on sub-questions.
pub(crate) struct Answers<'a> {
    findings: &'a [Finding],
    tables: &'a [AggregationResult],
    /// Fields of the records that were read, without those of prose.
    fields: BTreeSet<&'a str>,
    total: Option<u64>,
    /// Share of the matching records that was read; 0 while unknown.
    coverage: f64,
    min_sources: usize,
}

impl<'a> Answers<'a> {
    /// Creates answers from what the run has gathered so far.
    pub(crate) fn new(state: &'a DatasetState, min_sources: usize) -> Self {
        let coverage = state.coverage();
        Self {
            findings: &state.findings,
            tables: &state.aggregation_results,
            fields: fields(state),
            total: coverage.total,
            coverage: coverage
                .fraction
                .filter(|_| coverage.total != Some(0))
                .unwrap_or(0.0)
                .min(1.0),
            min_sources,
        }
    }

    /// Replaces the findings of the run with these.
    pub(crate) fn with_findings(self, findings: &'a [Finding]) -> Self {
        Self { findings, ..self }
    }

    /// Replaces the aggregations of the run with these.
    pub(crate) fn with_tables(self, tables: &'a [AggregationResult]) -> Self {
        Self { tables, ..self }
    }

    /// Returns the findings that were drawn for a question.
    pub(crate) fn findings_on(&self, question: &SubQuestion) -> impl Iterator<Item = &'a Finding> {
        let id = question.id.clone();
        self.findings
            .iter()
            .filter(move |finding| finding.relevant_questions.contains(&id))
    }

    /// Returns the confidence in the answer, 0 to 1.
    pub(crate) fn confidence(&self, question: &SubQuestion) -> f64 {
        let asked = name_words(&question.question);
        let counts = asked.contains("many") && self.total.is_some();
        let grouped = self.tables.iter().any(|table| names(&asked, &table.field));
        let by_reading = 0.5 + 0.4 * self.coverage;
        let records = self
            .findings_on(question)
            .map(|finding| finding.doc_ids.len())
            .max();
        let found = records.map(|n| {
            if n >= self.min_sources {
                by_reading
            } else {
                0.3 + 0.2 * self.coverage
            }
        });
        let read = self.fields.iter().any(|field| names(&asked, field));

        // A field that was counted over all records is not counted a second time in those that were
        // read.
        let kinds = [
            (counts || grouped).then_some(0.9),
            found,
            (read && !grouped).then_some(by_reading),
        ];
        let several = kinds.iter().flatten().count() > 1;
        let best = kinds.into_iter().flatten().fold(0.0, f64::max);

        // Sums of decimal weights miss thresholds such as 0.7 by a rounding error.
        let sum = if several { best + 0.1 } else { best };

        ((sum * 1e9).round() / 1e9).min(1.0)
    }
}

/// Returns the fields of the records that were read, unless they hold prose or nothing.
fn fields(state: &DatasetState) -> BTreeSet<&str> {
    let (mut short, mut long) = (BTreeSet::new(), BTreeSet::new());
    let read = state
        .extracted_sources
        .iter()
        .flat_map(|source| source.fields.for_code());
    for (name, value) in read {
        match value {
            Value::Null | Value::Object(_) => {}
            Value::String(text) if text.chars().count() > SHORT => {
                long.insert(name.as_str());
            }
            _ => {
                short.insert(name.as_str());
            }
        }
    }
    &short - &long
}

/// Returns whether words name a field, or one of several joined by `,`: by all words of its name,
/// or by the last one, which says what it is.
pub(crate) fn names(asked: &HashSet<String>, field: &str) -> bool {
    field.split(',').any(|part| {
        let own = word_list(part);
        let last = own.last().filter(|word| word.chars().count() >= LONG_WORD);
        last.is_some_and(|word| asked.contains(word))
            || (!own.is_empty() && own.iter().all(|word| asked.contains(word)))
    })
}

#[cfg(test)]
mod tests {
    use research_agents_report::evidence::Source;
    use research_agents_report::text::Untrusted;
    use serde_json::json;

    use super::*;
    use crate::data::record::Strength;
    use crate::found::coverage::QueryReport;

    fn question(text: &str) -> SubQuestion {
        SubQuestion {
            id: "sq_1".into(),
            question: text.into(),
            priority: 1,
            depends_on: Vec::new(),
        }
    }

    /// Returns a run that read some of 100 records with a colour.
    fn state(read: usize) -> DatasetState {
        let mut state = DatasetState::default();
        for record in 0..read {
            let fields = json!({"colour": "red", "note": "long ".repeat(30)})
                .as_object()
                .unwrap()
                .clone();
            let fields = Untrusted::new(fields);
            state.extracted_sources.register(Source {
                tool: "t".into(),
                record: record.to_string(),
                fields,
                ..Source::default()
            });
        }

        state.ledger.enter(&QueryReport {
            tool: "t".into(),
            total: Some(100),
            records: (0..read).map(|record| record.to_string()).collect(),
            ..QueryReport::default()
        });
        state
    }

    fn finding(docs: usize) -> Finding {
        Finding {
            id: "f_1".into(),
            claim: "Some are round".into(),
            evidence: Vec::new(),
            evidence_count: docs,
            doc_ids: (0..docs).map(|id| id.to_string()).collect(),
            confidence: Strength::Low,
            relevant_questions: vec!["sq_1".into()],
            themes: Vec::new(),
        }
    }

    fn table(field: &str) -> AggregationResult {
        let table = json!({
            "id": "A1", "type": "group_by", "field": field, "buckets": [], "total_docs": 100,
            "source_tool": "t"
        });
        serde_json::from_value(table).unwrap()
    }

    #[track_caller]
    fn is(state: &DatasetState, text: &str, expected: f64) {
        assert_eq!(
            Answers::new(state, 3).confidence(&question(text)),
            expected,
            "{text}"
        );
    }

    #[test]
    fn nothing_answers_a_question_of_which_nothing_speaks() {
        is(&DatasetState::default(), "How many are there?", 0.0);
        is(&state(50), "Which shapes are there?", 0.0);
        is(&state(50), "What do the notes say?", 0.0);
    }

    #[test]
    fn what_was_counted_over_all_answers_whatever_was_read() {
        is(&state(0), "How many are there?", 0.9);
        let mut grouped = state(0);
        grouped.aggregation_results = vec![table("event_theme")];
        is(&grouped, "How are events distributed across themes?", 0.9);
        is(&grouped, "What are the main event themes?", 0.9);
        is(&grouped, "Which cities lead?", 0.0);
    }

    #[test]
    fn what_was_read_answers_by_its_share_and_by_the_records_of_a_finding() {
        is(&state(50), "Which colours occur?", 0.7);
        is(&state(100), "Which colours occur?", 0.9);
        let mut found = state(50);
        found.findings = vec![finding(2)];
        is(&found, "Which shapes are there?", 0.4);
        found.findings = vec![finding(3)];
        is(&found, "Which shapes are there?", 0.7);
        is(&found, "Which colours occur?", 0.8);
        found.aggregation_results = vec![table("colour,year")];
        is(&found, "Which colours occur?", 1.0);
    }

    #[test]
    fn fields_are_named_in_the_words_of_a_question() {
        let named = |text: &str, field: &str| names(&name_words(text), field);
        for (text, field) in [
            ("By size", "Wildlife Size"),
            ("the Phases of flight", "Phase of flight"),
            ("Which countries?", "country,year"),
            ("per day", "Day"),
            ("event themes", "eventTheme"),
        ] {
            assert!(named(text, field), "{text}: {field}");
        }
        assert!(!named("How many records are there?", "Record ID"));
        assert!(!named("What is said?", ""));
    }
}

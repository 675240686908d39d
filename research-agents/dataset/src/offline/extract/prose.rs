//! Findings from long texts: the sentences that concern the questions, verbatim.

use research_agents_report::claim::Claim;
use research_agents_report::text::{content_stems, pick, scores, shared_words};
use unicode_segmentation::UnicodeSegmentation;

use crate::data::record::Strength;
use crate::data::task::{DraftFinding, ExtractTask};
use crate::offline::extract::batch::{Batch, value_at};
use crate::question::lexicon;

/// The maximum number of sentences from a batch.
const SENTENCES: usize = 10;

/// The length of a sentence that can be a finding, in bytes.
const LENGTH: std::ops::RangeInclusive<usize> = 30..=400;

/// A sentence and its position.
struct Sentence<'t> {
    /// Index of the record in the batch.
    record: usize,
    text: &'t str,
    /// Where it begins in the text of the record, in bytes.
    start: usize,
}

/// Returns the sentences that concern the question and the checklist, without near duplicates.
pub(crate) fn sentences(batch: &Batch<'_>, task: &ExtractTask) -> Vec<DraftFinding> {
    let all = collect(batch);
    let texts: Vec<&str> = all.iter().map(|sentence| sentence.text).collect();

    let mut query = format!("{} {}", task.query, task.focus);
    for question in &task.sub_questions {
        query.push(' ');
        query.push_str(&question.question);
    }

    let scores = scores(&query, &texts);
    let mut of_record = vec![0_usize; batch.documents.len()];
    let cap = task.max_findings_per_doc.max(1);
    let picked = pick(&texts, &scores, SENTENCES, |index| {
        let taken = &mut of_record[all[index].record];
        *taken += 1;
        *taken <= cap
    });

    picked
        .into_iter()
        .map(|index| finding(batch, task, &all[index]))
        .collect()
}

/// Returns all sentences of the long texts in a batch.
fn collect<'t>(batch: &Batch<'t>) -> Vec<Sentence<'t>> {
    let mut found = Vec::new();
    for (record, document) in batch.documents.iter().enumerate() {
        let long = batch.columns.iter().filter(|column| column.long);
        let mut parts: Vec<&str> = long
            .filter_map(|column| value_at(&document.fields, &column.name)?.as_str())
            .collect();
        if document.fields.is_empty() {
            parts.push(&document.text);
        }

        for part in parts {
            for sentence in part
                .unicode_sentences()
                .map(str::trim)
                .filter(|sentence| LENGTH.contains(&sentence.len()))
            {
                // An instruction to the reader is not a fact of the data.
                if lexicon::is_addressed(&sentence.to_lowercase()) {
                    continue;
                }

                // A quote is taken from the document's text, not from the field, so it must occur
                // there as it is.
                if let Some(start) = document.text.find(sentence) {
                    found.push(Sentence {
                        record,
                        text: &document.text[start..start + sentence.len()],
                        start,
                    });
                }
            }
        }
    }

    found
}

fn finding(batch: &Batch<'_>, task: &ExtractTask, sentence: &Sentence<'_>) -> DraftFinding {
    let stems = content_stems(sentence.text);
    let shares = |question: &str| {
        let mut asked = content_stems(question);
        asked.sort_unstable();
        asked.dedup();
        asked.iter().filter(|stem| stems.contains(stem)).count() >= shared_words(asked.len())
    };
    let source = batch.documents[sentence.record].id.clone();

    DraftFinding {
        claim: sentence
            .text
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" "),
        evidence: vec![Claim::Quote {
            source: source.clone(),
            text: sentence.text.to_owned(),
            start: Some(sentence.start),
        }],
        doc_ids: vec![source],
        confidence: Strength::Low,
        relevant_questions: task
            .sub_questions
            .iter()
            .filter(|q| shares(&q.question))
            .map(|q| q.id.clone())
            .collect(),
        themes: Vec::new(),
    }
}

//! Findings from long texts: the sentences that speak of the questions, word for word.

use unicode_segmentation::UnicodeSegmentation;

use super::super::lexicon;
use super::super::rank::{content_stems, pick, scores, shared_words};
use super::batch::{Batch, value_at};
use crate::dataset::record::Strength;
use crate::dataset::task::{DraftFinding, ExtractTask};
use crate::kernel::claim::Claim;

/// At most so many sentences are taken from a batch.
const SENTENCES: usize = 10;

/// Sentences shorter or longer than this many bytes are no findings.
const LENGTH: std::ops::RangeInclusive<usize> = 30..=400;

/// A sentence and where it stands.
struct Sentence<'t> {
    record: usize,
    text: &'t str,
    start: usize,
}

/// The sentences that speak of the question and the checklist, no two of them alike.
pub(super) fn sentences(batch: &Batch<'_>, task: &ExtractTask) -> Vec<DraftFinding> {
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
        let places = &mut of_record[all[index].record];
        *places += 1;
        *places <= cap
    });
    picked.into_iter().map(|index| finding(batch, task, &all[index])).collect()
}

fn collect<'t>(batch: &Batch<'t>) -> Vec<Sentence<'t>> {
    let mut found = Vec::new();
    for (record, document) in batch.documents.iter().enumerate() {
        let long = batch.columns.iter().filter(|column| column.long);
        let mut parts: Vec<&str> =
            long.filter_map(|column| value_at(&document.fields, &column.name)?.as_str()).collect();
        if document.fields.is_empty() {
            parts.push(&document.text);
        }
        for part in parts {
            for sentence in part.unicode_sentences().map(str::trim).filter(|sentence| LENGTH.contains(&sentence.len()))
            {
                if lexicon::is_addressed(&sentence.to_lowercase()) {
                    continue;
                }
                // A quote is taken from the document's text, not from the field, so it must stand there as it is.
                if let Some(start) = document.text.find(sentence) {
                    found.push(Sentence { record, text: &document.text[start..start + sentence.len()], start });
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
        claim: sentence.text.split_whitespace().collect::<Vec<_>>().join(" "),
        evidence: vec![Claim::Quote {
            source: source.clone(),
            text: sentence.text.to_owned(),
            start: Some(sentence.start),
        }],
        doc_ids: vec![source],
        confidence: Strength::Low,
        relevant_questions: task.sub_questions.iter().filter(|q| shares(&q.question)).map(|q| q.id.clone()).collect(),
        themes: Vec::new(),
    }
}

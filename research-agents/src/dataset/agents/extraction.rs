//! Draws findings from a batch of records: packs the records into requests that the model can hold, and lets through only
//! findings that stand in the records.

use std::collections::{BTreeSet, HashMap};

use futures::StreamExt;
use research_llm::ModelKind;

use crate::Error;
use crate::dataset::corpus::document_text;
use crate::dataset::filters::describe_filters;
use crate::dataset::findings::id_of;
use crate::dataset::prompts;
use crate::dataset::record::{Finding, Object, SubQuestion};
use crate::dataset::services::{Ask, DatasetCx};
use crate::dataset::task::{DocumentText, DraftFinding, EXTRACT, ExtractTask, ExtractorLlmResponse};
use crate::kernel::check::numbers_stand_in;
use crate::kernel::{Checker, Claim, Evidence, SourceRegistry, Statement, UserText};

/// What to draw findings for.
#[derive(Clone, Debug)]
pub(super) struct Brief {
    pub(super) query: String,
    pub(super) focus: String,
    pub(super) sub_questions: Vec<SubQuestion>,
    pub(super) filters: Object,
}

/// What came of a batch.
#[derive(Debug, Default)]
pub(super) struct Extracted {
    pub(super) findings: Vec<Finding>,
    pub(super) themes: BTreeSet<String>,
    /// Ids of the records that the model has read.
    pub(super) read: Vec<String>,
    /// Ids that the model named and the batch does not have.
    pub(super) unknown_ids: usize,
    /// Findings that do not stand in their records.
    pub(super) ungrounded: usize,
    pub(super) errors: Vec<Error>,
}

/// Reads the records of these ids.
pub(super) async fn extract(cx: &DatasetCx, brief: &Brief, sources: &SourceRegistry, ids: &[String]) -> Extracted {
    let documents: Vec<DocumentText> = ids.iter().filter_map(|id| sources.get(id)).map(|s| document_text(s)).collect();
    let packs = pack(documents, token_budget(cx));
    let tasks: Vec<ExtractTask> = packs.into_iter().map(|documents| task(cx, brief, documents)).collect();
    let asked: Vec<_> = tasks.iter().map(|task| ask(cx, task)).collect();
    let answers = futures::stream::iter(asked).buffered(cx.config().parallel_extractions);
    let answers: Vec<Result<ExtractorLlmResponse, Error>> = answers.collect().await;
    let mut extracted = Extracted::default();
    let evidence = Evidence { sources: sources.clone(), tables: Vec::new() };
    for (task, answer) in tasks.iter().zip(answers) {
        match answer {
            Ok(answer) => keep(task, answer, &evidence, &mut extracted),
            Err(error) => extracted.errors.push(error),
        }
    }
    extracted
}

/// Tokens of records in one request: half of what the model can hold, at most what the settings say. A program that computes
/// its answers has no such limit.
fn token_budget(cx: &DatasetCx) -> usize {
    let info = cx.services().model.info();
    let half = info.context_tokens.map(|tokens| tokens as usize / 2);
    match (info.kind, half) {
        (ModelKind::Extractive, None) => usize::MAX,
        (_, half) => half.unwrap_or(usize::MAX).min(cx.config().extraction_tokens),
    }
}

/// Splits records into packs of about `budget` tokens, at three characters for a token; every pack has at least one.
fn pack(documents: Vec<DocumentText>, budget: usize) -> Vec<Vec<DocumentText>> {
    let mut packs: Vec<Vec<DocumentText>> = Vec::new();
    let mut room = 0;
    for document in documents {
        let tokens = document.text.chars().count() / 3 + document.id.len() + 8;
        match packs.last_mut() {
            Some(pack) if tokens <= room => {
                room -= tokens;
                pack.push(document);
            }
            _ => {
                room = budget.saturating_sub(tokens);
                packs.push(vec![document]);
            }
        }
    }
    packs
}

fn task(cx: &DatasetCx, brief: &Brief, documents: Vec<DocumentText>) -> ExtractTask {
    ExtractTask {
        query: brief.query.clone(),
        focus: brief.focus.clone(),
        sub_questions: brief.sub_questions.clone(),
        filters: brief.filters.clone(),
        documents,
        max_findings_per_doc: cx.config().max_findings_per_doc,
    }
}

async fn ask(cx: &DatasetCx, task: &ExtractTask) -> Result<ExtractorLlmResponse, Error> {
    let ask = Ask::new(&prompts::EXTRACT, EXTRACT, task, |prompt| {
        prompt
            .set("question", UserText::new(&task.query))
            .data("focus", &prompts::lines([task.focus.clone()]))
            .data("sub_questions", &prompts::questions(&task.sub_questions))
            .data("filters", &prompts::lines([describe_filters(&task.filters)]))
            .data_capped("documents", &prompts::documents(&task.documents), usize::MAX)
            .set("max_findings_per_doc", task.max_findings_per_doc)
    });
    cx.ask(ask).await
}

/// Lets through findings that name records of the batch, whose quotes and numbers stand in them, and no more than allowed for
/// each record.
fn keep(task: &ExtractTask, answer: ExtractorLlmResponse, evidence: &Evidence, extracted: &mut Extracted) {
    let texts: HashMap<&str, &str> =
        task.documents.iter().map(|document| (document.id.as_str(), document.text.as_str())).collect();
    let filters = describe_filters(&task.filters);
    let checker = Checker::new(evidence, []);
    let mut used: HashMap<String, usize> = HashMap::new();
    extracted.read.extend(task.documents.iter().map(|document| document.id.clone()));
    extracted.themes.extend(answer.themes_discovered);
    for draft in answer.findings {
        let named = draft.doc_ids.len();
        let mut ids: Vec<String> = Vec::new();
        for id in &draft.doc_ids {
            if texts.contains_key(id.as_str()) && !ids.contains(id) {
                ids.push(id.clone());
            }
        }
        extracted.unknown_ids += draft.doc_ids.iter().filter(|id| !texts.contains_key(id.as_str())).count();
        ids.retain(|id| used.get(id).is_none_or(|count| *count < task.max_findings_per_doc));
        let context = ids.iter().filter_map(|id| texts.get(id.as_str()).copied());
        let context = context.chain([task.query.as_str(), filters.as_str()]);
        if named > 0 && ids.is_empty() {
            continue;
        }
        if ids.is_empty() || draft.claim.trim().is_empty() || !numbers_stand_in(&draft.claim, context) {
            extracted.ungrounded += 1;
            continue;
        }
        for id in &ids {
            *used.entry(id.clone()).or_default() += 1;
        }
        extracted.themes.extend(draft.themes.iter().cloned());
        extracted.findings.push(finding(draft, ids, &checker, task));
    }
}

fn finding(draft: DraftFinding, ids: Vec<String>, checker: &Checker<'_>, task: &ExtractTask) -> Finding {
    let is_quote = |claim: &&Claim| matches!(claim, Claim::Quote { source, .. } if ids.contains(source));
    let verify = |claim: &Claim| {
        let statement = Statement { text: String::new(), claims: vec![claim.clone()] };
        checker.check(&statement).ok().and_then(|verified| verified.claims().first().cloned())
    };
    let mut relevant_questions = draft.relevant_questions;
    relevant_questions.retain(|id| task.sub_questions.iter().any(|question| question.id == *id));
    Finding {
        id: id_of(&draft.claim),
        claim: draft.claim.trim().to_owned(),
        evidence: draft.evidence.iter().filter(is_quote).filter_map(verify).collect(),
        evidence_count: ids.len(),
        doc_ids: ids,
        confidence: draft.confidence,
        relevant_questions,
        themes: draft.themes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Source, Untrusted};

    fn document(id: &str, text: &str) -> DocumentText {
        DocumentText { id: id.into(), text: text.into(), ..DocumentText::default() }
    }

    fn kept(findings: Vec<DraftFinding>) -> Extracted {
        let texts = [("1", "speed: 120\nbird: gull"), ("2", "speed: 140\nbird: hawk")];
        let mut sources = SourceRegistry::default();
        for (id, text) in texts {
            let text = Untrusted::new(text.to_owned());
            sources.register(Source { tool: "t".into(), record: id.into(), text, ..Source::default() });
        }
        let task = ExtractTask {
            query: "strikes in 1995".into(),
            documents: texts.iter().map(|(id, text)| document(id, text)).collect(),
            max_findings_per_doc: 2,
            ..ExtractTask::default()
        };
        let answer = ExtractorLlmResponse { findings, themes_discovered: Vec::new() };
        let mut extracted = Extracted::default();
        keep(&task, answer, &Evidence { sources, tables: Vec::new() }, &mut extracted);
        extracted
    }

    fn draft(claim: &str, ids: &[&str]) -> DraftFinding {
        let doc_ids = ids.iter().map(|id| (*id).to_owned()).collect();
        DraftFinding { claim: claim.into(), doc_ids, ..DraftFinding::default() }
    }

    #[test]
    fn made_up_ids_are_dropped_and_counted() {
        let extracted = kept(vec![draft("A gull was struck", &["1", "99", "1"]), draft("Nothing", &["98"])]);
        assert_eq!(extracted.findings.len(), 1);
        assert_eq!(extracted.findings[0].doc_ids, ["1"]);
        assert_eq!(extracted.unknown_ids, 2);
    }

    #[test]
    fn a_number_that_is_in_no_record_drops_the_finding() {
        let extracted = kept(vec![
            draft("In 1995 a gull was struck at 120 knots", &["1"]),
            draft("12 gulls were struck", &["1"]),
            draft("A hawk was struck at 120 knots", &["2"]),
        ]);
        assert_eq!(extracted.findings.len(), 1);
        assert_eq!(extracted.ungrounded, 2);
    }

    #[test]
    fn no_record_carries_more_findings_than_allowed() {
        let extracted = kept(vec![draft("a", &["1"]), draft("b", &["1"]), draft("c", &["1", "2"]), draft("d", &["1"])]);
        let ids: Vec<_> = extracted.findings.iter().map(|finding| finding.doc_ids.clone()).collect();
        assert_eq!(ids, [vec!["1"], vec!["1"], vec!["2"]]);
    }

    #[test]
    fn only_quotes_that_stand_in_their_record_are_kept() {
        let quote = |source: &str, text: &str| Claim::Quote { source: source.into(), text: text.into(), start: None };
        let evidence = vec![quote("1", "bird: gull"), quote("1", "bird: eagle"), quote("2", "bird: hawk")];
        let extracted = kept(vec![DraftFinding { evidence, ..draft("A gull was struck", &["1"]) }]);
        assert_eq!(
            extracted.findings[0].evidence,
            [Claim::Quote { source: "1".into(), text: "bird: gull".into(), start: Some(11) }]
        );
    }

    #[test]
    fn records_are_packed_by_size() {
        let texts = ["x".repeat(300), "x".repeat(300), "x".repeat(900)];
        let documents: Vec<DocumentText> = texts.iter().map(|text| document("1", text)).collect();
        let sizes = |budget| pack(documents.clone(), budget).iter().map(Vec::len).collect::<Vec<_>>();
        assert_eq!(sizes(usize::MAX), [3]);
        assert_eq!(sizes(250), [2, 1]);
        assert_eq!(sizes(10), [1, 1, 1]);
        assert!(pack(Vec::new(), 10).is_empty());
    }
}

//! Draws findings from a batch of records: packs the records into requests that the model can hold,
//! and keeps only findings that the records support.

pub(crate) mod pack;
pub(crate) mod request;

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use futures::StreamExt;
use research_agents_report::check::{Checker, numbers_stand_in};
use research_agents_report::claim::{Claim, Statement};
use research_agents_report::evidence::{Evidence, SourceRegistry};
use research_agents_report::language::Language;
use research_agents_runtime::error::{Error, ErrorCategory};
use research_agents_runtime::event::Note;
use research_agents_runtime::job::Ask;

use crate::agents::extraction::pack::{Scale, pack, smaller};
use crate::agents::extraction::request::{Brief, fill, task};
use crate::cx::DatasetCx;
use crate::data::filters::describe_filters;
use crate::data::record::Finding;
use crate::data::task::{DocumentText, DraftFinding, EXTRACT, ExtractTask, ExtractorLlmResponse};
use crate::found::findings::id_of;
use crate::prompts;
use crate::tools::documents::{TEXT_CAP, document_text};
use crate::tools::reduce::one;

/// Tokens that a finding with its quotes takes in an answer, generously.
const FINDING_TOKENS: usize = 150;

/// The findings of a batch, with what was dropped and why.
#[derive(Debug, Default)]
pub(crate) struct Extracted {
    pub(crate) findings: Vec<Finding>,
    pub(crate) themes: BTreeSet<String>,
    /// Ids of the records that the model has read.
    pub(crate) read: Vec<String>,
    /// Number of ids that the model named and the batch does not have.
    pub(crate) unknown_ids: usize,
    /// Number of findings that their records do not support.
    pub(crate) ungrounded: usize,
    /// Number of records of which the model saw only the beginning.
    pub(crate) cut: usize,
    /// Number of records of which only the beginning is kept.
    pub(crate) long: usize,
    pub(crate) errors: Vec<Error>,
}

impl Extracted {
    /// Returns what the reader of the report must know, in words.
    pub(crate) fn notes(&self) -> Vec<Note> {
        let mut notes: Vec<String> = Vec::new();
        let Self {
            unknown_ids,
            ungrounded,
            cut,
            long,
            ..
        } = self;
        if *unknown_ids > 0 {
            notes.push(format!(
                "{unknown_ids} record ids that the model named do not exist and were dropped"
            ));
        }

        if *ungrounded > 0 {
            notes.push(format!(
                "{ungrounded} drafted findings do not stand in their records and were dropped"
            ));
        }

        if *cut > 0 {
            notes.push(format!(
                "{cut} records are too long for the model; it read the beginning \
                 of each for findings"
            ));
        }

        if *long > 0 {
            notes.push(format!(
                "{long} records have more than {TEXT_CAP} characters; only their beginning was read"
            ));
        }

        notes.into_iter().map(Note::own).collect()
    }
}

/// Reads the records of these ids, in as many requests as the model's context needs.
pub(crate) async fn extract(
    cx: &DatasetCx,
    brief: &Brief,
    sources: &SourceRegistry,
    ids: &[String],
) -> Extracted {
    let documents: Vec<DocumentText> = ids
        .iter()
        .filter_map(|id| sources.get(id))
        .map(|s| document_text(s))
        .collect();

    let packs = pack(documents, &Scale::new(cx, brief, ids));
    let reading = packs.into_iter().map(|pack| read(cx, brief, pack));
    let answers = futures::stream::iter(reading).buffered(cx.config().parallel_extractions);
    let answers: Vec<Answer> = answers
        .collect::<Vec<_>>()
        .await
        .into_iter()
        .flatten()
        .collect();

    let mut extracted = Extracted::default();
    let evidence = Evidence {
        sources: sources.clone(),
        tables: Vec::new(),
        ..Evidence::default()
    };
    for (task, answer) in answers {
        match answer {
            Ok(answer) => {
                extracted.cut += task
                    .documents
                    .iter()
                    .filter(|document| is_cut(document, sources))
                    .count();

                let read = task
                    .documents
                    .iter()
                    .filter_map(|document| sources.get(&document.id));
                extracted.long += read.filter(|source| source.cut).count();

                keep(
                    &task,
                    answer,
                    &evidence,
                    cx.state().language,
                    &mut extracted,
                );
            }
            Err(error) => extracted.errors.push(error),
        }
    }

    extracted
}

type Answer = (ExtractTask, Result<ExtractorLlmResponse, Error>);

/// Reads a pack. One that is too long for the model, or not answered in time, is read in smaller
/// ones; what was answered is not asked again.
async fn read(cx: &DatasetCx, brief: &Brief, pack: Vec<DocumentText>) -> Vec<Answer> {
    let mut answers = Vec::new();
    // Each pack with the number of late answers to the packs that contained it.
    let mut open = vec![(pack, 0)];
    while let Some((documents, late)) = open.pop() {
        let task = task(brief, documents);
        let answer = ask(cx, &task).await;
        let category = answer.as_ref().err().map(Error::category);
        let late = late + u32::from(category == Some(ErrorCategory::Timeout));

        let is_too_much =
            category == Some(ErrorCategory::TokenLimit) || category == Some(ErrorCategory::Timeout);

        match answer {
            Err(error)
                if is_too_much
                    && late <= cx.config().retry.retries
                    && cx.job().stop_at(EXTRACT, &task).is_none() =>
            {
                match smaller(
                    &task.documents,
                    &Scale::new(cx, brief, &ids_of(&task.documents)),
                ) {
                    // The last one is read next, so that records are read in their order.
                    Some(parts) => {
                        let most = parts.iter().map(Vec::len).max().unwrap_or_default();
                        let changed = one("documents", task.documents.len(), most);
                        cx.job().report_retry(
                            EXTRACT,
                            late.max(1),
                            &error,
                            changed,
                            Duration::ZERO,
                        );
                        open.extend(parts.into_iter().rev().map(|part| (part, late)));
                    }
                    None => answers.push((task, Err(error))),
                }
            }
            answer => answers.push((task, answer)),
        }
    }

    answers
}

fn ids_of(documents: &[DocumentText]) -> Vec<String> {
    documents
        .iter()
        .map(|document| document.id.clone())
        .collect()
}

fn is_cut(document: &DocumentText, sources: &SourceRegistry) -> bool {
    sources
        .get(&document.id)
        .is_some_and(|source| *source.text.for_code() != document.text)
}

async fn ask(cx: &DatasetCx, task: &ExtractTask) -> Result<ExtractorLlmResponse, Error> {
    let most = max_findings(task, cx.job().kit().window(None).answer());
    cx.ask(
        Ask::new(&prompts::EXTRACT, EXTRACT, task, |prompt| {
            fill(prompt, task, most)
        })
        .divisible(),
    )
    .await
}

/// Returns the number of findings that fit the answer: what the records allow, and no more than can
/// be written.
fn max_findings(task: &ExtractTask, answer: Option<u32>) -> usize {
    let allowed = task
        .documents
        .len()
        .saturating_mul(task.max_findings_per_doc);
    answer.map_or(allowed, |tokens| {
        allowed.min((tokens as usize / FINDING_TOKENS).max(1))
    })
}

/// Returns the findings that name records of the batch and whose quotes and numbers occur in them,
/// at most the allowed number for each record.
fn keep(
    task: &ExtractTask,
    answer: ExtractorLlmResponse,
    evidence: &Evidence,
    language: Language,
    extracted: &mut Extracted,
) {
    let texts: HashMap<&str, &str> = task
        .documents
        .iter()
        .map(|document| (document.id.as_str(), document.text.as_str()))
        .collect();
    let filters = describe_filters(&task.filters);
    let checker = Checker::in_language(language, evidence, []);
    let mut used: HashMap<String, usize> = HashMap::new();

    extracted
        .read
        .extend(task.documents.iter().map(|document| document.id.clone()));
    extracted.themes.extend(answer.themes_discovered);

    for draft in answer.findings {
        let named = draft.doc_ids.len();
        let mut ids: Vec<String> = Vec::new();
        for id in &draft.doc_ids {
            if texts.contains_key(id.as_str()) && !ids.contains(id) {
                ids.push(id.clone());
            }
        }
        extracted.unknown_ids += draft
            .doc_ids
            .iter()
            .filter(|id| !texts.contains_key(id.as_str()))
            .count();

        // A record that carries as many findings as allowed takes no further one.
        ids.retain(|id| {
            used.get(id)
                .is_none_or(|count| *count < task.max_findings_per_doc)
        });

        // The numbers of the claim must be in its records, in the question or in the filters.
        let context = ids.iter().filter_map(|id| texts.get(id.as_str()).copied());
        let context = context.chain([task.query.as_str(), filters.as_str()]);
        if named > 0 && ids.is_empty() {
            continue;
        }
        if ids.is_empty()
            || draft.claim.trim().is_empty()
            || !numbers_stand_in(&draft.claim, language, context)
        {
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

fn finding(
    draft: DraftFinding,
    ids: Vec<String>,
    checker: &Checker<'_>,
    task: &ExtractTask,
) -> Finding {
    let is_quote =
        |claim: &&Claim| matches!(claim, Claim::Quote { source, .. } if ids.contains(source));
    let verify = |claim: &Claim| {
        let statement = Statement {
            text: String::new(),
            claims: vec![claim.clone()],
        };
        checker
            .check(&statement)
            .ok()
            .and_then(|verified| verified.claims().first().cloned())
    };

    let mut relevant_questions = draft.relevant_questions;
    relevant_questions.retain(|id| task.sub_questions.iter().any(|question| question.id == *id));

    Finding {
        id: id_of(&draft.claim),
        claim: draft.claim.trim().to_owned(),
        evidence: draft
            .evidence
            .iter()
            .filter(is_quote)
            .filter_map(verify)
            .collect(),
        evidence_count: ids.len(),
        doc_ids: ids,
        confidence: draft.confidence,
        relevant_questions,
        themes: draft.themes,
    }
}

#[cfg(test)]
mod tests {
    use research_agents_report::evidence::Source;
    use research_agents_report::text::Untrusted;

    use super::*;

    fn document(id: &str, text: &str) -> DocumentText {
        DocumentText {
            id: id.into(),
            text: text.into(),
            ..DocumentText::default()
        }
    }

    fn kept(findings: Vec<DraftFinding>) -> Extracted {
        let texts = [
            ("1", "speed: 120\nbird: gull"),
            ("2", "speed: 140\nbird: hawk"),
        ];
        let mut sources = SourceRegistry::default();
        for (id, text) in texts {
            let text = Untrusted::new(text.to_owned());
            sources.register(Source {
                tool: "t".into(),
                record: id.into(),
                text,
                ..Source::default()
            });
        }

        let task = ExtractTask {
            query: "strikes in 1995".into(),
            documents: texts.iter().map(|(id, text)| document(id, text)).collect(),
            max_findings_per_doc: 2,
            ..ExtractTask::default()
        };
        let answer = ExtractorLlmResponse {
            findings,
            themes_discovered: Vec::new(),
        };
        let mut extracted = Extracted::default();
        keep(
            &task,
            answer,
            &Evidence {
                sources,
                tables: Vec::new(),
                ..Evidence::default()
            },
            Language::ENGLISH,
            &mut extracted,
        );
        extracted
    }

    fn draft(claim: &str, ids: &[&str]) -> DraftFinding {
        let doc_ids = ids.iter().map(|id| (*id).to_owned()).collect();
        DraftFinding {
            claim: claim.into(),
            doc_ids,
            ..DraftFinding::default()
        }
    }

    #[test]
    fn made_up_ids_are_dropped_and_counted() {
        let extracted = kept(vec![
            draft("A gull was struck", &["1", "99", "1"]),
            draft("Nothing", &["98"]),
        ]);
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
        let extracted = kept(vec![
            draft("a", &["1"]),
            draft("b", &["1"]),
            draft("c", &["1", "2"]),
            draft("d", &["1"]),
        ]);
        let ids: Vec<_> = extracted
            .findings
            .iter()
            .map(|finding| finding.doc_ids.clone())
            .collect();
        assert_eq!(ids, [vec!["1"], vec!["1"], vec!["2"]]);
    }

    #[test]
    fn only_quotes_that_stand_in_their_record_are_kept() {
        let quote = |source: &str, text: &str| Claim::Quote {
            source: source.into(),
            text: text.into(),
            start: None,
        };
        let evidence = vec![
            quote("1", "bird: gull"),
            quote("1", "bird: eagle"),
            quote("2", "bird: hawk"),
        ];
        let extracted = kept(vec![DraftFinding {
            evidence,
            ..draft("A gull was struck", &["1"])
        }]);

        assert_eq!(
            extracted.findings[0].evidence,
            [Claim::Quote {
                source: "1".into(),
                text: "bird: gull".into(),
                start: Some(11)
            }]
        );
    }
}

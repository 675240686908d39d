//! The extractor: draws findings from records that came with direct tool calls. It fetches nothing.

use std::collections::{BTreeSet, HashSet};

use research_agents_report::evidence::{Source, SourceRegistry};
use research_agents_runtime::error::Error;
use research_agents_runtime::event::Note;
use research_agents_runtime::tools::registry::{Card, InvalidInput, SubAgent};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::agents::extraction::extract;
use crate::agents::extraction::request::Brief;
use crate::cx::DatasetCx;
use crate::data::event::Phase;
use crate::data::names::EXTRACTOR;
use crate::data::record::{Finding, Object, SubQuestion};
use crate::found::coverage::{Ledger, QueryReport, Scope};
use crate::found::findings::{merge, normalised};
use crate::state::model::DatasetState;

/// The sub-agent that draws findings from records that direct tool calls returned.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extractor;

/// What the extractor takes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ExtractorInput {
    #[doc = " The records, each with the `id` that it has in this run or at its tool. They are \
             read as the tool returned them, not as\nthey are written here; one that no tool \
             returned is left out. Without any, all that were not read yet."]
    #[serde(default)]
    pub documents: Vec<Object>,
    /// What to look for.
    #[serde(default)]
    pub extraction_focus: String,
    /// The checklist.
    #[serde(default)]
    pub sub_questions: Vec<SubQuestion>,
    /// Most findings from one record, at least 1.
    #[serde(default = "three")]
    pub max_findings_per_doc: usize,
}

fn three() -> usize {
    3
}

/// What the extractor returns.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ExtractorOutput {
    /// One for each claim.
    pub findings: Vec<Finding>,
    /// Records that were read.
    pub docs_processed: usize,
    /// Topics that no earlier finding has.
    pub new_themes_discovered: BTreeSet<String>,
    /// Ids of the records that were read.
    pub processed_doc_ids: Vec<String>,
    /// Number of new findings, as of a batch; empty when there was nothing to read.
    pub batch_findings: Vec<usize>,
    /// Sets of records that are read wholly by now.
    pub queries: Vec<QueryReport>,
    /// What went wrong, in words.
    pub notes: Vec<Note>,
    /// What else is worth a line in the log.
    pub thinking: Vec<String>,
}

impl SubAgent<DatasetCx> for Extractor {
    type Input = ExtractorInput;
    type Output = ExtractorOutput;

    fn card(&self) -> Card {
        Card::new(
            EXTRACTOR,
            "Draws findings from records that came with direct tool calls. It fetches nothing.",
        )
        .use_when(
            "records came with a tool call, are not read for findings yet, and no scan is needed",
        )
        .speed("one or more model calls")
        .cost("medium")
    }

    fn filled(&self) -> &'static [&'static str] {
        &["sub_questions"]
    }

    fn fill(&self, cx: &DatasetCx, input: &mut ExtractorInput) {
        let state = cx.state();
        input.sub_questions.clone_from(&state.sub_questions);
    }

    fn validate(&self, input: &ExtractorInput) -> Result<(), InvalidInput> {
        if input.max_findings_per_doc == 0 {
            return Err(InvalidInput::new(
                "max_findings_per_doc",
                "must be at least 1",
            ));
        }
        Ok(())
    }

    async fn run(&self, cx: &DatasetCx, input: ExtractorInput) -> Result<ExtractorOutput, Error> {
        cx.phase(Phase::Extracting);
        let state = cx.state();
        let mut output = ExtractorOutput::default();
        let ids = if input.documents.is_empty() {
            state.unread().map(|source| source.id.clone()).collect()
        } else {
            let (ids, unknown) = known(&input.documents, &state.extracted_sources);
            if unknown > 0 {
                let left_out =
                    format!("{unknown} given records were returned by no tool and were left out");
                output.notes.push(Note::own(left_out));
            }
            ids
        };

        if ids.is_empty() {
            output
                .thinking
                .push("the extractor was called, and no record waited to be read".to_owned());
            return Ok(output);
        }

        let brief = Brief {
            query: state.question.clone(),
            focus: Some(input.extraction_focus)
                .filter(|focus| !focus.is_empty())
                .unwrap_or_else(|| state.question.clone()),
            sub_questions: input.sub_questions,
            filters: common_filters(&ids, state),
            max_findings_per_doc: input.max_findings_per_doc,
        };

        let mut found = extract(cx, &brief, &state.extracted_sources, &ids).await;
        output.notes.extend(found.notes());
        if found.read.is_empty() && !found.errors.is_empty() {
            return Err(found.errors.remove(0));
        }

        for error in &found.errors {
            cx.warn(error);
            output.notes.push(Note::failed(
                "some records could not be read for findings",
                error,
            ));
        }

        // Only claims that the run does not have yet count as new.
        merge(&mut output.findings, found.findings);
        let known: HashSet<String> = state
            .findings
            .iter()
            .map(|finding| normalised(&finding.claim))
            .collect();
        let is_new = |finding: &&Finding| !known.contains(&normalised(&finding.claim));
        output
            .batch_findings
            .push(output.findings.iter().filter(is_new).count());

        output.new_themes_discovered = new_themes(found.themes, &state.findings);
        output.docs_processed = found.read.len();
        output.queries = complete(
            &state.ledger,
            &state.extracted_sources,
            &state.processed_doc_ids,
            &found.read,
        );
        output.processed_doc_ids = found.read;

        Ok(output)
    }
}

/// Returns the ids of the records that a tool returned, each once, and the number of the others.
fn known(documents: &[Object], sources: &SourceRegistry) -> (Vec<String>, usize) {
    let mut ids: Vec<String> = Vec::new();
    let mut unknown = 0;
    for document in documents {
        let named = match document.get("id") {
            Some(Value::String(id)) => Some(id.clone()),
            Some(Value::Number(id)) => Some(id.to_string()),
            _ => None,
        };
        match named.and_then(|id| find(&id, sources)) {
            Some(source) if !ids.contains(&source.id) => ids.push(source.id.clone()),
            Some(_) => {}
            None => unknown += 1,
        }
    }
    (ids, unknown)
}

/// Returns the record of this id in the run, else the only one that has it at its tool.
fn find<'s>(id: &str, sources: &'s SourceRegistry) -> Option<&'s Source> {
    if let Some(source) = sources.get(id) {
        return Some(source);
    }
    let mut holders = sources.iter().filter(|source| source.record == id);
    match (holders.next(), holders.next()) {
        (Some(source), None) => Some(source),
        _ => None,
    }
}

/// Returns the filters that all of these records came under.
fn common_filters(ids: &[String], state: &DatasetState) -> Object {
    let mut common: Option<Object> = None;
    for source in ids.iter().filter_map(|id| state.extracted_sources.get(id)) {
        let holds =
            |scope: &&Scope| scope.tool == source.tool && scope.records.contains(&source.record);
        let own: Object = state
            .ledger
            .scopes()
            .iter()
            .filter(holds)
            .flat_map(|scope| scope.filters.clone())
            .collect();
        match &mut common {
            Some(common) => common.retain(|field, value| own.get(field) == Some(value)),
            None => common = Some(own),
        }
    }
    common.unwrap_or_default()
}

/// Returns the topics that no finding so far has; letter case does not count.
fn new_themes(discovered: BTreeSet<String>, findings: &[Finding]) -> BTreeSet<String> {
    let fold = |theme: &String| theme.trim().to_lowercase();
    let mut known: HashSet<String> = findings
        .iter()
        .flat_map(|finding| &finding.themes)
        .map(fold)
        .collect();
    discovered
        .into_iter()
        .filter(|theme| !theme.trim().is_empty() && known.insert(fold(theme)))
        .collect()
}

/// Returns a report for each set of records that came completely and is read completely by now: a
/// scan would bring nothing more.
fn complete(
    ledger: &Ledger,
    sources: &SourceRegistry,
    before: &[String],
    now: &[String],
) -> Vec<QueryReport> {
    let read: HashSet<&str> = before.iter().chain(now).map(String::as_str).collect();
    let is_read = |tool: &str, record: &str| {
        sources
            .of_record(tool, record)
            .is_some_and(|source| read.contains(source.id.as_str()))
    };
    let scopes = ledger
        .scopes()
        .iter()
        .filter(|scope| scope.total == Some(scope.fetched()) && !scope.scanned);
    let scopes = scopes.filter(|scope| {
        !scope.records.is_empty()
            && scope
                .records
                .iter()
                .all(|record| is_read(&scope.tool, record))
    });

    scopes
        .map(|scope| QueryReport {
            tool: scope.tool.clone(),
            filters: scope.filters.clone(),
            total: scope.total,
            records: scope.records.iter().cloned().collect(),
            scanned: true,
            ..QueryReport::default()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn registry(records: &[(&str, &str)]) -> SourceRegistry {
        let mut sources = SourceRegistry::default();
        for (tool, record) in records {
            sources.register(Source {
                tool: (*tool).into(),
                record: (*record).into(),
                ..Source::default()
            });
        }
        sources
    }

    #[test]
    fn only_records_that_a_tool_returned_are_read_and_each_once() {
        let sources = registry(&[("t", "1"), ("t", "2"), ("u", "2")]);
        let given = [
            json!({"id": "1"}),
            json!({"id": 1}),
            json!({"id": "9"}),
            json!({"note": "x"}),
        ];
        let given: Vec<Object> = given
            .iter()
            .map(|value| value.as_object().unwrap().clone())
            .collect();
        let second = sources.of_record("u", "2").unwrap().id.clone();
        let (ids, unknown) = known(&given, &sources);
        assert_eq!((ids, unknown), (vec!["1".to_owned()], 2));
        let named = json!({"id": second}).as_object().unwrap().clone();
        assert_eq!(known(&[named], &sources).0, [second]);
    }

    #[test]
    fn new_themes_are_those_of_no_earlier_finding_in_any_letter_case() {
        let earlier = Finding {
            id: "f_1".into(),
            claim: "a".into(),
            evidence: Vec::new(),
            evidence_count: 0,
            doc_ids: Vec::new(),
            confidence: Default::default(),
            relevant_questions: Vec::new(),
            themes: vec!["Birds".into()],
        };
        let discovered = ["birds", "Weather", "weather", " "]
            .map(str::to_owned)
            .into();
        assert_eq!(
            new_themes(discovered, &[earlier]),
            ["Weather".to_owned()].into()
        );
    }
}

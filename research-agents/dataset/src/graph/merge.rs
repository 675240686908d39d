//! Merges the results of calls into what the run knows, one call after the other in the order of
//! the plan.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

use research_agents_report::claim::{Claim, Statement};
use research_agents_report::evidence::Source;
use research_agents_runtime::error::ErrorCategory;
use research_agents_runtime::event::Note;
use serde_json::Value;

use crate::agents::scanner::scan::scan_arguments;
use crate::data::call::asked_tools;
use crate::data::call::{Call, CallError, CallOutcome, CompletedCall};
use crate::data::contribution::Contribution;
use crate::data::names::SCANNER;
use crate::data::record::{AggregationResult, Object, SubQuestion, ToolCall};
use crate::data::review::ResearchGap;
use crate::found::coverage::QueryReport;
use crate::found::findings::merge;
use crate::state::model::DatasetState;
use crate::tools::dialect::ToolArguments;
use crate::tools::statistics::name_sources;

/// The additions of one step: what was not known before.
#[derive(Debug, Default)]
pub(crate) struct News {
    pub(crate) aggregations: Vec<AggregationResult>,
    pub(crate) insights: Vec<Statement>,
    pub(crate) notes: Vec<Note>,
    pub(crate) completed: Vec<CompletedCall>,
    /// Lines for the log.
    pub(crate) thinking: Vec<String>,
    /// Whether a validator gave a verdict.
    pub(crate) verdict: bool,
    /// The gaps of a gap analysis, when there was one.
    pub(crate) gaps: Option<Vec<ResearchGap>>,
    /// New findings of all calls that fetched data in a single batch, if there were any.
    pub(crate) single_reads: Option<usize>,
}

/// Merges one outcome.
pub(crate) fn merge_outcome(
    known: &mut DatasetState,
    outcome: &CallOutcome,
    limit: usize,
    news: &mut News,
) {
    let (id, name, arguments) = match &outcome.call {
        Call::Agent(call) => (&call.id, &call.agent, &call.arguments),
        Call::Tool(call) => (&call.id, &call.tool, &call.arguments),
    };
    news.completed.push(CompletedCall {
        iteration: known.iteration,
        id: id.clone(),
        name: name.clone(),
        arguments: arguments.clone(),
        elapsed_ms: outcome.elapsed_ms,
        fetched_data: outcome.fetched_data,
        error: outcome.error.clone(),
    });
    known.pending_sub_agent_calls.retain(|call| call.id != *id);
    known.pending_tool_calls.retain(|call| call.id != *id);

    if let Some(error) = &outcome.error {
        news.notes.push(error.note());
        known.error_message = Some(error.message.clone());

        // What could not even begin says nothing of what there is left to find.
        let has_looked = !error.is_invalid || known.ledger.wanting().is_none();
        if outcome.fetched_data && has_looked {
            news.single_reads.get_or_insert_default();
        }
        if name == SCANNER && !error.is_invalid {
            close(known, arguments, error);
        }
        return;
    }

    // Ids become final first: everything that follows names sources and aggregations by them.
    let mut contribution = Contribution::clone(&outcome.contribution);
    let sources = register_sources(known, &mut contribution, limit);
    let tables = number_tables(known, &mut contribution, news);
    contribution.rename(&sources, &tables);
    remember_call(known, outcome, &contribution);

    let batches = std::mem::take(&mut contribution.batch_findings);
    let new = merge(
        &mut known.findings,
        std::mem::take(&mut contribution.findings),
    );
    if outcome.fetched_data && batches.is_empty() {
        *news.single_reads.get_or_insert_default() += new;
    }
    count_batches(known, batches);

    for query in &contribution.queries {
        known.ledger.enter(query);
    }

    news.insights.extend(contribution.insights.iter().cloned());
    known.insights.append(&mut contribution.insights);
    news.notes.append(&mut contribution.notes);
    news.thinking.append(&mut contribution.thinking);

    for id in contribution.processed_doc_ids.drain(..) {
        if !known.processed_doc_ids.contains(&id) {
            known.processed_doc_ids.push(id);
        }
    }

    merge_review(known, contribution, news);
}

/// Notes that a scan failed, for what it was to read: so that it is not tried forever. A tool that
/// did not take what it was asked may still give something else.
fn close(known: &mut DatasetState, arguments: &Object, error: &CallError) {
    let given = arguments
        .get("tool_args")
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();

    for tool in asked_tools(arguments, &known.enabled_tools) {
        let own = ToolArguments::of(known.listed_tool(&tool));
        let last = known
            .last_successful_tool_args
            .as_ref()
            .filter(|call| call.tool == tool);
        let filters = own.selection(&scan_arguments(
            &own,
            &given,
            last.map(|call| &call.arguments),
        ));
        let filters = (error.category == ErrorCategory::McpToolError).then_some(filters);
        known.ledger.close(&tool, filters.as_ref(), &error.told);
    }
}

/// Registers the sources and returns the final ids of those whose provisional ones were taken. At
/// the limit a new source displaces the oldest one that was not read.
fn register_sources(
    known: &mut DatasetState,
    from: &mut Contribution,
    limit: usize,
) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    let (mut left_out, mut left_ids) = (BTreeSet::new(), BTreeSet::new());

    let mut unread = unread(known, from);
    let mut displaced = 0;
    for source in std::mem::take(&mut from.sources) {
        let provisional = source.id.clone();
        let sources = &known.extracted_sources;
        if sources.len() >= limit && sources.find(&source).is_none() {
            let Some(older) = unread
                .pop_front()
                .and_then(|id| known.extracted_sources.remove(&id))
            else {
                left_out.insert((source.tool, source.record));
                left_ids.insert(provisional);
                continue;
            };
            older
                .tools()
                .for_each(|tool| known.ledger.displace(tool, &older.record));
            displaced += 1;
        }

        let registered = known
            .extracted_sources
            .register_after(source, &known.earlier.sources);
        if !provisional.is_empty() && provisional != registered.id {
            names.insert(provisional, registered.id);
        }
    }

    if !left_out.is_empty() {
        leave_out(from, &left_out, &left_ids);
    }

    if displaced > 0 {
        let message =
            format!("{displaced} records that came first and were not read gave way to newer ones");
        from.notes.push(Note::own(message));
    }

    names
}

/// Returns the ids of the sources that may be displaced, oldest first: those that were not read for
/// findings, that nothing rests on, and that did not come again just now.
fn unread(known: &DatasetState, from: &Contribution) -> VecDeque<String> {
    let used = known
        .findings
        .iter()
        .chain(&from.findings)
        .flat_map(|finding| &finding.doc_ids);
    let used: HashSet<&String> = used.chain(&from.processed_doc_ids).collect();
    let came = from.queries.iter().flat_map(|query| {
        query
            .records
            .iter()
            .map(|record| (query.tool.as_str(), record.as_str()))
    });
    let came: HashSet<(&str, &str)> = came.collect();
    let stays = |source: &&Source| {
        used.contains(&source.id)
            || source
                .tools()
                .any(|tool| came.contains(&(tool, source.record.as_str())))
    };

    known
        .unread()
        .filter(|source| !stays(source))
        .map(|source| source.id.clone())
        .collect()
}

/// Removes the records beyond the limit on documents, and what was drawn from them alone.
fn leave_out(
    from: &mut Contribution,
    records: &BTreeSet<(String, String)>,
    ids: &BTreeSet<String>,
) {
    for query in &mut from.queries {
        let (tool, before) = (query.tool.clone(), query.records.len());
        query
            .records
            .retain(|record| !records.contains(&(tool.clone(), record.clone())));
        if let Some(samples) = &mut query.samples {
            samples
                .records
                .retain(|record| query.records.contains(record));
        }
        if query.records.len() < before {
            query.capped = true;
            query.exhausted = false;
        }
    }

    from.processed_doc_ids.retain(|id| !ids.contains(id));
    for finding in &mut from.findings {
        finding.doc_ids.retain(|id| !ids.contains(id));
        finding
            .evidence
            .retain(|claim| !matches!(claim, Claim::Quote { source, .. } if ids.contains(source)));
        finding.evidence_count = finding.doc_ids.len();
    }

    from.findings.retain(|finding| !finding.doc_ids.is_empty());
}

/// Numbers the aggregations. One that was computed before keeps its number and gets the newer
/// counts, unless they are a part of the older ones: for as many records fewer fell into a listed
/// group.
fn number_tables(
    known: &mut DatasetState,
    from: &mut Contribution,
    news: &mut News,
) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for mut table in from.results.drain(..) {
        let provisional = table.id.clone();
        let tool = table.source_tool.clone();
        name_sources(&mut table, |record| {
            let source = known.extracted_sources.of_record(&tool, record)?;
            Some(source.id.clone())
        });
        let next = known.next_table();

        match known
            .aggregation_results
            .iter_mut()
            .find(|other| other.is_like(&table))
        {
            Some(older) => {
                table.id.clone_from(&older.id);
                let is_part =
                    table.total_docs == older.total_docs && table.accounted() < older.accounted();
                if !is_part && table != *older {
                    news.aggregations.push(table.clone());
                    *older = table.clone();
                }
            }
            None => {
                table.id = known
                    .earlier
                    .table_like(&table)
                    .map_or_else(|| format!("A{next}"), str::to_owned);
                news.aggregations.push(table.clone());
                known.aggregation_results.push(table.clone());
            }
        }

        names.insert(provisional, table.id);
    }

    names
}

/// Remembers the arguments of the last data call with a result, so that a scan can inherit its
/// filters.
fn remember_call(known: &mut DatasetState, outcome: &CallOutcome, from: &Contribution) {
    let brought = |query: &&QueryReport| query.total.is_some() || !query.records.is_empty();
    let Some(query) = from
        .queries
        .last()
        .filter(brought)
        .filter(|_| outcome.fetched_data)
    else {
        return;
    };

    known.last_successful_tool_args = Some(match &outcome.call {
        Call::Tool(call) => call.clone(),
        Call::Agent(call) => {
            let tool = known
                .listed_tools
                .iter()
                .find(|tool| tool.exposed_name == query.tool);
            let mut arguments = ToolArguments::of(tool).selecting(&query.filters);
            arguments.extend(
                call.arguments
                    .get("group_by")
                    .map(|fields| ("group_by".to_owned(), fields.clone())),
            );
            ToolCall {
                id: call.id.clone(),
                tool: query.tool.clone(),
                arguments,
            }
        }
    });
}

/// Counts batches: each one with a new finding resets the count of those without.
pub(crate) fn count_batches(known: &mut DatasetState, batches: impl IntoIterator<Item = usize>) {
    for new in batches {
        known.batch_findings.push(new);
        known.batches_with_no_new_findings = if new > 0 {
            0
        } else {
            known.batches_with_no_new_findings + 1
        };
    }
}

/// Returns what was read and counted so far, to detect whether something came.
pub(crate) fn gathered(known: &DatasetState) -> (usize, usize, usize, usize) {
    let (findings, tables) = (known.findings.len(), known.aggregation_results.len());
    (
        findings,
        tables,
        known.extracted_sources.len(),
        known.processed_doc_ids.len(),
    )
}

/// Forgets a verdict and a gap analysis once what they judged has changed.
pub(crate) fn forget_reviews(known: &mut DatasetState, news: &News) {
    if !news.verdict {
        known.validation_status = None;
        known.validation_issues.clear();
        known.question_confidence.clear();
        known.confidence_is_validated = false;
    }
    if news.gaps.is_none() {
        known.gaps_identified.clear();
        known.recommendation = None;
    }
}

/// Forgets what was said of questions that another checklist replaced: it has other questions under
/// the same ids.
pub(crate) fn forget_checklist(known: &mut DatasetState, before: &[SubQuestion]) {
    let asks = |questions: &[SubQuestion]| -> Vec<(String, String)> {
        questions
            .iter()
            .map(|asked| (asked.id.clone(), asked.question.trim().to_lowercase()))
            .collect()
    };
    if before.is_empty() || asks(before) == asks(&known.sub_questions) {
        return;
    }
    known
        .findings
        .iter_mut()
        .for_each(|finding| finding.relevant_questions.clear());
    forget_reviews(known, &News::default());
}

fn merge_review(known: &mut DatasetState, from: Contribution, news: &mut News) {
    if !from.sub_questions.is_empty() {
        known.sub_questions = from.sub_questions;
    }

    for perspective in from.perspectives {
        let name = perspective.name.trim().to_lowercase();
        if known
            .perspectives
            .iter()
            .all(|other| other.name.trim().to_lowercase() != name)
        {
            known.perspectives.push(perspective);
        }
    }

    if from.status.is_some() {
        known.validation_status = from.status;
        known.validation_issues = from.issues;
        news.verdict = true;
    }

    known.question_confidence.extend(from.confidence_scores);
    if let Some(confidence) = from.overall_confidence {
        known.overall_confidence = confidence.clamp(0.0, 1.0);
        known.confidence_is_validated = true;
        news.verdict = true;
    }

    if from.recommendation.is_some() || !from.gaps.is_empty() {
        known.gaps_identified.clone_from(&from.gaps);
        news.gaps = Some(from.gaps);
        known.recommendation = from.recommendation;
    }

    if let Some(report) = from.report {
        known.final_report = Some(report);
        known.final_document = from.document;
        known.key_findings = from.key_findings;
        known.limitations = from.limitations;
        known.suggestions = from.suggestions_for_further_research;
    }
}

#[cfg(test)]
mod tests;

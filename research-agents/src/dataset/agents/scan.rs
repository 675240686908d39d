//! The walk of a scanner: page after page, each record once, findings from every batch, and why it ended.

mod kept;
mod samples;

use std::collections::HashSet;

use research_mcp::{PageEnd, Pager};

use super::extraction::{Brief, Extracted, extract};
use super::scanner::{ScannerInput, ScannerOutput, max_batches};
use crate::Error;
use crate::dataset::corpus::source;
use crate::dataset::event::{DatasetEventKind, Phase};
use crate::dataset::findings::{id_of, merge, normalised};
use crate::dataset::note::{Note, clause};
use crate::dataset::record::Object;
use crate::dataset::scope::{QueryReport, Scope};
use crate::dataset::services::DatasetCx;
use crate::dataset::tool_arguments::ToolArguments;
use crate::error::of_tool;
use crate::kernel::{Source, SourceRegistry};

/// The arguments of a scan: what the planner gave, with the filters of the last call of the same tool where it gave none.
///
/// What selects records is taken from one side only: filters that say which records are wanted, if only that all are, mean
/// other records together with those of a call before. A `pit_id` is taken only from the planner: an inherited one may have
/// expired.
pub(in crate::dataset) fn scan_arguments(tool: &ToolArguments, given: &Object, last: Option<&Object>) -> Object {
    let mut arguments = given.clone();
    let selects_itself = tool.names_selection(given);
    for (name, value) in last.into_iter().flatten().filter(|(name, _)| *name != "pit_id") {
        if !(arguments.contains_key(name) || selects_itself && tool.selects_by(name)) {
            arguments.insert(name.clone(), value.clone());
        }
    }
    tool.keep_selection(&mut arguments);
    tool.drop_empty_filters(&mut arguments);
    arguments
}

/// A scan under way.
pub(super) struct Scan<'a> {
    cx: &'a DatasetCx,
    sources: SourceRegistry,
    /// Ids of all records of the run, against the limit on documents.
    read: HashSet<String>,
    /// Claims of the run, to tell new findings.
    claims: HashSet<String>,
    output: ScannerOutput,
    /// Why a tool could not be read to its end.
    failure: Option<Error>,
    /// What the user was told last that the scan does.
    phase: Option<Phase>,
}

impl<'a> Scan<'a> {
    /// A scan that has read nothing yet.
    pub(super) fn new(cx: &'a DatasetCx) -> Self {
        let state = cx.state();
        let sources = state.extracted_sources.clone();
        Self {
            read: sources.iter().map(|source| source.id.clone()).collect(),
            claims: state.findings.iter().map(|finding| normalised(&finding.claim)).collect(),
            sources,
            cx,
            output: ScannerOutput::default(),
            failure: None,
            phase: None,
        }
    }

    fn room(&self) -> usize {
        self.cx.config().max_docs.saturating_sub(self.read.len())
    }

    fn enter(&mut self, phase: Phase) {
        if self.phase.replace(phase) != Some(phase) {
            self.cx.phase(phase);
        }
    }

    /// Most batches that the plan allows. A run that is to read everything is not held back by a plan.
    fn planned_batches(&self, input: &ScannerInput) -> Option<usize> {
        input.max_batches.filter(|_| !self.cx.config().exhaustive)
    }

    /// Reads one tool.
    pub(super) async fn tool(&mut self, tool: &str, input: &ScannerInput) {
        let state = self.cx.state();
        let last = state.last_successful_tool_args.as_ref().filter(|call| call.tool == tool);
        let reading = self.cx.reading(tool);
        let mut arguments = scan_arguments(&reading.arguments, &input.tool_args, last.map(|call| &call.arguments));
        let mut filters = reading.arguments.selection(&arguments);
        if let Some(open) = self.instead(tool, &filters, input) {
            let words =
                "the planned scan is of records that were all read for the same; those that are unread are read";
            self.cx.emit(DatasetEventKind::Thinking { text: words.to_owned() });
            let naming = reading.arguments.naming(&open.filters);
            arguments = scan_arguments(&reading.arguments, &naming, Some(&arguments));
            filters.clone_from(&open.filters);
        }
        let refused = reading.arguments.refused(&arguments).into_iter();
        self.output.notes.extend(refused.map(|field| Note::filter_left_out(tool, &field, state)));
        let brief = Brief {
            query: state.question.clone(),
            focus: if input.extraction_focus.is_empty() {
                state.question.clone()
            } else {
                input.extraction_focus.clone()
            },
            sub_questions: input.sub_questions.clone(),
            filters: filters.clone(),
            max_findings_per_doc: self.cx.config().max_findings_per_doc,
        };
        let scope = state.ledger.scopes().iter().find(|scope| scope.tool == tool && scope.filters == filters);
        let mut report = QueryReport { tool: tool.to_owned(), filters, scanned: true, ..QueryReport::default() };
        if let Some(grouping) = reading.arguments.sampling(&input.tool_args) {
            self.enter(Phase::Sampling);
            if self.read_samples(tool, &reading, grouping.over(&arguments), &brief, &mut report).await {
                // Samples are not all records: a run that is to read everything goes on while there is room.
                report.scanned = !self.cx.config().exhaustive || report.capped;
                self.output.docs_scanned += report.records.len();
                self.output.queries.push(report);
                return;
            }
        }
        self.enter(Phase::Scanning);
        report.order = reading.arguments.order_words(&arguments);
        let unread = scope.map(|scope| self.unread(tool, scope)).unwrap_or_default();
        match scope {
            Some(scope) if scope.total == Some(scope.fetched()) => {
                self.read_kept(tool, scope, input, &brief, &mut report).await;
            }
            Some(scope) if self.room() == 0 && !unread.is_empty() => {
                self.read_unread(scope, &unread, input, &brief, &mut report).await;
            }
            _ => self.read_pages(tool, arguments, scope, input, &brief, &mut report).await,
        }
        self.output.docs_scanned += report.records.len();
        self.output.queries.push(report);
    }

    /// Nothing more may come: reads what came already and nobody has read.
    async fn read_unread(
        &mut self,
        scope: &Scope,
        ids: &[String],
        input: &ScannerInput,
        brief: &Brief,
        report: &mut QueryReport,
    ) {
        let is_sample = |record: &String| scope.samples.iter().any(|samples| samples.records.contains(record));
        let records = ids.iter().filter_map(|id| self.sources.get(id)).map(|source| source.record.clone());
        report.records = records.filter(|record| !is_sample(record)).collect();
        report.total = scope.total;
        report.capped = true;
        report.stopped_early = Some(self.limit_words());
        self.read_in_batches(ids, input, brief, report).await;
    }

    /// Ids of the sources of a scope that nobody has read for findings.
    fn unread(&self, tool: &str, scope: &Scope) -> Vec<String> {
        let unread = self.cx.state().unread().filter(|source| is_of(source, tool, scope));
        unread.map(|source| source.id.clone()).collect()
    }

    fn limit_words(&self) -> String {
        format!("the limit of {} records was reached", self.cx.config().max_docs)
    }

    async fn read_pages(
        &mut self,
        tool: &str,
        arguments: Object,
        scope: Option<&Scope>,
        input: &ScannerInput,
        brief: &Brief,
        report: &mut QueryReport,
    ) {
        let config = self.cx.config();
        let total = scope.and_then(|scope| scope.total);
        let planned = self.planned_batches(input);
        let needed = |total| max_batches(total, input.batch_size, config.max_docs);
        let mut batches = planned.unwrap_or_else(|| needed(total));
        let mut pager = Pager::new(self.cx.tools(), tool, arguments, self.cx.reading(tool).pages);
        let mut done = 0;
        while done < batches && pager.end().is_none() && self.room() > 0 && !self.cx.is_cancelled() {
            let ids = self.batch(&mut pager, tool, input.batch_size, report).await;
            if ids.is_empty() {
                break;
            }
            done += 1;
            report.total = pager.context().and_then(|context| context.unique_ids_matched).or(total);
            // The pages may tell of more records than were known before.
            if planned.is_none() {
                batches = batches.max(needed(report.total));
            }
            self.extract(brief, &ids).await;
            self.progress(report);
        }
        report.total = pager.context().and_then(|context| context.unique_ids_matched).or(total);
        self.conclude(&pager, planned.is_some_and(|most| done >= most), report);
        if let Some(PageEnd::Failed(error)) = pager.into_end() {
            self.failure = Some(error.into());
        }
    }

    /// The next batch, filled by as many pages as it takes.
    async fn batch(&mut self, pager: &mut Pager, tool: &str, size: usize, report: &mut QueryReport) -> Vec<String> {
        let mut ids: Vec<String> = Vec::new();
        while ids.len() < size && pager.end().is_none() && self.room() > 0 {
            let wanted = (size - ids.len()).min(self.room());
            let next = pager.next_page_of(wanted);
            let page = self.cx.unless_stopped(&format!("page of {tool}"), &wanted, next).await.ok().flatten();
            let Some(page) = page else { break };
            for document in page.documents {
                let source = source(tool, document);
                if self.room() == 0 && self.sources.find(&source).is_none() {
                    report.capped = true;
                    continue;
                }
                report.records.push(source.record.clone());
                let id = self.sources.register_beside(source, &self.cx.state().earlier.sources).id;
                self.read.insert(id.clone());
                ids.push(id);
            }
        }
        ids
    }

    async fn extract(&mut self, brief: &Brief, ids: &[String]) {
        if ids.is_empty() {
            return;
        }
        let found = extract(self.cx, brief, &self.sources, ids).await;
        self.output.notes.extend(found.notes());
        let Extracted { findings, themes, read, errors, .. } = found;
        let new: HashSet<String> = findings
            .iter()
            .map(|finding| normalised(&finding.claim))
            .filter(|claim| !self.claims.contains(claim))
            .collect();
        self.output.batch_findings.push(new.len());
        self.output.batches_processed += 1;
        self.claims.extend(new);
        let grown: HashSet<String> = findings.iter().map(|finding| id_of(&finding.claim)).collect();
        merge(&mut self.output.findings, findings);
        self.tell(ids, &grown);
        self.output.unique_themes.extend(themes);
        self.output.processed_doc_ids.extend(read);
        for error in errors {
            self.cx.warn(&error);
            self.output.notes.push(Note::failed("a batch could not be read for findings", &error));
        }
    }

    /// Tells of a batch while the scan goes on. With several tools the ids of records are final only once the results of all
    /// of them are merged, so that they are told then.
    fn tell(&self, ids: &[String], grown: &HashSet<String>) {
        if self.cx.state().enabled_tools.len() == 1 {
            let sources = ids.iter().filter_map(|id| self.sources.get(id)).map(AsRef::as_ref);
            self.cx.announce(sources, self.output.findings.iter().filter(|finding| grown.contains(&finding.id)));
        }
    }

    fn progress(&self, report: &QueryReport) {
        let limit = self.cx.config().max_docs as u64;
        let read = report.records.len() as u64;
        let goal = report.total.unwrap_or(limit).min(limit).max(1);
        let percent = 30 + (50 * read.min(goal) / goal) as u8;
        let found = self.output.findings.len();
        self.cx.progress(percent, format!("{read} of {goal} records read, {found} findings"));
    }

    /// Says why the scan ended, where it ended before the last record.
    fn conclude(&mut self, pager: &Pager, out_of_batches: bool, report: &mut QueryReport) {
        let read = report.records.len() as u64;
        let all = report.total.is_some_and(|total| read == total);
        let beyond = report.total.is_some_and(|total| read > total);
        let coverage = pager.coverage();
        let skipped = coverage.skipped.total();
        // A record that was left out or could not be read is no less a part of what matches.
        report.exhausted = coverage.complete && !report.capped && skipped == 0;
        let reason = match pager.end() {
            _ if all || (report.exhausted && report.total.is_none()) => None,
            _ if self.cx.is_cancelled() => self.cx.stop().map(|stop| stop.to_string()),
            Some(PageEnd::Failed(error)) => Some(clause(of_tool(error).user_message())),
            _ if report.capped || self.room() == 0 => {
                report.capped = true;
                Some(self.limit_words())
            }
            Some(end) if !end.is_complete() => Some(end.reason()),
            Some(_) if skipped > 0 && !beyond => {
                Some(format!("{skipped} of what the tool gave could not be read as records of two fields or more"))
            }
            None if beyond => Some("the tool went on beyond the number of records that it says match".to_owned()),
            Some(_) if beyond => None,
            Some(end) if report.total.is_some() => Some(end.reason()),
            None if out_of_batches => Some("the planned number of batches was reached".to_owned()),
            _ => None,
        };
        if let Some(PageEnd::Failed(error)) = pager.end() {
            let told = format!("the scan of {} broke off: {}", report.tool, clause(of_tool(error).user_message()));
            self.output.notes.push(Note::own(told).in_full(format!("the scan of {} broke off: {error}", report.tool)));
        }
        report.stopped_early = reason;
    }

    /// What the scan gives; the failure when nothing could be read at all.
    pub(super) fn finish(mut self) -> Result<ScannerOutput, Error> {
        // What one tool gave counts, whatever became of another one.
        let is_vain =
            self.output.docs_scanned == 0 && self.output.queries.iter().all(|query| query.stopped_early.is_some());
        if let Some(error) = self.failure.take().filter(|_| is_vain) {
            return Err(error);
        }
        let before = &self.cx.state().extracted_sources;
        let scanned: HashSet<(&str, &str)> = self
            .output
            .queries
            .iter()
            .flat_map(|query| query.records.iter().map(|record| (query.tool.as_str(), record.as_str())))
            .collect();
        let is_scanned = |source: &Source| source.tools().any(|tool| scanned.contains(&(tool, source.record.as_str())));
        self.output.sources = self
            .sources
            .iter()
            .filter(|source| before.get(&source.id).is_none() || is_scanned(source))
            .map(|source| Source::clone(source))
            .collect();
        self.output.coverage_percentage = percentage(&self.output.queries);
        Ok(self.output)
    }
}

/// The share of what matches that was read, in percent; `None` where a tool did not say how many match and was not read to its
/// end, or gave more than it said.
fn percentage(queries: &[QueryReport]) -> Option<f64> {
    let read = |query: &QueryReport| query.records.len() as u64;
    let matching = |query: &QueryReport| {
        let told = query.total.filter(|total| *total >= read(query));
        told.or_else(|| query.exhausted.then(|| read(query)))
    };
    let total = queries.iter().try_fold(0_u64, |sum, query| sum.checked_add(matching(query)?))?;
    let all: u64 = queries.iter().map(read).sum();
    match total {
        _ if queries.is_empty() => None,
        0 => Some(100.0),
        total => Some(100.0 * all as f64 / total as f64),
    }
}

/// Whether a source came from a tool within a scope.
fn is_of(source: &Source, tool: &str, scope: &Scope) -> bool {
    source.tools().any(|own| own == tool) && scope.records.contains(&source.record)
}

#[cfg(test)]
mod tests {
    use research_mcp::Tool;
    use serde_json::{Value, json};

    use super::*;

    fn object(value: Value) -> Object {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn inherited_grouping_and_paging_are_stripped_and_filters_kept() {
        let last = object(json!({
            "filters": "{\"country\":\"India\"}", "group_by": "event_theme", "top_n": 5, "page_size": 20,
            "search_after": ["x"], "pit_id": "old"
        }));
        assert_eq!(
            scan_arguments(&ToolArguments::of(None), &Object::new(), Some(&last)),
            object(json!({"filters": "{\"country\":\"India\"}"}))
        );
    }

    #[test]
    fn the_planners_own_filters_win_and_its_pit_is_carried() {
        let last = object(json!({"filters": "{\"country\":\"India\"}"}));
        let given = object(json!({"filters": "{\"country\":\"Peru\"}", "pit_id": "p"}));
        assert_eq!(scan_arguments(&ToolArguments::of(None), &given, Some(&last)), given);
    }

    fn tool(properties: Value) -> ToolArguments {
        let schema = json!({"properties": properties, "required": ["index"]});
        ToolArguments::of(Some(&Tool::new("s", "t", object(schema))))
    }

    #[test]
    fn a_scan_of_all_records_inherits_no_filters_and_sends_none() {
        let last = object(json!({"filters": "{\"country\":\"India\"}", "sort": "day"}));
        for all in [json!({"filters": "{}"}), json!({"filters": {}})] {
            let arguments = scan_arguments(&ToolArguments::of(None), &object(all), Some(&last));
            assert_eq!(arguments, object(json!({"sort": "day"})));
        }
    }

    #[test]
    fn filters_under_another_word_are_not_laid_over_those_of_the_plan() {
        let tool = tool(json!({"where": {"type": "object"}, "index": {"type": "string"}}));
        let last = object(json!({"where": {"country": "India"}, "index": "events"}));
        let given = object(json!({"filters": "{\"country\": \"Peru\"}"}));
        let arguments = scan_arguments(&tool, &given, Some(&last));
        assert_eq!(tool.selection(&arguments), object(json!({"country": "Peru"})));
        assert_eq!(tool.spoken(arguments), object(json!({"where": {"country": "Peru"}, "index": "events"})));
        let inherited = scan_arguments(&tool, &Object::new(), Some(&last));
        assert_eq!(tool.selection(&inherited), object(json!({"country": "India"})));
    }

    #[test]
    fn an_argument_for_a_field_is_inherited_only_where_the_plan_selects_nothing() {
        let text = json!({"type": "string"});
        let tool = tool(json!({"state": text, "size": text, "index": text, "sort": text}));
        let last = object(json!({"state": "Ohio", "size": "large", "index": "events", "sort": "day"}));
        let of = |given: Value| scan_arguments(&tool, &object(given), Some(&last));
        assert_eq!(of(json!({"state": "Iowa"})), object(json!({"state": "Iowa", "index": "events", "sort": "day"})));
        assert_eq!(of(json!({"filters": "{}"})), object(json!({"index": "events", "sort": "day"})));
        assert_eq!(of(json!({})), last);
    }

    #[test]
    fn a_percentage_is_of_what_matches_and_never_flatters() {
        let query = |total: Option<u64>, read: usize, exhausted: bool| QueryReport {
            total,
            exhausted,
            records: (0..read).map(|id| id.to_string()).collect(),
            ..QueryReport::default()
        };
        for (queries, expected) in [
            (vec![query(Some(165), 165, true)], Some(100.0)),
            (vec![query(Some(200), 50, false)], Some(25.0)),
            (vec![query(Some(20), 75, false)], None),
            (vec![query(None, 75, false)], None),
            (vec![query(None, 75, true)], Some(100.0)),
            (vec![query(Some(0), 0, true)], Some(100.0)),
            (vec![query(Some(100), 100, true), query(Some(300), 100, false)], Some(50.0)),
            (vec![query(Some(100), 100, true), query(None, 100, false)], None),
            (vec![query(Some(u64::MAX), 1, false), query(Some(1), 1, true)], None),
            (Vec::new(), None),
        ] {
            assert_eq!(percentage(&queries), expected, "{queries:?}");
        }
    }
}

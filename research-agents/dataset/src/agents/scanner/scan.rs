//! The scan of a tool: page after page, each record once, findings from every batch, and the reason
//! why it ended.

pub(crate) mod fetched;
pub(crate) mod samples;

use std::collections::HashSet;

use research_agents_report::evidence::{Source, SourceRegistry};
use research_agents_runtime::error::{Error, of_tool};
use research_agents_runtime::event::{Note, RunEvent, clause};
use research_mcp::{PageEnd, Pager};

use crate::agents::extraction::request::Brief;
use crate::agents::extraction::{Extracted, extract};
use crate::agents::scanner::batches::{ScannerInput, ScannerOutput, max_batches};
use crate::cx::DatasetCx;
use crate::data::event::Phase;
use crate::data::record::Object;
use crate::found::coverage::{QueryReport, Scope};
use crate::found::findings::{id_of, merge, normalised};
use crate::state::filter_notes::note_of_filter_left_out;
use crate::tools::dialect::ToolArguments;
use crate::tools::documents::source;

/// Returns the arguments of a scan: those of the plan, with the filters of the last call of the
/// same tool if the plan has none.
///
/// Arguments that select records are taken from the plan or from the last call, never from both:
/// combined they would select other records. An empty filter of a plan is a selection too, of all
/// records. A `pit_id` is taken only from the plan, because an inherited one may have expired.
pub(crate) fn scan_arguments(
    tool: &ToolArguments,
    given: &Object,
    last: Option<&Object>,
) -> Object {
    let mut arguments = given.clone();
    let selects_itself = tool.names_selection(given);
    for (name, value) in last
        .into_iter()
        .flatten()
        .filter(|(name, _)| *name != "pit_id")
    {
        if !(arguments.contains_key(name) || selects_itself && tool.selects_by(name)) {
            arguments.insert(name.clone(), value.clone());
        }
    }

    tool.keep_selection(&mut arguments);
    tool.drop_empty_filters(&mut arguments);

    arguments
}

/// A scan in progress.
pub(crate) struct Scan<'a> {
    cx: &'a DatasetCx,
    sources: SourceRegistry,
    /// Ids of all records of the run, which count towards the limit on documents.
    read: HashSet<String>,
    /// Claims of the run, to recognise new findings.
    claims: HashSet<String>,
    output: ScannerOutput,
    /// The error that ended the reading of a tool early.
    failure: Option<Error>,
    /// The phase that was reported last.
    phase: Option<Phase>,
}

impl<'a> Scan<'a> {
    /// Creates a scan that has read nothing yet.
    pub(crate) fn new(cx: &'a DatasetCx) -> Self {
        let state = cx.state();
        let sources = state.extracted_sources.clone();
        Self {
            read: sources.iter().map(|source| source.id.clone()).collect(),
            claims: state
                .findings
                .iter()
                .map(|finding| normalised(&finding.claim))
                .collect(),
            sources,
            cx,
            output: ScannerOutput::default(),
            failure: None,
            phase: None,
        }
    }

    fn remaining(&self) -> usize {
        self.cx.config().max_docs.saturating_sub(self.read.len())
    }

    /// Reports a phase, unless it is the one that was reported last.
    fn start_phase(&mut self, phase: Phase) {
        if self.phase.replace(phase) != Some(phase) {
            self.cx.phase(phase);
        }
    }

    /// Returns the number of batches that the plan allows. A plan does not limit a run that is to
    /// read everything.
    fn planned_batches(&self, input: &ScannerInput) -> Option<usize> {
        input.max_batches.filter(|_| !self.cx.config().exhaustive)
    }

    /// Reads one tool.
    pub(crate) async fn tool(&mut self, tool: &str, input: &ScannerInput) {
        let state = self.cx.state();
        let last = state
            .last_successful_tool_args
            .as_ref()
            .filter(|call| call.tool == tool);
        let reading = self.cx.reading(tool);

        let mut arguments = scan_arguments(
            &reading.arguments,
            &input.tool_args,
            last.map(|call| &call.arguments),
        );
        let mut filters = reading.arguments.selection(&arguments);

        // A plan that repeats a finished scan is redirected to the records that are still unread.
        if let Some(open) = self.instead(tool, &filters, input) {
            let words = "the planned scan is of records that were all read for the same; those \
                that are unread are read";
            self.cx.emit(RunEvent::Thinking {
                text: words.to_owned(),
            });
            let naming = reading.arguments.naming(&open.filters);
            arguments = scan_arguments(&reading.arguments, &naming, Some(&arguments));
            filters.clone_from(&open.filters);
        }

        // Prepare the report of the query.
        let refused = reading.arguments.refused(&arguments).into_iter();
        self.output
            .notes
            .extend(refused.map(|field| note_of_filter_left_out(tool, &field, state)));
        let brief = self.brief(input, &filters);
        let scope = state
            .ledger
            .scopes()
            .iter()
            .find(|scope| scope.tool == tool && scope.filters == filters);
        let mut report = QueryReport {
            tool: tool.to_owned(),
            filters,
            scanned: true,
            ..QueryReport::default()
        };

        // Read samples of groups, if the plan asks for them and the tool returns any.
        if let Some(grouping) = reading.arguments.sampling(&input.tool_args) {
            self.start_phase(Phase::Sampling);
            if self
                .read_samples(
                    tool,
                    &reading,
                    grouping.over(&arguments),
                    &brief,
                    &mut report,
                )
                .await
            {
                // Samples are not all records: a run that is to read everything continues below its
                // limit.
                report.scanned = !self.cx.config().exhaustive || report.capped;
                self.output.docs_scanned += report.records.len();
                self.output.queries.push(report);
                return;
            }
        }

        // Read records: fetched ones again, unread ones at the limit, or further pages.
        self.start_phase(Phase::Scanning);
        report.order = reading.arguments.order_words(&arguments);
        let unread = scope
            .map(|scope| self.unread(tool, scope))
            .unwrap_or_default();
        match scope {
            Some(scope) if scope.total == Some(scope.fetched()) => {
                self.read_fetched(tool, scope, input, &brief, &mut report)
                    .await;
            }
            Some(scope) if self.remaining() == 0 && !unread.is_empty() => {
                self.read_unread(scope, &unread, input, &brief, &mut report)
                    .await;
            }
            _ => {
                self.read_pages(tool, arguments, scope, input, &brief, &mut report)
                    .await
            }
        }

        self.output.docs_scanned += report.records.len();
        self.output.queries.push(report);
    }

    /// Returns the purpose of the extraction: the plan's focus, else the question.
    fn brief(&self, input: &ScannerInput, filters: &Object) -> Brief {
        let question = &self.cx.state().question;
        let focus = if input.extraction_focus.is_empty() {
            question
        } else {
            &input.extraction_focus
        };
        Brief {
            query: question.clone(),
            focus: focus.clone(),
            sub_questions: input.sub_questions.clone(),
            filters: filters.clone(),
            max_findings_per_doc: self.cx.config().max_findings_per_doc,
        }
    }

    /// Reads the records that were fetched and not read yet, when the limit on documents does not
    /// allow to fetch more.
    async fn read_unread(
        &mut self,
        scope: &Scope,
        ids: &[String],
        input: &ScannerInput,
        brief: &Brief,
        report: &mut QueryReport,
    ) {
        let is_sample = |record: &String| {
            scope
                .samples
                .iter()
                .any(|samples| samples.records.contains(record))
        };

        let records = ids
            .iter()
            .filter_map(|id| self.sources.get(id))
            .map(|source| source.record.clone());
        report.records = records.filter(|record| !is_sample(record)).collect();
        report.total = scope.total;
        report.capped = true;
        report.stopped_early = Some(self.limit_words());
        self.read_in_batches(ids, input, brief, report).await;
    }

    /// Returns the ids of the sources of a scope that were not read for findings.
    fn unread(&self, tool: &str, scope: &Scope) -> Vec<String> {
        let unread = self
            .cx
            .state()
            .unread()
            .filter(|source| is_of(source, tool, scope));
        unread.map(|source| source.id.clone()).collect()
    }

    fn limit_words(&self) -> String {
        format!(
            "the limit of {} records was reached",
            self.cx.config().max_docs
        )
    }

    /// Reads pages until the scan is complete or reaches a limit.
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
        let mut pager = Pager::new(
            self.cx.tools(),
            tool,
            arguments,
            self.cx.reading(tool).pages,
        );
        let mut done = 0;
        while done < batches
            && pager.end().is_none()
            && self.remaining() > 0
            && !self.cx.is_cancelled()
        {
            let ids = self.batch(&mut pager, tool, input.batch_size, report).await;
            if ids.is_empty() {
                break;
            }

            done += 1;
            report.total = pager
                .context()
                .and_then(|context| context.unique_ids_matched)
                .or(total);
            // The pages may report more records than were known before.
            if planned.is_none() {
                batches = batches.max(needed(report.total));
            }

            self.extract(brief, &ids).await;
            self.progress(report);
        }

        report.total = pager
            .context()
            .and_then(|context| context.unique_ids_matched)
            .or(total);
        self.conclude(&pager, planned.is_some_and(|most| done >= most), report);

        if let Some(PageEnd::Failed(error)) = pager.into_end() {
            self.failure = Some(error.into());
        }
    }

    /// Fetches the next batch, from as many pages as it needs, and returns the ids of its sources.
    async fn batch(
        &mut self,
        pager: &mut Pager,
        tool: &str,
        size: usize,
        report: &mut QueryReport,
    ) -> Vec<String> {
        let mut ids: Vec<String> = Vec::new();
        while ids.len() < size && pager.end().is_none() && self.remaining() > 0 {
            let wanted = (size - ids.len()).min(self.remaining());
            let next = pager.next_page_of(wanted);
            let page = self
                .cx
                .job()
                .unless_stopped(&format!("page of {tool}"), &wanted, next)
                .await
                .ok()
                .flatten();
            let Some(page) = page else { break };

            for document in page.documents {
                let source = source(tool, document);
                if self.remaining() == 0 && self.sources.find(&source).is_none() {
                    report.capped = true;
                    continue;
                }

                report.records.push(source.record.clone());
                let id = self
                    .sources
                    .register_after(source, &self.cx.state().earlier.sources)
                    .id;
                self.read.insert(id.clone());
                ids.push(id);
            }
        }

        ids
    }

    /// Draws findings from a batch.
    async fn extract(&mut self, brief: &Brief, ids: &[String]) {
        if ids.is_empty() {
            return;
        }

        let found = extract(self.cx, brief, &self.sources, ids).await;
        self.output.notes.extend(found.notes());
        let Extracted {
            findings,
            themes,
            read,
            errors,
            ..
        } = found;
        let new: HashSet<String> = findings
            .iter()
            .map(|finding| normalised(&finding.claim))
            .filter(|claim| !self.claims.contains(claim))
            .collect();

        self.output.batch_findings.push(new.len());
        self.output.batches_processed += 1;
        self.claims.extend(new);

        // A known claim with new records is reported again.
        let grown: HashSet<String> = findings
            .iter()
            .map(|finding| id_of(&finding.claim))
            .collect();
        merge(&mut self.output.findings, findings);
        self.announce_batch(ids, &grown);
        self.output.unique_themes.extend(themes);
        self.output.processed_doc_ids.extend(read);

        for error in errors {
            self.cx.warn(&error);
            self.output.notes.push(Note::failed(
                "a batch could not be read for findings",
                &error,
            ));
        }
    }

    /// Reports a batch while the scan continues. With several tools the ids of records are final
    /// only once the results of all of them are merged, so they are reported then.
    fn announce_batch(&self, ids: &[String], grown: &HashSet<String>) {
        if self.cx.state().enabled_tools.len() == 1 {
            let sources = ids
                .iter()
                .filter_map(|id| self.sources.get(id))
                .map(AsRef::as_ref);
            self.cx.announce(
                sources,
                self.output
                    .findings
                    .iter()
                    .filter(|finding| grown.contains(&finding.id)),
            );
        }
    }

    fn progress(&self, report: &QueryReport) {
        let limit = self.cx.config().max_docs as u64;
        let read = report.records.len() as u64;
        let goal = report.total.unwrap_or(limit).min(limit).max(1);
        let percent = 30 + (50 * read.min(goal) / goal) as u8;
        let found = self.output.findings.len();
        self.cx.progress(
            percent,
            format!("{read} of {goal} records read, {found} findings"),
        );
    }

    /// Records why the scan ended, if it ended before the last record.
    fn conclude(&mut self, pager: &Pager, out_of_batches: bool, report: &mut QueryReport) {
        let read = report.records.len() as u64;
        let all = report.total.is_some_and(|total| read == total);
        let beyond = report.total.is_some_and(|total| read > total);
        let coverage = pager.coverage();
        let skipped = coverage.skipped.total();

        // Records that were left out or could not be read match all the same.
        report.exhausted = coverage.complete && !report.capped && skipped == 0;
        let reason = match pager.end() {
            _ if all || (report.exhausted && report.total.is_none()) => None,
            _ if self.cx.is_cancelled() => self.cx.job().stop().map(|stop| stop.to_string()),
            Some(PageEnd::Failed(error)) => Some(clause(of_tool(error).user_message())),
            _ if report.capped || self.remaining() == 0 => {
                report.capped = true;
                Some(self.limit_words())
            }
            Some(end) if !end.is_complete() => Some(end.reason()),
            Some(_) if skipped > 0 && !beyond => Some(format!(
                "{skipped} of what the tool gave could not be read as records of two fields or more"
            )),
            None if beyond => {
                Some("the tool went on beyond the number of records that it says match".to_owned())
            }
            Some(_) if beyond => None,
            Some(end) if report.total.is_some() => Some(end.reason()),
            None if out_of_batches => Some("the planned number of batches was reached".to_owned()),
            _ => None,
        };

        if let Some(PageEnd::Failed(error)) = pager.end() {
            let message = format!(
                "the scan of {} broke off: {}",
                report.tool,
                clause(of_tool(error).user_message())
            );
            self.output.notes.push(
                Note::own(message)
                    .in_full(format!("the scan of {} broke off: {error}", report.tool)),
            );
        }

        report.stopped_early = reason;
    }

    /// Returns the output of the scan.
    ///
    /// # Errors
    ///
    /// Returns the failure of a tool if nothing could be read at all.
    pub(crate) fn finish(mut self) -> Result<ScannerOutput, Error> {
        // The records of one tool count even if another tool failed.
        let found_nothing = self.output.docs_scanned == 0
            && self
                .output
                .queries
                .iter()
                .all(|query| query.stopped_early.is_some());
        if let Some(error) = self.failure.take().filter(|_| found_nothing) {
            return Err(error);
        }

        let before = &self.cx.state().extracted_sources;
        let scanned: HashSet<(&str, &str)> = self
            .output
            .queries
            .iter()
            .flat_map(|query| {
                query
                    .records
                    .iter()
                    .map(|record| (query.tool.as_str(), record.as_str()))
            })
            .collect();

        let is_scanned = |source: &Source| {
            source
                .tools()
                .any(|tool| scanned.contains(&(tool, source.record.as_str())))
        };
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

/// Returns the share of the matching records that was read, in percent. `None` if a tool did not
/// state how many match and was not read to its end, or returned more than it stated.
fn percentage(queries: &[QueryReport]) -> Option<f64> {
    let read = |query: &QueryReport| query.records.len() as u64;
    let matching = |query: &QueryReport| {
        let stated = query.total.filter(|total| *total >= read(query));
        stated.or_else(|| query.exhausted.then(|| read(query)))
    };
    let total = queries
        .iter()
        .try_fold(0_u64, |sum, query| sum.checked_add(matching(query)?))?;
    let all: u64 = queries.iter().map(read).sum();
    match total {
        _ if queries.is_empty() => None,
        0 => Some(100.0),
        total => Some(100.0 * all as f64 / total as f64),
    }
}

/// Returns whether a source came from a tool within a scope.
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
            "filters": "{\"country\":\"India\"}", "group_by": "event_theme", "top_n": 5,
            "page_size": 20,
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
        assert_eq!(
            scan_arguments(&ToolArguments::of(None), &given, Some(&last)),
            given
        );
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
        assert_eq!(
            tool.selection(&arguments),
            object(json!({"country": "Peru"}))
        );
        assert_eq!(
            tool.spoken(arguments),
            object(json!({"where": {"country": "Peru"}, "index": "events"}))
        );
        let inherited = scan_arguments(&tool, &Object::new(), Some(&last));
        assert_eq!(
            tool.selection(&inherited),
            object(json!({"country": "India"}))
        );
    }

    #[test]
    fn an_argument_for_a_field_is_inherited_only_where_the_plan_selects_nothing() {
        let text = json!({"type": "string"});
        let tool = tool(json!({"state": text, "size": text, "index": text, "sort": text}));
        let last =
            object(json!({"state": "Ohio", "size": "large", "index": "events", "sort": "day"}));
        let of = |given: Value| scan_arguments(&tool, &object(given), Some(&last));
        assert_eq!(
            of(json!({"state": "Iowa"})),
            object(json!({"state": "Iowa", "index": "events", "sort": "day"}))
        );
        assert_eq!(
            of(json!({"filters": "{}"})),
            object(json!({"index": "events", "sort": "day"}))
        );
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
            (
                vec![query(Some(100), 100, true), query(Some(300), 100, false)],
                Some(50.0),
            ),
            (
                vec![query(Some(100), 100, true), query(None, 100, false)],
                None,
            ),
            (
                vec![query(Some(u64::MAX), 1, false), query(Some(1), 1, true)],
                None,
            ),
            (Vec::new(), None),
        ] {
            assert_eq!(percentage(&queries), expected, "{queries:?}");
        }
    }
}

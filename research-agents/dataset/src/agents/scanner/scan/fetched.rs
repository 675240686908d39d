//! Reads records that came already: in batches, and none twice for the same.

use research_agents_runtime::event::Note;
use serde_json::Value;

use crate::agents::extraction::request::Brief;
use crate::agents::scanner::batches::ScannerInput;
use crate::agents::scanner::scan::{Scan, is_of};
use crate::data::call::CompletedCall;
use crate::data::names::SCANNER;
use crate::data::record::Object;
use crate::found::coverage::{QueryReport, Scope};

impl<'a> Scan<'a> {
    /// Reads records that came completely with direct calls, without fetching them again. What an
    /// earlier scan has read for the same focus is not read again.
    pub(crate) async fn read_fetched(
        &mut self,
        tool: &str,
        scope: &Scope,
        input: &ScannerInput,
        brief: &Brief,
        report: &mut QueryReport,
    ) {
        report.records = scope.records.iter().cloned().collect();
        report.total = scope.total;
        let ids: Vec<String> = if scope.scanned && self.was_asked(input) {
            self.unread(tool, scope)
        } else {
            let kept = self
                .sources
                .iter()
                .filter(|source| is_of(source, tool, scope));
            kept.map(|source| source.id.clone()).collect()
        };

        self.read_in_batches(&ids, input, brief, report).await;
    }

    /// Returns the scope that a scan should read instead of the planned one, whose records were all
    /// read for the same focus.
    pub(crate) fn instead(
        &self,
        tool: &str,
        filters: &Object,
        input: &ScannerInput,
    ) -> Option<&'a Scope> {
        let ledger = &self.cx.state().ledger;
        let planned = ledger
            .scopes()
            .iter()
            .find(|scope| scope.tool == tool && scope.filters == *filters)?;
        let is_read =
            planned.scanned && planned.total == Some(planned.fetched()) && self.was_asked(input);
        let open = ledger
            .wanting()
            .filter(|open| open.tool == tool && is_read)?;
        self.unread(tool, planned).is_empty().then_some(open)
    }

    /// Returns whether an earlier scan looked for the same.
    fn was_asked(&self, input: &ScannerInput) -> bool {
        let is_same = |call: &CompletedCall| {
            let focus = call
                .arguments
                .get("extraction_focus")
                .and_then(Value::as_str)
                .unwrap_or_default();
            call.name == SCANNER && call.error.is_none() && focus == input.extraction_focus
        };
        self.cx.state().completed_calls.iter().any(is_same)
    }

    /// Reads records that are here, in the batches that the plan wants.
    pub(crate) async fn read_in_batches(
        &mut self,
        ids: &[String],
        input: &ScannerInput,
        brief: &Brief,
        report: &QueryReport,
    ) {
        let most = self.planned_batches(input).unwrap_or(usize::MAX);

        let mut left = ids.len();
        for batch in ids.chunks(input.batch_size.max(1)).take(most) {
            if self.cx.is_cancelled() {
                break;
            }
            self.extract(brief, batch).await;
            self.progress(report);
            left -= batch.len();
        }

        if left > 0 {
            self.output.notes.push(Note::own(format!(
                "{left} records that came were not read for findings; the scan ended before"
            )));
        }
    }
}

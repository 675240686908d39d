//! Reads samples of each group of a grouping: one call, one batch, no pages.

use research_agents_runtime::event::Note;
use research_mcp::Document;

use crate::agents::extraction::request::Brief;
use crate::agents::scanner::scan::Scan;
use crate::data::record::{AggregationResult, Object};
use crate::found::coverage::QueryReport;
use crate::tools::documents::source;
use crate::tools::reading::Reading;
use crate::tools::reduce::shortfall;
use crate::tools::results::read_result;
use crate::tools::samples::GroupSamples;

impl Scan<'_> {
    /// Reads samples of each group. Returns `false` if the tool gives none, so that the records
    /// must be read page by page; the reason is noted.
    pub(crate) async fn read_samples(
        &mut self,
        tool: &str,
        reading: &Reading,
        arguments: Object,
        brief: &Brief,
        report: &mut QueryReport,
    ) -> bool {
        let (value, sent) = match self.cx.call_tool_for(tool, arguments.clone()).await {
            Ok(answer) => answer,
            // A run that ends says so itself.
            Err(_) if self.cx.is_cancelled() => return false,
            Err(error) => {
                self.output.notes.push(Note::failed(
                    &format!("{tool} gave no samples of groups"),
                    &error,
                ));
                return false;
            }
        };

        let total = value.context().unique_ids_matched;
        let Some(found) = GroupSamples::of(&value, &sent) else {
            let message =
                format!("{tool} gave no samples of groups; its records are read page by page");
            self.output.notes.push(Note::own(message));
            return false;
        };

        let groups = found.documents(&mut reading.mapping().reader(tool, &sent));
        if groups.iter().flatten().any(|document| document.anonymous) {
            // A page may hold the same record, and nothing would tell that it is the same.
            let message = format!("the records of {tool} have no ids; they are read page by page");
            self.output.notes.push(Note::own(message));
            return false;
        }

        self.output
            .notes
            .extend(shortfall(&arguments, &sent).map(Note::own));
        report.total = total;
        let (ids, each) = self.keep(tool, groups, report);
        report.stopped_early = report.capped.then(|| self.limit_words());
        report.samples = Some(found.summary(each, report.records.iter().cloned()));

        let counted = read_result(tool, &sent, &value, reading, self.output.results.len() + 1);
        // A grouping that is known may have been asked for with more groups.
        let known = &self.cx.state().aggregation_results;
        let is_new = |table: &AggregationResult| !known.iter().any(|other| other.is_like(table));
        self.output
            .results
            .extend(counted.results.into_iter().filter(is_new));

        self.extract(brief, &ids).await;
        self.progress(report);

        true
    }

    /// Registers the samples, one of each group in turn so that the limit on documents cuts no
    /// group more than another. Returns their ids, and the most that were kept of one group.
    fn keep(
        &mut self,
        tool: &str,
        groups: Vec<Vec<Document>>,
        report: &mut QueryReport,
    ) -> (Vec<String>, usize) {
        let mut ids = Vec::new();
        let mut each = 0;
        let mut groups: Vec<_> = groups.into_iter().map(Vec::into_iter).collect();
        for round in 1..=groups
            .iter()
            .map(ExactSizeIterator::len)
            .max()
            .unwrap_or_default()
        {
            for document in groups.iter_mut().filter_map(Iterator::next) {
                let source = source(tool, document);
                if self.remaining() == 0 && self.sources.find(&source).is_none() {
                    report.capped = true;
                    continue;
                }

                each = round;
                report.records.push(source.record.clone());
                let id = self
                    .sources
                    .register_after(source, &self.cx.state().earlier.sources)
                    .id;
                self.read.insert(id.clone());
                ids.push(id);
            }
        }

        (ids, each)
    }
}

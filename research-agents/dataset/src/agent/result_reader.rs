//! Reads the recorded results of tools again: sources, tables, and the ledgers of coverage that the
//! run may have had.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use research_agents_report::evidence::Source;
use research_agents_runtime::bundle::Bundle;
use research_agents_runtime::bundle::verify::{OriginTable, Origins};
use research_mcp::{Document, DocumentReader, FieldMapping, Tool};
use serde_json::Value;

use crate::agent::recorded::{Answer, failed};
use crate::data::config::DatasetConfig;
use crate::data::record::{AggregationResult, Object};
use crate::found::charts::table_view;
use crate::found::coverage::{Ledger, QueryReport};
use crate::found::evidence::table;
use crate::graph::read_question::is_lookup;
use crate::tools::documents::source;
use crate::tools::reading::Reading;
use crate::tools::results::read_result;
use crate::tools::samples::GroupSamples;
use crate::tools::statistics::{name_sources, total_table};

/// The document reader of each walk over pages. A record without an id is named by its position in
/// the whole walk.
type Pages = BTreeMap<Walk, DocumentReader>;

/// A walk over pages: the task that walks, the tool, and the selection of records.
type Walk = (String, String, String);

/// A query that was sent to a tool; all pages of a walk are one query.
struct RecordedQuery {
    report: QueryReport,
    /// Records of the samples, group by group.
    groups: Vec<Vec<String>>,
    /// The order that was asked for, in words.
    order: Option<String>,
    /// Whether the newest answer says that more records match.
    says_more: bool,
}

/// Reads the recorded results of a run in their order.
pub(crate) struct Reader<'a> {
    bundle: &'a Bundle,
    tools: &'a [Tool],
    config: &'a DatasetConfig,
    pages: Pages,
    queries: Vec<RecordedQuery>,
    /// The newest query of each walk.
    newest: BTreeMap<Walk, usize>,
    failed: Vec<QueryReport>,
}

impl<'a> Reader<'a> {
    /// Creates the reader of a bundle's recorded results.
    pub(crate) fn new(bundle: &'a Bundle, tools: &'a [Tool], config: &'a DatasetConfig) -> Self {
        Self {
            bundle,
            tools,
            config,
            pages: Pages::default(),
            queries: Vec::new(),
            newest: BTreeMap::new(),
            failed: failed(bundle, tools, config),
        }
    }

    /// Adds the tables and records of a result to the origins, and its queries to those of the run.
    pub(crate) fn read(&mut self, answer: &Answer<'_>, origins: &mut Origins) {
        let tool = self
            .tools
            .iter()
            .find(|tool| tool.exposed_name == answer.tool);
        let reading = Reading::of(answer.tool, tool, self.config);
        let arguments = reading.arguments.in_words_of_a_plan(answer.arguments);
        let mut found = read_result(answer.tool, &arguments, &answer.result, &reading, 1);

        // An aggregator keeps the total of a result without groups.
        let selection = reading.arguments.selection(&arguments);
        found
            .results
            .extend(
                total_table(&answer.result, &arguments).map(|total| AggregationResult {
                    source_tool: answer.tool.to_owned(),
                    filters: selection,
                    ..total
                }),
            );
        let language = self.bundle.report.language;
        for result in &mut found.results {
            name_sources(result, |record| source_id(self.bundle, answer.tool, record));
            origins.tables.push(OriginTable {
                table: table(result, language),
                view: table_view(result, language),
            });
        }

        // A lookup reads no records.
        if is_lookup(&arguments) {
            return;
        }

        // The records that came as samples of groups.
        let samples = GroupSamples::of(&answer.result, &arguments);
        let groups = samples.map(|samples| {
            samples.documents(&mut reading.mapping().reader(answer.tool, &arguments))
        });
        let ids = |documents: &Vec<Document>| {
            documents
                .iter()
                .map(|document| document.id.clone())
                .collect()
        };
        let groups: Vec<Vec<String>> = groups.iter().flatten().map(ids).collect();
        origins.sources.extend(found.sources);

        // What the answer says about further records, and the order that was asked for.
        let says_more = reading.pages.has_more_data(&answer.result) == Some(true);
        let order = reading.arguments.order_words(answer.arguments);

        // The records of the page.
        let selection = Value::Object(reading.arguments.selection(&arguments)).to_string();
        let walk = (answer.at.to_owned(), answer.tool.to_owned(), selection);
        let (begins, walked) = self.walked(answer, &arguments, &reading, walk.clone());
        let records: Vec<String> = walked.iter().map(|source| source.record.clone()).collect();
        origins.sources.extend(walked);

        for report in found.queries {
            // A later page of a walk extends the query of its first page.
            let before = self.newest.get(&walk).filter(|_| !begins);
            let before = before.and_then(|at| self.queries.get_mut(*at));
            if let Some(before) = before.filter(|_| report.samples.is_none()) {
                before.report.records.extend(records.iter().cloned());
                before.report.exhausted |= report.exhausted;
                before.report.total = report.total.or(before.report.total);
                before.says_more = says_more;
                continue;
            }

            let all = records.iter().chain(groups.iter().flatten()).cloned();
            let report = QueryReport {
                records: all.collect(),
                ..report
            };
            self.newest.insert(walk.clone(), self.queries.len());
            self.queries.push(RecordedQuery {
                report,
                groups: groups.clone(),
                order: order.clone(),
                says_more,
            });
        }
    }

    /// Returns whether a page begins its walk, and the records of the page. A walk begins with a
    /// page that no cursor leads to.
    fn walked(
        &mut self,
        answer: &Answer<'_>,
        arguments: &Object,
        reading: &Reading,
        walk: Walk,
    ) -> (bool, Vec<Source>) {
        let mut begun = arguments.clone();
        reading.arguments.remove_places(&mut begun);
        let begins = begun == *arguments;

        let mapping: &FieldMapping = reading.mapping();
        let reader = match self.pages.entry(walk) {
            Entry::Occupied(mut known) if begins => {
                known.insert(mapping.reader(answer.tool, arguments));
                known.into_mut()
            }
            entry => entry.or_insert_with(|| mapping.reader(answer.tool, arguments)),
        };
        let documents = reader.read_data(&answer.result).documents;

        (
            begins,
            documents
                .into_iter()
                .map(|document| source(answer.tool, document))
                .collect(),
        )
    }

    /// Returns the ledgers that the run may have had. The recording does not contain whether a tool
    /// had more records if the tool did not say so, nor whether the limit on documents ended a
    /// scan or records gave way to others, nor which calls belonged to a scan: each possibility
    /// gives a ledger.
    pub(crate) fn ledgers(&self) -> Vec<Ledger> {
        // A direct call that failed leaves no trace in the ledger of a run, a scan does, before or
        // after the others.
        let none: &[QueryReport] = &[];
        let mut failed = vec![(none, none)];
        if !self.failed.is_empty() {
            failed.extend([(&self.failed[..], none), (none, &self.failed[..])]);
        }

        let ends = [
            (None, false),
            (None, true),
            (Some(true), false),
            (Some(false), true),
        ];
        let is_ordered = self.queries.iter().any(|query| query.order.is_some());
        let orders: &[bool] = if is_ordered { &[false, true] } else { &[false] };
        let kept = KeptRecords::new(self.bundle);
        let is_left_out = self.queries.iter().any(|query| {
            let mut records = query.report.records.iter();
            records.any(|record| !kept.contains(&query.report.tool, record))
        });
        let displacing: &[bool] = if is_left_out {
            &[false, true]
        } else {
            &[false]
        };

        let mut ledgers = Vec::new();
        for failed in failed {
            for (exhausted, capped) in ends {
                for ordered in orders.iter().copied() {
                    for displaces in displacing.iter().copied() {
                        let end = End {
                            exhausted,
                            capped,
                            ordered,
                            displaces,
                        };
                        ledgers.push(self.ledger(&kept, end, failed));
                    }
                }
            }
        }
        ledgers
    }

    /// Returns the ledger of the run if its queries ended in a certain way.
    /// `failed` are the queries that failed before the others, and after them.
    fn ledger(
        &self,
        kept: &KeptRecords<'_>,
        end: End,
        failed: (&[QueryReport], &[QueryReport]),
    ) -> Ledger {
        let mut ledger = Ledger::default();
        failed.0.iter().for_each(|report| ledger.enter(report));
        let mut left_out: BTreeSet<(&str, &str)> = BTreeSet::new();
        for query in &self.queries {
            let RecordedQuery { report, groups, .. } = query;
            let mut report = QueryReport {
                capped: end.capped,
                ..report.clone()
            };
            let tool = report.tool.clone();

            if let Some(samples) = &mut report.samples {
                let count = |group: &Vec<String>| {
                    group
                        .iter()
                        .filter(|record| kept.contains(&tool, record))
                        .count()
                };
                samples.each = groups.iter().map(count).max().unwrap_or_default();
                samples
                    .records
                    .retain(|record| kept.contains(&tool, record));
            }

            report.scanned = report.total.is_some() || !report.records.is_empty();
            if end.displaces {
                let records = query.report.records.iter().map(String::as_str);
                let gone = records.filter(|record| !kept.contains(&tool, record));
                left_out.extend(gone.map(|record| (query.report.tool.as_str(), record)));
            } else {
                report.records.retain(|record| kept.contains(&tool, record));
            }
            if end.ordered {
                report.order.clone_from(&query.order);
            }
            // An answer that says that there is more was not the last one of all.
            report.exhausted = match end.exhausted {
                Some(true) => !query.says_more,
                Some(false) => false,
                None => report.exhausted,
            };
            ledger.enter(&report);
        }

        for (tool, record) in left_out {
            ledger.displace(tool, record);
        }
        failed.1.iter().for_each(|report| ledger.enter(report));
        ledger
    }
}

/// Returns the id of the source that a tool's record is.
fn source_id(bundle: &Bundle, tool: &str, record: &str) -> Option<String> {
    let sources = bundle.evidence.sources.iter();
    let mut known = sources.map(|sealed| &sealed.source);
    let found = known
        .find(|source| source.record == record && source.tools().any(|known| known == tool))?;
    Some(found.id.clone())
}

/// How the queries of a run may have ended.
#[derive(Clone, Copy, Debug)]
struct End {
    /// Whether the tools had no more records; what they said if that is `None`.
    exhausted: Option<bool>,
    /// Whether the limit on documents was reached.
    capped: bool,
    /// Whether the records were read by a scan, in the order that it asked for.
    ordered: bool,
    /// Whether records that are not in the evidence gave way to others. Otherwise they were never
    /// kept.
    displaces: bool,
}

/// The records in the evidence of a bundle, by tool.
struct KeptRecords<'b> {
    records: HashSet<(&'b str, &'b str)>,
    positions: HashSet<(&'b str, &'b str)>,
}

impl<'b> KeptRecords<'b> {
    fn new(bundle: &'b Bundle) -> Self {
        let sources = bundle.evidence.sources.iter();
        let records: HashSet<_> = sources
            .map(|sealed| (sealed.source.tool.as_str(), sealed.source.record.as_str()))
            .collect();
        let positions = records
            .iter()
            .filter_map(|(tool, record)| Some((*tool, position_in_walk(record)?)))
            .collect();
        Self { records, positions }
    }

    /// Returns whether a record of a tool is among them. A record without an id is found by its
    /// position.
    fn contains(&self, tool: &str, record: &str) -> bool {
        let is_at_position = |position| self.positions.contains(&(tool, position));
        self.records.contains(&(tool, record))
            || position_in_walk(record).is_some_and(is_at_position)
    }
}

/// Returns the position of a record without an id in its walk. The part before it in the id is a
/// hash of the arguments, whose names and spelling the tool may have been sent differently.
fn position_in_walk(record: &str) -> Option<&str> {
    record
        .strip_prefix("anon-")?
        .rsplit_once('-')
        .map(|(_, position)| position)
}

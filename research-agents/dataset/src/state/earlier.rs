//! The evidence of the earlier turns of a thread.

use std::sync::Arc;

use research_agents_report::evidence::{Source, SourceRegistry};
use serde::{Deserialize, Serialize};

use crate::data::record::{AggregationResult, Finding};

/// The maximum number of records that are kept, the newest.
const SOURCES: usize = 3_000;
/// The maximum number of aggregations that are kept, the newest.
const TABLES: usize = 200;
/// The maximum number of findings that are kept, the newest.
const FINDINGS: usize = 1_000;

/// The evidence of the earlier turns of a thread: at most 3,000 records, 200 aggregations and 1,000
/// findings, the newest.
///
/// Each turn counts and reads separately, so that its numbers belong to its filters. A record that
/// was cited in an earlier turn keeps its id, and so does an aggregation of the same groups, tool
/// and filters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Earlier {
    /// Questions of the thread that were answered before.
    pub turns: u32,
    /// The highest number of an aggregation so far.
    pub tables: usize,
    /// Records.
    pub sources: SourceRegistry,
    /// Aggregations that data sources computed.
    pub aggregations: Vec<AggregationResult>,
    /// Findings that were drawn from records.
    pub findings: Vec<Finding>,
}

impl Earlier {
    /// Adds the evidence of a turn.
    pub(crate) fn keep(
        &mut self,
        newer: SourceRegistry,
        tables: Vec<AggregationResult>,
        findings: Vec<Finding>,
    ) {
        let is_older =
            |source: &&Arc<Source>| newer.of_record(&source.tool, &source.record).is_none();
        let older = self.sources.iter().filter(is_older);
        let all: Vec<Source> = older
            .chain(newer.iter())
            .map(|source| Source::clone(source))
            .collect();
        self.sources = newest(all, SOURCES).into();

        self.aggregations
            .retain(|older| tables.iter().all(|table| table.id != older.id));
        self.aggregations.extend(tables);
        self.aggregations = newest(std::mem::take(&mut self.aggregations), TABLES);

        self.findings
            .retain(|older| findings.iter().all(|finding| finding.id != older.id));
        self.findings.extend(findings);
        self.findings = newest(std::mem::take(&mut self.findings), FINDINGS);
    }

    /// Returns the id of an aggregation that an earlier turn computed, with the same counts or
    /// others.
    pub(crate) fn table_like(&self, table: &AggregationResult) -> Option<&str> {
        self.aggregations
            .iter()
            .find(|older| older.is_like(table))
            .map(|older| older.id.as_str())
    }
}

/// Returns the newest items, at most `most`.
pub(crate) fn newest<T>(mut items: Vec<T>, most: usize) -> Vec<T> {
    items.drain(..items.len().saturating_sub(most));
    items
}

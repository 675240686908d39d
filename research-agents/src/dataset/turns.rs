//! The turns of a thread: what a finished run leaves for the question that follows on it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::record::{AggregationKind, AggregationResult, Finding, Object};
use super::scope::Scope;
use super::state::DatasetState;
use super::task::{Conversation, Turn};
use crate::kernel::{Source, SourceRegistry};

/// Turns that are remembered, the newest.
const TURNS: usize = 10;
/// Key findings that are remembered of a turn.
const KEY_FINDINGS: usize = 8;
/// Records, aggregations and findings that are kept of all earlier turns, the newest.
const SOURCES: usize = 3_000;
const TABLES: usize = 200;
const FINDINGS: usize = 1_000;

/// The evidence of the earlier turns of a thread: at most 3,000 records, 200 aggregations and 1,000 findings, the newest.
///
/// A turn counts and reads for itself, so that its numbers are those of its own filters. What it shares with an earlier turn
/// keeps its id: a record the one under which it was cited, an aggregation of the same groups, tool and filters its number.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Earlier {
    /// Questions of the thread that were answered before.
    pub turns: u32,
    /// The highest number of an aggregation so far.
    pub tables: usize,
    /// Records.
    pub sources: SourceRegistry,
    /// What data sources computed.
    pub aggregations: Vec<AggregationResult>,
    /// What was drawn from records.
    pub findings: Vec<Finding>,
}

impl Earlier {
    /// Takes in what a turn gathered.
    fn keep(&mut self, newer: SourceRegistry, tables: Vec<AggregationResult>, findings: Vec<Finding>) {
        let is_older = |source: &&Arc<Source>| newer.of_record(&source.tool, &source.record).is_none();
        let older = self.sources.iter().filter(is_older);
        let all: Vec<Source> = older.chain(newer.iter()).map(|source| Source::clone(source)).collect();
        self.sources = newest(all, SOURCES).into();
        self.aggregations.retain(|older| tables.iter().all(|table| table.id != older.id));
        self.aggregations.extend(tables);
        self.aggregations = newest(std::mem::take(&mut self.aggregations), TABLES);
        self.findings.retain(|older| findings.iter().all(|finding| finding.id != older.id));
        self.findings.extend(findings);
        self.findings = newest(std::mem::take(&mut self.findings), FINDINGS);
    }

    /// The number of an aggregation that was computed before with other counts or the same.
    pub(crate) fn table_like(&self, table: &AggregationResult) -> Option<&str> {
        self.aggregations.iter().find(|older| older.is_like(table)).map(|older| older.id.as_str())
    }
}

fn newest<T>(mut items: Vec<T>, most: usize) -> Vec<T> {
    items.drain(..items.len().saturating_sub(most));
    items
}

impl AggregationResult {
    /// Whether the same groups were asked of the same tool with the same filters.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        (self.kind, &self.field, &self.interval, &self.source_tool, &self.filters)
            == (other.kind, &other.field, &other.interval, &other.source_tool, &other.filters)
    }

    /// Records that fell into a listed group.
    pub(crate) fn accounted(&self) -> u64 {
        self.buckets.iter().fold(0, |sum, bucket| sum.saturating_add(bucket.doc_count))
    }

    /// The number in its id; 0 when it has none.
    pub(crate) fn number(&self) -> usize {
        self.id.strip_prefix('A').and_then(|number| number.parse().ok()).unwrap_or_default()
    }
}

impl DatasetState {
    /// The state that a new question on the thread of this finished run begins with: what was said and the evidence stay, all
    /// that belongs to one run begins anew.
    pub(crate) fn followed_by(self, input: Self) -> Self {
        let turn = self.turn();
        let (number, tables) = (self.number_of_turn(), self.next_table() - 1);
        let mut earlier = Earlier { turns: number, tables, ..self.earlier };
        earlier.keep(self.extracted_sources, self.aggregation_results, self.findings);
        let turns = newest(self.turns.into_iter().chain([turn]).collect(), TURNS);
        let conversation_id = input.conversation_id.or(self.conversation_id);
        Self { turns, earlier, conversation_id, ..input }
    }

    /// What this run asked and found, for those that follow.
    fn turn(&self) -> Turn {
        let main: Option<&Scope> = self.ledger.main().first().copied();
        let filters: Object = main.map(|scope| scope.filters.clone()).unwrap_or_default();
        let is_main = |table: &&AggregationResult| {
            table.kind == AggregationKind::GroupBy && main.is_none_or(|scope| scope.tool == table.source_tool)
        };
        let tables = || self.aggregation_results.iter().filter(is_main);
        let table = tables().find(|table| table.filters == filters).or_else(|| tables().next());
        Turn {
            question: self.question.clone(),
            tool: main.map(|scope| scope.tool.clone()),
            group_by: table.map(|table| self.fields_of(table)).unwrap_or_default(),
            records: main.and_then(|scope| scope.total),
            filters,
            title: self.final_document.as_ref().map(|report| report.title.as_str().to_owned()).unwrap_or_default(),
            key_findings: self.key_findings.iter().take(KEY_FINDINGS).cloned().collect(),
        }
    }

    /// The fields that an aggregation is grouped by. The name of a field may hold a comma.
    fn fields_of(&self, table: &AggregationResult) -> Vec<String> {
        let is_field = self.available_tools.iter().flat_map(|tool| &tool.fields).any(|field| field.name == table.field);
        if is_field {
            return vec![table.field.clone()];
        }
        table.field.split(',').map(|field| field.trim().to_owned()).filter(|field| !field.is_empty()).collect()
    }

    /// What the question follows on.
    pub(crate) fn conversation(&self) -> Conversation {
        Conversation { turns: self.turns.clone(), answers: self.clarifications.clone() }
    }

    /// Which question of its thread this is, from 1.
    pub(crate) fn number_of_turn(&self) -> u32 {
        self.earlier.turns + 1
    }

    /// How the question was read, for the reader of the report: only where more than its own words decided.
    pub(crate) fn understood(&self) -> Option<String> {
        let settled = self.clarifications.iter().filter(|settled| !settled.assumed && !settled.settled().is_empty());
        let mut parts: Vec<String> = settled.map(|settled| settled.settled().to_owned()).collect();
        if let Some(before) = self.turns.last() {
            let main = self.turn();
            let filters = super::filters::describe_filters(&main.filters);
            let records =
                if filters.is_empty() { "all records".to_owned() } else { format!("records where {filters}") };
            let by = main.group_by.join(", ");
            let by = if by.is_empty() { String::new() } else { format!(", by {by}") };
            parts.push(format!("{records}{by}, following on “{}”", before.question));
        }
        (!parts.is_empty()).then(|| format!("Understood as: {}.", parts.join("; ")))
    }
}

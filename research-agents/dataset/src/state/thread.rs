//! The turns of a thread: what a finished run leaves for the question that follows on it.

use crate::data::filters;
use crate::data::record::{AggregationKind, AggregationResult, Object};
use crate::data::task::conversation::{Conversation, Turn};
use crate::found::coverage::Scope;
use crate::state::earlier::{Earlier, newest};
use crate::state::model::DatasetState;

/// Turns that are remembered, the newest.
const TURNS: usize = 10;
/// Key findings that are remembered of a turn.
const KEY_FINDINGS: usize = 8;
impl DatasetState {
    /// Returns the state that a new question on the thread of this finished run begins with: what
    /// was said and the evidence stay, everything that belongs to one run starts again.
    pub(crate) fn followed_by(self, input: Self) -> Self {
        let turn = self.turn();
        let (number, tables) = (self.number_of_turn(), self.next_table() - 1);
        let mut earlier = Earlier {
            turns: number,
            tables,
            ..self.earlier
        };
        earlier.keep(
            self.extracted_sources,
            self.aggregation_results,
            self.findings,
        );
        let turns = newest(self.turns.into_iter().chain([turn]).collect(), TURNS);
        let conversation_id = input.conversation_id.or(self.conversation_id);

        Self {
            turns,
            earlier,
            conversation_id,
            ..input
        }
    }

    /// Returns what this run asked and found, for the turns that follow.
    fn turn(&self) -> Turn {
        let main: Option<&Scope> = self.ledger.main().first().copied();
        let filters: Object = main.map(|scope| scope.filters.clone()).unwrap_or_default();
        let is_main = |table: &&AggregationResult| {
            table.kind == AggregationKind::GroupBy
                && main.is_none_or(|scope| scope.tool == table.source_tool)
        };
        let tables = || self.aggregation_results.iter().filter(is_main);
        let table = tables()
            .find(|table| table.filters == filters)
            .or_else(|| tables().next());

        Turn {
            question: self.question.clone(),
            tool: main.map(|scope| scope.tool.clone()),
            group_by: table.map(|table| self.fields_of(table)).unwrap_or_default(),
            records: main.and_then(|scope| scope.total),
            filters,
            title: self
                .final_document
                .as_ref()
                .map(|report| report.title.as_str().to_owned())
                .unwrap_or_default(),
            key_findings: self
                .key_findings
                .iter()
                .take(KEY_FINDINGS)
                .cloned()
                .collect(),
        }
    }

    /// Returns the fields that an aggregation is grouped by. The name of a field may hold a comma.
    fn fields_of(&self, table: &AggregationResult) -> Vec<String> {
        let is_field = self
            .available_tools
            .iter()
            .flat_map(|tool| &tool.fields)
            .any(|field| field.name == table.field);
        if is_field {
            return vec![table.field.clone()];
        }
        table
            .field
            .split(',')
            .map(|field| field.trim().to_owned())
            .filter(|field| !field.is_empty())
            .collect()
    }

    /// Returns what the question follows on.
    pub(crate) fn conversation(&self) -> Conversation {
        Conversation {
            turns: self.turns.clone(),
            answers: self.clarifications.clone(),
        }
    }

    /// Returns which question of its thread this is, from 1.
    pub(crate) fn number_of_turn(&self) -> u32 {
        self.earlier.turns + 1
    }

    /// Returns how the question was read, for the reader of the report: only if more than its own
    /// words decided.
    pub(crate) fn understood(&self) -> Option<String> {
        let settled = self
            .clarifications
            .iter()
            .filter(|settled| !settled.assumed && !settled.settled().is_empty());
        let mut parts: Vec<String> = settled
            .map(|settled| settled.settled().to_owned())
            .collect();
        if let Some(before) = self.turns.last() {
            let main = self.turn();
            let filters = filters::describe_filters(&main.filters);
            let records = if filters.is_empty() {
                "all records".to_owned()
            } else {
                format!("records where {filters}")
            };
            let by = main.group_by.join(", ");
            let by = if by.is_empty() {
                String::new()
            } else {
                format!(", by {by}")
            };
            parts.push(format!("{records}{by}, following on “{}”", before.question));
        }

        (!parts.is_empty()).then(|| format!("Understood as: {}.", parts.join("; ")))
    }
}

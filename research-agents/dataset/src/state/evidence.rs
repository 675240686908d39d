//! The evidence of a run.

use research_agents_report::evidence::Evidence;

use crate::found::evidence::table;
use crate::state::model::DatasetState;

/// Returns the evidence of a run: its records, and its aggregations as tables.
pub(crate) fn evidence(state: &DatasetState) -> Evidence {
    let tables = state
        .aggregation_results
        .iter()
        .map(|aggregation| table(aggregation, state.language));
    Evidence {
        sources: state.extracted_sources.clone(),
        tables: tables.collect(),
        ..Evidence::default()
    }
}

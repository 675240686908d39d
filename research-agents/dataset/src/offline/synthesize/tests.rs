//! Drafts over a small data source: every sentence must pass the checker.

mod answers;
mod facts;
mod limits;

use research_agents_report::claim::{Basis, Claim};
use serde_json::{Value, json};

use crate::data::record::{AggregationResult, Bucket, SubQuestion};
use crate::data::task::{GroupedMeasure, MeasuredGroup, Relations, ValuePair};
use crate::offline::fixture::Fixture;
use crate::offline::synthesize::*;

#[track_caller]
fn check(fixture: &Fixture, draft: &ReportDraft) {
    fixture.check(&draft.summary);
    fixture.check(&draft.key_findings);
    fixture.check(&draft.conclusion);
    draft
        .analysis
        .iter()
        .for_each(|section| fixture.check(&section.statements));
}

fn texts(statements: &[Statement]) -> Vec<&str> {
    statements
        .iter()
        .map(|statement| statement.text.as_str())
        .collect()
}

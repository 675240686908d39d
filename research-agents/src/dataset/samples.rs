//! Sample records that stand in the groups of a result.

use std::collections::BTreeSet;

use research_mcp::envelope::{self, Aggregation, AggregationKind, Bucket};
use research_mcp::{Document, DocumentReader};
use serde_json::{Value, json};

use super::record::{AggregationKind as Kind, Object};
use super::results::asked_field;
use super::scope::Samples;
use crate::kernel::evidence::sum_of;

/// A grouping of a result that has samples in its groups.
pub(super) struct GroupSamples {
    found: Aggregation,
    by: String,
    /// There are records in none of the groups that have samples.
    is_partial: bool,
}

impl GroupSamples {
    /// The first grouping with samples; `None` when there is none.
    pub(super) fn of(result: &Value, arguments: &Object, total: Option<u64>) -> Option<Self> {
        let is_sampled =
            |found: &Aggregation| found.kind == AggregationKind::GroupBy && found.buckets.iter().any(has_samples);
        let found = envelope::aggregations(result).into_iter().find(is_sampled)?;
        let listed = sum_of(found.buckets.iter().map(|bucket| bucket.doc_count));
        let is_partial = found.other_doc_count.is_some_and(|other| other > 0)
            || total.is_some_and(|total| listed < total)
            || !found.buckets.iter().all(has_samples);
        let by = found.field.clone().unwrap_or_else(|| asked_field(Kind::GroupBy, arguments));
        Some(Self { found, by, is_partial })
    }

    /// The samples of each group that the reader has not seen. A record that is in several groups stands in the first of them.
    pub(super) fn documents(&self, reader: &mut DocumentReader) -> Vec<Vec<Document>> {
        let groups = self.found.buckets.iter().map(|bucket| {
            let samples = json!({"aggregations": {"group_by": {"buckets": [{"samples": samples(bucket)}]}}});
            reader.read(&samples).documents
        });
        groups.collect()
    }

    /// Samples of the group that has the most.
    pub(super) fn largest(&self) -> usize {
        self.found.buckets.iter().map(|bucket| samples(bucket).len()).max().unwrap_or_default()
    }

    /// What is told of the samples: so many of one group at most, and these records in all.
    pub(super) fn kept(&self, each: usize, records: impl Iterator<Item = String>) -> Samples {
        Samples {
            by: self.by.clone(),
            each,
            groups: self.found.buckets.iter().filter(|bucket| has_samples(bucket)).count(),
            is_partial: self.is_partial,
            records: records.collect::<BTreeSet<_>>(),
        }
    }
}

/// The samples of a group and of the groups inside it.
fn samples(bucket: &Bucket) -> Vec<Value> {
    bucket.samples.iter().cloned().chain(bucket.buckets.iter().flat_map(samples)).collect()
}

fn has_samples(bucket: &Bucket) -> bool {
    !bucket.samples.is_empty() || bucket.buckets.iter().any(has_samples)
}

//! Sample records in the groups of a result.

use std::collections::BTreeSet;

use research_agents_report::evidence::sum_of;
use research_mcp::envelope::{Aggregation, AggregationKind, Bucket, DataResult};
use research_mcp::{Document, DocumentReader};
use serde_json::{Value, json};

use crate::data::query::Samples;
use crate::data::record::{AggregationKind as Kind, Object};
use crate::tools::requested::requested_field;

/// A grouping of a result that has samples in its groups.
pub(crate) struct GroupSamples {
    found: Aggregation,
    by: String,
    /// Whether records match that are in none of the groups with samples.
    is_partial: bool,
}

impl GroupSamples {
    /// Returns the first grouping with samples; `None` if no grouping has samples.
    pub(crate) fn of(result: &DataResult, arguments: &Object) -> Option<Self> {
        let is_sampled = |found: &Aggregation| {
            found.kind == AggregationKind::GroupBy && found.buckets.iter().any(has_samples)
        };
        let found = result
            .aggregations()
            .iter()
            .find(|found| is_sampled(found))?
            .clone();
        let total = result.context().unique_ids_matched;
        let listed = sum_of(found.buckets.iter().map(|bucket| bucket.doc_count));
        let is_partial = found.other_doc_count.is_some_and(|other| other > 0)
            || total.is_some_and(|total| listed < total)
            || !found.buckets.iter().all(has_samples);
        let by = found
            .field
            .clone()
            .unwrap_or_else(|| requested_field(Kind::GroupBy, arguments));

        Some(Self {
            found,
            by,
            is_partial,
        })
    }

    /// Returns the samples of each group that the reader has not seen. A record that is in several
    /// groups belongs to the first of them.
    pub(crate) fn documents(&self, reader: &mut DocumentReader) -> Vec<Vec<Document>> {
        let groups = self.found.buckets.iter().map(|bucket| {
            let samples =
                json!({"aggregations": {"group_by": {"buckets": [{"samples": samples(bucket)}]}}});
            reader.read(&samples).documents
        });
        groups.collect()
    }

    /// Returns the number of samples of the group that has the most.
    pub(crate) fn largest(&self) -> usize {
        self.found
            .buckets
            .iter()
            .map(|bucket| samples(bucket).len())
            .max()
            .unwrap_or_default()
    }

    /// Returns a summary of the samples: at most so many of each group, and these records in all.
    pub(crate) fn summary(&self, each: usize, records: impl Iterator<Item = String>) -> Samples {
        Samples {
            by: self.by.clone(),
            each,
            groups: self
                .found
                .buckets
                .iter()
                .filter(|bucket| has_samples(bucket))
                .count(),
            is_partial: self.is_partial,
            records: records.collect::<BTreeSet<_>>(),
        }
    }
}

/// Returns the samples of a group and of the groups inside it.
fn samples(bucket: &Bucket) -> Vec<Value> {
    bucket
        .samples
        .iter()
        .cloned()
        .chain(bucket.buckets.iter().flat_map(samples))
        .collect()
}

fn has_samples(bucket: &Bucket) -> bool {
    !bucket.samples.is_empty() || bucket.buckets.iter().any(has_samples)
}

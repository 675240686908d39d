//! Aggregations in sentences: groups with the claims that carry them.

use research_agents_report::claim::{Basis, Claim};
use research_agents_report::evidence::{plain, sum_of};
use serde_json::Value;

use crate::data::record::{AggregationKind, AggregationResult, Bucket};
use crate::offline::say::numbers::{percent, records};
use crate::offline::say::values::{is_empty, spoken};

/// One group of an aggregation, with its count as a claim.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// The group's name in prose.
    pub(crate) label: String,
    /// Records in it.
    pub(crate) count: u64,
    /// The count as a claim.
    pub(crate) claim: Claim,
    /// Whether it contains the records without a value.
    pub(crate) missing: bool,
}

/// An aggregation for use in sentences: its fields, its total and its groups.
#[derive(Clone, Debug)]
pub(crate) struct Grouping {
    /// The field, or several joined by `, `.
    pub(crate) name: String,
    /// Records that match.
    pub(crate) total: u64,
    /// The total as a claim.
    pub(crate) total_claim: Claim,
    /// Groups of records with a value: the largest first, or in the order of time.
    pub(crate) groups: Vec<Group>,
    /// The group of records without one.
    pub(crate) missing: Option<Group>,
    /// Whether the groups account for every record.
    pub(crate) complete: bool,
    /// Whether the groups are intervals of time.
    pub(crate) course: bool,
    /// The shares of the first and of the last interval that the data covers, 0 to 1; 1 if unknown.
    pub(crate) covered: (f64, f64),
}

impl Grouping {
    /// Reads an aggregation. Of nested groups the outer ones are read.
    pub(crate) fn from_aggregation(aggregation: &AggregationResult) -> Self {
        let over = Basis::Aggregation(aggregation.id.clone());
        let nested = aggregation
            .buckets
            .iter()
            .any(|bucket| !bucket.buckets.is_empty());
        let field = if nested {
            aggregation
                .field
                .split(',')
                .next()
                .unwrap_or_default()
                .trim()
                .to_owned()
        } else {
            aggregation.field.clone()
        };

        Self::from_buckets(
            over,
            &field,
            &aggregation.buckets,
            aggregation.total_docs,
            aggregation.kind,
        )
    }

    /// Reads the groups inside the groups of a nested aggregation, as pairs.
    pub(crate) fn inner(aggregation: &AggregationResult) -> Option<Self> {
        let pairs: Vec<Bucket> = aggregation
            .buckets
            .iter()
            .flat_map(|outer| {
                outer.buckets.iter().map(|inner| Bucket {
                    key: Value::Array(vec![outer.key.clone(), inner.key.clone()]),
                    doc_count: inner.doc_count,
                    buckets: Vec::new(),
                    ..Bucket::default()
                })
            })
            .collect();

        let fields: Vec<&str> = aggregation
            .field
            .split(',')
            .map(str::trim)
            .take(2)
            .collect();
        let over = Basis::Aggregation(aggregation.id.clone());

        (!pairs.is_empty()).then(|| {
            Self::from_buckets(
                over,
                &fields.join(","),
                &pairs,
                aggregation.total_docs,
                AggregationKind::GroupBy,
            )
        })
    }

    fn from_buckets(
        over: Basis,
        field: &str,
        buckets: &[Bucket],
        total: u64,
        kind: AggregationKind,
    ) -> Self {
        let course = kind == AggregationKind::DateHistogram;
        let keys: Vec<String> = buckets.iter().map(|bucket| plain(&bucket.key)).collect();
        let cut = if course { common_cut(&keys) } else { 0 };

        let mut groups: Vec<Group> = buckets
            .iter()
            .zip(&keys)
            .map(|(bucket, key)| Group {
                label: if course {
                    key[..key.len() - cut].to_owned()
                } else {
                    spoken(&bucket.key)
                },
                count: bucket.doc_count,
                claim: Claim::Count {
                    over: over.clone(),
                    field: field.to_owned(),
                    value: bucket.key.clone(),
                    number: bucket.doc_count,
                },
                missing: is_empty(&bucket.key),
            })
            .collect();

        // The group without a value is kept apart; the others account for every record only with
        // it.
        let complete = sum_of(groups.iter().map(|group| group.count)) == total;
        let missing = groups
            .iter()
            .position(|group| group.missing)
            .map(|at| groups.remove(at));

        if course {
            groups.sort_by(|a, b| a.label.cmp(&b.label));
        } else {
            let name = |group: &Group| group.label.trim_start_matches('“').to_owned();
            groups.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| name(a).cmp(&name(b))));
        }

        Self {
            name: field
                .split(',')
                .map(str::trim)
                .collect::<Vec<_>>()
                .join(" and "),
            total,
            total_claim: Claim::Total {
                over,
                number: total,
            },
            groups,
            missing,
            complete,
            course,
            covered: (1.0, 1.0),
        }
    }

    /// Returns whether its groups are those by two fields or more.
    pub(crate) fn has_pairs(&self) -> bool {
        self.groups.first().is_some_and(|group| {
            matches!(
                &group.claim,
                Claim::Count {
                    value: Value::Array(_),
                    ..
                }
            )
        })
    }

    /// Returns the verb that follows its name: `Size is`, `Size and State are`.
    pub(crate) fn verb(&self) -> &'static str {
        if self.has_pairs() { "are" } else { "is" }
    }

    /// Returns whether the first group holds most records, or is larger than the second by more
    /// than the toss of a coin would make it: by two standard deviations of the difference between
    /// equal parts.
    pub(crate) fn has_clear_lead(&self) -> bool {
        let counts = |at: usize| self.groups.get(at).map_or(0, |group| group.count);
        let (first, second) = (counts(0), counts(1));
        let lead = first.saturating_sub(second);
        first > 1 && (2 * first > self.total || lead * lead >= 4 * (first + second))
    }

    /// Returns a group with its count and share: `Small in 99 (60.0 %)`.
    pub(crate) fn shown(&self, group: &Group) -> String {
        format!(
            "{} in {} ({})",
            group.label,
            group.count,
            percent(group.count, self.total)
        )
    }

    /// Returns a number of its records with their share: `99 of 165 records (60.0 %)`.
    pub(crate) fn part(&self, number: u64) -> String {
        format!(
            "{number} of {} ({})",
            records(self.total),
            percent(number, self.total)
        )
    }

    /// Returns the claims of some groups and of the total.
    pub(crate) fn claims<'g>(&self, groups: impl IntoIterator<Item = &'g Group>) -> Vec<Claim> {
        groups
            .into_iter()
            .map(|group| group.claim.clone())
            .chain([self.total_claim.clone()])
            .collect()
    }
}

/// Returns the number of bytes that every key of a course of time can lose at its end: the time of
/// day, then the first day or month.
fn common_cut(keys: &[String]) -> usize {
    let mut cut = 0;
    if let Some(time) = keys.first().and_then(|key| key.find('T')) {
        let tail = &keys[0][time..];
        if keys.iter().all(|key| key.ends_with(tail)) {
            cut = tail.len();
        }
    }
    for tail in ["-01", "-01"] {
        let all = keys.len() > 1
            && keys.iter().all(|key| {
                key[..key.len() - cut].len() > 4 && key[..key.len() - cut].ends_with(tail)
            });
        if all {
            cut += tail.len();
        }
    }
    cut
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_of_a_course_are_as_short_as_their_interval() {
        let cut = |keys: &[&str]| {
            let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
            let cut = common_cut(&keys);
            keys[0][..keys[0].len() - cut].to_owned()
        };
        assert_eq!(cut(&["1990-01-01", "1991-01-01"]), "1990");
        assert_eq!(
            cut(&["1990-01-01T00:00:00Z", "1990-02-01T00:00:00Z"]),
            "1990-01"
        );
        assert_eq!(cut(&["1990-01-01", "1990-01-08"]), "1990-01-01");
        assert_eq!(cut(&["1990", "1991"]), "1990");
    }

    #[test]
    fn a_lead_is_clear_where_it_is_no_toss_of_a_coin() {
        let lead = |counts: &[u64]| {
            let bucket = |(at, count): (usize, &u64)| Bucket {
                key: json!(at),
                doc_count: *count,
                buckets: vec![],
                ..Bucket::default()
            };
            let aggregation = AggregationResult {
                id: "A1".into(),
                kind: AggregationKind::GroupBy,
                field: "a".into(),
                buckets: counts.iter().enumerate().map(bucket).collect(),
                total_docs: counts.iter().sum(),
                source_tool: "t".into(),
                interval: None,
                filters: serde_json::Map::new(),
                ..AggregationResult::default()
            };
            Grouping::from_aggregation(&aggregation).has_clear_lead()
        };

        assert!(lead(&[68, 43, 11, 43]) && lead(&[142, 17, 6]) && lead(&[60, 40, 20]));
        assert!(!lead(&[145, 141, 6]) && !lead(&[124, 100, 68]) && !lead(&[1]) && !lead(&[1, 1]));
    }

    #[test]
    fn nested_groups_are_read_as_pairs() {
        let inner = |key: &str, doc_count| Bucket {
            key: json!(key),
            doc_count,
            buckets: vec![],
            ..Bucket::default()
        };
        let aggregation = AggregationResult {
            id: "A1".into(),
            kind: AggregationKind::GroupBy,
            field: "a,b".into(),
            interval: None,
            buckets: vec![Bucket {
                key: json!("x"),
                doc_count: 5,
                buckets: vec![inner("p", 3), inner("q", 2)],
                ..Bucket::default()
            }],
            total_docs: 5,
            source_tool: "t".into(),
            filters: serde_json::Map::new(),
            ..AggregationResult::default()
        };
        let outer = Grouping::from_aggregation(&aggregation);

        assert_eq!(
            (outer.name.as_str(), outer.groups.len(), outer.complete),
            ("a", 1, true)
        );

        let pairs = Grouping::inner(&aggregation).unwrap();

        assert_eq!(pairs.groups[0].label, "x / p");
        let Claim::Count { field, value, .. } = &pairs.groups[0].claim else {
            panic!("{:?}", pairs.groups[0])
        };
        assert_eq!((field.as_str(), value), ("a,b", &json!(["x", "p"])));
    }
}

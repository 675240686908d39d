//! What a report is made from: groupings, the course of time, and profiles of the fields, with their totals.

use std::cmp::Reverse;

use super::super::interpret::{Interpretation, interpret};
use super::super::say::Grouping;
use super::is_category;
use crate::dataset::record::{AggregationKind, AggregationResult, Finding};
use crate::dataset::task::{FieldFacts, FieldKind, FieldProfile, SynthesizeTask};
use crate::kernel::claim::{Basis, Claim};
use crate::kernel::evidence::plain;

/// The material of a report.
pub(super) struct Material<'t> {
    pub(super) task: &'t SynthesizeTask,
    /// Records that were read.
    pub(super) read: u64,
    groupings: Vec<Grouping>,
    courses: Vec<Grouping>,
    facts: Vec<FieldFacts>,
}

impl<'t> Material<'t> {
    pub(super) fn of(task: &'t SynthesizeTask) -> Self {
        let (courses, groupings): (Vec<Grouping>, Vec<Grouping>) =
            relevant(task).map(Grouping::of).partition(|grouping| grouping.course);
        let read = task.profile.first().map_or(task.coverage.fetched, |profile| profile.present + profile.missing);
        Self { task, read, groupings, courses, facts: facts(task) }
    }

    /// The aggregations under the filters of the report, or all of them if there is none.
    pub(super) fn aggregations(&self) -> impl Iterator<Item = &'t AggregationResult> {
        relevant(self.task)
    }

    /// Groupings, that of the question first.
    pub(super) fn groupings(&self) -> impl Iterator<Item = &Grouping> {
        self.groupings.iter().filter(|grouping| !grouping.groups.is_empty())
    }

    /// The grouping of the question.
    pub(super) fn main(&self) -> Option<&Grouping> {
        self.groupings().next()
    }

    /// The course of time.
    pub(super) fn course(&self) -> Option<&Grouping> {
        self.courses.iter().find(|course| !course.groups.is_empty())
    }

    /// Records that match, or were read where nobody said how many match, with the claim.
    pub(super) fn total(&self) -> (u64, Claim) {
        let counted = self
            .groupings
            .iter()
            .chain(&self.courses)
            .find(|grouping| self.task.coverage.total.is_none_or(|total| total == grouping.total));
        match counted {
            Some(grouping) => (grouping.total, grouping.total_claim.clone()),
            None => (self.read, Claim::Total { over: Basis::Records, number: self.read }),
        }
    }

    /// Whether the total is that of all matching records.
    pub(super) fn total_is_known(&self) -> bool {
        let (number, claim) = self.total();
        matches!(claim, Claim::Total { over: Basis::Aggregation(_), .. }) || self.task.coverage.total == Some(number)
    }

    /// Nothing matches.
    pub(super) fn is_empty(&self) -> bool {
        self.task.coverage.total.unwrap_or(self.total().0) == 0
    }

    /// The claim that so many records were read.
    pub(super) fn read_claim(&self) -> Claim {
        Claim::Total { over: Basis::Records, number: self.read }
    }

    /// The profile of a field.
    pub(super) fn profile(&self, field: &str) -> Option<&'t FieldProfile> {
        self.task.profile.iter().find(|profile| profile.field == field)
    }

    /// The grouping by a field alone.
    pub(super) fn grouping(&self, field: &str) -> Option<&Grouping> {
        self.groupings().find(|grouping| grouping.name == field)
    }

    /// The course over a field.
    pub(super) fn course_over(&self, field: &str) -> Option<&Grouping> {
        self.courses.iter().find(|course| course.name == field && !course.groups.is_empty())
    }

    /// Profiles of quantities that are not filtered: those that a question names first.
    pub(super) fn quantities(&self) -> Vec<&'t FieldProfile> {
        self.named_first(|profile| profile.kind == FieldKind::Number && profile.numbers.is_some())
    }

    /// Profiles of categories that are not filtered: those that a question names first.
    pub(super) fn categories(&self) -> Vec<&'t FieldProfile> {
        self.named_first(is_category)
    }

    /// Findings that say more than one field alone, those that answer most questions first.
    pub(super) fn notable(&self) -> impl Iterator<Item = &'t Finding> {
        let plain_value = |finding: &Finding| {
            let rest = |profile: &FieldProfile| finding.claim.strip_prefix(profile.field.as_str());
            self.task.profile.iter().filter_map(rest).any(|rest| rest.starts_with(" is "))
        };
        let mut findings: Vec<&Finding> = self.task.findings.iter().filter(|finding| !plain_value(finding)).collect();
        findings.sort_by_key(|finding| (Reverse(finding.relevant_questions.len()), Reverse(finding.evidence_count)));
        findings.into_iter()
    }

    fn named_first(&self, wanted: impl Fn(&FieldProfile) -> bool) -> Vec<&'t FieldProfile> {
        let named: Vec<String> =
            self.task.sub_questions.iter().flat_map(|question| self.named(&question.question)).collect();
        let mut found: Vec<&FieldProfile> = self
            .task
            .profile
            .iter()
            .filter(|profile| wanted(profile) && !self.task.filters.contains_key(&profile.field))
            .collect();
        found.sort_by_key(|profile| named.iter().position(|name| *name == profile.field).unwrap_or(usize::MAX));
        found
    }

    /// Reads a question against the fields of the data.
    pub(super) fn read_question(&self, question: &str) -> Interpretation {
        interpret(question, &self.facts)
    }

    /// The fields that a question asks about, apart from its conditions.
    pub(super) fn named(&self, question: &str) -> Vec<String> {
        let meant = self.read_question(question);
        let course = meant.histogram.map(|course| course.field);
        meant.group_by.into_iter().chain(meant.mentioned).chain(course).collect()
    }
}

fn relevant(task: &SynthesizeTask) -> impl Iterator<Item = &AggregationResult> {
    let fits = |aggregation: &AggregationResult| aggregation.filters == task.filters;
    let any = task.aggregations.iter().any(fits);
    task.aggregations.iter().filter(move |aggregation| !any || fits(aggregation))
}

/// The fields that the material knows of, with the values it shows.
fn facts(task: &SynthesizeTask) -> Vec<FieldFacts> {
    let mut facts: Vec<FieldFacts> = task
        .profile
        .iter()
        .map(|profile| FieldFacts {
            name: profile.field.clone(),
            kind: profile.kind,
            values: if profile.kind == FieldKind::Text {
                profile.top.iter().map(|(value, _)| value.clone()).collect()
            } else {
                Vec::new()
            },
            range: profile.dates.clone().map(|(first, last)| (first.into(), last.into())),
        })
        .collect();
    for aggregation in &task.aggregations {
        let single = !aggregation.field.contains(',');
        for field in aggregation.field.split(',').map(str::trim) {
            let at = facts.iter().position(|known| known.name == field).unwrap_or_else(|| {
                let kind =
                    if aggregation.kind == AggregationKind::DateHistogram { FieldKind::Date } else { FieldKind::Text };
                facts.push(FieldFacts { name: field.to_owned(), kind, ..FieldFacts::default() });
                facts.len() - 1
            });
            if single && facts[at].kind == FieldKind::Text {
                let known: Vec<String> = facts[at].values.iter().map(plain).collect();
                let more = aggregation
                    .buckets
                    .iter()
                    .map(|bucket| &bucket.key)
                    .filter(|key| key.is_string() && !known.contains(&plain(key)));
                facts[at].values.extend(more.cloned());
            }
        }
    }
    for (field, condition) in &task.filters {
        if !facts.iter().any(|known| known.name == *field) {
            let values = condition.as_array().cloned().unwrap_or_else(|| vec![condition.clone()]);
            let texts = values.into_iter().filter(serde_json::Value::is_string).collect();
            facts.push(FieldFacts { name: field.clone(), values: texts, ..FieldFacts::default() });
        }
    }
    facts
}

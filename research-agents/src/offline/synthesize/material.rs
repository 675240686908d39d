//! What a report is made from: groupings, the course of time, and profiles of the fields, with their totals.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::super::conditions::conditions;
use super::super::insights::course::covered;
use super::super::interpret::{Interpretation, interpret};
use super::super::lexicon;
use super::super::rank::content_stems;
use super::super::say::Grouping;
use super::super::text::{Word, stems, words};
use super::is_category;
use crate::dataset::record::{AggregationKind, AggregationResult, Finding};
use crate::dataset::task::{FieldFacts, FieldKind, FieldProfile, SynthesizeTask};
use crate::kernel::claim::{Basis, Claim};
use crate::kernel::evidence::plain;

/// From this share of the matching records on, those that were read can stand for all.
const MOSTLY_READ: f64 = 0.8;

/// Words for the data as a whole.
const NAMES_OF_DATA: [&str; 6] = ["csv", "file", "files", "set", "sets", "table"];

/// The material of a report.
pub(super) struct Material<'t> {
    pub(super) task: &'t SynthesizeTask,
    /// Records that were read.
    pub(super) read: u64,
    groupings: Vec<Grouping>,
    courses: Vec<Grouping>,
    facts: Vec<FieldFacts>,
    /// The question in terms of the data.
    pub(super) meant: Interpretation,
}

impl<'t> Material<'t> {
    pub(super) fn of(task: &'t SynthesizeTask) -> Self {
        let facts = facts(task);
        let meant = interpret(&task.query, &facts);
        let (mut courses, groupings): (Vec<Grouping>, Vec<Grouping>) =
            relevant(task).map(Grouping::of).partition(|grouping| grouping.course);
        for course in &mut courses {
            let field = task.fields.iter().find(|field| field.name == course.name);
            if let Some((first, last)) = field.and_then(|field| field.range.as_ref()) {
                course.covered = covered(course, &plain(first), &plain(last));
            }
        }
        // Groups by two fields are spoken of where both were asked for, in words or by what was counted first, and else only
        // for what they show together.
        let pairs_first = groupings.first().is_some_and(Grouping::has_pairs);
        let (pairs, mut groupings): (Vec<Grouping>, Vec<Grouping>) =
            groupings.into_iter().partition(Grouping::has_pairs);
        if pairs_first || groupings.is_empty() || meant.group_by.len() > 1 {
            groupings.splice(0..0, pairs);
        }
        let read = task.profile.first().map_or(task.coverage.fetched, |profile| profile.present + profile.missing);
        Self { task, read, groupings, courses, facts, meant }
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

    /// Whether most matching records were read, so that what they show can stand for all.
    pub(super) fn is_mostly_read(&self) -> bool {
        self.task.coverage.fraction.is_none_or(|read| read >= MOSTLY_READ)
    }

    /// Whether all matching records were read.
    pub(super) fn is_whole(&self) -> bool {
        self.task.coverage.fraction.is_some_and(|read| read >= 1.0)
    }

    /// The field that the question groups by, or else that of the first grouping.
    pub(super) fn main_field(&self) -> Option<&str> {
        let asked = self.meant.group_by.first().map(String::as_str);
        asked.or_else(|| self.main().map(|grouping| grouping.name.as_str()))
    }

    /// Sentences that records say word for word, those that answer most questions first. What is counted field by field is
    /// said better by counts.
    pub(super) fn quotations(&self) -> impl Iterator<Item = &'t Finding> {
        let same = |a: &str, b: &str| a.split_whitespace().eq(b.split_whitespace());
        let is_quote = |finding: &&Finding| {
            let Some(Claim::Quote { text, .. }) = finding.evidence.first() else { return false };
            same(text, &finding.claim)
        };
        let mut findings: Vec<&Finding> = self.task.findings.iter().filter(is_quote).collect();
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

    /// Words of the question that fit no field, no value and no record that was read.
    fn unknown_words(&self) -> Vec<&String> {
        let mut found: BTreeSet<String> =
            self.task.findings.iter().flat_map(|finding| content_stems(&finding.claim)).collect();
        let values = self.facts.iter().flat_map(|field| &field.values);
        found.extend(values.flat_map(|value| content_stems(&plain(value))));
        // The values of the filters were read from the question, or stand for what it denies.
        found.extend(content_stems(&conditions(&self.task.filters)));
        found.extend(self.task.heard.iter().flat_map(|word| content_stems(word)));
        let is_measured = |word: &Word<'_>| {
            let numbers = self.facts.iter().filter(|field| field.kind == FieldKind::Number);
            let mut names = numbers.flat_map(|field| stems(&field.name));
            names.any(|stem| lexicon::are_of_one_measure(&word.lower, &word.stem, &stem))
        };
        let is_unknown = |word: &&String| {
            let said = words(word);
            !self.meant.denied.contains(word)
                && !said.iter().any(|word| {
                    lexicon::is_light(&word.lower)
                        || NAMES_OF_DATA.contains(&word.lower.as_str())
                        || found.contains(&word.stem)
                        || is_measured(word)
                })
        };
        self.meant.unmatched.iter().filter(is_unknown).collect()
    }

    /// What the question calls its records by: in *raptor sightings* the sightings are the records, and the raptors a condition.
    fn is_subject(&self, word: &str) -> bool {
        let subject = words(self.meant.subject.as_deref().unwrap_or_default());
        subject.last().is_some_and(|head| lexicon::is_plural(&head.lower) && head.lower == word.to_lowercase())
    }

    /// Words of the question that had no effect: they fit nothing. The word for its records alone is none of them.
    pub(super) fn ineffective_words(&self) -> Vec<String> {
        let unknown = self.unknown_words();
        if unknown.iter().all(|word| self.is_subject(word)) {
            return Vec::new();
        }
        unknown.into_iter().cloned().collect()
    }

    /// What the question asks about and the data does not hold: words without effect, one of which stands where nouns stand. Who
    /// asks how many passengers were hurt asks about passengers, where the data knows of no hurting either.
    pub(super) fn missing(&self) -> Vec<String> {
        let mut unknown = self.ineffective_words();
        let counts = || words(&self.task.query).iter().any(|word| word.lower == "many");
        let has_noun = |word: &String| self.meant.nouns.contains(word);
        if unknown.iter().any(|word| has_noun(word) && !self.is_subject(word)) {
            unknown.retain(has_noun);
        } else if !(counts() && unknown.iter().any(has_noun)) {
            unknown.clear();
        }
        unknown
    }

    /// What of the question was understood but cannot be asked of the data.
    pub(super) fn refused(&self) -> Vec<String> {
        let fields = if self.task.fields.is_empty() { &self.facts } else { &self.task.fields };
        let meant = interpret(&self.task.query, fields);
        // Where the user fixed the filters, or a question before gave some, nothing was left out.
        if meant.filters == self.task.filters { meant.refused } else { Vec::new() }
    }

    /// Whether a sub-question asks about something that the data does not hold.
    pub(super) fn asks_for_missing(&self, question: &str) -> bool {
        let asked = content_stems(question);
        let missing = self.missing();
        missing.iter().filter(|word| self.meant.nouns.contains(word)).any(|word| {
            let stems = content_stems(word);
            !stems.is_empty() && stems.iter().all(|stem| asked.contains(stem))
        })
    }

    /// Words of the question that stand in some values of a category, with the category, and have set no condition: *bird* where
    /// there are deer as well.
    pub(super) fn unused_words(&self) -> Vec<(&str, &str)> {
        let filtered: BTreeSet<String> = content_stems(&conditions(&self.task.filters)).into_iter().collect();
        let quoted: BTreeSet<String> = self.quotations().flat_map(|finding| content_stems(&finding.claim)).collect();
        let categories = || {
            let is_divided = |name: &str| self.grouping(name).is_some() || self.profile(name).is_some_and(is_category);
            self.facts.iter().filter(move |field| field.kind == FieldKind::Text && is_divided(&field.name))
        };
        let unused = |word: &String| {
            let stem = content_stems(word).pop()?;
            if self.meant.denied.contains(word) || filtered.contains(&stem) || quoted.contains(&stem) {
                return None;
            }
            let says = |value: &serde_json::Value| content_stems(&plain(value)).contains(&stem);
            let in_some = |field: &&FieldFacts| field.values.iter().any(says) && !field.values.iter().all(says);
            categories().find(in_some).map(|field| field.name.as_str())
        };
        self.meant.unmatched.iter().filter_map(|word| Some((word.as_str(), unused(word)?))).collect()
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

/// The fields that the material knows of, with the values it shows; where nothing was read, those of the tools.
fn facts(task: &SynthesizeTask) -> Vec<FieldFacts> {
    if task.profile.is_empty() && task.aggregations.iter().all(|table| table.buckets.is_empty()) {
        return task.fields.clone();
    }
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
            // Which year a month is of, all of the data says, and not only what was read of it.
            range: (task.fields.iter().find(|field| field.name == profile.field))
                .and_then(|field| field.range.clone())
                .or_else(|| profile.dates.clone().map(|(first, last)| (first.into(), last.into()))),
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

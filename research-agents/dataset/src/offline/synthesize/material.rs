//! The material of a report: groupings, the course of time, and profiles of the fields, with their
//! totals.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use research_agents_report::claim::{Basis, Claim};
use research_agents_report::evidence::plain;
use research_agents_report::text::{Word, content_stems, stems, words};
use serde_json::Value;

use crate::data::record::{AggregationKind, AggregationResult, Finding, Object};
use crate::data::task::{FieldFacts, FieldKind, FieldProfile, SynthesizeTask};
use crate::offline::conditions::conditions;
use crate::offline::insights::course::covered;
use crate::offline::say::Grouping;
use crate::question::interpret::{Interpretation, interpret};
use crate::question::lexicon;
use crate::question::read::words::vocabulary::languages;

/// From this share of the matching records on, those that were read can represent all.
const MOSTLY_READ: f64 = 0.8;

/// Words for the data as a whole.
const NAMES_OF_DATA: [&str; 6] = ["csv", "file", "files", "set", "sets", "table"];

/// The material of a report.
pub(crate) struct Material<'t> {
    pub(crate) task: &'t SynthesizeTask,
    /// Records that were read.
    pub(crate) read: u64,
    groupings: Vec<Grouping>,
    courses: Vec<Grouping>,
    facts: Vec<FieldFacts>,
    /// The question in terms of the data.
    pub(crate) meant: Interpretation,
}

impl<'t> Material<'t> {
    pub(crate) fn new(task: &'t SynthesizeTask) -> Self {
        let facts = facts(task);
        let meant = interpret(&task.query, &facts);
        let (mut courses, groupings): (Vec<Grouping>, Vec<Grouping>) = relevant(task)
            .map(Grouping::from_aggregation)
            .partition(|grouping| grouping.course);

        for course in &mut courses {
            let field = task.fields.iter().find(|field| field.name == course.name);
            if let Some((first, last)) = field.and_then(|field| field.range.as_ref()) {
                course.covered = covered(course, &plain(first), &plain(last));
            }
        }

        // Groups by two fields are mentioned if both were requested, in words or by the first
        // count, else only for what they show together.
        let pairs_first = groupings.first().is_some_and(Grouping::has_pairs);
        let (pairs, mut groupings): (Vec<Grouping>, Vec<Grouping>) =
            groupings.into_iter().partition(Grouping::has_pairs);
        if pairs_first || groupings.is_empty() || meant.group_by.len() > 1 {
            groupings.splice(0..0, pairs);
        }

        let read = task
            .profile
            .first()
            .map_or(task.coverage.fetched, |profile| {
                profile.present + profile.missing
            });

        Self {
            task,
            read,
            groupings,
            courses,
            facts,
            meant,
        }
    }

    /// Returns the aggregations under the filters of the report, or all of them if it has no
    /// filters.
    pub(crate) fn aggregations(&self) -> impl Iterator<Item = &'t AggregationResult> {
        relevant(self.task)
    }

    /// Returns the groupings, that of the question first.
    pub(crate) fn groupings(&self) -> impl Iterator<Item = &Grouping> {
        self.groupings
            .iter()
            .filter(|grouping| !grouping.groups.is_empty())
    }

    /// Returns the grouping of the question.
    pub(crate) fn main(&self) -> Option<&Grouping> {
        self.groupings().next()
    }

    /// Returns the course of time.
    pub(crate) fn course(&self) -> Option<&Grouping> {
        self.courses.iter().find(|course| !course.groups.is_empty())
    }

    /// Returns the number of records that match, or that were read if the total is unknown, with
    /// the claim.
    pub(crate) fn total(&self) -> (u64, Claim) {
        let counted = self.groupings.iter().chain(&self.courses).find(|grouping| {
            self.task
                .coverage
                .total
                .is_none_or(|total| total == grouping.total)
        });
        match counted {
            Some(grouping) => (grouping.total, grouping.total_claim.clone()),
            None => (
                self.read,
                Claim::Total {
                    over: Basis::Records,
                    number: self.read,
                },
            ),
        }
    }

    /// Returns whether the total is that of all matching records.
    pub(crate) fn total_is_known(&self) -> bool {
        let (number, claim) = self.total();
        matches!(
            claim,
            Claim::Total {
                over: Basis::Aggregation(_),
                ..
            }
        ) || self.task.coverage.total == Some(number)
    }

    /// Returns whether nothing matches.
    pub(crate) fn is_empty(&self) -> bool {
        self.task.coverage.total.unwrap_or(self.total().0) == 0
    }

    /// Returns the claim that so many records were read.
    pub(crate) fn read_claim(&self) -> Claim {
        Claim::Total {
            over: Basis::Records,
            number: self.read,
        }
    }

    /// Returns the profile of a field.
    pub(crate) fn profile(&self, field: &str) -> Option<&'t FieldProfile> {
        self.task
            .profile
            .iter()
            .find(|profile| profile.field == field)
    }

    /// Returns the grouping by a field alone.
    pub(crate) fn grouping(&self, field: &str) -> Option<&Grouping> {
        self.groupings().find(|grouping| grouping.name == field)
    }

    /// Returns the course over a field.
    pub(crate) fn course_over(&self, field: &str) -> Option<&Grouping> {
        self.courses
            .iter()
            .find(|course| course.name == field && !course.groups.is_empty())
    }

    /// Returns the profiles of quantities that are not filtered: those that a question names first.
    pub(crate) fn quantities(&self) -> Vec<&'t FieldProfile> {
        self.named_first(|profile| profile.kind == FieldKind::Number && profile.numbers.is_some())
    }

    /// Returns the profiles of categories that are not filtered: those that a question names first.
    pub(crate) fn categories(&self) -> Vec<&'t FieldProfile> {
        self.named_first(is_category)
    }

    /// Returns whether most matching records were read, so that what they show can represent all.
    pub(crate) fn is_mostly_read(&self) -> bool {
        self.task
            .coverage
            .fraction
            .is_none_or(|read| read >= MOSTLY_READ)
    }

    /// Returns whether all matching records were read.
    pub(crate) fn is_fully_read(&self) -> bool {
        self.task.coverage.fraction.is_some_and(|read| read >= 1.0)
    }

    /// Returns the field that the question groups by, or else that of the first grouping.
    pub(crate) fn main_field(&self) -> Option<&str> {
        let asked = self.meant.group_by.first().map(String::as_str);
        asked.or_else(|| self.main().map(|grouping| grouping.name.as_str()))
    }

    /// Returns findings that quote a record word for word, those that answer most questions first.
    /// What is counted field by field is said better by counts.
    pub(crate) fn quotations(&self) -> impl Iterator<Item = &'t Finding> {
        let same = |a: &str, b: &str| a.split_whitespace().eq(b.split_whitespace());
        let is_quote = |finding: &&Finding| {
            let Some(Claim::Quote { text, .. }) = finding.evidence.first() else {
                return false;
            };
            same(text, &finding.claim)
        };
        let mut findings: Vec<&Finding> = self.task.findings.iter().filter(is_quote).collect();
        findings.sort_by_key(|finding| {
            (
                Reverse(finding.relevant_questions.len()),
                Reverse(finding.evidence_count),
            )
        });
        findings.into_iter()
    }

    fn named_first(&self, wanted: impl Fn(&FieldProfile) -> bool) -> Vec<&'t FieldProfile> {
        let named: Vec<String> = self
            .task
            .sub_questions
            .iter()
            .flat_map(|question| self.named(&question.question))
            .collect();

        let mut found: Vec<&FieldProfile> = self
            .task
            .profile
            .iter()
            .filter(|profile| wanted(profile) && !self.task.filters.contains_key(&profile.field))
            .collect();

        found.sort_by_key(|profile| {
            named
                .iter()
                .position(|name| *name == profile.field)
                .unwrap_or(usize::MAX)
        });
        found
    }

    /// Returns words of the question that fit no field, no value and no record that was read.
    fn unknown_words(&self) -> Vec<&String> {
        let mut found: BTreeSet<String> = self
            .task
            .findings
            .iter()
            .flat_map(|finding| content_stems(&finding.claim))
            .collect();
        let values = self.facts.iter().flat_map(|field| &field.values);
        found.extend(values.flat_map(|value| content_stems(&plain(value))));

        // The values of the filters were read from the question, or replace what it denies.
        found.extend(content_stems(&conditions(&self.task.filters)));
        found.extend(self.task.heard.iter().flat_map(|word| content_stems(word)));
        let is_measured = |word: &Word<'_>| {
            let numbers = self
                .facts
                .iter()
                .filter(|field| field.kind == FieldKind::Number);
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

    /// Returns whether a word is what the question calls its records: in *raptor sightings* the
    /// sightings are the records, and the raptors a condition.
    fn is_subject(&self, word: &str) -> bool {
        let subject = words(self.meant.subject.as_deref().unwrap_or_default());
        subject.last().is_some_and(|head| {
            lexicon::is_plural(&head.lower) && head.lower == word.to_lowercase()
        })
    }

    /// Returns words of the question that had no effect because they fit nothing. The word for
    /// its records alone does not count.
    pub(crate) fn ineffective_words(&self) -> Vec<String> {
        let unknown = self.unknown_words();
        if unknown.iter().all(|word| self.is_subject(word)) {
            return Vec::new();
        }
        unknown.into_iter().cloned().collect()
    }

    /// Returns what the question asks about and the data does not hold: words without effect, one
    /// of which is used as a noun. A question of how many passengers were hurt asks about
    /// passengers, even if the data does not know of hurting either.
    pub(crate) fn missing(&self) -> Vec<String> {
        let mut unknown = self.ineffective_words();
        let counts = || {
            words(&self.task.query)
                .iter()
                .any(|word| word.lower == "many")
        };
        let reading = self.task.reading.as_ref();
        let code = reading.map_or("en", |reading| reading.language.as_str());
        let vocabulary = languages().iter().find(|known| known.code == code);
        let is_function =
            |word: &String| vocabulary.is_some_and(|known| known.knows(&word.to_lowercase()));
        unknown.retain(|word| code == "en" || !is_function(word));

        let has_noun = |word: &String| self.meant.nouns.contains(word);
        if unknown
            .iter()
            .any(|word| has_noun(word) && !self.is_subject(word))
        {
            unknown.retain(has_noun);
        } else if !(counts() && unknown.iter().any(has_noun)) {
            unknown.clear();
        }
        unknown
    }

    /// Returns what of the question was understood but cannot be asked of the data.
    pub(crate) fn refused(&self) -> Vec<String> {
        let fields = if self.task.fields.is_empty() {
            &self.facts
        } else {
            &self.task.fields
        };
        let meant = interpret(&self.task.query, fields);
        // Where the user fixed the filters, or a question before gave some, nothing was left out.
        if meant.filters == self.task.filters {
            meant.refused
        } else {
            Vec::new()
        }
    }

    /// Returns whether a sub-question asks about something that the data does not hold.
    pub(crate) fn asks_for_missing(&self, question: &str) -> bool {
        let asked = content_stems(question);
        let missing = self.missing();
        missing
            .iter()
            .filter(|word| self.meant.nouns.contains(word))
            .any(|word| {
                let stems = content_stems(word);
                !stems.is_empty() && stems.iter().all(|stem| asked.contains(stem))
            })
    }

    /// Returns words of the question that are part of some values of a category and have set no
    /// condition, with the category: *bird* where there are deer as well.
    pub(crate) fn unused_words(&self) -> Vec<(&str, &str)> {
        let filtered: BTreeSet<String> = content_stems(&conditions(&self.task.filters))
            .into_iter()
            .collect();
        let quoted: BTreeSet<String> = self
            .quotations()
            .flat_map(|finding| content_stems(&finding.claim))
            .collect();
        let categories = || {
            let is_divided = |name: &str| {
                self.grouping(name).is_some() || self.profile(name).is_some_and(is_category)
            };
            self.facts
                .iter()
                .filter(move |field| field.kind == FieldKind::Text && is_divided(&field.name))
        };

        let unused = |word: &String| {
            let stem = content_stems(word).pop()?;
            if self.meant.denied.contains(word)
                || filtered.contains(&stem)
                || quoted.contains(&stem)
            {
                return None;
            }
            let says = |value: &Value| content_stems(&plain(value)).contains(&stem);
            let in_some = |field: &&FieldFacts| {
                field.values.iter().any(says) && !field.values.iter().all(says)
            };
            categories().find(in_some).map(|field| field.name.as_str())
        };

        self.meant
            .unmatched
            .iter()
            .filter_map(|word| Some((word.as_str(), unused(word)?)))
            .collect()
    }

    /// Reads a question against the fields of the data.
    pub(crate) fn read_question(&self, question: &str) -> Interpretation {
        interpret(question, &self.facts)
    }

    /// Returns the fields that a question asks about, apart from its conditions.
    pub(crate) fn named(&self, question: &str) -> Vec<String> {
        let meant = self.read_question(question);
        let course = meant.histogram.map(|course| course.field);
        meant
            .group_by
            .into_iter()
            .chain(meant.mentioned)
            .chain(course)
            .collect()
    }
}

fn relevant(task: &SynthesizeTask) -> impl Iterator<Item = &AggregationResult> {
    let fits = |aggregation: &AggregationResult| aggregation.filters == task.filters;
    let any = task.aggregations.iter().any(fits);
    let grouped = task.aggregations.iter().filter(|table| table.has_groups());
    grouped.filter(move |aggregation| !any || fits(aggregation))
}

/// Returns the fields that the material knows of, with the values it shows; if nothing was read,
/// those of the tools.
fn facts(task: &SynthesizeTask) -> Vec<FieldFacts> {
    let is_counted = |table: &AggregationResult| !table.buckets.is_empty();
    if task.profile.is_empty() && !task.aggregations.iter().any(is_counted) {
        return task.fields.clone();
    }

    let mut facts: Vec<FieldFacts> = task
        .profile
        .iter()
        .map(|profile| profiled(task, profile))
        .collect();
    for aggregation in &task.aggregations {
        add_counted(&mut facts, aggregation);
    }
    add_filtered(&mut facts, &task.filters);
    facts
}

/// Returns a field with the values of its profile.
fn profiled(task: &SynthesizeTask, profile: &FieldProfile) -> FieldFacts {
    let values = if profile.kind == FieldKind::Text {
        profile.top.iter().map(|(value, _)| value.clone()).collect()
    } else {
        Vec::new()
    };

    // The year of a month follows from all of the data, not only from what was read of it.
    let listed = task
        .fields
        .iter()
        .find(|field| field.name == profile.field)
        .and_then(|field| field.range.clone());
    let range = listed.or_else(|| {
        let (first, last) = profile.dates.clone()?;
        Some((first.into(), last.into()))
    });

    FieldFacts {
        name: profile.field.clone(),
        kind: profile.kind,
        values,
        range,
        ..FieldFacts::default()
    }
}

/// Adds the fields that an aggregation groups by, and the values of its groups.
fn add_counted(facts: &mut Vec<FieldFacts>, aggregation: &AggregationResult) {
    let is_single = !aggregation.field.contains(',');
    for field in aggregation.field.split(',').map(str::trim) {
        let at = facts
            .iter()
            .position(|known| known.name == field)
            .unwrap_or_else(|| {
                let kind = if aggregation.kind == AggregationKind::DateHistogram {
                    FieldKind::Date
                } else {
                    FieldKind::Text
                };
                facts.push(FieldFacts {
                    name: field.to_owned(),
                    kind,
                    ..FieldFacts::default()
                });
                facts.len() - 1
            });

        if is_single && facts[at].kind == FieldKind::Text {
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

/// Adds the fields of filters that nothing else mentions, with the values that are filtered by.
fn add_filtered(facts: &mut Vec<FieldFacts>, filters: &Object) {
    for (field, condition) in filters {
        if facts.iter().any(|known| known.name == *field) {
            continue;
        }
        let values = condition
            .as_array()
            .cloned()
            .unwrap_or_else(|| vec![condition.clone()]);
        facts.push(FieldFacts {
            name: field.clone(),
            values: values.into_iter().filter(Value::is_string).collect(),
            ..FieldFacts::default()
        });
    }
}

/// Returns whether a profile holds a category: text or truth values, neither one for all nor one
/// for each.
pub(crate) fn is_category(profile: &FieldProfile) -> bool {
    let repeats = profile.distinct * 2 <= profile.present;
    matches!(profile.kind, FieldKind::Text | FieldKind::Boolean)
        && profile.distinct > 1
        && repeats
        && profile
            .top
            .iter()
            .all(|(value, _)| plain(value).chars().count() <= 80)
}

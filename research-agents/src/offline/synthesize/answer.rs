//! Answers a sub-question from groupings, courses, profiles and findings; an empty answer means that none of them does.

use std::collections::BTreeSet;

use super::super::insights;
use super::super::rank::{content_stems, pick, scores, shared_words};
use super::super::say::{Grouping, figure, is_empty, records, statement};
use super::super::text::{list, words};
use super::material::Material;
use super::{is_category, part, total};
use crate::dataset::record::{Finding, SubQuestion};
use crate::dataset::task::{FieldKind, FieldProfile};
use crate::kernel::claim::{Basis, Claim, Statement, Statistic};
use crate::kernel::evidence::plain;

/// Groups that are listed one by one.
const LISTED: usize = 6;

/// Sentences on the ranking of groups: the largest, and those that follow.
const RANKED: usize = 2;

/// Findings that answer a question for which there are no counts.
const FINDINGS: usize = 3;

/// A value that so large a share of the records has is common to most of them.
const COMMON: f64 = 0.5;

/// Fields named as common to most records.
const COMMON_FIELDS: usize = 3;

/// Answers a question.
pub(super) fn answer(material: &Material<'_>, question: &SubQuestion) -> Vec<Statement> {
    let has = |wanted: &[&str]| words(&question.question).iter().any(|word| wanted.contains(&word.lower.as_str()));
    if material.is_empty() {
        let counts = has(&["many", "number", "count"]) && material.named(&question.question).is_empty();
        return if counts { vec![total(material)] } else { Vec::new() };
    }
    // Who asks how many there are is told the number first, whatever else the words of the condition could ask for.
    let mut answer: Vec<Statement> = Vec::new();
    if has(&["many"]) {
        answer.push(total(material));
    }
    let mut named = material.named(&question.question);
    named.dedup();
    let most = has(&["most", "largest", "biggest", "frequent", "top", "main", "dominant"]);
    for field in &named {
        answer.extend(about(material, field, most));
    }
    // Two groupings asked for together are answered by their pairs as well.
    if named.len() > 1 {
        let pairs = material
            .aggregations()
            .filter_map(Grouping::inner)
            .find(|pairs| named.iter().all(|field| pairs.name.contains(field.as_str())));
        answer.extend(pairs.as_ref().map(division));
    }
    // What single fields do not show: a finding on several of them, or a sentence of a record.
    if !answer.is_empty() {
        answer.extend(material.notable().find(|finding| finding.relevant_questions.contains(&question.id)).map(quoted));
    }
    if answer.is_empty() && has(&["time", "trend", "trends", "develop", "when"]) {
        answer.extend(material.course().map(course).unwrap_or_default());
    }
    if answer.is_empty() && has(&["number", "count", "total"]) {
        answer.push(total(material));
    }
    if answer.is_empty() && has(&["common", "share", "typical"]) {
        answer.extend(common(material));
    }
    if answer.is_empty() {
        answer.extend(from_findings(material, question));
    }
    answer
}

/// What the data says about a field.
fn about(material: &Material<'_>, field: &str, most: bool) -> Vec<Statement> {
    if let Some(over_time) = material.course_over(field) {
        return course(over_time);
    }
    if let Some(grouping) = material.grouping(field) {
        return if most {
            insights::ranking(grouping).into_iter().take(RANKED).collect()
        } else {
            vec![division(grouping)]
        };
    }
    let Some(profile) = material.profile(field) else { return Vec::new() };
    match profile.kind {
        FieldKind::Number => range(material, profile),
        FieldKind::Text | FieldKind::Boolean if most => most_frequent(material, profile).into_iter().collect(),
        FieldKind::Text | FieldKind::Boolean => division_of_read(material, profile).into_iter().collect(),
        FieldKind::Date => Vec::new(),
    }
}

/// How a grouping divides the records.
pub(in super::super) fn division(grouping: &Grouping) -> Statement {
    // Of one group, or of groups of one record each, there is nothing to list.
    let single = grouping.groups.len() == 1 || grouping.groups.first().is_some_and(|first| first.count == 1);
    if let Some(leading) = insights::leading(grouping).filter(|_| single) {
        return leading;
    }
    let shown = &grouping.groups[..grouping.groups.len().min(LISTED)];
    let groups: Vec<String> = shown.iter().map(|group| grouping.shown(group)).collect();
    let text = if shown.len() < grouping.groups.len() || !(grouping.complete && grouping.missing.is_none()) {
        format!("By {}, the largest groups of {} are {}.", grouping.name, records(grouping.total), list(&groups))
    } else {
        format!("By {}, {} divide into {}.", grouping.name, records(grouping.total), list(&groups))
    };
    statement(text, grouping.claims(shown))
}

/// Peak, beginning and end of a course of time.
pub(in super::super) fn course(grouping: &Grouping) -> Vec<Statement> {
    insights::course(grouping)
}

/// The most frequent value of a field among the records read.
pub(super) fn most_frequent(material: &Material<'_>, profile: &FieldProfile) -> Option<Statement> {
    let (value, number) = profile.top.iter().find(|(value, _)| !is_empty(value))?;
    if *number < 2 {
        return None;
    }
    let (name, part) = (&profile.field, part(*number, material.read));
    let text = if profile.top.iter().filter(|(_, other)| other == number).count() > 1 {
        format!("No {name} is more frequent than {}: {part} that were read.", plain(value))
    } else {
        format!("The most frequent {name} is {}: {part} that were read.", plain(value))
    };
    let count = Claim::Count { over: Basis::Records, field: name.clone(), value: value.clone(), number: *number };
    Some(statement(text, vec![count, material.read_claim()]))
}

fn division_of_read(material: &Material<'_>, profile: &FieldProfile) -> Option<Statement> {
    if !is_category(profile) {
        return most_frequent(material, profile);
    }
    let top: Vec<_> = profile.top.iter().filter(|(value, _)| !is_empty(value)).take(LISTED).collect();
    let shown: Vec<String> = top.iter().map(|(value, number)| format!("{} with {number}", plain(value))).collect();
    let text = format!(
        "By {}, the most frequent of {} that were read are {}.",
        profile.field,
        records(material.read),
        list(&shown)
    );
    let claims = top.iter().map(|(value, number)| Claim::Count {
        over: Basis::Records,
        field: profile.field.clone(),
        value: value.clone(),
        number: *number,
    });
    Some(statement(text, claims.chain([material.read_claim()]).collect()))
}

/// Range, middle, and most frequent number of a quantity, and how often it is missing.
fn range(material: &Material<'_>, profile: &FieldProfile) -> Vec<Statement> {
    let Some(numbers) = &profile.numbers else { return Vec::new() };
    let claim = |statistic, number, source: Option<&String>| Claim::Statistic {
        field: profile.field.clone(),
        statistic,
        number,
        source: source.cloned(),
    };
    let mut found = Vec::new();
    if numbers.min.0 == numbers.max.0 {
        let text = format!("{} is {} in every record read that has one.", profile.field, figure(numbers.min.0));
        found.push(statement(
            text,
            vec![
                claim(Statistic::Min, numbers.min.0, Some(&numbers.min.1)),
                claim(Statistic::Max, numbers.max.0, None),
            ],
        ));
    } else {
        let text = format!(
            "{} lies between {} and {}; its median is {} and its mean {}.",
            profile.field,
            figure(numbers.min.0),
            figure(numbers.max.0),
            figure(numbers.median),
            figure(numbers.mean)
        );
        found.push(statement(
            text,
            vec![
                claim(Statistic::Min, numbers.min.0, Some(&numbers.min.1)),
                claim(Statistic::Max, numbers.max.0, Some(&numbers.max.1)),
                claim(Statistic::Median, numbers.median, None),
                claim(Statistic::Mean, numbers.mean, None),
            ],
        ));
        if let Some((value, number)) = profile.top.first().filter(|(value, number)| value.is_number() && *number > 1) {
            let alone = profile.top.get(1).is_none_or(|(_, next)| next < number);
            let most = if alone { "Its most frequent value is" } else { "None of its values is more frequent than" };
            let text = format!("{most} {}, in {} that were read.", plain(value), part(*number, material.read));
            let count = Claim::Count {
                over: Basis::Records,
                field: profile.field.clone(),
                value: value.clone(),
                number: *number,
            };
            found.push(statement(text, vec![count, material.read_claim()]));
        }
    }
    if profile.missing > 0 {
        let text =
            format!("{} is not given in {} that were read.", profile.field, part(profile.missing, material.read));
        let count = Claim::Count {
            over: Basis::Records,
            field: profile.field.clone(),
            value: serde_json::Value::Null,
            number: profile.missing,
        };
        found.push(statement(text, vec![count, material.read_claim()]));
    }
    found
}

/// Values that most of the records read have, apart from what the filters demand.
fn common(material: &Material<'_>) -> Vec<Statement> {
    #[expect(clippy::cast_precision_loss, reason = "counts of records are far below 2^52")]
    let is_common = |profile: &&FieldProfile| {
        profile.top.first().is_some_and(|(_, number)| *number as f64 > COMMON * material.read as f64)
    };
    let profiles =
        material.task.profile.iter().filter(|profile| matches!(profile.kind, FieldKind::Text | FieldKind::Boolean));
    profiles
        .filter(|profile| !material.task.filters.contains_key(&profile.field))
        .filter(is_common)
        .filter_map(|profile| most_frequent(material, profile))
        .take(COMMON_FIELDS)
        .collect()
}

/// Findings that the extraction assigned to a question, or that speak of it.
fn from_findings(material: &Material<'_>, question: &SubQuestion) -> Vec<Statement> {
    let findings = &material.task.findings;
    let assigned: Vec<&Finding> =
        findings.iter().filter(|finding| finding.relevant_questions.contains(&question.id)).take(FINDINGS).collect();
    if !assigned.is_empty() {
        return assigned.into_iter().map(quoted).collect();
    }
    let asked: BTreeSet<String> = content_stems(&question.question).into_iter().collect();
    let texts: Vec<&str> = findings.iter().map(|finding| finding.claim.as_str()).collect();
    let speaks = |index: usize| {
        let said: BTreeSet<String> = content_stems(texts[index]).into_iter().collect();
        said.intersection(&asked).count() >= shared_words(asked.len())
    };
    let scores = scores(&question.question, &texts);
    pick(&texts, &scores, FINDINGS, speaks).into_iter().map(|index| quoted(&findings[index])).collect()
}

/// A finding as a sentence on its quotes.
pub(super) fn quoted(finding: &Finding) -> Statement {
    let claim = finding.claim.trim();
    let text = if claim.ends_with(['.', '!', '?']) { claim.to_owned() } else { format!("{claim}.") };
    statement(text, finding.evidence.clone())
}

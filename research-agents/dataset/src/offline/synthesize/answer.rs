//! Answers a sub-question from groupings, courses, profiles and findings. An empty answer means
//! that the material does not answer it.

use std::collections::BTreeSet;

use research_agents_report::claim::{Basis, Claim, Statement};
use research_agents_report::text::{content_stems, list, pick, scores, shared_words, words};

use crate::data::record::{Finding, SubQuestion};
use crate::data::task::{FieldKind, FieldProfile, ValuePair};
use crate::offline::insights;
use crate::offline::insights::course::course;
use crate::offline::say::{Grouping, is_empty, part, percent, records, spoken, statement};
use crate::offline::synthesize::facts::{self, total};
use crate::offline::synthesize::material::{Material, is_category};

/// The maximum number of groups that a sentence lists. The tables of the report have all groups.
const LISTED: usize = 8;
/// The maximum number of groups that a sentence lists if the question does not ask for them.
const FEW_LISTED: usize = 4;

/// The maximum number of findings that answer a question without any counts.
const FINDINGS: usize = 3;

/// The maximum number of sentences on differences by a field.
const DIFFERENCES: usize = 6;

/// The maximum number of these sentences on pairs of values.
const PAIRS: usize = 3;

/// A value is common if more than this share of the records has it.
const COMMON: f64 = 0.5;

/// The maximum number of fields whose common values are named.
const COMMON_FIELDS: usize = 3;

/// Answers a sub-question.
pub(crate) fn answer(material: &Material<'_>, question: &SubQuestion) -> Vec<Statement> {
    let has = |wanted: &[&str]| {
        words(&question.question)
            .iter()
            .any(|word| wanted.contains(&word.lower.as_str()))
    };

    if material.is_empty() {
        let counts =
            has(&["many", "number", "count"]) && material.named(&question.question).is_empty();
        return if counts {
            vec![total(material)]
        } else {
            Vec::new()
        };
    }

    // The answer to *how many* begins with the number, whatever its conditions name.
    let mut answer: Vec<Statement> = Vec::new();
    if has(&["many"]) {
        answer.push(total(material));
    }

    let mut named = material.named(&question.question);
    named.dedup();

    // In *how many*, a field with one value or a range is a condition: nothing is asked about it.
    let is_condition = |field: &String| {
        material
            .task
            .filters
            .get(field)
            .is_some_and(|filter| !filter.is_array())
    };

    named.retain(|field| !(has(&["many"]) && is_condition(field)));
    let most = has(&[
        "most", "largest", "biggest", "frequent", "top", "main", "dominant",
    ]);

    for field in &named {
        answer.extend(about(material, field, most));
    }

    // Two groupings that are asked for together are also answered by their pairs.
    if named.len() > 1 {
        let pairs = material
            .aggregations()
            .filter_map(Grouping::inner)
            .find(|pairs| {
                named
                    .iter()
                    .all(|field| pairs.name.contains(field.as_str()))
            });
        answer.extend(
            pairs
                .as_ref()
                .and_then(|pairs| insights::division(pairs, LISTED)),
        );
    }

    if has(&["differ", "differs", "depend", "depends", "together"]) {
        answer = differences(material, named.first().map(String::as_str));
    }

    // Add a sentence of a record, which may say more than its fields.
    if !answer.is_empty() {
        let speaks = |finding: &&Finding| finding.relevant_questions.contains(&question.id);
        answer.extend(material.quotations().find(speaks).map(quoted));
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

/// Returns what differs by a field: values that are more frequent in some of its groups, and
/// quantities. That nothing differs is an answer too.
fn differences(material: &Material<'_>, field: Option<&str>) -> Vec<Statement> {
    let mut found = facts::crossed(material);
    let relations = &material.task.relations;
    let concerns =
        |pair: &&ValuePair| field.is_none_or(|field| pair.fields.iter().any(|own| own == field));
    let mut pairs: Vec<&ValuePair> = relations.pairs.iter().filter(concerns).collect();
    pairs.sort_by(|a, b| facts::gap(material, b, field).total_cmp(&facts::gap(material, a, field)));

    for pair in pairs.into_iter().take(PAIRS) {
        let statement = facts::together(material, pair, field);
        // The data source may have counted the same pair.
        if found.iter().all(|known| known.text != statement.text) {
            found.push(statement);
        }
    }

    for measure in relations
        .measures
        .iter()
        .filter(|measure| field.is_none_or(|field| measure.by == field))
    {
        found.extend(facts::differing(material, measure));
    }

    if found.is_empty() && material.read > 0 {
        let by = field
            .map(|field| format!(" by {field}"))
            .unwrap_or_default();
        let text = format!(
            "In the {} that were read, no other field differs clearly{by}.",
            records(material.read)
        );
        found.push(statement(text, vec![material.read_claim()]));
    }

    found.truncate(DIFFERENCES);

    found
}

/// Returns what the data says about a field.
fn about(material: &Material<'_>, field: &str, most: bool) -> Vec<Statement> {
    if let Some(over_time) = material.course_over(field) {
        return course(over_time);
    }

    if let Some(grouping) = material.grouping(field) {
        let is_asked = material.main_field() == Some(field)
            || material.meant.group_by.iter().any(|name| name == field);
        let divided = insights::division(grouping, if is_asked { LISTED } else { FEW_LISTED });
        return divided
            .into_iter()
            .chain(insights::missing(grouping))
            .chain(facts::tail(grouping))
            .collect();
    }

    let Some(profile) = material.profile(field) else {
        return Vec::new();
    };

    match profile.kind {
        FieldKind::Number => {
            let by_group = material
                .task
                .relations
                .measures
                .iter()
                .find(|measure| measure.field == field);
            let by_group = by_group.and_then(|measure| facts::differing(material, measure));
            facts::quantity(material, profile)
                .into_iter()
                .chain(by_group)
                .chain(facts::missing(material, profile))
                .collect()
        }
        FieldKind::Text | FieldKind::Boolean if most => {
            most_frequent(material, profile).into_iter().collect()
        }
        FieldKind::Text | FieldKind::Boolean => {
            division_of_read(material, profile).into_iter().collect()
        }
        FieldKind::Date => Vec::new(),
    }
}

/// Returns the most frequent value of a field among the records read.
pub(crate) fn most_frequent(material: &Material<'_>, profile: &FieldProfile) -> Option<Statement> {
    let (value, number) = profile.top.iter().find(|(value, _)| !is_empty(value))?;
    if *number < 2 {
        return None;
    }

    let (name, part) = (&profile.field, part(*number, material.read));
    let text = if profile
        .top
        .iter()
        .filter(|(_, other)| other == number)
        .count()
        > 1
    {
        format!(
            "No {name} is more frequent than {}: {part} that were read.",
            spoken(value)
        )
    } else {
        format!(
            "The most frequent {name} is {}: {part} that were read.",
            spoken(value)
        )
    };

    let count = Claim::Count {
        over: Basis::Records,
        field: name.clone(),
        value: value.clone(),
        number: *number,
    };

    Some(statement(text, vec![count, material.read_claim()]))
}

/// Returns the distribution of a category over the records read.
pub(crate) fn division_of_read(
    material: &Material<'_>,
    profile: &FieldProfile,
) -> Option<Statement> {
    if !is_category(profile) {
        return most_frequent(material, profile);
    }

    let top: Vec<_> = profile
        .top
        .iter()
        .filter(|(value, _)| !is_empty(value))
        .take(LISTED)
        .collect();
    let shown = top.iter().map(|(value, number)| {
        let share = percent(*number, material.read);
        format!("{} in {number} ({share})", spoken(value))
    });

    let often = if top.len() as u64 == profile.distinct {
        ""
    } else {
        "most often "
    };
    let text = format!(
        "Of the {} that were read, {} is {often}{}.",
        records(material.read),
        profile.field,
        list(&shown.collect::<Vec<_>>())
    );

    let claims = top.iter().map(|(value, number)| Claim::Count {
        over: Basis::Records,
        field: profile.field.clone(),
        value: value.clone(),
        number: *number,
    });

    Some(statement(
        text,
        claims.chain([material.read_claim()]).collect(),
    ))
}

/// Returns the values that most of the records read have, filtered fields excluded.
fn common(material: &Material<'_>) -> Vec<Statement> {
    #[expect(
        clippy::cast_precision_loss,
        reason = "counts of records are far below 2^52"
    )]
    let is_common = |profile: &&FieldProfile| {
        profile
            .top
            .first()
            .is_some_and(|(_, number)| *number as f64 > COMMON * material.read as f64)
    };

    let profiles = material
        .task
        .profile
        .iter()
        .filter(|profile| matches!(profile.kind, FieldKind::Text | FieldKind::Boolean));

    profiles
        .filter(|profile| !material.task.filters.contains_key(&profile.field))
        .filter(is_common)
        .filter_map(|profile| most_frequent(material, profile))
        .take(COMMON_FIELDS)
        .collect()
}

/// Returns the findings that the extraction assigned to a question, or that mention it.
fn from_findings(material: &Material<'_>, question: &SubQuestion) -> Vec<Statement> {
    let findings = &material.task.findings;
    let assigned: Vec<&Finding> = findings
        .iter()
        .filter(|finding| finding.relevant_questions.contains(&question.id))
        .take(FINDINGS)
        .collect();
    if !assigned.is_empty() {
        return assigned.into_iter().map(quoted).collect();
    }

    let asked: BTreeSet<String> = content_stems(&question.question).into_iter().collect();
    let texts: Vec<&str> = findings
        .iter()
        .map(|finding| finding.claim.as_str())
        .collect();
    let speaks = |index: usize| {
        let said: BTreeSet<String> = content_stems(texts[index]).into_iter().collect();
        said.intersection(&asked).count() >= shared_words(asked.len())
    };
    let scores = scores(&question.question, &texts);

    pick(&texts, &scores, FINDINGS, speaks)
        .into_iter()
        .map(|index| quoted(&findings[index]))
        .collect()
}

/// Returns a finding as a sentence with its quotes as claims.
pub(crate) fn quoted(finding: &Finding) -> Statement {
    let claim = finding.claim.trim();
    let is_one =
        matches!(finding.evidence.as_slice(), [Claim::Quote { text, .. }] if text == claim);
    let text = match claim.ends_with(['.', '!', '?']) {
        _ if is_one => format!("A record says: “{}”", claim),
        true => claim.to_owned(),
        false => format!("{claim}."),
    };
    statement(text, finding.evidence.clone())
}

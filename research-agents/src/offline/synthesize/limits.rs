//! What a report cannot say and why, and where to look next.

use std::collections::BTreeSet;

use super::super::conditions::conditions;
use super::super::rank::content_stems;
use super::super::say::records;
use super::super::text::list;
use super::material::Material;
use crate::dataset::record::Object;
use crate::dataset::task::FieldProfile;

/// Fields whose gaps are named.
const FIELDS_WITH_GAPS: usize = 5;

/// Suggestions that are given.
const SUGGESTIONS: usize = 4;

/// A category that divides records into so many groups can be looked at.
const GROUPS: std::ops::RangeInclusive<u64> = 2..=40;

/// What the reader must know about gaps in data and method. How much was read and what went wrong on the way is said by
/// the frame of the report.
pub(super) fn limitations(material: &Material<'_>) -> Vec<String> {
    let mut limits = vec![
        "No language model was used: this report is computed from counts, statistics and quotations of the data, and it \
         interprets nothing."
            .to_owned(),
    ];
    limits.extend(gaps(material));
    let open: Vec<&str> =
        material.groupings().filter(|grouping| !grouping.complete).map(|grouping| grouping.name.as_str()).collect();
    if !open.is_empty() {
        limits.push(format!("The data source listed only the largest groups by {}.", list(&open)));
    }
    limits.extend(unapplied(material));
    limits.extend(unused_words(material));
    limits
}

/// Conditions that the question can be read as, now that values have been seen, and that the research did not filter by:
/// the data source did not list them, or the user fixed other filters.
fn unapplied(material: &Material<'_>) -> Option<String> {
    let mut meant = material.read_question(&material.task.query).filters;
    meant.retain(|field, _| !material.task.filters.contains_key(field));
    let words = conditions(&meant);
    (!meant.is_empty()).then(|| {
        format!(
            "The question can be read as {words}; the records were not filtered by that. Ask again with that filter."
        )
    })
}

/// Fields that many records lack: those that a question names first.
fn gaps(material: &Material<'_>) -> Option<String> {
    let named: Vec<String> =
        material.task.sub_questions.iter().flat_map(|question| material.named(&question.question)).collect();
    let mut gaps: Vec<&FieldProfile> = material.task.profile.iter().filter(|profile| profile.missing > 0).collect();
    gaps.sort_by_key(|profile| (!named.contains(&profile.field), std::cmp::Reverse(profile.missing)));
    let shown: Vec<String> =
        gaps.iter().take(FIELDS_WITH_GAPS).map(|profile| format!("{} in {}", profile.field, profile.missing)).collect();
    (!shown.is_empty())
        .then(|| format!("Values are missing in the {} that were read: {}.", records(material.read), list(&shown)))
}

/// Words of the question that fit no field and no value, and that no finding speaks of.
fn unused_words(material: &Material<'_>) -> Option<String> {
    let found: BTreeSet<String> =
        material.task.findings.iter().flat_map(|finding| content_stems(&finding.claim)).collect();
    // The values of the filters were read from the question, or stand for what it denies.
    let filtered: BTreeSet<String> = content_stems(&conditions(&material.task.filters)).into_iter().collect();
    let meant = material.read_question(&material.task.query);
    let mut unused = meant.unmatched;
    unused.retain(|word| {
        let stems = content_stems(word);
        !meant.denied.contains(word) && !stems.iter().any(|stem| found.contains(stem) || filtered.contains(stem))
    });
    (!unused.is_empty() && !material.task.profile.is_empty()).then(|| {
        let words = unused.join(", ");
        format!("These words of the question name no field or value of the data and had no effect: {words}.")
    })
}

/// Where to look next: conditions to loosen, categories that were not looked at.
pub(super) fn suggestions(material: &Material<'_>) -> Vec<String> {
    let filters = &material.task.filters;
    if material.is_empty() {
        let single = |field: &String| {
            let one: Object = filters
                .iter()
                .filter(|(name, _)| *name == field)
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            format!("Ask again without the condition {}.", conditions(&one))
        };
        return filters.keys().map(single).take(SUGGESTIONS).collect();
    }
    let mut found = Vec::new();
    let used =
        |profile: &&FieldProfile| material.groupings().any(|grouping| grouping.name.contains(profile.field.as_str()));
    let open: Vec<&FieldProfile> = material
        .categories()
        .into_iter()
        .filter(|profile| !used(profile) && GROUPS.contains(&profile.distinct))
        .collect();
    if material.task.coverage.capped {
        let by = open.first().map_or(String::new(), |profile| format!(", for instance by {}", profile.field));
        found.push(format!("Narrow the question{by}, so that every matching record can be read."));
    }
    for profile in open {
        found.push(format!(
            "Group by {}, which has {} values in the records that were read.",
            profile.field, profile.distinct
        ));
    }
    found.truncate(SUGGESTIONS);
    found
}

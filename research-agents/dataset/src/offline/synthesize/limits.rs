//! Limits of a report, and suggestions where to look next.

use research_agents_report::evidence::plain;
use research_agents_report::text::list;

use crate::data::record::Object;
use crate::data::task::FieldProfile;
use crate::offline::conditions::conditions;
use crate::offline::say::records;
use crate::offline::synthesize::material::Material;

/// Fields whose gaps are named.
const FIELDS_WITH_GAPS: usize = 5;

/// Suggestions that are given.
const SUGGESTIONS: usize = 4;

/// Fields that are named as what the data can be asked by.
const FIELDS_NAMED: usize = 12;

/// A category that divides records into so many groups can be looked at.
const GROUPS: std::ops::RangeInclusive<u64> = 2..=40;

/// Returns what the reader must know about gaps in data and method. How much was read and what went
/// wrong is said by the frame of the report.
pub(crate) fn limitations(material: &Material<'_>) -> Vec<String> {
    let mut limits = vec![
        "No language model was used: this report is computed from counts, statistics and \
         quotations of the data, and it interprets nothing."
            .to_owned(),
    ];
    limits.extend(gaps(material));
    let mut open: Vec<&str> = material
        .groupings()
        .filter(|grouping| !grouping.complete)
        .map(|grouping| grouping.name.as_str())
        .collect();
    open.dedup();
    if !open.is_empty() {
        limits.push(format!(
            "The data source listed only the largest groups by {}.",
            list(&open)
        ));
    }

    limits.extend(unapplied(material));
    limits.extend(unknown_words(material));
    limits.extend(unused_words(material));

    limits
}

/// Returns conditions that the question can be read as, now that values have been seen, and that
/// the research did not filter by: the data source did not list them, or the user fixed other
/// filters.
fn unapplied(material: &Material<'_>) -> Option<String> {
    let mut meant = material.read_question(&material.task.query).filters;
    meant.retain(|field, _| !material.task.filters.contains_key(field));
    let words = conditions(&meant);
    (!meant.is_empty()).then(|| {
        format!(
            "The question can be read as one for {words}; the records were not filtered by that. \
             Ask again with that filter."
        )
    })
}

/// Returns fields that many records lack, first those that a question names.
fn gaps(material: &Material<'_>) -> Option<String> {
    let named: Vec<String> = material
        .task
        .sub_questions
        .iter()
        .flat_map(|question| material.named(&question.question))
        .collect();
    let mut gaps: Vec<&FieldProfile> = material
        .task
        .profile
        .iter()
        .filter(|profile| profile.missing > 0)
        .collect();
    gaps.sort_by_key(|profile| {
        (
            !named.contains(&profile.field),
            std::cmp::Reverse(profile.missing),
        )
    });
    gaps.truncate(FIELDS_WITH_GAPS);
    let shown = gaps.chunk_by(|a, b| a.missing == b.missing).map(|same| {
        let each = if same.len() > 1 { " each" } else { "" };
        let names: Vec<&str> = same.iter().map(|profile| profile.field.as_str()).collect();
        format!("{} in {}{each}", list(&names), same[0].missing)
    });
    let shown = shown.collect::<Vec<_>>().join("; ");

    (!shown.is_empty()).then(|| {
        format!(
            "Values are missing in the {} that were read: {shown}.",
            records(material.read)
        )
    })
}

/// Returns words of the question that the data knows nothing of. The word for its records alone
/// does not count.
fn unknown_words(material: &Material<'_>) -> Option<String> {
    let words = material.ineffective_words();
    let marked = list(
        &words
            .iter()
            .map(|word| format!("“{word}”"))
            .collect::<Vec<_>>(),
    );
    (!words.is_empty() && !material.task.profile.is_empty()).then(|| {
        format!(
            "These words of the question name no field or value of the data and had \
             no effect: {marked}."
        )
    })
}

/// Returns words that fit only some of the records and that the research has not made a condition
/// of.
fn unused_words(material: &Material<'_>) -> Vec<String> {
    let said = |(word, field): (&str, &str)| {
        format!(
            "“{word}” stands in values of {field} but set no condition: records with other values \
             are counted as well."
        )
    };
    material.unused_words().into_iter().map(said).collect()
}

/// Returns where to look next: conditions to loosen, categories that were not examined.
pub(crate) fn suggestions(material: &Material<'_>) -> Vec<String> {
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
        let mut found: Vec<String> = filters.keys().map(single).take(SUGGESTIONS).collect();
        found.extend(out_of_range(material));
        found.extend(askable(material));
        return found;
    }

    let mut found = Vec::new();
    if !material.missing().is_empty() {
        found.extend(askable(material));
    }

    // What goes together was reported for both fields.
    let is_reported = |field: &String| {
        material
            .task
            .relations
            .pairs
            .iter()
            .any(|pair| pair.fields.contains(field))
    };

    let used = |profile: &&FieldProfile| {
        material
            .groupings()
            .any(|grouping| grouping.name.contains(profile.field.as_str()))
            || (material.is_mostly_read() && is_reported(&profile.field))
    };
    let open: Vec<&FieldProfile> = material
        .categories()
        .into_iter()
        .filter(|profile| !used(profile) && GROUPS.contains(&profile.distinct))
        .collect();
    if material.task.coverage.capped {
        let by = open.first().map_or(String::new(), |profile| {
            format!(", for instance by {}", profile.field)
        });
        found.push(format!(
            "Narrow the question{by}, so that every matching record can be read."
        ));
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

/// Returns the fields that the data can be asked by.
fn askable(material: &Material<'_>) -> Option<String> {
    let names: Vec<&str> = material
        .task
        .fields
        .iter()
        .map(|field| field.name.as_str())
        .take(FIELDS_NAMED)
        .collect();
    let more = if material.task.fields.len() > FIELDS_NAMED {
        ", among others"
    } else {
        ""
    };

    (!names.is_empty()).then(|| {
        format!(
            "The data can be filtered and grouped by {}{more}.",
            list(&names)
        )
    })
}

/// Returns the range of the dates and numbers of the data, for conditions on these.
fn out_of_range(material: &Material<'_>) -> Vec<String> {
    let ranged = material
        .task
        .fields
        .iter()
        .filter(|field| material.task.filters.contains_key(&field.name));
    let said = ranged.filter_map(|field| {
        let (low, high) = field.range.as_ref()?;
        Some(format!(
            "{} runs from {} to {} in the data.",
            field.name,
            plain(low),
            plain(high)
        ))
    });
    said.collect()
}

//! Answers over all matching records: their number, statistics, and shares.

use research_agents_report::claim::{Claim, Statement, Statistic};
use research_agents_report::evidence::same_value;
use research_agents_report::text::{capitalised, list};
use serde_json::Value;

use crate::data::filters::describe_filters;
use crate::data::record::{MeasureValue, Object};
use crate::data::task::question::shape::{AnswerShape, Measure};
use crate::offline::answer::answered::Answer;
use crate::offline::answer::groups::{Groups, Ranked};
use crate::offline::answer::input::{Input, count as written};
use crate::offline::answer::words::{label, measure_label, measure_number, value_words};
use crate::offline::say::percent;

/// Groups whose shares a sentence names.
const SHARES: usize = 6;

/// Answers how many records match.
pub(crate) fn count(input: &Input<'_>) -> Option<Answer> {
    let (number, claim) = input.total()?;
    Some(Answer {
        title: title_of_count(input, number),
        statements: vec![counted(input, number, claim)],
        ..Answer::default()
    })
}

fn title_of_count(input: &Input<'_>, number: u64) -> String {
    let noun = input.noun(2);
    let conditions = input.conditions();
    match number {
        0 => format!("No {noun}{conditions}"),
        _ => capitalised(&format!("number of {noun}{conditions}")),
    }
}

/// Returns the sentence on the number of matching records.
pub(crate) fn counted(input: &Input<'_>, number: u64, claim: Claim) -> Statement {
    let (noun, conditions) = (input.noun(number), input.conditions());
    let text = match number {
        0 => format!("There are 0 {noun}{conditions}."),
        1 => format!("There is 1 {noun}{conditions}."),
        _ => format!("There are {} {noun}{conditions}.", written(number)),
    };
    Statement {
        text,
        claims: vec![claim],
    }
}

/// Answers with statistics over all matching records.
pub(crate) fn measures(input: &Input<'_>) -> Option<Answer> {
    let asked = asked(input);
    let found: Vec<(&MeasureValue, &str)> = asked
        .iter()
        .filter_map(|measure| input.measured(measure))
        .collect();
    let (first, over) = *found.first()?;
    let (noun, conditions) = (input.noun(first.count), input.conditions());
    if found.iter().all(|(measure, _)| shown(measure).is_none()) {
        let (number, claim) = input.total()?;
        let text = format!(
            "{} has no value in any of the {} {}{conditions}.",
            capitalised(&label(&first.field)),
            written(number),
            input.noun(number),
        );
        return Some(Answer {
            title: format!("No value of {}", label(&first.field)),
            statements: vec![Statement {
                text,
                claims: vec![claim],
            }],
            ..Answer::default()
        });
    }

    let parts: Vec<String> = found
        .iter()
        .filter_map(|(measure, _)| {
            let number = shown(measure)?;
            Some(format!(
                "the {} is {number}",
                measure_label(measure.function, &measure.field)
            ))
        })
        .collect();
    let mut claims: Vec<Claim> = found
        .iter()
        .filter_map(|(measure, over)| claim(measure, over))
        .collect();
    let text = match first.function {
        Statistic::Distinct if found.len() == 1 => {
            let number = shown(first)?;
            let table = input.tables().find(|table| table.id == over);
            let records = table.map(|table| table.total_docs);
            let records = records.filter(|total| Some(*total as f64) != first.number);
            let within =
                records.map(|total| format!(" in {} {}", written(total), input.noun(total)));
            format!(
                "There are {number} different values of {}{}{conditions}.",
                label(&first.field),
                within.unwrap_or_default()
            )
        }
        Statistic::Count if found.len() == 1 => {
            let number = shown(first)?;
            format!(
                "{number} {noun}{conditions} have a value of {}.",
                label(&first.field)
            )
        }
        _ => format!(
            "{} over {} {noun}{conditions}.",
            capitalised(&list(&parts)),
            written(first.count)
        ),
    };
    claims.extend(
        input
            .tables()
            .find(|table| table.id == over)
            .map(|table| Claim::Total {
                over: research_agents_report::claim::Basis::Aggregation(over.to_owned()),
                number: table.total_docs,
            }),
    );

    Some(Answer {
        title: capitalised(&format!(
            "{}{conditions}",
            measure_label(first.function, &first.field)
        )),
        statements: vec![Statement { text, claims }],
        ..Answer::default()
    })
}

/// Returns the statistics that are asked for; both ends of a range.
fn asked(input: &Input<'_>) -> Vec<Measure> {
    let meaning = input.meaning;
    let field = meaning
        .measures
        .first()
        .map(|measure| measure.field.clone());
    match (&meaning.answer, field) {
        (AnswerShape::Range, Some(field)) => [Statistic::Min, Statistic::Max]
            .map(|function| Measure {
                function,
                field: field.clone(),
            })
            .to_vec(),
        _ => meaning.measures.clone(),
    }
}

/// Returns a statistic as a sentence writes it.
pub(crate) fn shown(measure: &MeasureValue) -> Option<String> {
    match (measure.number, &measure.text) {
        (Some(number), _) => Some(measure_number(number, measure.function, &measure.field)),
        (None, Some(text)) => Some(value_words(&text.as_str().into(), &measure.field)),
        (None, None) => None,
    }
}

/// Returns the claim of a statistic over all matching records.
pub(crate) fn claim(measure: &MeasureValue, over: &str) -> Option<Claim> {
    let (over, field, statistic) = (over.to_owned(), measure.field.clone(), measure.function);
    match (measure.number, &measure.text) {
        (Some(number), _) => Some(Claim::Measure {
            over,
            field,
            statistic,
            number,
        }),
        (None, Some(text)) => Some(Claim::MeasureText {
            over,
            field,
            statistic,
            text: text.clone(),
            group: None,
        }),
        (None, None) => None,
    }
}

/// Answers which share of each group the part is, the highest share first.
fn shares_of_groups(input: &Input<'_>) -> Option<Answer> {
    let meaning = input.meaning;
    let mut filters: Object = meaning.filters.clone();
    filters.extend(meaning.part.clone());
    let wholes = Groups::new(input.grouped(&meaning.group_by)?, None);
    let parts = Groups::new(input.grouped_under(&filters, &meaning.group_by)?, None);

    let mut shares: Vec<(&Ranked<'_>, &Ranked<'_>, f64)> = Vec::new();
    for whole in &wholes.ranked {
        let part = parts
            .ranked
            .iter()
            .find(|part| part.bucket.key == whole.bucket.key);
        if let Some(part) = part {
            shares.push((whole, part, part.number / whole.number));
        }
    }
    let highest = meaning.order.as_ref().is_none_or(|order| order.highest);
    shares.sort_by(|a, b| {
        let order = a.2.total_cmp(&b.2);
        if highest { order.reverse() } else { order }
    });

    let said = describe_filters(&meaning.part);
    let words = |(whole, part, _): &(&Ranked<'_>, &Ranked<'_>, f64)| {
        let (part, all) = (part.bucket.doc_count, whole.bucket.doc_count);
        let name = wholes.name(whole);
        format!(
            "{} for {name} ({} of {})",
            percent(part, all),
            written(part),
            written(all)
        )
    };
    let shown = &shares[..shares.len().min(SHARES)];
    if shown.is_empty() {
        return None;
    }
    let parts_of_text: Vec<String> = shown.iter().map(words).collect();
    let by: Vec<String> = meaning.group_by.iter().map(|field| label(field)).collect();
    let text = format!(
        "By {}, the share with {said} is {}{}.",
        list(&by),
        list(&parts_of_text),
        input.conditions_beside(&meaning.group_by)
    );
    let claims = shown
        .iter()
        .flat_map(|(whole, part, _)| [parts.claim(part), wholes.claim(whole)]);
    Some(Answer {
        title: format!("Share with {said} by {}", list(&by)),
        statements: vec![Statement {
            text,
            claims: claims.collect(),
        }],
        table: Some(parts.table.id.clone()),
        ..Answer::default()
    })
}

/// Returns which share of the group with a key the part is.
pub(crate) fn share_in(input: &Input<'_>, key: &Value) -> Option<f64> {
    let meaning = input.meaning;
    let mut filters: Object = meaning.filters.clone();
    filters.extend(meaning.part.clone());
    let number = |table| {
        let groups = Groups::new(table, None);
        let mut ranked = groups.ranked.iter();
        let found = ranked.find(|group| same_value(&group.bucket.key, key));
        found.map(|group| group.number)
    };
    let whole = number(input.grouped(&meaning.group_by)?).filter(|whole| *whole > 0.0)?;
    let part = number(input.grouped_under(&filters, &meaning.group_by)?).unwrap_or(0.0);
    Some(part / whole)
}

/// Answers which share of the records the part is.
pub(crate) fn share(input: &Input<'_>) -> Option<Answer> {
    if input.meaning.part.is_empty() {
        return None;
    }
    if !input.meaning.group_by.is_empty() {
        return shares_of_groups(input);
    }
    if let Some(measure) = input.meaning.measures.first() {
        return share_of_sum(input, measure);
    }
    let (part, whole, claims) = part_and_whole(input)?;
    let said = describe_filters(&input.meaning.part);
    let share = percent(part, whole);
    let text = format!(
        "{share} of the {} {}{} have {said}: {} of {}.",
        written(whole),
        input.noun(whole),
        input.conditions(),
        written(part),
        written(whole),
    );

    Some(Answer {
        title: format!("Share of {} with {said}", input.noun(2)),
        statements: vec![Statement { text, claims }],
        ..Answer::default()
    })
}

/// Answers with the share that some records have of the sum of a field.
fn share_of_sum(input: &Input<'_>, measure: &Measure) -> Option<Answer> {
    let mut filters: Object = input.meaning.filters.clone();
    filters.extend(input.meaning.part.clone());
    let (part, of_part) = input.measured_under(&filters, measure)?;
    let (whole, of_whole) = input.measured(measure)?;
    let share = part.number? / whole.number.filter(|whole| *whole > 0.0)?;

    let said = describe_filters(&input.meaning.part);
    let name = measure_label(measure.function, &measure.field);
    let text = format!(
        "{} of the {name}{} is from records where {said}: {} of {}.",
        format_args!("{:.1} %", 100.0 * share),
        input.conditions(),
        shown(part)?,
        shown(whole)?,
    );
    let claims = [claim(part, of_part), claim(whole, of_whole)];
    Some(Answer {
        title: format!("Share of the {name} where {said}"),
        statements: vec![Statement {
            text,
            claims: claims.into_iter().flatten().collect(),
        }],
        ..Answer::default()
    })
}

/// Returns the number of records of the part and of the whole, with their claims.
pub(crate) fn part_and_whole(input: &Input<'_>) -> Option<(u64, u64, Vec<Claim>)> {
    let mut filters: Object = input.meaning.filters.clone();
    filters.extend(input.meaning.part.clone());
    let (part, of_part) = input.total_under(&filters)?;
    let (whole, of_whole) = input.total()?;
    Some((part, whole, vec![of_part, of_whole]))
}

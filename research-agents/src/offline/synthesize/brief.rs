//! The brief: a title that says the finding, the answer, what is worth knowing besides, and what it comes to.

use super::super::conditions::conditions;
use super::super::insights::course::course;
use super::super::insights::{self, division_among, leading};
use super::super::say::{Grouping, statement};
use super::super::text::{capitalised, list, words};
use super::answer::{division_of_read, most_frequent, quoted};
use super::material::Material;
use super::{facts, total};
use crate::dataset::task::FieldProfile;
use crate::kernel::claim::Statement;

/// Conditions longer than this stand in a sentence of their own.
const SHORT: usize = 120;

/// Sentences on the course of time.
const COURSE: usize = 2;

/// Values of fields that go together, and quantities by group, that are told.
const RELATIONS: usize = 2;

/// Sentences from records.
const QUOTATIONS: usize = 2;

/// Groupings besides that of the question.
const GROUPINGS: usize = 2;

/// The question, with what was found in a few words. It shows no number: those are checked in sentences.
pub(super) fn title(material: &Material<'_>) -> String {
    let question = material.task.query.trim();
    let asked = capitalised(question.trim_end_matches(['?', '.', '!']));
    if is_foreign(material) {
        return format!("{asked}: not in the data");
    }
    let found = if material.is_empty() { Some("none found".to_owned()) } else { found(material) };
    match found {
        None => asked,
        // A whole question is no heading to which an answer could be added.
        Some(found) if question.ends_with('?') => {
            let field = material.main_field().filter(|_| !material.is_empty());
            field.map_or(asked, |field| format!("{field}: {found}"))
        }
        Some(found) => format!("{asked}: {found}"),
    }
}

fn found(material: &Material<'_>) -> Option<String> {
    if asks_for_course(material) {
        return None;
    }
    let main = material.main()?;
    let (first, second) = (main.groups.first()?, main.groups.get(1));
    if first.label.chars().any(|letter| letter.is_numeric()) || main.total < 2 {
        return None;
    }
    match second {
        _ if first.count == main.total => Some(format!("all {}", first.label)),
        _ if 2 * first.count > main.total => Some(format!("mostly {}", first.label)),
        Some(second) if second.count < first.count => Some(format!("{} first", first.label)),
        _ => None,
    }
}

fn asks_for_course(material: &Material<'_>) -> bool {
    material.meant.histogram.is_some() && material.meant.group_by.is_empty() && material.course().is_some()
}

/// The quantity that the question names without a grouping.
fn asked_quantity<'t>(material: &Material<'t>) -> Option<&'t FieldProfile> {
    let named = material.meant.mentioned.iter().filter_map(|field| material.profile(field));
    named.into_iter().find(|profile| profile.numbers.is_some() && material.meant.group_by.is_empty())
}

/// Nothing of the question was understood, and some of it asks for something.
fn is_foreign(material: &Material<'_>) -> bool {
    material.meant.score() == 0 && material.task.filters.is_empty() && !material.unknown_words().1.is_empty()
}

/// What answers the question.
pub(super) fn answer(material: &Material<'_>) -> Vec<Statement> {
    let mut sentences = Vec::new();
    let (subject, mut unknown) = material.unknown_words();
    if is_foreign(material) {
        // Then what the question calls the records by may be what it asks for.
        unknown.splice(0..0, subject);
    }
    if !unknown.is_empty() && !material.is_empty() {
        let words = in_quotation_marks(&unknown);
        let text = format!("No field and no value of the data fits {words}: this part of the question is not answered.");
        sentences.push(statement(text, Vec::new()));
    }
    if material.is_empty() {
        sentences.insert(0, total(material));
        return sentences;
    }
    let conditions = conditions(&material.task.filters);
    let is_short = conditions.chars().count() <= SHORT;
    let counts = words(&material.task.query).iter().any(|word| word.lower == "many");
    if asks_for_course(material) {
        sentences.push(total(material));
        sentences.extend(material.course().into_iter().flat_map(|over_time| course(over_time).into_iter().take(COURSE)));
    } else if let Some(quantity) = asked_quantity(material) {
        sentences.push(total(material));
        sentences.extend(facts::quantity(material, quantity).into_iter().take(2));
    } else {
        let main = material.main();
        let at_once = main.filter(|_| is_short && !counts && !conditions.is_empty());
        match at_once.and_then(|main| division_among(main, &conditions)) {
            Some(answer) => sentences.push(answer),
            None => {
                sentences.push(total(material));
                let of_read = || division_of_read(material, material.profile(material.main_field()?)?);
                sentences.extend(main.map_or_else(of_read, |main| division_among(main, "")));
            }
        }
        sentences.extend(main.and_then(insights::missing));
    }
    sentences
}

/// What is worth knowing besides, the most important first: what goes with the groups of the question, how it runs over
/// time, what it amounts to, and how other fields divide the records.
pub(super) fn worth_knowing(material: &Material<'_>) -> Vec<Statement> {
    if material.is_empty() {
        return Vec::new();
    }
    let main = material.main_field();
    let relations = &material.task.relations;
    let pairs = relations.pairs.iter().filter(|pair| {
        main.is_none_or(|main| pair.fields.iter().any(|field| field == main)) || material.is_mostly_read()
    });
    let concerns = |field: &str| main == Some(field);
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort_by_key(|pair| !pair.fields.iter().any(|field| concerns(field)));
    let mut measures: Vec<_> = relations.measures.iter().collect();
    measures.sort_by_key(|measure| !concerns(&measure.by));

    let mut from_records: Vec<Statement> = Vec::new();
    from_records.extend(measures.iter().find_map(|measure| facts::out_of_proportion(material, measure)));
    from_records.extend(pairs.iter().take(RELATIONS).map(|pair| facts::together(material, pair, main)));
    let mut told: Vec<&str> = Vec::new();
    for measure in &measures {
        if told.len() < RELATIONS && !told.contains(&measure.field.as_str()) {
            told.push(&measure.field);
            from_records.extend(facts::by_group(measure));
        }
    }
    from_records.extend(material.quantities().first().and_then(|profile| {
        let sentences = facts::quantity(material, profile);
        if sentences.len() > 1 { sentences.into_iter().rev().nth(1) } else { sentences.into_iter().next() }
    }));

    let mut found: Vec<Statement> = facts::crossed(material);
    found.extend(material.quotations().take(QUOTATIONS).map(quoted));
    let over_time = material.course().into_iter().flat_map(|over_time| course(over_time).into_iter().take(COURSE));
    let others = material.groupings().filter(|grouping| !concerns(&grouping.name)).filter(worth_telling);
    let others: Vec<Statement> = others.take(GROUPINGS).filter_map(leading).collect();
    // What the first records of many show comes last.
    if material.is_mostly_read() {
        found.extend(from_records);
        found.extend(over_time);
        found.extend(others);
    } else {
        found.extend(over_time);
        found.extend(others);
        found.extend(from_records);
    }
    found.extend(material.main().and_then(facts::tail));
    if found.is_empty() {
        found.extend(material.categories().iter().filter_map(|profile| most_frequent(material, profile)));
    }
    let mut texts: Vec<String> = Vec::new();
    found.retain(|statement| {
        let is_new = !texts.contains(&statement.text);
        texts.push(statement.text.clone());
        is_new
    });
    found
}

fn worth_telling(grouping: &&Grouping) -> bool {
    grouping.groups.first().is_some_and(|first| first.count > 1)
}

/// What it comes to, in one sentence or two.
pub(super) fn conclusion(material: &Material<'_>) -> Vec<Statement> {
    if material.is_empty() {
        return vec![total(material)];
    }
    let mut sentences: Vec<Statement> = Vec::new();
    match material.main() {
        Some(main) => sentences.extend(leading(main)),
        None => {
            sentences.extend(material.categories().iter().find_map(|profile| most_frequent(material, profile)));
        }
    }
    sentences.extend(material.course().and_then(|over_time| course(over_time).into_iter().next()));
    if sentences.is_empty() {
        sentences.push(total(material));
    }
    sentences
}

/// Words as they stand in a sentence: `“a” and “b”`.
fn in_quotation_marks(words: &[String]) -> String {
    list(&words.iter().map(|word| format!("“{word}”")).collect::<Vec<_>>())
}

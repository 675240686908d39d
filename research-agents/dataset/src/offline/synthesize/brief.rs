//! The brief: a title with the main finding, the answer, further findings, and the conclusion.

use research_agents_report::claim::{Claim, Statement};
use research_agents_report::text::{capitalised, list, stems, words};

use crate::data::task::FieldProfile;
use crate::offline::conditions::conditions;
use crate::offline::insights;
use crate::offline::insights::course::highlights;
use crate::offline::insights::{course, division_among, leading};
use crate::offline::say::{Grouping, percent, statement};
use crate::offline::synthesize::answer::{division_of_read, most_frequent, quoted};
use crate::offline::synthesize::facts::{self, total};
use crate::offline::synthesize::material::Material;
use crate::question::lexicon;

/// Conditions longer than this many characters get a separate sentence.
const SHORT: usize = 120;

/// The maximum number of sentences on the course of time.
const COURSE: usize = 2;

/// The maximum number of pairs of values.
const PAIRS: usize = 2;

/// The maximum number of quantities by group.
const MEASURES: usize = 3;
/// The maximum number of these whose names begin with the same word.
const MEASURES_OF_A_KIND: usize = 1;

/// With fewer sentences than this, the ranges of quantities are added.
const FEW: usize = 3;

/// The maximum number of sentences from records.
const QUOTATIONS: usize = 2;

/// The maximum number of groupings in addition to that of the question.
const GROUPINGS: usize = 2;

/// Returns the question with the main finding in a few words, without a number: numbers are checked
/// in sentences.
pub(crate) fn title(material: &Material<'_>) -> String {
    let question = material.task.query.trim();
    let asked = capitalised(question.trim_end_matches(['?', '.', '!']));
    if is_foreign(material) {
        return format!("{asked}: not in the data");
    }

    let found = if material.is_empty() {
        Some("none found".to_owned())
    } else {
        found(material)
    };

    match found {
        None if question.ends_with('?') => format!("{asked}?"),
        None => asked,
        // A whole question does not make a heading together with an answer.
        Some(found) if question.ends_with('?') && !material.is_empty() => {
            match material.meant.group_by.first() {
                Some(field) => format!("{field}: {found}"),
                None => format!("{asked}?"),
            }
        }
        Some(found) => format!("{asked}: {found}"),
    }
}

fn found(material: &Material<'_>) -> Option<String> {
    if asks_for_course(material) || material.meant.group_by.is_empty() {
        return None;
    }
    let main = material.main()?;
    let first = main.groups.first()?;
    if first.label.chars().any(|letter| letter.is_numeric()) || main.total < 2 {
        return None;
    }
    match first.count {
        count if count == main.total => Some(format!("all {}", first.label)),
        count if 2 * count > main.total => Some(format!("mostly {}", first.label)),
        _ if main.has_clear_lead() => Some(format!("{} most frequent", first.label)),
        _ => None,
    }
}

fn asks_for_course(material: &Material<'_>) -> bool {
    material.meant.histogram.is_some()
        && material.meant.group_by.is_empty()
        && material.course().is_some()
}

/// Returns the quantity that the question asks for, by its name or by a unit or word of its
/// measure.
fn asked_quantity<'t>(material: &Material<'t>) -> Option<&'t FieldProfile> {
    let quantities = material.quantities();
    let named = quantities
        .iter()
        .find(|profile| material.meant.mentioned.contains(&profile.field));
    let asked = words(&material.task.query);
    let speaks = |profile: &&&FieldProfile| {
        let stems: Vec<String> = stems(&profile.field);
        asked.iter().any(|word| {
            stems
                .iter()
                .any(|stem| *stem == word.stem || lexicon::measures(&word.lower, stem))
        })
    };
    let mut measured: Vec<&&FieldProfile> = quantities.iter().filter(speaks).collect();
    measured.sort_by_key(|profile| !stems(&profile.field).iter().any(|stem| stem == "total"));
    named.or(measured.first().copied()).copied()
}

/// Returns whether nothing of the question was interpreted although it has content words.
fn is_foreign(material: &Material<'_>) -> bool {
    material.meant.score() == 0
        && material.task.filters.is_empty()
        && !material.missing().is_empty()
}

/// Returns the sentences that answer the question.
pub(crate) fn answer(material: &Material<'_>) -> Vec<Statement> {
    let mut sentences = Vec::new();

    // The words that the data does not contain come first.
    let missing = material.missing();
    if !missing.is_empty() && !material.is_empty() {
        let words = in_quotation_marks(&missing);
        let of_records = if material.is_fully_read() {
            "no record"
        } else {
            "no record that was read"
        };
        let rest = if is_foreign(material) {
            "the question is not answered. What follows is an overview of the data"
        } else {
            "this part of the question is not answered"
        };
        let text = format!("No field of the data and {of_records} speaks of {words}: {rest}.");
        sentences.push(statement(text, Vec::new()));
    }

    sentences.extend(not_applied(material));
    if material.is_empty() {
        sentences.insert(0, total(material));
        return sentences;
    }

    let conditions = conditions(&material.task.filters);
    let is_short = conditions.chars().count() <= SHORT;
    let counts = words(&material.task.query)
        .iter()
        .any(|word| word.lower == "many");

    if asks_for_course(material) {
        sentences.push(total(material));
        sentences.extend(
            material
                .course()
                .into_iter()
                .flat_map(|over_time| highlights(over_time).into_iter().take(COURSE)),
        );
    } else if let Some(quantity) =
        asked_quantity(material).filter(|_| material.meant.group_by.is_empty())
    {
        sentences.push(total(material));
        sentences.extend(amount(material, quantity, None));
    } else {
        let main = material.main();
        let at_once = main.filter(|_| is_short && !counts && !conditions.is_empty());
        match at_once.and_then(|main| division_among(main, &conditions)) {
            Some(answer) => sentences.push(answer),
            None => {
                sentences.push(total(material));
                let of_read =
                    || division_of_read(material, material.profile(material.main_field()?)?);
                sentences.extend(main.map_or_else(of_read, |main| division_among(main, "")));
            }
        }
        sentences.extend(main.and_then(insights::missing));
        sentences.extend(
            asked_quantity(material)
                .into_iter()
                .flat_map(|field| amount(material, field, main)),
        );
    }

    sentences
}

/// Returns a sentence on the conditions of the question that could not be applied.
fn not_applied(material: &Material<'_>) -> Option<Statement> {
    let has_digits_of_its_own = |line: &&String| {
        let numbers = words(line)
            .into_iter()
            .filter(|word| word.text.contains(|c: char| c.is_ascii_digit()));
        numbers
            .map(|word| word.text.to_owned())
            .any(|number| !material.task.query.contains(&number))
    };

    let refused = material.refused();
    let said: Vec<&str> = refused
        .iter()
        .filter(|line| !has_digits_of_its_own(line))
        .map(String::as_str)
        .collect();

    (!said.is_empty()).then(|| {
        statement(
            format!("Not applied from the question: {}.", said.join("; ")),
            Vec::new(),
        )
    })
}

/// Returns the amount of a quantity, and how it differs by a grouping, or by the field by which it
/// differs most.
fn amount(
    material: &Material<'_>,
    quantity: &FieldProfile,
    by: Option<&Grouping>,
) -> Vec<Statement> {
    let measures = material
        .task
        .relations
        .measures
        .iter()
        .filter(|measure| measure.field == quantity.field);
    let mut measures = measures.filter(|measure| by.is_none_or(|by| by.name == measure.by));
    let differs = measures.find_map(|measure| facts::differing(material, measure));
    let mut said: Vec<Statement> = facts::quantity(material, quantity)
        .into_iter()
        .take(2)
        .collect();

    // An average that is asked for comes first, even if most numbers are zero and the sum says
    // more.
    let asks = |word: &str| {
        matches!(
            word,
            "average" | "averages" | "mean" | "median" | "typical" | "typically"
        )
    };
    let is_uneven = quantity
        .numbers
        .as_ref()
        .is_some_and(|numbers| numbers.min.0 < numbers.max.0);
    if is_uneven
        && words(&material.task.query)
            .iter()
            .any(|word| asks(&word.lower))
    {
        let middle = facts::middle(quantity);
        said.retain(|statement| {
            middle
                .as_ref()
                .is_none_or(|middle| middle.text != statement.text)
        });
        said.splice(0..0, middle);
    }

    said.into_iter().chain(differs).collect()
}

/// Returns further findings, the most important first: what is typical of the groups of the
/// question, the course of time, the quantities, and the distributions of other fields.
pub(crate) fn worth_knowing(material: &Material<'_>) -> Vec<Statement> {
    if material.is_empty() {
        return Vec::new();
    }

    let main = material.main_field();
    let mut found: Vec<Statement> = facts::crossed(material);
    let mut from_records = shown_by_records(material);
    from_records.retain(|new| found.iter().all(|known| known.text != new.text));
    found.extend(material.quotations().take(QUOTATIONS).map(quoted));

    let over_time = material
        .course()
        .into_iter()
        .flat_map(|over_time| highlights(over_time).into_iter().take(COURSE));
    let others = material
        .groupings()
        .filter(|grouping| main != Some(grouping.name.as_str()) && grouping.has_clear_lead());
    let others: Vec<Statement> = others.take(GROUPINGS).filter_map(leading).collect();

    // What only the first of many records show comes last.
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

    // A short list is completed by the ranges, and an empty one by the most frequent values.
    if found.len() < FEW {
        let ranges = material
            .quantities()
            .into_iter()
            .filter_map(|profile| facts::quantity(material, profile).pop());
        found.extend(ranges.take(FEW));
    }
    if found.is_empty() {
        found.extend(
            material
                .categories()
                .iter()
                .filter_map(|profile| most_frequent(material, profile)),
        );
    }

    // Each sentence once.
    let mut texts: Vec<String> = Vec::new();
    found.retain(|statement| {
        let is_new = !texts.contains(&statement.text);
        texts.push(statement.text.clone());
        is_new
    });
    found
}

/// Returns what the records read show: pairs of values, quantities by group, and a sum.
fn shown_by_records(material: &Material<'_>) -> Vec<Statement> {
    let main = material.main_field();
    let relations = &material.task.relations;
    let concerns = |field: &str| main == Some(field);

    // Pairs in the first of many records may be typical of these records only.
    let mut pairs: Vec<_> = relations
        .pairs
        .iter()
        .filter(|_| material.is_mostly_read())
        .collect();
    pairs.sort_by(|a, b| facts::gap(material, b, main).total_cmp(&facts::gap(material, a, main)));
    pairs.sort_by_key(|pair| !pair.fields.iter().any(|field| concerns(field)));
    let together = pairs.iter().take(PAIRS);
    let mut found: Vec<Statement> = together
        .map(|pair| facts::together(material, pair, main))
        .collect();

    // Quantities of one kind, such as costs, differ alike: one of them is enough.
    let mut measures: Vec<_> = relations.measures.iter().collect();
    measures.sort_by_key(|measure| !concerns(&measure.by));
    let mut kinds: Vec<String> = Vec::new();
    for measure in &measures {
        let kind = stems(&measure.field).into_iter().next().unwrap_or_default();
        let known = kinds.iter().filter(|other| **other == kind).count();
        if kinds.len() < MEASURES && known < MEASURES_OF_A_KIND {
            let said = facts::differing(material, measure);
            kinds.extend(said.is_some().then_some(kind));
            found.extend(said);
        }
    }

    // One sum, a total if there is any.
    let mut sums: Vec<Statement> = material
        .quantities()
        .into_iter()
        .filter_map(|profile| facts::sum(material, profile))
        .collect();
    sums.sort_by_key(|statement| !statement.text.to_lowercase().contains("total"));
    found.extend(sums.into_iter().take(1));
    found
}

/// Returns the conclusion in one sentence: the answer, and how much of the data it is based on.
/// Empty if the question is not answered.
pub(crate) fn conclusion(material: &Material<'_>) -> Vec<Statement> {
    let (number, _) = material.total();
    if material.is_empty() || is_foreign(material) || number < 2 {
        return Vec::new();
    }

    let matching = if material.task.filters.is_empty() {
        "records"
    } else {
        "matching records"
    };
    let is_all = material.task.coverage.total == Some(material.read);
    let answer = gist(material).filter(|_| material.total_is_known());
    let said = match (answer, is_all) {
        (Some((answer, mut claims)), true) => {
            claims.push(material.read_claim());
            Some((
                format!("All {} {matching} were read: {answer}.", material.read),
                claims,
            ))
        }
        (Some((answer, claims)), false) => Some((
            format!("Counted over all {number} {matching}, {answer}."),
            claims,
        )),
        (None, true) => Some((
            format!("All {} {matching} were read.", material.read),
            vec![material.read_claim()],
        )),
        (None, false) => None,
    };

    said.map(|(text, claims)| statement(text, claims))
        .into_iter()
        .collect()
}

/// Returns the answer in short: the peak of a course, or the value that most of the records have.
fn gist(material: &Material<'_>) -> Option<(String, Vec<Claim>)> {
    if asks_for_course(material) {
        let course = material.course()?;
        let peak = course::peak(course)?;
        let share = percent(peak.count, course.total);
        let text = format!(
            "the peak by {} is {}, with {} of them ({share})",
            course.name, peak.label, peak.count
        );
        return Some((text, course.claims([peak])));
    }

    let main = material.main().filter(|main| main.has_clear_lead())?;
    let first = main.groups.first()?;
    let share = percent(first.count, main.total);
    let text = match main.groups.get(1) {
        _ if first.count == main.total => format!(
            "{} {} {} in all of them",
            main.name,
            main.verb(),
            first.label
        ),
        Some(_) if 2 * first.count > main.total => {
            format!(
                "{} {} {} in most of them, {} ({share})",
                main.name,
                main.verb(),
                first.label,
                first.count
            )
        }
        _ => format!(
            "the most frequent {} is {}, in {} of them ({share})",
            main.name, first.label, first.count
        ),
    };

    Some((text, main.claims([first])))
}

/// Returns words as a sentence lists them: `“a” and “b”`.
fn in_quotation_marks(words: &[String]) -> String {
    list(
        &words
            .iter()
            .map(|word| format!("“{word}”"))
            .collect::<Vec<_>>(),
    )
}

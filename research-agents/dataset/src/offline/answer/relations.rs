//! Answers on how two fields are related.

use research_agents_report::claim::{Claim, Statement, Statistic};
use research_agents_report::language::Language;
use research_agents_report::text::capitalised;

use crate::data::record::{AggregationKind, CorrelationValue};
use crate::data::task::FieldKind;
use crate::data::task::question::shape::Measure;
use crate::offline::answer::answered::Answer;
use crate::offline::answer::groups::Groups;
use crate::offline::answer::input::{Input, count};
use crate::offline::answer::words::label;

/// Coefficients below this show no clear relation.
const CLEAR: f64 = 0.1;

/// Answers how two fields are related: by their correlation, or by the number in each group of the
/// category.
pub(crate) fn relation(input: &Input<'_>, fields: &[String; 2]) -> Option<Answer> {
    match correlated(input, fields) {
        Some((found, over)) => correlation(input, found, over),
        None => by_group(input, fields),
    }
}

/// Returns the correlation of two fields, with the id of its aggregation.
pub(crate) fn correlated<'t>(
    input: &Input<'t>,
    fields: &[String; 2],
) -> Option<(&'t CorrelationValue, &'t str)> {
    let table = input.table(AggregationKind::Correlation)?;
    let is_of = |one: &&CorrelationValue| fields.iter().all(|field| one.fields.contains(field));
    let found = table.correlations.iter().find(is_of)?;
    Some((found, table.id.as_str()))
}

fn correlation(input: &Input<'_>, found: &CorrelationValue, over: &str) -> Option<Answer> {
    let [first, second] = &found.fields;
    let (first, second) = (label(first), label(second));
    let number = found.number?;
    let strength = strength(number).filter(|_| is_significant(number, found.count));
    let sign = if number < 0.0 {
        "negatively"
    } else {
        "positively"
    };
    let said = match strength {
        None => format!("{first} and {second} show no clear linear relation"),
        Some(strength) => format!("{first} and {second} are {strength} {sign} correlated"),
    };
    let text = format!(
        "{}: Pearson r = {} over {} records{} with both.",
        capitalised(&said),
        coefficient(number),
        count(found.count),
        input.conditions(),
    );

    Some(Answer {
        title: capitalised(&said),
        statements: vec![Statement {
            text,
            claims: vec![Claim::Correlation {
                over: over.to_owned(),
                fields: found.fields.clone(),
                number,
                count: found.count,
            }],
        }],
        ..Answer::default()
    })
}

/// Returns a coefficient with two decimals, or with its first digits where these would be zeros.
fn coefficient(number: f64) -> String {
    if number != 0.0 && number.abs() < 0.005 {
        Language::ENGLISH.measure(number)
    } else {
        Language::ENGLISH.decimal(number, 2)
    }
}

/// Returns whether a coefficient is unlikely to come from unrelated numbers: the t statistic of n
/// pairs, r √((n − 2) / (1 − r²)), exceeds the bound of 5 % for many pairs (Student's t test, as in
/// Fisher, “Statistical Methods for Research Workers”, 1925).
pub(crate) fn is_significant(number: f64, count: u64) -> bool {
    const BOUND: f64 = 1.96;
    let free = count.saturating_sub(2) as f64;
    let rest = 1.0 - number * number;
    free > 0.0 && (rest <= 0.0 || number.abs() * (free / rest).sqrt() > BOUND)
}

/// Returns the word for a coefficient; `None` if it shows no clear relation.
pub(crate) fn strength(number: f64) -> Option<&'static str> {
    match number.abs() {
        size if size < CLEAR => None,
        size if size < 0.3 => Some("weakly"),
        size if size < 0.7 => Some("moderately"),
        _ => Some("strongly"),
    }
}

/// Answers with the mean of the number in each group of the category.
fn by_group(input: &Input<'_>, fields: &[String; 2]) -> Option<Answer> {
    let is_number = |field: &&String| {
        let facts = input.facts(field);
        facts.is_some_and(|facts| facts.kind == FieldKind::Number)
    };
    let number = fields.iter().find(is_number)?;
    let category = fields.iter().find(|field| *field != number)?;
    let table = input.grouped(std::slice::from_ref(category))?;
    let mean = Measure {
        function: Statistic::Mean,
        field: number.clone(),
    };
    let mut groups = Groups::new(table, Some(&mean));
    groups.sort(true);
    let (first, last) = (groups.ranked.first()?, groups.ranked.last()?);
    if groups.ranked.len() < 2 {
        return None;
    }

    let text = format!(
        "{} differs by {}: from {} for {} to {} for {}.",
        capitalised(&groups.measured()),
        label(category),
        groups.number(last),
        groups.name(last),
        groups.number(first),
        groups.name(first),
    );
    Some(Answer {
        title: capitalised(&format!("{} by {}", groups.measured(), label(category))),
        statements: vec![Statement {
            text,
            claims: vec![groups.claim(last), groups.claim(first)],
        }],
        table: Some(table.id.clone()),
        ..Answer::default()
    })
}

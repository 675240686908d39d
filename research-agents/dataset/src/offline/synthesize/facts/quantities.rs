//! Sums, ranges and middles of quantities.

use research_agents_report::claim::{Basis, Claim, Statement, Statistic};
use research_agents_report::evidence::plain;
use research_agents_report::text::words;
use serde_json::Value;

use crate::data::task::{FieldProfile, NumberProfile};
use crate::offline::say::{Quantity, part, ratio, statement};
use crate::offline::synthesize::material::Material;
use crate::question::lexicon;

/// A number that so large a share of the values has comes first.
pub(crate) const MOSTLY: f64 = 0.5;

pub(crate) fn whole(
    field: &str,
    statistic: Statistic,
    number: f64,
    source: Option<&String>,
) -> Claim {
    Claim::Statistic {
        field: field.to_owned(),
        statistic,
        number,
        source: source.cloned(),
    }
}

/// Returns what a quantity amounts to: its sum and the largest part of it if it adds up, else its
/// range and its middle; before them the number that it mostly is.
pub(crate) fn quantity(material: &Material<'_>, profile: &FieldProfile) -> Vec<Statement> {
    let Some(numbers) = &profile.numbers else {
        return Vec::new();
    };
    let field = &profile.field;
    let said = Quantity::from_field(field);
    let smallest = whole(field, Statistic::Min, numbers.min.0, Some(&numbers.min.1));
    let largest = whole(field, Statistic::Max, numbers.max.0, Some(&numbers.max.1));
    if numbers.min.0 == numbers.max.0 {
        let text = format!(
            "{} is {} in every record read that has one.",
            said.name,
            said.amount(numbers.min.0)
        );
        return vec![statement(text, vec![smallest, largest])];
    }

    let sum = sum(material, profile);
    let usual = usual(profile);
    if let Some(sum) = sum
        .clone()
        .filter(|_| usual.is_some_and(|(number, _)| number == 0.0))
    {
        return vec![sum];
    }

    let mut found = Vec::new();
    if let Some(((_, number), (value, claim))) = usual.zip(usual_claim(profile)) {
        let text = format!(
            "{field} is {} in {} that were read.",
            plain(value),
            part(number, material.read)
        );
        found.push(statement(text, vec![claim, material.read_claim()]));
    }

    found.extend(sum);
    found.extend(middle(profile));

    found
}

/// Returns the ends of a quantity, its median and its mean.
pub(crate) fn middle(profile: &FieldProfile) -> Option<Statement> {
    let numbers = profile.numbers.as_ref()?;
    let (field, said) = (&profile.field, Quantity::from_field(&profile.field));
    let text = format!(
        "{} lies between {} and {}; its median is {} and its mean {}.",
        said.name,
        said.amount(numbers.min.0),
        said.amount(numbers.max.0),
        said.amount(numbers.median),
        said.amount(numbers.mean)
    );
    let claims = vec![
        whole(field, Statistic::Min, numbers.min.0, Some(&numbers.min.1)),
        whole(field, Statistic::Max, numbers.max.0, Some(&numbers.max.1)),
        whole(field, Statistic::Median, numbers.median, None),
        whole(field, Statistic::Mean, numbers.mean, None),
    ];
    Some(statement(text, claims))
}

/// Returns what a quantity adds up to, and the largest part of it. If it is mostly zero, that comes
/// first: the sum is that of few records.
pub(crate) fn sum(material: &Material<'_>, profile: &FieldProfile) -> Option<Statement> {
    let numbers = profile
        .numbers
        .as_ref()
        .filter(|numbers| adds_up(&profile.field, numbers))?;
    if numbers.min.0 == numbers.max.0 {
        return None;
    }

    let (field, said) = (&profile.field, Quantity::from_field(&profile.field));
    let share = format!("{:.1} %", 100.0 * numbers.max.0 / numbers.sum);
    let (sum, largest) = (said.amount(numbers.sum), said.amount(numbers.max.0));
    let mut claims = vec![
        whole(field, Statistic::Max, numbers.max.0, Some(&numbers.max.1)),
        whole(field, Statistic::Sum, numbers.sum, None),
    ];

    let nothing = usual(profile)
        .filter(|(number, _)| *number == 0.0)
        .zip(usual_claim(profile));
    let text = match nothing {
        Some(((_, number), (_, claim))) => {
            claims.extend([claim, material.read_claim()]);
            let start = format!(
                "{} is {} in {} that were read",
                said.name,
                said.amount(0.0),
                part(number, material.read)
            );
            if profile.present - number == 1 {
                format!("{start}; the one other number is {largest}.")
            } else {
                format!(
                    "{start}; the others add up to {sum}, of which the largest is {largest} \
                     ({share})."
                )
            }
        }
        None => format!(
            "{} adds up to {sum}; the largest single number is {largest}, {share} of the sum.",
            said.name
        ),
    };

    Some(statement(text, claims))
}

/// Returns the number that most records have in a field, with how many of them.
fn usual(profile: &FieldProfile) -> Option<(f64, u64)> {
    let (value, number) = profile.top.first().filter(|(_, number)| *number > 1)?;
    let number = (value.as_f64()?, *number);
    (ratio(number.1, profile.present) >= MOSTLY).then_some(number)
}

/// Returns the most frequent value as it is in the data, with the claim that it is so frequent.
fn usual_claim(profile: &FieldProfile) -> Option<(&Value, Claim)> {
    let (value, number) = profile.top.first()?;
    let field = profile.field.clone();
    Some((
        value,
        Claim::Count {
            over: Basis::Records,
            field,
            value: value.clone(),
            number: *number,
        },
    ))
}

/// Returns whether the sum of a field says something: of money, people or pieces it does, of speeds
/// or ages it does not.
pub(crate) fn adds_up(field: &str, numbers: &NumberProfile) -> bool {
    let is_named = field.contains(['$', '€', '£'])
        || words(field).iter().any(|word| lexicon::adds_up(&word.stem));
    is_named && numbers.min.0 >= 0.0 && numbers.sum > 0.0
}

/// Returns how often a field that a question names has no value.
pub(crate) fn missing(material: &Material<'_>, profile: &FieldProfile) -> Option<Statement> {
    if profile.missing == 0 {
        return None;
    }
    let text = format!(
        "{} is not given in {} that were read.",
        profile.field,
        part(profile.missing, material.read)
    );
    let (field, number) = (profile.field.clone(), profile.missing);
    let count = Claim::Count {
        over: Basis::Records,
        field,
        value: Value::Null,
        number,
    };
    Some(statement(text, vec![count, material.read_claim()]))
}

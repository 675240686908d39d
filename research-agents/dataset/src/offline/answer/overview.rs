//! A short description of the records: how many there are, the main category, and a quantity.

use research_agents_report::claim::{Claim, Statement};
use research_agents_report::text::{capitalised, list};

use crate::data::record::{AggregationKind, AggregationResult};
use crate::offline::answer::answered::Answer;
use crate::offline::answer::groups::Groups;
use crate::offline::answer::input::{Input, count};
use crate::offline::answer::over_all::{claim, shown};
use crate::offline::answer::words::{label, measure_label};

/// Names of fields that the description lists.
const FIELDS: usize = 6;
/// Groups that it names.
const GROUPS: usize = 3;

/// Describes the matching records.
pub(crate) fn overview(input: &Input<'_>) -> Option<Answer> {
    let (number, total) = input.total()?;
    let names: Vec<String> = input
        .task
        .fields
        .iter()
        .take(FIELDS)
        .map(|facts| label(&facts.name))
        .collect();
    let all = input.task.fields.len();
    let more = if all > names.len() { " and others" } else { "" };
    let (noun, conditions) = (input.noun(number), input.conditions());
    let are = if number == 1 { "is" } else { "are" };
    let mut statements = vec![Statement {
        text: format!("There {are} {} {noun}{conditions}.", count(number)),
        claims: vec![total],
    }];
    if number > 0 && !names.is_empty() {
        statements.push(Statement {
            text: format!(
                "Their fields are {}{more}.",
                if more.is_empty() {
                    list(&names)
                } else {
                    names.join(", ")
                }
            ),
            claims: Vec::new(),
        });
    }

    let table = input
        .tables()
        .find(|table| table.kind == AggregationKind::GroupBy && table.buckets.len() > 1);
    statements.extend(table.and_then(divided));
    statements.extend(table.and_then(averages));

    Some(Answer {
        title: capitalised(&format!("Overview of the {noun}{conditions}")),
        statements,
        table: table.map(|table| table.id.clone()),
        ..Answer::default()
    })
}

/// Returns a sentence on the most frequent groups.
fn divided(table: &AggregationResult) -> Option<Statement> {
    let mut groups = Groups::new(table, None);
    groups.sort(true);
    let shown = &groups.ranked[..groups.ranked.len().min(GROUPS)];
    let parts: Vec<String> = shown
        .iter()
        .map(|group| format!("{} ({})", groups.name(group), groups.number(group)))
        .collect();
    if parts.is_empty() {
        return None;
    }

    Some(Statement {
        text: format!(
            "The most frequent values of {} are {}.",
            label(&table.field),
            list(&parts)
        ),
        claims: shown.iter().map(|group| groups.claim(group)).collect(),
    })
}

/// Returns a sentence on the averages of quantities.
fn averages(table: &AggregationResult) -> Option<Statement> {
    let said: Vec<(String, Claim)> = table
        .measures
        .iter()
        .filter_map(|measure| {
            let name = measure_label(measure.function, &measure.field);
            Some((
                format!("the {name} is {}", shown(measure)?),
                claim(measure, &table.id)?,
            ))
        })
        .collect();
    let parts: Vec<String> = said.iter().map(|(part, _)| part.clone()).collect();
    (!parts.is_empty()).then(|| Statement {
        text: format!("{}.", capitalised(&list(&parts))),
        claims: said.into_iter().map(|(_, claim)| claim).collect(),
    })
}

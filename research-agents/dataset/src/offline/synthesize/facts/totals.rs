//! The number of records that match, and of groups that have a single one.

use research_agents_report::claim::Statement;
use research_agents_report::text::capitalised;

use crate::offline::conditions::conditions;
use crate::offline::say::{Grouping, records, statement};
use crate::offline::synthesize::material::Material;

/// Returns how many records match.
pub(crate) fn total(material: &Material<'_>) -> Statement {
    let filters = conditions(&material.task.filters);
    let (number, claim) = material.total();
    let verb = if number == 1 { "matches" } else { "match" };
    let text = match (number, filters.is_empty()) {
        (0, true) => "The data holds no record.".to_owned(),
        (0, false) => format!("No record matches {filters}."),
        (_, true) => format!("The data holds {}.", records(number)),
        (_, false) => format!("{} {verb} {filters}.", records(number)),
    };
    // If the total is unknown, only the records that were read can be mentioned.
    let text = if material.total_is_known() {
        text
    } else {
        let verb = if number == 1 { "was" } else { "were" };
        format!("{} {verb} read.", capitalised(&records(number)))
    };
    statement(text, vec![claim])
}

/// Returns the long tail of a complete grouping: values with one record each.
pub(crate) fn tail(grouping: &Grouping) -> Option<Statement> {
    let single: Vec<_> = grouping
        .groups
        .iter()
        .filter(|group| group.count == 1)
        .collect();
    let few = single.len() < 5 || single.len() == grouping.groups.len() || !grouping.complete;
    (!few).then(|| {
        let text = format!(
            "{} of the {} values of {} have a single record each.",
            single.len(),
            grouping.groups.len() + usize::from(grouping.missing.is_some()),
            grouping.name
        );
        statement(text, grouping.claims(single))
    })
}

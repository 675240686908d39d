//! Repairs drafted sentences without guessing: a field in another spelling, and a count
//! that was stated without its claim. What comes out is checked like everything else.

use research_agents_report::claim::{Basis, Claim, Statement};
use research_agents_report::evidence::plain;
use serde_json::Value;

use crate::data::record::{AggregationResult, ReportDraft};
use crate::tools::field_names::Spelling;

/// Mends all sentences of a draft.
pub(crate) fn repair_draft(draft: &mut ReportDraft, tables: &[AggregationResult]) {
    let analysis = draft
        .analysis
        .iter_mut()
        .flat_map(|section| &mut section.statements);
    let rest = draft
        .summary
        .iter_mut()
        .chain(&mut draft.key_findings)
        .chain(&mut draft.conclusion);
    rest.chain(analysis)
        .for_each(|statement| repair_statement(statement, tables));
}

/// Mends a sentence.
pub(crate) fn repair_statement(statement: &mut Statement, tables: &[AggregationResult]) {
    let spelling = Spelling::new(tables.iter().map(|table| table.field.as_str()));
    for claim in &mut statement.claims {
        if let Claim::Count {
            over: Basis::Aggregation(_),
            field,
            ..
        } = claim
            && let Some(known) = spelling.field_for(field)
        {
            *field = known.to_owned();
        }
    }

    if statement.claims.is_empty() {
        let words = words(&statement.text);
        statement.claims = tables
            .iter()
            .filter_map(|table| stated(table, &words))
            .collect();
    }
}

/// Returns the count of the one group of a table that these words name, when they say it. With two
/// groups in a sentence it is not known which number belongs to which.
fn stated(table: &AggregationResult, said: &[String]) -> Option<Claim> {
    let is_flat = |value: &Value| !value.is_null() && !value.is_array() && !value.is_object();
    let groups = table
        .buckets
        .iter()
        .filter(|bucket| bucket.buckets.is_empty() && is_flat(&bucket.key));
    let mut named = groups.filter(|bucket| {
        let name = words(&plain(&bucket.key));
        !name.is_empty() && said.windows(name.len()).any(|window| window == name)
    });

    // With two named groups it is not known which number belongs to which.
    let group = named.next()?;
    let number = group.doc_count;
    let is_said = named.next().is_none()
        && said
            .iter()
            .filter(|word| **word == number.to_string())
            .count()
            == 1;

    is_said.then(|| Claim::Count {
        over: Basis::Aggregation(table.id.clone()),
        field: table.field.clone(),
        value: group.key.clone(),
        number,
    })
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn table() -> AggregationResult {
        serde_json::from_value(json!({
            "id": "A1", "type": "group_by", "field": "Wildlife Size", "total_docs": 20,
            "source_tool": "t",
            "buckets": [{"key": "Medium", "doc_count": 15}, {"key": "Very small", "doc_count": 4},
                {"key": "Large", "doc_count": 1}]
        }))
        .unwrap()
    }

    fn repaired(text: &str, claims: Vec<Claim>) -> Vec<Claim> {
        let mut statement = Statement {
            text: text.into(),
            claims,
        };
        repair_statement(&mut statement, &[table()]);
        statement.claims
    }

    fn count(field: &str, value: &str, number: u64) -> Claim {
        Claim::Count {
            over: Basis::Aggregation("A1".into()),
            field: field.into(),
            value: value.into(),
            number,
        }
    }

    #[test]
    fn a_field_is_spelled_as_its_table_does_and_the_number_stays() {
        let wrong = repaired("x", vec![count("wildlife_size", "Medium", 3)]);
        assert_eq!(wrong, [count("Wildlife Size", "Medium", 3)]);
        assert_eq!(
            repaired("x", vec![count("phase", "Medium", 3)]),
            [count("phase", "Medium", 3)]
        );
    }

    #[test]
    fn a_count_that_is_stated_gets_its_claim() {
        assert_eq!(
            repaired("There were 15 medium strikes.", vec![]),
            [count("Wildlife Size", "Medium", 15)]
        );
        assert_eq!(
            repaired("Very small: 4 of them", vec![]),
            [count("Wildlife Size", "Very small", 4)]
        );
    }

    #[test]
    fn nothing_is_guessed() {
        for text in [
            "There were 14 medium strikes.",
            "1 was medium and 15 were large.",
            "15 strikes in all, 15 of them medium, and 3 others",
            "Small ones: 4",
            "Strikes happen.",
        ] {
            assert!(repaired(text, vec![]).is_empty(), "{text}");
        }
    }
}

//! Filters as they read within a sentence.

use research_agents_report::evidence::plain;
use research_agents_report::text::list;
use serde_json::Value;

use crate::data::record::Object;
use crate::offline::say::spoken;

/// Alternatives of a filter that are written out.
const WRITTEN_OUT: usize = 5;

/// Returns the filters as they read within a sentence, such as `Phase of flight Approach and Speed
/// at least 100`; many alternatives are cut short.
pub(crate) fn conditions(filters: &Object) -> String {
    let parts: Vec<String> = filters
        .iter()
        .map(|(field, condition)| condition_in_words(field, condition))
        .collect();
    list(&parts)
}

fn condition_in_words(field: &str, condition: &Value) -> String {
    match condition {
        Value::Array(values) => {
            let mut written: Vec<String> = values.iter().take(WRITTEN_OUT).map(spoken).collect();
            if values.len() > WRITTEN_OUT {
                written.push("another of the given values".to_owned());
            }
            format!("{field} {}", written.join(" or "))
        }

        Value::Object(range) => {
            let bounds: Vec<String> = range
                .iter()
                .map(|(operator, bound)| {
                    let words = match (operator.as_str(), bound.is_string()) {
                        ("gte", true) => "from",
                        ("gt", true) => "after",
                        ("lte", true) => "until",
                        ("lt", true) => "before",
                        ("gte", false) => "at least",
                        ("gt", false) => "above",
                        ("lte", false) => "at most",
                        ("lt", false) => "below",
                        (other, _) => other,
                    };
                    format!("{words} {}", plain(bound))
                })
                .collect();
            format!("{field} {}", bounds.join(" and "))
        }

        Value::Null => format!("{field} empty"),
        value => format!("{field} {}", spoken(value)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn filters_are_described_in_words() {
        let filters = json!({
            "A": "x", "B": ["y", "z"], "C": {"gte": 1, "lt": 2.5}, "D": null,
            "E": {"gte": "1995-01-01"}
        });
        let Value::Object(filters) = filters else {
            panic!()
        };
        assert_eq!(
            conditions(&filters),
            "A x, B y or z, C at least 1 and below 2.5, D empty and E from 1995-01-01"
        );
    }

    #[test]
    fn many_alternatives_are_cut_short() {
        let Value::Object(filters) = json!({"A": [1, 2, 3, 4, 5, 6]}) else {
            panic!()
        };
        assert_eq!(
            conditions(&filters),
            "A 1 or 2 or 3 or 4 or 5 or another of the given values"
        );
    }
}

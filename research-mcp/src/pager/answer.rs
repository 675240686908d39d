//! Tells a page on which nothing is from a result that is none.

use super::cursor;
use super::options::PagerOptions;
use crate::envelope::{DataContext, DataResult};
use crate::field_map::holds_records;
use crate::payload::error_in;

/// Characters of a result that are shown.
const EXCERPT: usize = 200;

/// Why a result without records does not say that there are none: it tells of an error, or it has no place for records and says
/// neither how many match, nor in which groups, nor whether there are more.
pub(super) fn problem(data: &DataResult, options: &PagerOptions) -> Option<String> {
    let result = data.payload();
    if let Some(error) = error_in(result) {
        return Some(error);
    }
    let says_something = holds_records(result)
        || *data.context() != DataContext::default()
        || has_groups(data)
        || cursor::next(result, options) != cursor::Next::Silent;
    (!says_something).then(|| {
        let shown: String = result.to_string().chars().take(EXCERPT).collect();
        format!("it gave neither records nor their number: {shown}")
    })
}

/// Groups, of which there may be none.
fn has_groups(result: &DataResult) -> bool {
    let names = ["aggregations", "aggs", "facets", "groups", "buckets"];
    names.iter().any(|name| result.payload().get(name).is_some()) || !result.aggregations().is_empty()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn an_empty_page_is_told_from_a_result_that_is_none() {
        let problem = |result: Value| problem(&DataResult::new(result), &PagerOptions::default());
        for empty in [
            json!([]),
            json!({"documents": []}),
            json!({"results": null}),
            json!({"hits": {"hits": []}}),
            json!({"events": [], "note": "none"}),
            json!({"total": 0}),
            json!({"aggregations": {"group_by": {"buckets": []}}}),
            json!({"has_more": false}),
            json!({"documents": [], "error": null}),
        ] {
            assert_eq!(problem(empty.clone()), None, "{empty}");
        }
        assert_eq!(problem(json!({"error": "gone", "total": 0})).as_deref(), Some("gone"));
        assert_eq!(problem(json!({"errors": [{"message": "gone"}], "data": null})).as_deref(), Some("gone"));
        for none in [
            json!({"result": "Error: backend unavailable"}),
            json!({"status": "failed", "hosts": ["a", "b"]}),
            json!({"warnings": [{"text": "slow", "at": 1}]}),
            json!({}),
            json!(null),
        ] {
            let said = problem(none.clone()).unwrap_or_else(|| panic!("{none}"));
            assert!(said.contains(&none.to_string()), "{said}");
        }
    }
}

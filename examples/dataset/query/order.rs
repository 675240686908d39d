//! Orders of buckets and of documents.

use serde_json::Value;

use super::super::data::Dataset;
use super::super::error::QueryError;
use super::super::field::{Field, FieldKind};
use super::arguments::{self, known_members, text_member};
use super::measure::Measure;

/// Fields by which documents are sorted.
pub(crate) const SORT_FIELDS: usize = 5;
/// The directions that a query names.
pub(crate) const DIRECTIONS: [&str; 2] = ["desc", "asc"];

/// The order of the buckets of a grouping.
#[derive(Clone, Debug)]
pub(super) struct BucketOrder {
    pub(super) by: OrderBy,
    pub(super) direction: &'static str,
}

/// What the buckets are ordered by.
#[derive(Clone, Debug)]
pub(super) enum OrderBy {
    DocCount,
    Key,
    Measure(Box<Measure>),
}

impl Default for BucketOrder {
    fn default() -> Self {
        Self { by: OrderBy::DocCount, direction: "DESC" }
    }
}

impl BucketOrder {
    /// Reads `{"by": …}` or `{"function": …, "field": …}`, with `order`.
    pub(super) fn compile(dataset: &Dataset, given: &Value) -> Result<Self, QueryError> {
        const ARGUMENT: &str = "order_by";
        let object = arguments::object(ARGUMENT, given)?;
        known_members(ARGUMENT, &object, &["by", "function", "field", "order"])?;
        let by = match object.get("by").and_then(Value::as_str) {
            _ if object.contains_key("function") => {
                OrderBy::Measure(Box::new(Measure::compile(dataset, ARGUMENT, &object)?))
            }
            Some("doc_count") => OrderBy::DocCount,
            Some("key") => OrderBy::Key,
            _ => {
                let reason = "needs `by`, which is doc_count or key, or `function` and `field` of a measure";
                return Err(QueryError::argument(ARGUMENT, reason));
            }
        };
        let usual = if matches!(by, OrderBy::Key) { "ASC" } else { "DESC" };
        Ok(Self { by, direction: direction(ARGUMENT, object.get("order"), usual)? })
    }
}

/// One field by which documents are sorted.
#[derive(Clone, Debug)]
pub(super) struct SortField {
    pub(super) field: Field,
    pub(super) direction: &'static str,
}

impl SortField {
    /// Reads a list of `{"field": …, "order": …}`, or one.
    pub(super) fn compile_all(dataset: &Dataset, given: &Value) -> Result<Vec<Self>, QueryError> {
        const ARGUMENT: &str = "sort";
        let list = arguments::list(ARGUMENT, given, SORT_FIELDS)?;
        list.iter()
            .map(|one| {
                let Value::Object(object) = one else {
                    let reason = "must be a list of {\"field\": …, \"order\": \"desc\" or \"asc\"}";
                    return Err(QueryError::argument(ARGUMENT, reason));
                };
                known_members(ARGUMENT, object, &["field", "order"])?;
                let field = dataset.require(text_member(ARGUMENT, object, "field")?, ARGUMENT)?;
                if field.place.many {
                    let reason = format!("`{}` holds lists, by which records have no order", field.name);
                    return Err(QueryError::argument(ARGUMENT, reason));
                }
                Ok(Self { field: field.into_owned(), direction: direction(ARGUMENT, object.get("order"), "DESC")? })
            })
            .collect()
    }

    /// Returns SQL for this part of the order; records without a value come last.
    pub(super) fn sql(&self) -> String {
        let column = self.field.column();
        let direction = self.direction;
        match self.field.kind {
            FieldKind::Text => format!("{column} COLLATE NOCASE {direction} NULLS LAST, {column} {direction}"),
            _ => format!("{column} {direction} NULLS LAST"),
        }
    }

    /// Returns the order for people.
    pub(super) fn words(&self) -> String {
        let words = match (self.field.kind, self.direction) {
            (FieldKind::Date, "DESC") => "latest first",
            (FieldKind::Date, _) => "earliest first",
            (FieldKind::Text, "DESC") => "from Z to A",
            (FieldKind::Text, _) => "from A to Z",
            (_, "DESC") => "highest first",
            (_, _) => "lowest first",
        };
        format!("{}, {words}", self.field.name)
    }
}

fn direction(argument: &str, given: Option<&Value>, usual: &'static str) -> Result<&'static str, QueryError> {
    match given {
        None | Some(Value::Null) => Ok(usual),
        Some(Value::String(text)) if text.eq_ignore_ascii_case("desc") => Ok("DESC"),
        Some(Value::String(text)) if text.eq_ignore_ascii_case("asc") => Ok("ASC"),
        Some(other) => Err(QueryError::argument(argument, format!("`order` must be desc or asc, not {other}"))),
    }
}

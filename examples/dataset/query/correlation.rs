//! Correlations of two numeric fields over all matching records.

use rusqlite::Connection;
use rusqlite::types::ValueRef;
use serde_json::{Value, json};

use super::super::data::Dataset;
use super::super::error::QueryError;
use super::super::field::{Field, FieldKind};
use super::super::store::{Sql, cell_value};
use super::arguments;
use super::bucket::count;
use super::selection::{self, Selection};

/// Name of the argument, for errors.
const ARGUMENT: &str = "correlations";
/// Pairs of one call.
pub(crate) const PAIRS: usize = 10;

/// Two numeric fields.
#[derive(Clone, Debug)]
pub(super) struct Pair([Field; 2]);

impl Pair {
    /// Reads a list of pairs of names.
    pub(super) fn compile_all(dataset: &Dataset, given: &Value) -> Result<Vec<Self>, QueryError> {
        let list = arguments::list(ARGUMENT, given, PAIRS)?;
        list.iter().map(|pair| Self::compile(dataset, pair)).collect()
    }

    fn compile(dataset: &Dataset, pair: &Value) -> Result<Self, QueryError> {
        let names = pair.as_array().map(|names| names.iter().filter_map(Value::as_str).collect::<Vec<_>>());
        let Some([first, second]) = names.as_deref() else {
            return Err(QueryError::argument(
                ARGUMENT,
                "must be a list of pairs of field names, such as [[\"a\", \"b\"]]",
            ));
        };
        let field = |name: &str| {
            let field = dataset.require(name, ARGUMENT)?;
            if field.kind.is_number() && !field.place.many {
                return Ok(field.into_owned());
            }
            let what = if field.place.many { "holds lists" } else { field.kind.name() };
            let reason = format!("needs fields with one number a record, and `{}` is {what}", field.name);
            Err(QueryError::argument(ARGUMENT, reason.replace("is holds", "holds")))
        };
        Ok(Self([field(first)?, field(second)?]))
    }

    /// Computes Pearson's coefficient over the records that have both values.
    pub(super) fn correlate(&self, connection: &Connection, selection: &Selection) -> Result<Value, QueryError> {
        let Self([first, second]) = self;
        let (x, y) = (first.column(), second.column());
        let columns = Sql::new(format!("count({x} + {y}), pearson({x}, {y})"));
        let row = selection::run(connection, &selection.select(&columns, &[first, second]))?.pop().unwrap_or_default();
        let pearson = row.get(1).map_or(Value::Null, |cell| cell_value(FieldKind::Number, ValueRef::from(cell)));
        Ok(json!({ "fields": [first.name, second.name], "count": count(row.first()), "pearson": pearson }))
    }
}

//! Rows of a table as records: the names of the columns stand once, and each row is a list.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::Value;

use crate::tool::Object;

/// Where tables keep the names of their columns, and where the rows.
const HEADERS: &[&str] = &["columns", "header", "headers", "fields"];
const ROWS: &[&str] = &["rows", "data", "values", "results", "records"];

/// The records of a payload with `columns` and `rows`, in any of the usual names.
pub(super) fn records(payload: &Value) -> Option<Vec<Cow<'_, Value>>> {
    let names = HEADERS.iter().find_map(|key| names(payload.get(*key)?.as_array()?))?;
    let rows = ROWS.iter().find_map(|key| payload.get(*key)?.as_array())?;
    zip(&names, rows)
}

/// The records of a list of lists, whose first one names the columns.
pub(super) fn with_header_row(items: &[Value]) -> Option<Vec<Cow<'_, Value>>> {
    let (header, rows) = items.split_first()?;
    let header = header.as_array()?;
    let strings = header.iter().all(Value::is_string);
    zip(&names(header).filter(|names| strings && names.len() > 1)?, rows)
}

/// Names that are strings, or objects with a `name`; none may be empty or come twice.
fn names(header: &[Value]) -> Option<Vec<&str>> {
    let names: Option<Vec<&str>> =
        header.iter().map(|item| item.as_str().or_else(|| item.get("name")?.as_str())).collect();
    let names = names.filter(|names| !names.is_empty() && names.iter().all(|name| !name.trim().is_empty()))?;
    let distinct: HashSet<&&str> = names.iter().collect();
    (distinct.len() == names.len()).then_some(names)
}

/// `None` unless every row is a list of at most as many values as there are names.
fn zip<'a>(names: &[&str], rows: &[Value]) -> Option<Vec<Cow<'a, Value>>> {
    let record = |row: &Value| {
        let cells = row.as_array().filter(|cells| cells.len() <= names.len())?;
        let fields = names.iter().zip(cells).map(|(name, cell)| ((*name).to_owned(), cell.clone()));
        Some(Cow::Owned(Value::Object(fields.collect::<Object>())))
    };
    rows.iter().map(record).collect::<Option<Vec<_>>>().filter(|records| !records.is_empty())
}

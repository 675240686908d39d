//! Reads the arguments of a call and computes the answer.

use serde_json::{Value, json};

use super::aggregate::{GroupBy, Histogram};
use super::error::QueryError;
use super::filter::Filters;
use super::{Dataset, Object, cursor};

/// Names of the arguments.
pub(super) const ARGUMENTS: [&str; 7] =
    ["filters", "group_by", "date_histogram", "top_n", "samples_per_bucket", "page_size", "search_after"];
/// Documents on a page unless the caller asks for another number.
pub(super) const PAGE_SIZE: usize = 20;
/// Most documents on a page; a larger wish is cut to it.
pub(super) const PAGE_SIZE_CAP: usize = 100;
/// Bytes of documents on a page; a page of longer records holds fewer of them. Clients refuse results above 1 MiB.
pub(super) const PAGE_BYTES: usize = 512 * 1024;
/// Buckets of a grouping unless the caller asks for another number.
pub(super) const TOP_N: usize = 20;
/// Most sample documents of a bucket; a larger wish is cut to it.
pub(super) const SAMPLES_CAP: usize = 100;

/// A call's arguments, checked against the data set.
#[derive(Clone, Debug)]
pub struct Query {
    filters: Filters,
    fingerprint: String,
    group_by: Option<GroupBy>,
    histogram: Option<Histogram>,
    page_size: usize,
    after: Option<Value>,
}

impl Query {
    /// Reads the arguments.
    ///
    /// # Errors
    ///
    /// When an argument or a field is unknown, or a value makes no sense. The text says what would.
    pub fn parse(dataset: &Dataset, arguments: &Object) -> Result<Self, QueryError> {
        if let Some(name) = arguments.keys().find(|name| !ARGUMENTS.contains(&name.as_str())) {
            let known = ARGUMENTS.iter().map(|name| (*name).to_owned()).collect();
            return Err(QueryError::UnknownArgument { name: name.clone(), known });
        }
        let given = |name: &str| arguments.get(name).filter(|value| !value.is_null());
        let top = whole(given("top_n"), "top_n", 1, TOP_N)?;
        let samples = whole(given("samples_per_bucket"), "samples_per_bucket", 0, 0)?.min(SAMPLES_CAP);
        let fields = match given("group_by") {
            Some(argument) => GroupBy::fields(dataset, argument)?,
            None => Vec::new(),
        };
        let filters = Filters::compile(dataset, given("filters"))?;
        Ok(Self {
            fingerprint: cursor::fingerprint(&dataset.name, &format!("{filters:?}")),
            filters,
            group_by: (!fields.is_empty()).then_some(GroupBy { fields, top, samples }),
            histogram: given("date_histogram").map(|argument| Histogram::compile(dataset, argument)).transpose()?,
            page_size: whole(given("page_size"), "page_size", 1, PAGE_SIZE)?.min(PAGE_SIZE_CAP),
            after: given("search_after").cloned(),
        })
    }
}

fn whole(value: Option<&Value>, argument: &str, least: usize, default: usize) -> Result<usize, QueryError> {
    let Some(value) = value else { return Ok(default) };
    // Some callers write every number as a floating-point one.
    let number = value.as_u64().or_else(|| value.as_f64().filter(|n| n.fract() == 0.0 && *n >= 0.0).map(|n| n as u64));
    number
        .and_then(|number| usize::try_from(number).ok())
        .filter(|number| *number >= least)
        .ok_or_else(|| QueryError::argument(argument, format!("must be a whole number from {least} on, not {value}")))
}

/// The first of these records, as many as fit on a page; one at least.
fn page(dataset: &Dataset, records: &[usize]) -> Vec<Value> {
    let mut documents = Vec::new();
    let mut bytes = 0;
    for record in records {
        let document = Value::Object(dataset.documents[*record].clone());
        bytes += document.to_string().len();
        if bytes > PAGE_BYTES && !documents.is_empty() {
            break;
        }
        documents.push(document);
    }
    documents
}

/// Computes the answer to a query: how many records match, the buckets asked for, and one page of records in file order.
///
/// # Errors
///
/// When the cursor is none of this tool's, or belongs to another query, and when a grouping has too many keys or samples.
pub fn answer(dataset: &Dataset, query: &Query) -> Result<Value, QueryError> {
    let matched: Vec<usize> =
        (0..dataset.documents.len()).filter(|record| query.filters.matches(dataset, *record)).collect();
    let from = cursor::read(query.after.as_ref(), &query.fingerprint, matched.len())?;
    let documents = page(dataset, &matched[from..(from + query.page_size).min(matched.len())]);
    let to = from + documents.len();
    let has_more = to < matched.len();
    let mut aggregations = Object::new();
    if let Some(group_by) = &query.group_by {
        aggregations.insert("group_by".to_owned(), group_by.count(dataset, &matched)?);
    }
    if let Some(histogram) = &query.histogram {
        aggregations.insert("date_histogram".to_owned(), histogram.count(dataset, &matched));
    }
    let mut context = json!({
        "dataset": dataset.name,
        "unique_ids_matched": matched.len(),
        "total_records": dataset.documents.len(),
        "id_field": dataset.id_field,
        "order": "the order of the file",
    });
    let notes = query.filters.notes(dataset);
    if !notes.is_empty() {
        context["notes"] = json!(notes);
    }
    Ok(json!({
        "data_context": context,
        "aggregations": aggregations,
        "documents": documents,
        "has_more": has_more,
        "search_after": if has_more { cursor::write(&query.fingerprint, to) } else { Value::Null },
    }))
}

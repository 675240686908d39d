//! Reads the arguments of a call and computes the answer.

mod arguments;
mod bucket;
mod correlation;
mod cursor;
mod filter;
mod group;
mod histogram;
mod measure;
mod order;
mod page;
mod project;
mod selection;
mod text;

use rusqlite::Connection;
use serde_json::{Value, json};

use super::data::{Dataset, Object};
use super::error::QueryError;
use super::store::Sql;
use arguments::{given, whole};
use correlation::Pair;
use filter::Filters;
use group::GroupBy;
use histogram::Histogram;
use measure::Measure;
use order::{BucketOrder, SortField};
use page::Page;
use selection::Selection;
use text::{Lookup, Search};

pub(super) use correlation::PAIRS;
pub(super) use measure::{Function, MEASURES};
pub(super) use order::{DIRECTIONS, SORT_FIELDS};
pub(super) use text::{LOOKUPS, MATCHES};

/// Names of the arguments.
pub(super) const ARGUMENTS: [&str; 14] = [
    "filters",
    "group_by",
    "date_histogram",
    "top_n",
    "samples_per_bucket",
    "page_size",
    "search_after",
    "measures",
    "correlations",
    "order_by",
    "sort",
    "fields",
    "search",
    "lookup",
];
/// Documents on a page unless the caller asks for another number.
pub(super) const PAGE_SIZE: usize = 20;
/// Most documents on a page; a larger wish is cut to it.
pub(super) const PAGE_SIZE_CAP: usize = 100;
/// Buckets of a grouping unless the caller asks for another number.
pub(super) const TOP_N: usize = 20;
/// Most sample documents of a bucket; a larger wish is cut to it.
pub(super) const SAMPLES_CAP: usize = 100;

/// A call's arguments, checked against the data set.
#[derive(Clone, Debug)]
pub struct Query {
    filters: Filters,
    search: Option<Search>,
    lookup: Option<Lookup>,
    group_by: Option<GroupBy>,
    histogram: Option<Histogram>,
    measures: Vec<Measure>,
    correlations: Vec<Pair>,
    page: Page,
    after: Option<Value>,
    fingerprint: String,
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

        let top = whole(arguments, "top_n", 1, TOP_N)?;
        let samples = whole(arguments, "samples_per_bucket", 0, 0)?.min(SAMPLES_CAP);
        let fields = match given(arguments, "group_by") {
            Some(argument) => arguments::names(dataset, "group_by", argument)?,
            None => Vec::new(),
        };
        let filters = Filters::compile(dataset, given(arguments, "filters"))?;
        let order = given(arguments, "order_by").map(|given| BucketOrder::compile(dataset, given)).transpose()?;
        let measures = given(arguments, "measures").map(|given| Measure::compile_all(dataset, given)).transpose()?;
        let pairs = given(arguments, "correlations").map(|given| Pair::compile_all(dataset, given)).transpose()?;
        let sort = given(arguments, "sort").map(|given| SortField::compile_all(dataset, given)).transpose()?;
        let members = given(arguments, "fields").map(|given| arguments::names(dataset, "fields", given)).transpose()?;
        let page = Page::new(dataset, whole(arguments, "page_size", 1, PAGE_SIZE)?, sort.unwrap_or_default(), members);

        let search = given(arguments, "search").map(|given| Search::compile(dataset, given)).transpose()?;
        let lookup = given(arguments, "lookup").map(Lookup::compile).transpose()?;

        // What decides which record is the n-th.
        let mut pages = format!("{filters:?}");
        page.sort.iter().for_each(|sort| pages.push_str(&format!("\0{}\0{}", sort.field.name, sort.direction)));
        if let Some(search) = &search {
            pages.push_str(&format!("\0{search:?}"));
        }
        Ok(Self {
            search,
            lookup,
            fingerprint: cursor::fingerprint(&dataset.name, &pages),
            filters,
            group_by: (!fields.is_empty()).then(|| GroupBy { fields, top, samples, order: order.unwrap_or_default() }),
            histogram: given(arguments, "date_histogram")
                .map(|given| Histogram::compile(dataset, given))
                .transpose()?,
            measures: measures.unwrap_or_default(),
            correlations: pairs.unwrap_or_default(),
            page,
            after: given(arguments, "search_after").cloned(),
        })
    }
}

/// Computes the answer to a query: how many records match, the buckets asked for, and one page of records in file order.
///
/// # Errors
///
/// When the cursor is none of this tool's, or belongs to another query, when a grouping has too many keys or samples, and when the
/// store cannot be read.
pub fn answer(dataset: &Dataset, query: &Query) -> Result<Value, QueryError> {
    let connection = dataset.store.lock();
    let mut selection = query.filters.selection(dataset);
    if let Some(search) = &query.search {
        search.restrict(dataset, &connection, &mut selection)?;
    }
    let matched = count(&connection, &selection)?;
    let from = cursor::read(query.after.as_ref(), &query.fingerprint, matched)?;
    let documents = page::read(dataset, &connection, &selection, from, &query.page)?;
    let to = from + documents.len() as u64;
    let has_more = to < matched;

    let aggregations = aggregations(dataset, &connection, &selection, query)?;
    let mut context = json!({
        "dataset": dataset.name,
        "unique_ids_matched": matched,
        "total_records": dataset.records,
        "id_field": dataset.id_field,
        "order": query.page.order(),
    });
    let notes = query.filters.notes(dataset);
    if !notes.is_empty() {
        context["notes"] = json!(notes);
    }
    if let Some(search) = &query.search {
        context["search"] = search.result(dataset, &connection, &selection)?;
    }
    let mut answer = json!({
        "data_context": context,
        "aggregations": aggregations,
        "documents": documents,
        "has_more": has_more,
        "search_after": if has_more { cursor::write(&query.fingerprint, to) } else { Value::Null },
    });
    if let Some(lookup) = &query.lookup {
        answer["lookup"] = lookup.answer(dataset, &connection)?;
    }
    Ok(answer)
}

/// Computes what was asked for beside the records.
fn aggregations(
    dataset: &Dataset,
    connection: &Connection,
    selection: &Selection,
    query: &Query,
) -> Result<Object, QueryError> {
    let measures = query.measures.as_slice();
    let mut aggregations = Object::new();
    if let Some(group_by) = &query.group_by {
        let counted = group_by.count(dataset, connection, selection, measures, query.page.kept.as_ref())?;
        aggregations.insert("group_by".to_owned(), counted);
    }
    if let Some(histogram) = &query.histogram {
        let counted = histogram.count(dataset, connection, selection, measures)?;
        aggregations.insert("date_histogram".to_owned(), counted);
    }

    if !measures.is_empty() {
        // The columns of the measures begin with a comma.
        let columns = Sql::new(format!("COUNT(*){}", measure::columns(measures)));
        let rows = selection::run(connection, &selection.select(&columns, &measure::fields(measures)))?;
        let cells = rows.first().map(|row| &row[1..]).unwrap_or_default();
        aggregations.insert("measures".to_owned(), measure::results(measures, cells));
    }
    if !query.correlations.is_empty() {
        let pairs = query.correlations.iter().map(|pair| pair.correlate(connection, selection));
        aggregations.insert("correlations".to_owned(), pairs.collect::<Result<Value, QueryError>>()?);
    }
    Ok(aggregations)
}

fn count(connection: &Connection, selection: &Selection) -> Result<u64, QueryError> {
    let sql = selection.select(&Sql::new("COUNT(*)"), &[]);
    let mut rows = selection::run(connection, &sql)?;
    rows.pop().and_then(|row| row.into_iter().next()).map_or(Ok(0), |count| match count {
        rusqlite::types::Value::Integer(count) => Ok(count.unsigned_abs()),
        _ => Ok(0),
    })
}

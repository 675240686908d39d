//! Gives every record an id: the file's own where it has one, else its number.

use std::collections::HashSet;

use serde_json::Value;

use super::field::FieldKind;
use super::{Dataset, Object};

/// Names of id columns. A client looks for an id in this order, so the first of them that a document has must be its id.
const NAMES: [&str; 12] = [
    "_id",
    "id",
    "doc_id",
    "document_id",
    "record_id",
    "primary_id",
    "unique_id",
    "uuid",
    "guid",
    "uid",
    "event_id",
    "item_id",
];

/// Finds the id column, or adds one to the documents.
///
/// A column is the id when it bears one of the names, no cell is empty, no two are equal, and they are texts or whole numbers. An
/// added id is the first member of a document: `id`, or `_id` beside a column `id` that is none.
pub(super) fn identify(dataset: &mut Dataset) {
    let place = |name: &str| NAMES.iter().position(|known| *known == normalised(name));
    let mut named: Vec<(usize, usize)> =
        dataset.fields.iter().enumerate().filter_map(|(at, field)| Some((place(&field.name)?, at))).collect();
    named.sort_unstable();
    let own = named.iter().find(|(_, at)| is_id(dataset, *at)).copied();
    if let Some((rank, at)) = own
        && named.first().is_some_and(|(first, _)| *first == rank)
    {
        dataset.id_field = dataset.fields[at].name.clone();
        return;
    }
    let taken = |name: &str| dataset.documents.iter().any(|document| document.contains_key(name));
    let name = if named.is_empty() && !taken("id") { "id" } else { "_id" };
    let kept = format!("{name}_2");
    for field in dataset.fields.iter_mut().filter(|field| field.name == name) {
        field.name.clone_from(&kept);
    }
    dataset.id_field = name.to_owned();
    dataset.numbered = own.is_none();
    let ids = own.map(|(_, at)| dataset.fields[at].cells.clone());
    for (record, document) in dataset.documents.iter_mut().enumerate() {
        let id = ids.as_ref().map_or_else(|| (record + 1).into(), |ids| ids[record].clone());
        let fields = std::mem::take(document);
        *document = Object::from_iter([(name.to_owned(), id)]);
        document.extend(
            fields.into_iter().map(|(field, value)| if field == name { (kept.clone(), value) } else { (field, value) }),
        );
    }
}

fn normalised(name: &str) -> String {
    name.trim().to_lowercase().replace([' ', '-'], "_")
}

fn is_id(dataset: &Dataset, at: usize) -> bool {
    let field = &dataset.fields[at];
    let mut seen = HashSet::new();
    matches!(field.kind, FieldKind::Integer | FieldKind::Text)
        && field.cells.iter().all(|cell| match cell {
            Value::Null | Value::Array(_) => false,
            value => seen.insert(value.to_string()),
        })
}

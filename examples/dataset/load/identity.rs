//! Gives every record an id: the file's own where it has one, else its number.

use super::super::data::{AddedId, Dataset};
use super::super::field::{Field, FieldKind};

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
    let own = named.iter().find(|(_, at)| is_id(&dataset.fields[*at], dataset.records)).copied();
    if let Some((rank, at)) = own
        && named.first().is_some_and(|(first, _)| *first == rank)
    {
        dataset.id_field = dataset.fields[at].name.clone();
        return;
    }

    // A nested object `id` is a member of documents too.
    let taken = |name: &str| {
        let nested = format!("{name}.");
        dataset.fields.iter().any(|field| field.name == name || field.name.starts_with(&nested))
    };
    let name = if named.is_empty() && !taken("id") { "id" } else { "_id" };
    let displaced = format!("{name}_2");
    for field in dataset.fields.iter_mut().filter(|field| field.name == name) {
        field.name.clone_from(&displaced);
    }
    dataset.id_field = name.to_owned();
    dataset.numbered = own.is_none();
    dataset.added_id = Some(AddedId { from: own.map(|(_, at)| at), displaced });
}

fn normalised(name: &str) -> String {
    name.trim().to_lowercase().replace([' ', '-'], "_")
}

fn is_id(field: &Field, records: u64) -> bool {
    matches!(field.kind, FieldKind::Integer | FieldKind::Text)
        && !field.place.many
        && field.missing == 0
        && field.distinct == records
}

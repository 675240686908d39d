//! Completes a field map from the records of a first page.
//!
//! The rules: an id is unique and never empty; an address starts with `http`; a snippet is the field with the longest text; a
//! title is the first short text. A guess must not lose records, so a column that merely happens to be unique on one page is not
//! taken for an id.

use std::collections::HashSet;

use serde_json::Value;

use super::map::FieldMap;
use super::path::{first_text, inner, text, text_at};

/// A field that is not named like a summary becomes the snippet from this mean length in characters on. Shorter texts are
/// categories; the joined fields say more.
const SNIPPET_FROM: usize = 40;
/// Longest mean length in characters of a title.
const TITLE_UP_TO: usize = 100;
/// Fewest records from which the id of an unnamed column may be inferred.
const RECORDS_FOR_ID: usize = 5;

/// Completes the roles that the map does not find in these records.
pub(super) fn complete(mut map: FieldMap, records: &[&Value]) -> FieldMap {
    if records.is_empty() {
        return map;
    }
    let columns = columns(records);
    map.id = id_paths(&map, records, &columns);
    let mut taken: HashSet<String> = map.id.iter().cloned().collect();
    let missing = |paths: &[String]| !records.iter().any(|record| first_text(record, paths).is_some());
    if missing(&map.url)
        && let Some(column) = columns.iter().find(|column| column.present > 0 && column.urls == column.present)
    {
        map.url = vec![column.name.clone()];
    }
    taken.extend(columns.iter().filter(|column| column.urls > 0 || column.dates > 0).map(|column| column.name.clone()));
    if missing(&map.date)
        && let Some(column) = columns.iter().find(|column| column.present > 0 && column.dates == column.present)
    {
        map.date = vec![column.name.clone()];
    }
    if missing(&map.snippet)
        && let Some(column) = columns
            .iter()
            .filter(|column| !taken.contains(&column.name) && column.mean_length() >= SNIPPET_FROM)
            .max_by_key(|column| column.mean_length())
    {
        map.snippet = vec![column.name.clone()];
        taken.insert(column.name.clone());
    }
    // The first column is the most stable choice: pages of other sizes choose the same.
    let title =
        |column: &&Column| !taken.contains(&column.name) && column.texts > 0 && column.mean_length() <= TITLE_UP_TO;
    if missing(&map.title)
        && let Some(column) =
            columns.iter().filter(title).find(|column| column.distinct > 1).or_else(|| columns.iter().find(title))
    {
        map.title = vec![column.name.clone()];
    }
    map
}

/// The first named path that every record has and that tells them apart; else an unnamed column that does.
fn id_paths(map: &FieldMap, records: &[&Value], columns: &[Column]) -> Vec<String> {
    let named = map.id.iter().find(|path| {
        let values: Option<Vec<String>> = records.iter().map(|record| text_at(record, path)).collect();
        values.is_some_and(|values| {
            let ids: HashSet<&String> = values.iter().collect();
            let contents: HashSet<String> = records.iter().map(|record| record.to_string()).collect();
            ids.len() >= contents.len()
        })
    });
    if let Some(path) = named {
        return vec![path.clone()];
    }
    let unique = |column: &&Column| column.distinct == records.len() && records.len() > 1;
    let by_name = columns.iter().filter(unique).find(|column| named_like_an_id(&column.name));
    let by_value = || {
        columns
            .iter()
            .filter(unique)
            .filter(|column| records.len() >= RECORDS_FOR_ID && column.urls == 0 && column.dates == 0)
            .find(|column| column.codes == records.len())
    };
    by_name.or_else(by_value).map(|column| vec![column.name.clone()]).unwrap_or_default()
}

/// What one field holds over the records.
struct Column {
    name: String,
    present: usize,
    texts: usize,
    urls: usize,
    dates: usize,
    codes: usize,
    distinct: usize,
    length: usize,
}

impl Column {
    fn mean_length(&self) -> usize {
        self.length.checked_div(self.texts).unwrap_or(0)
    }
}

/// Whether a field is named as ids are.
pub(super) fn named_like_an_id(field: &str) -> bool {
    let name = field.to_lowercase();
    ["id", "uid", "key", "ref", "reference"].contains(&name.as_str())
        || ["_id", " id", "-id", "_key", "_no", " no", "_nr", "number", "_ref", "_code"]
            .iter()
            .any(|end| name.ends_with(end))
        || field.ends_with("Id")
        || field.ends_with("ID")
}

fn columns(records: &[&Value]) -> Vec<Column> {
    let mut names: Vec<&String> = Vec::new();
    let mut known = HashSet::new();
    for record in records {
        let fields = inner(record).or_else(|| record.as_object());
        names.extend(fields.into_iter().flat_map(|fields| fields.keys()).filter(|name| known.insert(name.as_str())));
    }
    names.into_iter().map(|name| column(name, records)).collect()
}

fn column(name: &str, records: &[&Value]) -> Column {
    let mut column =
        Column { name: name.to_owned(), present: 0, texts: 0, urls: 0, dates: 0, codes: 0, distinct: 0, length: 0 };
    let mut distinct = HashSet::new();
    for record in records {
        let Some(value) = inner(record).or_else(|| record.as_object()).and_then(|fields| fields.get(name)) else {
            continue;
        };
        let Some(content) = text(value) else { continue };
        column.present += 1;
        if value.is_string() {
            column.texts += 1;
            column.length += content.chars().count();
            column.urls += usize::from(is_url(&content));
            column.dates += usize::from(is_date(&content));
            column.codes += usize::from(is_code(&content));
        }
        distinct.insert(content);
    }
    column.distinct = distinct.len();
    column
}

/// Whether the text is an address on the web.
pub(super) fn is_url(text: &str) -> bool {
    let lower = text.get(..8).unwrap_or(text).to_ascii_lowercase();
    lower.starts_with("http://") || lower.starts_with("https://")
}

/// Whether the text begins like an ISO 8601 date.
fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 10
        && bytes[..10].iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

/// Whether the text looks like a code: one word of at most 64 characters with a digit in it.
fn is_code(text: &str) -> bool {
    text.len() <= 64 && text.chars().any(|c| c.is_ascii_digit()) && !text.chars().any(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn inferred(records: Value) -> FieldMap {
        complete(FieldMap::default(), &records.as_array().unwrap().iter().collect::<Vec<_>>())
    }

    #[test]
    fn roles_are_found_by_what_the_fields_hold() {
        let map = inferred(json!([
            {"Case Number": 11, "Where": "https://a.example/1", "When": "2024-05-01", "What": "A crane was seen near the runway at dawn.", "Who": "Ada"},
            {"Case Number": 12, "Where": "https://a.example/2", "When": "2024-05-02", "What": "Two gulls hit the left engine during the climb.", "Who": "Bob"}
        ]));
        assert_eq!(map.id, ["Case Number"]);
        assert_eq!(map.url, ["Where"]);
        assert_eq!(map.date, ["When"]);
        assert_eq!(map.snippet, ["What"]);
        assert_eq!(map.title, ["Who"]);
    }

    #[test]
    fn a_measurement_that_happens_to_be_unique_is_no_id() {
        let map = inferred(json!([
            {"speed": 120, "size": "Small"}, {"speed": 130, "size": "Large"}, {"speed": 140, "size": "Medium"},
            {"speed": 150, "size": "Tiny"}, {"speed": 160, "size": "Huge"}
        ]));
        assert!(map.id.is_empty(), "{:?}", map.id);
    }

    #[test]
    fn a_named_id_that_most_records_share_is_no_id() {
        let map = inferred(json!([
            {"id": "DE", "v": 1}, {"id": "DE", "v": 2}, {"id": "DE", "v": 3}, {"id": "FR", "v": 4}, {"id": "FR", "v": 5}
        ]));
        assert!(map.id.is_empty(), "{:?}", map.id);
    }

    #[test]
    fn repeated_records_keep_their_named_id() {
        let map = inferred(json!([{"id": "a", "v": 1}, {"id": "a", "v": 1}, {"id": "a", "v": 1}]));
        assert_eq!(map.id, ["id"]);
    }

    #[test]
    fn codes_of_an_unnamed_column_are_ids_when_there_are_enough() {
        let map = inferred(json!([
            {"x": "A-1", "y": "p"}, {"x": "A-2", "y": "p"}, {"x": "A-3", "y": "p"}, {"x": "A-4", "y": "p"}, {"x": "A-5", "y": "p"}
        ]));
        assert_eq!(map.id, ["x"]);
    }
}

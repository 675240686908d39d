//! Reads from a JSON schema which fields of a record are its address, date, id, title and summary.

use serde_json::Value;

use super::infer::named_like_an_id;
use super::map::FieldMap;
use crate::payload::keys::plain;
use crate::payload::places::PLACES;
use crate::payload::schema::{alternatives, properties};
use crate::tool::Object;

/// Deepest object in which a list of records is looked for.
const DEPTH: usize = 4;

impl FieldMap {
    /// The names in common use, and after them the fields that an output schema gives away: by a format such as `uri` or
    /// `date-time`, or by how their names end.
    ///
    /// The schema is that of a tool's structured content. References within it and alternatives are followed. A schema that
    /// describes no list of records adds nothing.
    pub fn from_schema(schema: &Object) -> Self {
        complete(Self::default(), schema)
    }
}

/// Adds the fields of the records that the schema describes, after the paths that the map has.
fn complete(mut map: FieldMap, schema: &Object) -> FieldMap {
    let root = Value::Object(schema.clone());
    let Some(record) = record(&root) else { return map };
    for (name, field) in properties(&root, record) {
        let name = name.clone();
        let formats = alternatives(&root, field).into_iter().filter_map(|schema| schema.get("format")?.as_str());
        let formats: Vec<&str> = formats.collect();
        let ends = |ends: &[&str]| ends.iter().any(|end| plain(&name).ends_with(end));
        if formats.iter().any(|format| matches!(*format, "uri" | "url" | "iri")) {
            add(&mut map.url, name);
        } else if formats.iter().any(|format| matches!(*format, "date" | "date-time")) {
            add(&mut map.date, name);
        } else if named_like_an_id(&name) {
            add(&mut map.id, name);
        } else if ends(&["title", "headline"]) {
            add(&mut map.title, name);
        } else if ends(&["summary", "abstract", "snippet", "description"]) {
            add(&mut map.snippet, name);
        }
    }
    map
}

fn add(paths: &mut Vec<String>, name: String) {
    if !paths.contains(&name) {
        paths.push(name);
    }
}

/// The schema of one record: of the items at the first named place, else of the nearest list of objects.
fn record(root: &Value) -> Option<&Value> {
    let at = |place: &&str| {
        let names = place.split('/').skip(1);
        names.into_iter().try_fold(root, |schema, name| property(root, schema, name)).and_then(|list| items(root, list))
    };
    items(root, root).or_else(|| PLACES.iter().find_map(at)).or_else(|| nearest(root))
}

fn nearest(root: &Value) -> Option<&Value> {
    let mut level = vec![root];
    for _ in 0..DEPTH {
        let fields: Vec<&Value> =
            level.iter().flat_map(|schema| properties(root, schema)).map(|(_, field)| field).collect();
        if let Some(record) = fields.iter().find_map(|field| items(root, field)) {
            return Some(record);
        }
        level = fields;
    }
    None
}

/// The schema of a list's items, when they are objects with known fields.
fn items<'a>(root: &'a Value, schema: &'a Value) -> Option<&'a Value> {
    let items = alternatives(root, schema).into_iter().find_map(|schema| schema.get("items"))?;
    (!properties(root, items).is_empty()).then_some(items)
}

/// The schema of one property, whatever its case.
fn property<'a>(root: &'a Value, schema: &'a Value, name: &str) -> Option<&'a Value> {
    properties(root, schema).into_iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, field)| field)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn added(schema: &Value) -> [Vec<String>; 5] {
        let (map, plain) = (FieldMap::from_schema(schema.as_object().unwrap()), FieldMap::default());
        [
            (map.id, plain.id),
            (map.title, plain.title),
            (map.url, plain.url),
            (map.snippet, plain.snippet),
            (map.date, plain.date),
        ]
        .map(|(all, common)| all[common.len()..].to_vec())
    }

    #[test]
    fn references_and_alternatives_lead_to_the_record() {
        let schema = json!({
            "properties": {"found": {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/Paper"}}, {"type": "null"}]}},
            "$defs": {"Paper": {"type": "object", "properties": {
                "PaperId": {"type": "string"},
                "Where": {"anyOf": [{"type": "string", "format": "uri"}, {"type": "null"}]},
                "When": {"type": "string", "format": "date"},
                "paper_title": {"type": "string"},
                "long_summary": {"type": "string"},
                "cites": {"type": "array", "items": {"$ref": "#/$defs/Paper"}}
            }}}
        });
        assert_eq!(
            added(&schema),
            [["PaperId"], ["paper_title"], ["Where"], ["long_summary"], ["When"]]
                .map(|names| names.map(str::to_owned).to_vec())
        );
    }

    #[test]
    fn a_schema_that_refers_to_itself_or_describes_no_records_adds_nothing() {
        let none: [Vec<String>; 5] = Default::default();
        assert_eq!(added(&json!({"anyOf": [{"$ref": "#"}, {"$ref": "#/anyOf/0"}]})), none);
        assert_eq!(added(&json!({"properties": {"count": {"type": "integer"}}})), none);
    }
}

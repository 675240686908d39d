//! Turns documents of a tool into sources, and sources into what an extraction reads.

use research_agents_report::evidence::{Source, plain};
use research_agents_report::text::Untrusted;
use research_mcp::Document;
use serde_json::Value;

use crate::data::record::Object;
use crate::data::task::DocumentText;

/// Longest text of one source in characters. Longer records are cut; quotes come from what is left.
pub(crate) const TEXT_CAP: usize = 20_000;

/// Returns a document as a source that is not registered yet.
pub(crate) fn source(tool: &str, document: Document) -> Source {
    let (text, cut) = text(&document.fields);
    let web = document.url.starts_with("https://") || document.url.starts_with("http://");
    let title = if document.title == document.id {
        String::new()
    } else {
        document.title
    };

    Source {
        id: String::new(),
        record: document.id,
        tool: tool.to_owned(),
        also: Vec::new(),
        title: Untrusted::new(title),
        url: (web || document.url.starts_with("doc://")).then_some(document.url),
        snippet: Untrusted::new(document.snippet),
        fields: Untrusted::new(document.fields),
        text: Untrusted::new(text),
        cut,
    }
}

/// Returns `name: value` lines in field order, with objects as dotted names and without empty
/// cells, and whether the record has more.
fn text(fields: &Object) -> (String, bool) {
    let mut lines = String::new();
    for (name, value) in flatten(fields) {
        if !is_blank(&value) {
            lines.push_str(&format!("{name}: {}\n", plain(&value)));
        }
    }
    lines.truncate(lines.trim_end().len());
    match lines.char_indices().nth(TEXT_CAP) {
        None => (lines, false),
        Some((end, _)) => {
            lines.truncate(end);
            (lines, true)
        }
    }
}

/// Returns whether a value is null or an empty string.
pub(crate) fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        _ => false,
    }
}

/// Returns the fields with objects opened into dotted names.
pub(crate) fn flatten(fields: &Object) -> Vec<(String, Value)> {
    let mut flat = Vec::new();
    for (name, value) in fields {
        match value {
            Value::Object(inner) => {
                flat.extend(
                    flatten(inner)
                        .into_iter()
                        .map(|(key, value)| (format!("{name}.{key}"), value)),
                );
            }
            other => flat.push((name.clone(), other.clone())),
        }
    }
    flat
}

/// Returns a registered source as an extraction reads it.
pub(crate) fn document_text(source: &Source) -> DocumentText {
    DocumentText {
        id: source.id.clone(),
        fields: source.fields.for_code().clone(),
        text: source.text.for_code().clone(),
    }
}

#[cfg(test)]
mod tests {
    use research_mcp::FieldMapping;
    use serde_json::json;

    use super::*;

    fn read(record: Value) -> Source {
        let mut reader = FieldMapping::default().reader("t", &Object::new());
        let mut found = reader.read(&json!({"documents": [record]})).documents;
        source("t", found.remove(0))
    }

    #[test]
    fn the_text_has_a_line_for_each_field_that_is_not_empty() {
        let source = read(
            json!({"id": 7, "place": {"state": "Ohio", "city": null}, "cost": 12.5, "note": ""}),
        );
        assert_eq!(
            source.text.for_code(),
            "id: 7\nplace.state: Ohio\ncost: 12.5"
        );
        assert_eq!(source.record, "7");
        assert_eq!(source.title.for_code(), "");
    }

    #[test]
    fn a_long_record_is_cut_by_characters_and_known_to_be() {
        let of = |letters: usize| read(json!({"id": 7, "note": "é".repeat(letters)}));
        // `id: 7`, a line end and `note: ` come before the letters.
        let (whole, cut) = (of(TEXT_CAP - 12), of(TEXT_CAP - 11));
        assert!(!whole.cut && cut.cut);
        assert_eq!(whole.text, cut.text);
        assert_eq!(cut.text.for_code().chars().count(), TEXT_CAP);
        let json = serde_json::to_value(&whole).unwrap();
        assert!(
            json.get("cut").is_none(),
            "a whole record is kept as before: {json}"
        );
        assert!(
            serde_json::from_value::<Source>(serde_json::to_value(&cut).unwrap())
                .unwrap()
                .cut
        );
    }

    #[test]
    fn only_web_and_document_addresses_are_kept() {
        assert_eq!(
            read(json!({"id": 1, "url": "javascript:alert(1)"})).url,
            None
        );
        assert_eq!(
            read(json!({"id": 1, "url": "https://example.org/1"}))
                .url
                .as_deref(),
            Some("https://example.org/1")
        );
        assert_eq!(
            read(json!({"id": 1, "name": "x"})).url.as_deref(),
            Some("doc://1")
        );
    }
}

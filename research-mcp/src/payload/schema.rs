//! Reads JSON schemas: the properties of an object, through references and alternatives.

use serde_json::Value;

/// The properties of an object's schema, those of all its alternatives together.
pub(crate) fn properties<'a>(root: &'a Value, schema: &'a Value) -> Vec<(&'a String, &'a Value)> {
    let objects = alternatives(root, schema).into_iter().filter_map(|schema| schema.get("properties")?.as_object());
    objects.flatten().collect()
}

/// The schema, what it refers to within the same document, and the branches of `anyOf`, `oneOf` and `allOf`.
pub(crate) fn alternatives<'a>(root: &'a Value, schema: &'a Value) -> Vec<&'a Value> {
    let mut found = vec![schema];
    let mut at = 0;
    // Each part of the document is taken once, so that a schema that refers to itself comes to an end.
    while let Some(schema) = found.get(at).copied() {
        let target = schema.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix('#'));
        let branches =
            ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|name| schema.get(name)?.as_array()).flatten();
        for next in target.and_then(|pointer| root.pointer(pointer)).into_iter().chain(branches) {
            if !found.iter().any(|known| std::ptr::eq(*known, next)) {
                found.push(next);
            }
        }
        at += 1;
    }
    found
}

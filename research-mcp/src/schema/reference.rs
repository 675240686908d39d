//! Finds what the references of a schema refer to, within the schema.

use std::collections::HashMap;

use serde_json::{Map, Value};

/// Keywords that refer to another schema.
const KEYWORDS: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// The places in one schema that others refer to.
pub(super) struct References<'a> {
    root: &'a Value,
    anchors: HashMap<&'a str, &'a Value>,
}

impl<'a> References<'a> {
    /// Reads the anchors of a schema.
    ///
    /// # Errors
    ///
    /// When a part of the schema has an identifier of its own, because references then mean something else there.
    pub(super) fn read(root: &'a Value) -> Result<Self, String> {
        // Only the oldest dialect has the third one, and a result may well have it as a field.
        let is_oldest = root.get("$schema").and_then(Value::as_str).is_some_and(|dialect| dialect.contains("draft-04"));
        let identifiers: &[&str] = if is_oldest { &["$id", "$schema", "id"] } else { &["$id", "$schema"] };

        let mut anchors = HashMap::new();
        let mut open = vec![root];
        while let Some(value) = open.pop() {
            match value {
                Value::Array(items) => open.extend(items),
                Value::Object(members) => {
                    let is_part = !std::ptr::eq(value, root);
                    if is_part && identifiers.iter().any(|key| members.get(*key).is_some_and(Value::is_string)) {
                        return Err("a part of it has an identifier or a dialect of its own".to_owned());
                    }
                    for key in ["$anchor", "$dynamicAnchor"] {
                        if let Some(Value::String(name)) = members.get(key) {
                            anchors.insert(name.as_str(), value);
                        }
                    }
                    open.extend(members.values());
                }
                _ => {}
            }
        }

        Ok(Self { root, anchors })
    }

    /// Returns the schemas that a schema refers to itself, without its parts.
    ///
    /// # Errors
    ///
    /// When a reference leads nowhere, or out of the schema.
    pub(super) fn of(&self, schema: &'a Map<String, Value>) -> Result<Vec<&'a Value>, String> {
        let references = KEYWORDS.iter().filter_map(|keyword| schema.get(*keyword)?.as_str());
        references
            .map(|reference| {
                self.find(reference).ok_or_else(|| format!("it refers to {reference:?}, which is not in it"))
            })
            .collect()
    }

    fn find(&self, reference: &str) -> Option<&'a Value> {
        let fragment = reference.strip_prefix('#')?;
        if fragment.is_empty() {
            return Some(self.root);
        }

        let fragment = decoded(fragment)?;
        match fragment.starts_with('/') {
            true => self.root.pointer(&fragment),
            false => self.anchors.get(fragment.as_str()).copied(),
        }
    }
}

/// Decodes the percent signs of a fragment.
fn decoded(fragment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let (high, low) = (digit(rest.next())?, digit(rest.next())?);
        bytes.push(high * 16 + low);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn references_are_found_within_the_schema_only() {
        let schema = json!({"$defs": {"a b/c": {"type": "string"}, "d": {"$anchor": "here", "type": "null"}}});
        let references = References::read(&schema).unwrap();
        let find = |reference: &str| references.find(reference);

        assert_eq!(find("#"), Some(&schema));
        assert_eq!(find("#/$defs/a%20b~1c"), Some(&json!({"type": "string"})));
        assert_eq!(find("#here").unwrap()["type"], "null");
        for nowhere in ["#there", "#/$defs/x", "#/%zz", "other.json", "http://127.0.0.1/a#"] {
            assert_eq!(find(nowhere), None, "{nowhere}");
        }
    }
}

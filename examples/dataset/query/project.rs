//! Leaves in a document only the members that were asked for.

use std::collections::HashSet;

use serde_json::Value;

use super::super::data::Object;

/// Members that documents keep.
#[derive(Clone, Debug)]
pub(super) struct Members {
    /// Names, dotted for nested ones.
    names: HashSet<String>,
    /// What the names of objects around them begin with.
    around: HashSet<String>,
}

impl Members {
    /// Creates the members of these names, beside the id.
    pub(super) fn new(names: Vec<String>, id: &str) -> Self {
        let names: HashSet<String> = names.into_iter().chain([id.to_owned()]).collect();
        let dots =
            |name: &String| -> Vec<String> { name.match_indices('.').map(|(at, _)| name[..at].to_owned()).collect() };
        let around = names.iter().flat_map(dots).collect();
        Self { names, around }
    }

    /// Returns the document with these members only.
    pub(super) fn of(&self, document: Object) -> Object {
        document.into_iter().filter_map(|(name, value)| Some((name.clone(), self.kept(&name, value)?))).collect()
    }

    fn kept(&self, name: &str, value: Value) -> Option<Value> {
        if self.names.contains(name) {
            return Some(value);
        }
        if !self.around.contains(name) {
            return None;
        }
        match value {
            Value::Object(members) => {
                let kept: Object = members
                    .into_iter()
                    .filter_map(|(inner, value)| {
                        let value = self.kept(&format!("{name}.{inner}"), value)?;
                        Some((inner, value))
                    })
                    .collect();
                Some(Value::Object(kept))
            }
            Value::Array(items) => Some(items.into_iter().filter_map(|item| self.kept(name, item)).collect()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nested_members_keep_their_place() {
        let document = json!({"id": 1, "a": {"b": 2, "c": 3}, "list": [{"x": 1, "y": 2}, {"y": 3}], "z": 4});
        let members = Members::new(vec!["a.b".to_owned(), "list.x".to_owned(), "none".to_owned()], "id");
        let kept = members.of(document.as_object().unwrap().clone());
        assert_eq!(Value::Object(kept), json!({"id": 1, "a": {"b": 2}, "list": [{"x": 1}, {}]}));
    }
}

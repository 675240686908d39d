//! Reads and sets an argument by its name, or by a JSON pointer when it stands inside another one.

use serde_json::Value;

use crate::tool::Object;

/// The argument of this name; a name that begins with `/` is a JSON pointer.
pub(crate) fn get<'a>(arguments: &'a Object, name: &str) -> Option<&'a Value> {
    let Some(path) = name.strip_prefix('/') else { return arguments.get(name) };
    let (head, tail) = path.split_once('/').map_or((path, None), |(head, tail)| (head, Some(tail)));
    let value = arguments.get(head)?;
    match tail {
        Some(tail) => value.pointer(&format!("/{tail}")),
        None => Some(value),
    }
}

/// Sets the argument of this name. The objects that a pointer leads through are made where they are missing; anything else in
/// their place is replaced.
pub(crate) fn set(arguments: &mut Object, name: &str, value: Value) {
    match name.strip_prefix('/').map(|path| path.split_once('/').unwrap_or((path, ""))) {
        None => {
            arguments.insert(name.to_owned(), value);
        }
        Some((last, "")) => {
            arguments.insert(last.to_owned(), value);
        }
        Some((head, tail)) => {
            let inner = arguments.entry(head).or_insert(Value::Null);
            if !inner.is_object() {
                *inner = Value::Object(Object::new());
            }
            if let Some(inner) = inner.as_object_mut() {
                set(inner, &format!("/{tail}"), value);
            }
        }
    }
}

/// Takes away the argument of this name, and gives what it held.
pub(crate) fn remove(arguments: &mut Object, name: &str) -> Option<Value> {
    let Some(path) = name.strip_prefix('/') else { return arguments.remove(name) };
    match path.split_once('/') {
        None => arguments.remove(path),
        Some((head, tail)) => remove(arguments.get_mut(head)?.as_object_mut()?, &format!("/{tail}")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_and_pointers_reach_the_same_objects() {
        let mut arguments = json!({"q": 1}).as_object().unwrap().clone();
        set(&mut arguments, "page", 2.into());
        set(&mut arguments, "/params/paging/cursor", "c".into());
        set(&mut arguments, "/params/limit", 5.into());
        assert_eq!(
            Value::Object(arguments.clone()),
            json!({"q": 1, "page": 2, "params": {"paging": {"cursor": "c"}, "limit": 5}})
        );
        assert_eq!(get(&arguments, "/params/paging/cursor"), Some(&json!("c")));
        assert_eq!(get(&arguments, "page"), Some(&json!(2)));
        assert_eq!(get(&arguments, "/page"), Some(&json!(2)));
        assert_eq!(get(&arguments, "/nowhere/x"), None);
        assert_eq!(remove(&mut arguments, "/params/paging/cursor"), Some(json!("c")));
        assert_eq!(remove(&mut arguments, "page"), Some(json!(2)));
        assert_eq!(remove(&mut arguments, "/q/x"), None);
        assert_eq!(Value::Object(arguments), json!({"q": 1, "params": {"paging": {}, "limit": 5}}));
    }
}

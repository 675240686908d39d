//! Variables of the environment in the values of a configuration.

/// Replaces `${NAME}`, `${NAME:-default}` and `${env:NAME}` by the variables of an environment. A `$` that begins none of
/// these stands for itself.
pub(super) fn expand(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        expanded.push_str(&rest[..start]);
        let inside = &rest[start + 2..];
        let end = inside.find('}').ok_or_else(|| "a `${` has no `}`".to_owned())?;
        let reference = inside[..end].strip_prefix("env:").unwrap_or(&inside[..end]);
        let (name, default) = match reference.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (reference, None),
        };
        if let Some((kind, _)) = name.split_once(':') {
            return Err(format!("`${{{kind}:…}}` is not supported; use a variable of the environment"));
        }
        // As in a shell, the default also stands for a variable that is empty.
        let value = variable(name).filter(|value| default.is_none() || !value.is_empty());
        match value.as_deref().or(default) {
            Some(value) => expanded.push_str(value),
            None => return Err(format!("the variable `{name}` is not set; set it or write `${{{name}:-default}}`")),
        }
        rest = &inside[end + 1..];
    }
    expanded.push_str(rest);
    Ok(expanded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_replaced_and_missing_ones_are_named() {
        let variable = |name: &str| match name {
            "HOME" => Some("/home/a".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        };
        for (text, expected) in [
            ("plain $5 $HOME", Ok("plain $5 $HOME")),
            ("${HOME}/x/${env:HOME}", Ok("/home/a/x//home/a")),
            ("${GONE:-d}", Ok("d")),
            ("${GONE:-}", Ok("")),
            ("[${EMPTY}]", Ok("[]")),
            ("${EMPTY:-d}", Ok("d")),
            ("${GONE}", Err("`GONE` is not set")),
            ("${input:key}", Err("not supported")),
            ("${HOME", Err("has no `}`")),
        ] {
            match (expand(text, &variable), expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{text}"),
                (Err(found), Err(expected)) => assert!(found.contains(expected), "{text}: {found}"),
                (found, _) => panic!("{text}: {found:?}"),
            }
        }
    }
}

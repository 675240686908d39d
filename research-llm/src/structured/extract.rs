//! Finds a JSON value in an answer: as a whole, in a fence, or between words, with surplus commas removed.

use std::borrow::Cow;

use serde::de::DeserializeOwned;

/// Reads the first part of a text that is a value of the type, or says what is wrong with the most promising part.
pub(super) fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let mut first_problem = None;
    for candidate in candidates(text) {
        match parse(&candidate) {
            Ok(value) => return Ok(value),
            Err(problem) => {
                first_problem.get_or_insert(problem);
            }
        }
    }
    Err(first_problem.unwrap_or_else(|| "it holds no JSON value".to_owned()))
}

/// The parts worth a try, the most promising first.
fn candidates(text: &str) -> Vec<Cow<'_, str>> {
    let whole = text.trim();
    let mut parts: Vec<&str> = Vec::new();
    if starts_like_json(whole) {
        parts.push(whole);
    }
    parts.extend(fenced(whole));
    parts.extend(balanced(whole));
    if parts.is_empty() && !whole.is_empty() {
        parts.push(whole);
    }
    let mut all: Vec<Cow<'_, str>> = Vec::new();
    for part in parts {
        for version in [Some(Cow::Borrowed(part)), without_surplus_commas(part).map(Cow::Owned)].into_iter().flatten() {
            if !all.contains(&version) {
                all.push(version);
            }
        }
    }
    all
}

fn starts_like_json(text: &str) -> bool {
    text.starts_with(['{', '[', '"'])
}

/// The insides of Markdown code fences.
fn fenced(text: &str) -> impl Iterator<Item = &str> {
    text.split("```").skip(1).step_by(2).map(|block| {
        let inside = block.split_once('\n').map_or(block, |(language, rest)| {
            // The first line of a block is its language, unless the JSON begins there.
            if starts_like_json(language.trim_start()) { block } else { rest }
        });
        inside.trim()
    })
}

/// Objects and arrays between words, from their first bracket to the one that closes it.
fn balanced(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(offset) = text[from..].find(['{', '[']) {
        let start = from + offset;
        match closing(&text[start..]) {
            Some(length) => {
                found.push(&text[start..start + length]);
                from = start + length;
            }
            None => from = start + 1,
        }
    }
    found
}

/// Length of the bracketed value that a text starts with.
fn closing(text: &str) -> Option<usize> {
    let mut open = Vec::new();
    for (index, byte) in outside_strings(text) {
        match byte {
            b'{' => open.push(b'}'),
            b'[' => open.push(b']'),
            b'}' | b']' => {
                if open.pop() != Some(byte) {
                    return None;
                }
                if open.is_empty() {
                    return Some(index + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// The bytes that are not inside a JSON string, with their places.
fn outside_strings(text: &str) -> impl Iterator<Item = (usize, u8)> {
    let (mut inside, mut escaped) = (false, false);
    text.bytes().enumerate().filter(move |&(_, byte)| {
        let was_inside = inside;
        if escaped {
            escaped = false;
        } else if inside && byte == b'\\' {
            escaped = true;
        } else if byte == b'"' {
            inside = !inside;
        }
        !was_inside && !inside
    })
}

/// The text without commas before a closing bracket; `None` if there are none.
fn without_surplus_commas(text: &str) -> Option<String> {
    let mut surplus = Vec::new();
    let mut comma = None;
    for (index, byte) in outside_strings(text) {
        match byte {
            b',' => comma = Some(index),
            b'}' | b']' => surplus.extend(comma.take()),
            byte if byte.is_ascii_whitespace() => {}
            _ => comma = None,
        }
    }
    // A string between the comma and the bracket is no surplus comma: its bytes were skipped above.
    surplus.retain(|&index| text[index + 1..].trim_start().starts_with(['}', ']']));
    if surplus.is_empty() {
        return None;
    }
    let mut cleaned = String::with_capacity(text.len());
    let mut from = 0;
    for index in surplus {
        cleaned.push_str(&text[from..index]);
        from = index + 1;
    }
    cleaned.push_str(&text[from..]);
    Some(cleaned)
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        let inner = error.into_inner();
        if path == "." { inner.to_string() } else { format!("at `{path}`: {inner}") }
    })?;
    reader.end().map_err(|error| error.to_string())?;
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn json_is_found_in_all_the_usual_wrappings() {
        let want = json!({"a": [1, 2], "b": "x, ] } y"});
        for text in [
            r#"{"a": [1, 2], "b": "x, ] } y"}"#,
            "\n  {\"a\": [1, 2], \"b\": \"x, ] } y\"}\n",
            "```json\n{\"a\": [1, 2], \"b\": \"x, ] } y\"}\n```",
            "```\n{\"a\": [1, 2], \"b\": \"x, ] } y\"}\n```",
            "```{\"a\": [1, 2], \"b\": \"x, ] } y\"}```",
            "Sure! Here it is: {\"a\": [1, 2], \"b\": \"x, ] } y\"} Enjoy {it}.",
            "{\"a\": [1, 2,], \"b\": \"x, ] } y\",}",
            "```json\n{\"a\": [1, 2 , ],\n \"b\": \"x, ] } y\",\n}\n``` bye",
        ] {
            assert_eq!(read::<Value>(text), Ok(want.clone()), "{text}");
        }
    }

    #[test]
    fn the_part_that_fits_the_type_wins() {
        assert_eq!(read::<Vec<u8>>("Of {\"x\": 1} I take [4, 5]."), Ok(vec![4, 5]));
        assert_eq!(read::<Option<u8>>("null"), Ok(None));
    }

    #[test]
    fn problems_name_the_place() {
        let problem = read::<Vec<(u8, bool)>>("[[1, true], [2, 3]]").unwrap_err();
        assert!(problem.contains("[1][1]"), "{problem}");
        assert!(read::<Vec<u8>>("").unwrap_err().contains("no JSON"));
        assert!(read::<Vec<u8>>("none of it").is_err());
        assert!(read::<Vec<u8>>("[1, 2").unwrap_err().contains("EOF"));
    }

    #[test]
    fn strings_are_never_changed() {
        let text = r#"["a,]", "b\",}", "c",]"#;
        assert_eq!(read::<Vec<String>>(text), Ok(vec!["a,]".into(), "b\",}".into(), "c".into()]));
    }
}

//! Patterns of addresses: RFC 6570, level 1 (`{name}`).

use std::collections::BTreeMap;

/// A pattern of literal text and variables by turns.
#[derive(Clone, Debug)]
pub(super) struct Template {
    pub(super) text: String,
    parts: Vec<Part>,
}

#[derive(Clone, Debug)]
enum Part {
    Literal(String),
    Variable(String),
}

impl Template {
    /// Reads a pattern, or says what is wrong with it.
    pub(super) fn parse(text: String) -> Result<Self, String> {
        let wrong = |reason: &str| Err(format!("the resource template `{text}` cannot be used: {reason}"));
        let mut parts = Vec::new();
        let mut rest = text.as_str();
        while let Some(start) = rest.find('{') {
            let Some(length) = rest[start..].find('}') else {
                return wrong("a `{` is not closed");
            };
            let name = &rest[start + 1..start + length];
            if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
                return wrong("a variable is letters, digits and `_` in braces");
            }
            if start > 0 {
                parts.push(Part::Literal(rest[..start].to_owned()));
            } else if matches!(parts.last(), Some(Part::Variable(_))) {
                return wrong("two variables follow each other without text between them");
            }
            parts.push(Part::Variable(name.to_owned()));
            rest = &rest[start + length + 1..];
        }
        if !rest.is_empty() {
            parts.push(Part::Literal(rest.to_owned()));
        }
        if !parts.iter().any(|part| matches!(part, Part::Variable(_))) {
            return wrong("it has no variable; offer a resource instead");
        }
        Ok(Self { text, parts })
    }

    /// The values of the variables, percent-decoded, when the address fits. A variable takes as little as fits.
    pub(super) fn fit(&self, uri: &str) -> Option<BTreeMap<String, String>> {
        let mut variables = BTreeMap::new();
        let mut rest = uri;
        let mut parts = self.parts.iter().peekable();
        while let Some(part) = parts.next() {
            match part {
                Part::Literal(text) => rest = rest.strip_prefix(text.as_str())?,
                Part::Variable(name) => {
                    let length = match parts.peek() {
                        Some(Part::Literal(next)) if is_last(&self.parts, next) => {
                            rest.len().checked_sub(next.len()).filter(|_| rest.ends_with(next.as_str()))?
                        }
                        Some(Part::Literal(next)) => rest.find(next.as_str())?,
                        _ => rest.len(),
                    };
                    let value = rest.get(..length).filter(|value| !value.is_empty() && !value.contains('/'))?;
                    variables.insert(name.clone(), decoded(value)?);
                    rest = &rest[length..];
                }
            }
        }
        rest.is_empty().then_some(variables)
    }
}

fn is_last(parts: &[Part], literal: &String) -> bool {
    matches!(parts.last(), Some(Part::Literal(last)) if std::ptr::eq(last, literal))
}

fn decoded(value: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let [first, tail @ ..] = rest {
        match (first, tail) {
            (b'%', [high, low, tail @ ..]) => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                bytes.push(u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()?);
                rest = tail;
            }
            (b'%', _) => return None,
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(template: &str, uri: &str) -> Option<Vec<String>> {
        Some(Template::parse(template.to_owned()).unwrap().fit(uri)?.into_values().collect())
    }

    #[test]
    fn variables_are_read_from_addresses_that_fit() {
        for (template, uri, expected) in [
            ("test://t/{id}/data", "test://t/7/data", Some(vec!["7"])),
            ("test://t/{id}/data", "test://t/7/8/data", None),
            ("test://t/{id}/data", "test://t//data", None),
            ("test://t/{id}/data", "test://t/7/data/more", None),
            ("r://{a}/{b}.md", "r://x/y.md.md", Some(vec!["x", "y.md"])),
            ("r://{a}", "r://%C3%A4%2e%2E", Some(vec!["ä.."])),
            ("r://{a}", "r://%zz", None),
            ("r://{a}", "r://%4", None),
            ("r://{a}", "other://x", None),
        ] {
            let expected = expected.map(|values| values.into_iter().map(str::to_owned).collect::<Vec<_>>());
            assert_eq!(fit(template, uri), expected, "{template} {uri}");
        }
    }

    #[test]
    fn patterns_beyond_level_one_are_refused() {
        for template in ["r://{a", "r://{}", "r://{+a}", "r://{a}{b}", "r://a"] {
            assert!(Template::parse(template.to_owned()).is_err(), "{template}");
        }
    }
}

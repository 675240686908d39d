//! Text in markup: escaping and anchors.

/// Returns the text with the five special characters of HTML and XML escaped.
pub(crate) fn escape_markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

/// Returns an id as a part of an anchor. Different ids have different anchors.
pub(crate) fn anchor(id: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || ".:-".contains(character);
    id.chars()
        .map(|c| {
            if plain(c) {
                c.to_string()
            } else {
                format!("_{:x}_", u32::from(c))
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_differ_as_ids_do() {
        assert_eq!(anchor("events:doc-1f"), "events:doc-1f");
        assert_ne!(anchor("a b"), anchor("a_20_b"));
        assert!(!anchor("\"> <").contains(['"', '>', ' ', '<']));
    }
}

//! Mends what models write around JSON values and never inside of them: surplus commas, comments, bare control characters.
//!
//! None of it can mean anything else in JSON, so nothing is guessed. Single or curly quotes and missing brackets can, and
//! stay for the model to correct.

use std::fmt::Write as _;

/// The text with the mendable mended; `None` if there is nothing to mend.
pub(super) fn repaired(text: &str) -> Option<String> {
    let mut mended = String::with_capacity(text.len());
    // Where a comma stands in the mended text with nothing but space after it.
    let mut comma = None;
    let mut changed = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                comma = None;
                mended.push(c);
                changed |= string(&mut chars, &mut mended);
                continue;
            }
            '/' if chars.peek() == Some(&'/') => {
                changed = true;
                while chars.peek().is_some_and(|&next| next != '\n') {
                    chars.next();
                }
                continue;
            }
            '/' if chars.peek() == Some(&'*') => {
                changed = true;
                chars.next();
                let mut last = ' ';
                for next in chars.by_ref() {
                    if last == '*' && next == '/' {
                        break;
                    }
                    last = next;
                }
                continue;
            }
            ',' => comma = Some(mended.len()),
            '}' | ']' => {
                if let Some(at) = comma.take() {
                    mended.remove(at);
                    changed = true;
                }
            }
            c if c.is_ascii_whitespace() => {}
            _ => comma = None,
        }
        mended.push(c);
    }
    changed.then_some(mended)
}

/// Copies a string after its opening quote and escapes bare control characters; `true` if there were any.
fn string(chars: &mut impl Iterator<Item = char>, mended: &mut String) -> bool {
    let mut changed = false;
    let mut escaped = false;
    for c in chars {
        if !c.is_ascii_control() || c == '\u{7f}' {
            mended.push(c);
        } else {
            changed = true;
            // Writing to a string cannot fail.
            let _ = match c {
                '\n' => mended.write_str("\\n"),
                '\r' => mended.write_str("\\r"),
                '\t' => mended.write_str("\\t"),
                c => write!(mended, "\\u{:04x}", c as u32),
            };
        }
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => break,
            _ => {}
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn only_what_is_outside_of_values_changes() {
        let text =
            "{\"a\": \"x, ] // no\", // yes, \"quoted\"\n \"b\": [1, 2,], /* and } this */ \"c\": \"two\nlines\",\n}";
        let value: Value = serde_json::from_str(&repaired(text).unwrap()).unwrap();
        assert_eq!(value, json!({"a": "x, ] // no", "b": [1, 2], "c": "two\nlines"}));
    }

    #[test]
    fn sound_json_is_left_alone() {
        for text in [r#"{"a": [1, 2], "u": "https://x.y/z", "q": "\"}\\"}"#, "[]", "\"\\n\"", "7"] {
            assert_eq!(repaired(text), None, "{text}");
        }
    }
}

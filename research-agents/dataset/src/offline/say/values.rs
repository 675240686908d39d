//! Sentences with the claims that carry them, and the wording of values.

use research_agents_report::claim::{Claim, Statement};
use research_agents_report::evidence::plain;
use serde_json::Value;

use crate::question::lexicon;

/// Creates a sentence with the claims that carry it.
pub(crate) fn statement(text: String, claims: Vec<Claim>) -> Statement {
    Statement { text, claims }
}

/// Returns a value in prose, in quotation marks if it could be taken for words or signs of the
/// sentence.
pub(crate) fn spoken(value: &Value) -> String {
    let text = plain(value);
    if value.is_string() && blends_in(&text) {
        format!("“{text}”")
    } else {
        text
    }
}

/// Returns whether a reader could not see where a value ends in a sentence: *None* and *other*, a
/// single point, a sentence, an enumeration. A value that has quotation marks stays as it is.
fn blends_in(text: &str) -> bool {
    if text.is_empty() || text.contains(['“', '”', '„', '«', '»', '"', '`']) {
        return false;
    }
    let is_word = text.len() > 1 && lexicon::is_weak_value(&text.to_lowercase());
    let goes_on = text.ends_with(['.', '!', '?'])
        || [", ", "; ", ": "].iter().any(|sign| text.contains(sign));
    is_word || goes_on || !text.contains(char::is_alphanumeric)
}

/// Returns whether a value represents an empty cell.
pub(crate) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_that_blend_into_the_sentence_stand_in_quotation_marks() {
        let spoken = |text: &str| spoken(&json!(text));

        for text in [
            "None",
            "other",
            ".",
            "-",
            "Small ship, old",
            "It broke.",
            "yes",
        ] {
            assert_eq!(spoken(text), format!("“{text}”"));
        }

        for text in [
            "Unknown bird - small",
            "B-737",
            "St. Louis",
            "He said “no”.",
            "1990",
            "東京",
        ] {
            assert_eq!(spoken(text), text);
        }

        assert_eq!(super::spoken(&json!(true)), "true");
        assert_eq!(super::spoken(&json!(["None", "."])), "None / .");
    }
}

//! The reasons for citing a source: its values in the fields that the claims of the report count.

use serde_json::Value;

use crate::claim::{Basis, Claim};
use crate::document::model::Sentence;
use crate::evidence::source::Source;
use crate::evidence::value::{plain, same_value};

/// Maximum number of characters of a value that an entry shows.
const VALUE: usize = 120;
/// Maximum number of characters of a snippet next to the values for which a source is cited.
pub(crate) const SHORT_SNIPPET: usize = 160;

/// Returns `field: value` for each field of a source that supports a claim of the sentences that
/// cite it: each once, in reading order, with the value of the record.
pub(crate) fn fields(source: &Source, sentences: &[&Sentence]) -> Vec<String> {
    let citing = sentences
        .iter()
        .filter(|sentence| sentence.sources.contains(&source.id));
    let mut found: Vec<String> = Vec::new();

    for field in citing
        .flat_map(|sentence| &sentence.claims)
        .flat_map(|claim| of_claim(source, claim))
    {
        let text = format!(
            "{}: {}",
            spelled(source, field),
            shortened(&own_value(source, field), VALUE)
        );
        if !found.contains(&text) {
            found.push(text);
        }
    }

    found
}

/// Returns the fields of a source that support a claim. Empty for a claim about other records,
/// about an aggregation, or with a quote.
fn of_claim<'c>(source: &Source, claim: &'c Claim) -> Vec<&'c str> {
    let is_number = |field: &str| source.field(field).is_some_and(Value::is_number);

    match claim {
        Claim::Count {
            over: Basis::Records,
            field,
            value,
            ..
        } => held(source, field, value),
        Claim::Statistic {
            field,
            source: Some(id),
            ..
        } if *id == source.id => vec![field.as_str()],
        Claim::Statistic {
            field,
            source: None,
            ..
        } if is_number(field) => vec![field.as_str()],
        Claim::GroupStatistic {
            field, by, value, ..
        } => {
            let mut fields = held(source, by, value);
            if !fields.is_empty() && is_number(field) {
                fields.push(field);
            }
            fields
        }
        Claim::Field {
            source: id, field, ..
        }
        | Claim::Ranked {
            source: id, field, ..
        } if *id == source.id => vec![field.as_str()],
        _ => Vec::new(),
    }
}

/// Returns the fields of a grouping if the source has this value. A list contains one value for
/// each of several fields joined by `,`, unless a field has that name.
fn held<'c>(source: &Source, field: &'c str, value: &Value) -> Vec<&'c str> {
    let has =
        |field: &str, value: &Value| same_value(source.field(field).unwrap_or(&Value::Null), value);
    match value {
        Value::Array(values) if source.field(field).is_none() => {
            let fields: Vec<&str> = field.split(',').map(str::trim).collect();
            let is_held = fields
                .iter()
                .zip(values)
                .all(|(field, value)| has(field, value));
            if is_held { fields } else { Vec::new() }
        }
        value if has(field, value) => vec![field],
        _ => Vec::new(),
    }
}

/// Returns the value of a source as people write it. An empty string is written as null.
fn own_value(source: &Source, field: &str) -> String {
    let own = source.field(field).unwrap_or(&Value::Null);
    plain(if same_value(own, &Value::Null) {
        &Value::Null
    } else {
        own
    })
}

/// Returns the name of a field in the spelling of the record.
fn spelled<'s>(source: &'s Source, field: &'s str) -> &'s str {
    let fields = source.fields.for_code();
    if fields.contains_key(field) {
        return field;
    }
    fields
        .keys()
        .find(|name| name.eq_ignore_ascii_case(field))
        .map_or(field, String::as_str)
}

/// Returns a string of at most `most` characters: the text, or its beginning up to the end of a
/// word with an ellipsis.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }

    let cut: String = text.chars().take(most.saturating_sub(1)).collect();
    let end = cut
        .rfind(' ')
        .filter(|end| *end > cut.len() / 2)
        .unwrap_or(cut.len());
    format!("{}…", cut[..end].trim_end())
}

/// Returns whether a string of the form `field: value; field: value` contains one of these parts.
pub(crate) fn shows(text: &str, part: &str) -> bool {
    text.match_indices(part).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + part.len()..]);
        (before.is_empty() || before.ends_with("; "))
            && (after.is_empty() || after.starts_with(';'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_part_of_a_text_counts_as_shown() {
        let text = "id: 7; Wildlife Size: Small; Remarks: size: Large; State: Ohio";
        for (part, shown) in [
            ("Wildlife Size: Small", true),
            ("State: Ohio", true),
            ("id: 7", true),
            ("Wildlife Size: S", false),
            ("Size: Small", false),
            ("size: Large", false),
        ] {
            assert_eq!(shows(text, part), shown, "{part}");
        }
    }

    #[test]
    fn long_texts_end_with_a_word() {
        assert_eq!(shortened("one two three", 13), "one two three");
        assert_eq!(shortened("one two three four", 13), "one two…");
        assert_eq!(shortened("ünübersehbar", 6), "ünübe…");
    }
}

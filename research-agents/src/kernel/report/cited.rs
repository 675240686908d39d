//! What a source is cited for: its own values in the fields that the claims of the report count.

use serde_json::Value;

use super::model::Sentence;
use crate::kernel::claim::{Basis, Claim};
use crate::kernel::evidence::{plain, same_value};
use crate::kernel::source::Source;

/// Characters of a value that an entry shows.
const VALUE: usize = 120;
/// Characters of the beginning of a record that stand beside what it is cited for.
pub(super) const BESIDE: usize = 160;

/// `field: value` for each field in which a claim of the sentences that cite this source rests on it: each once, in reading
/// order, with the value that the record has.
pub(super) fn fields(source: &Source, sentences: &[&Sentence]) -> Vec<String> {
    let citing = sentences.iter().filter(|sentence| sentence.sources.contains(&source.id));
    let mut found: Vec<String> = Vec::new();
    for field in citing.flat_map(|sentence| &sentence.claims).flat_map(|claim| of_claim(source, claim)) {
        let text = format!("{}: {}", spelled(source, field), shortened(&own_value(source, field), VALUE));
        if !found.contains(&text) {
            found.push(text);
        }
    }
    found
}

/// The fields in which a claim rests on a source; none for one that rests on other records, on an aggregation or on a quote.
fn of_claim<'c>(source: &Source, claim: &'c Claim) -> Vec<&'c str> {
    let is_number = |field: &str| source.field(field).is_some_and(Value::is_number);
    match claim {
        Claim::Count { over: Basis::Records, field, value, .. } => held(source, field, value),
        Claim::Statistic { field, source: Some(id), .. } if *id == source.id => vec![field.as_str()],
        Claim::Statistic { field, source: None, .. } if is_number(field) => vec![field.as_str()],
        Claim::GroupStatistic { field, by, value, .. } => {
            let mut fields = held(source, by, value);
            if !fields.is_empty() && is_number(field) {
                fields.push(field);
            }
            fields
        }
        Claim::Count { .. } | Claim::Total { .. } | Claim::Statistic { .. } | Claim::Quote { .. } => Vec::new(),
    }
}

/// The fields of a grouping when the source has this value in it. A list is one value for each of several fields joined by `,`,
/// unless a field has that name.
fn held<'c>(source: &Source, field: &'c str, value: &Value) -> Vec<&'c str> {
    let has = |field: &str, value: &Value| same_value(source.field(field).unwrap_or(&Value::Null), value);
    match value {
        Value::Array(values) if source.field(field).is_none() => {
            let fields: Vec<&str> = field.split(',').map(str::trim).collect();
            let is_held = fields.iter().zip(values).all(|(field, value)| has(field, value));
            if is_held { fields } else { Vec::new() }
        }
        value if has(field, value) => vec![field],
        _ => Vec::new(),
    }
}

/// The value as people write it; an empty cell as one.
fn own_value(source: &Source, field: &str) -> String {
    let own = source.field(field).unwrap_or(&Value::Null);
    plain(if same_value(own, &Value::Null) { &Value::Null } else { own })
}

/// The name of a field as the record spells it.
fn spelled<'s>(source: &'s Source, field: &'s str) -> &'s str {
    let fields = source.fields.for_code();
    if fields.contains_key(field) {
        return field;
    }
    fields.keys().find(|name| name.eq_ignore_ascii_case(field)).map_or(field, String::as_str)
}

/// At most so many characters, cut at the end of a word, with an ellipsis.
pub(super) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let cut: String = text.chars().take(most.saturating_sub(1)).collect();
    let end = cut.rfind(' ').filter(|end| *end > cut.len() / 2).unwrap_or(cut.len());
    format!("{}…", cut[..end].trim_end())
}

/// Whether a text of the form `field: value; field: value` shows one of them whole.
pub(super) fn shows(text: &str, part: &str) -> bool {
    text.match_indices(part).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + part.len()..]);
        (before.is_empty() || before.ends_with("; ")) && (after.is_empty() || after.starts_with(';'))
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

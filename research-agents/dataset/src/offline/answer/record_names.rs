//! What a record is called in a sentence.

use research_agents_report::claim::Claim;
use research_agents_report::text::words;
use serde_json::Value;

use crate::data::record::Bucket;
use crate::data::task::{FieldFacts, FieldKind, RankedRecord};
use crate::offline::answer::input::Input;
use crate::offline::answer::words::{label, value_words};

/// Words in the names of fields that identify a record, the best first.
const NAMES: [&str; 12] = [
    "name", "title", "model", "car", "country", "city", "place", "player", "company", "station",
    "label", "id",
];

/// A field of so few values tells kinds of records, if each is in as many records on average as
/// [`MANY`] says.
const KINDS: u64 = 10;
const MANY: u64 = 20;

/// Returns the claim that a record has a value in a field.
pub(crate) fn field_claim(record: &RankedRecord, field: &str, value: &Value) -> Claim {
    Claim::Field {
        source: record.id.clone(),
        field: field.to_owned(),
        value: value.clone(),
    }
}

/// Returns the full name of a person whose first and last names are two fields, with the claims.
pub(crate) fn called_in_full(record: &RankedRecord, field: &str) -> Option<(String, Vec<Claim>)> {
    /// First and last names in the names of fields, without signs between their words.
    const PAIRS: [(&str, &str); 10] = [
        ("namegiven", "namefamily"),
        ("namefirst", "namelast"),
        ("first", "last"),
        ("firstname", "lastname"),
        ("forename", "surname"),
        ("givenname", "familyname"),
        ("givenname", "surname"),
        ("firstname", "surname"),
        ("vorname", "nachname"),
        ("name1", "name2"),
    ];
    let plain = |name: &str| -> String {
        let letters = name.chars().filter(|c| c.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };

    let own = plain(field);
    let find = |wanted: &str| {
        let mut fields = record.fields.iter();
        fields.find(|(name, value)| plain(name) == wanted && value.is_string())
    };
    let (first, last) = PAIRS.iter().find_map(|(first, last)| {
        let is_one = own == *first || own == *last;
        find(first).zip(find(last)).filter(|_| is_one)
    })?;
    let parts = [first, last];
    let words = parts.map(|(name, value)| value_words(value, name));
    let claims = parts.map(|(name, value)| field_claim(record, name, value));
    Some((words.join(" "), claims.to_vec()))
}

/// Returns the record with its fields.
pub(crate) fn of_row<'t>(input: &Input<'t>, row: &Bucket) -> Option<&'t RankedRecord> {
    let id = row.source.as_deref()?;
    input.task.records.iter().find(|record| record.id == id)
}

/// Returns what a record is called, with the claims: by the fields that are asked for, else by a
/// field that is named like a name.
pub(crate) fn named(
    input: &Input<'_>,
    row: &Bucket,
    ranked_by: &str,
) -> Option<(String, Vec<Claim>)> {
    let record = of_row(input, row)?;
    let claim = |field: &str, value: &Value| field_claim(record, field, value);
    let mut parts = Vec::new();
    let mut claims = Vec::new();
    let wanted = input
        .meaning
        .wanted
        .iter()
        .filter(|field| *field != ranked_by);
    for field in wanted.take(2) {
        if let Some(value) = record.field(field).filter(|value| !value.is_null()) {
            let (part, own) = called_in_full(record, field)
                .unwrap_or_else(|| (value_words(value, field), vec![claim(field, value)]));
            if !parts.contains(&part) {
                parts.push(part);
                claims.extend(own);
            }
        }
    }

    if parts.is_empty()
        && let Some(field) = name_field(input, record, ranked_by)
        && let Some(value) = record.field(&field)
    {
        let (part, own) = called_in_full(record, &field)
            .unwrap_or_else(|| (value_words(value, &field), vec![claim(&field, value)]));
        parts.push(part);
        claims.extend(own);
    }
    if parts.is_empty() {
        // Nothing tells it from the others, but what it says of itself does to a reader.
        let texts = texts_of(input, record, ranked_by);
        let said: Vec<String> = texts
            .iter()
            .map(|(field, value)| format!("{} {}", label(field), value_words(value, field)))
            .collect();
        let said = match said.as_slice() {
            [] => String::new(),
            said => format!(" ({})", said.join(", ")),
        };
        claims.extend(texts.iter().map(|(field, value)| claim(field, value)));
        return Some((format!("the record {}{said}", record.id), claims));
    }
    let name = match parts.as_slice() {
        [name, more] => format!("{name} ({more})"),
        parts => parts.join(", "),
    };
    Some((name, claims))
}

/// Returns the first short texts of a record that differ among the records, but for those that the
/// question selects by.
fn texts_of<'t>(
    input: &Input<'t>,
    record: &'t RankedRecord,
    ranked_by: &str,
) -> Vec<(&'t str, &'t Value)> {
    /// Texts that tell a record from others.
    const TEXTS: usize = 2;
    /// The longest of them, in characters.
    const LONGEST: usize = 60;

    let tells = |field: &&'t FieldFacts| {
        let is_asked = input.meaning.filters.contains_key(&field.name) || field.name == ranked_by;
        let differs = field.distinct.is_none_or(|distinct| distinct > KINDS);
        field.kind == FieldKind::Text && differs && !is_asked
    };
    let value = |field: &'t FieldFacts| {
        let value = record.field(&field.name)?;
        let is_short = |text: &str| text.chars().count() <= LONGEST && !text.contains("://");
        let is_text = value.as_str().is_some_and(is_short);
        is_text.then_some((field.name.as_str(), value))
    };
    let fields = input.task.fields.iter().filter(tells);
    fields.filter_map(value).take(TEXTS).collect()
}

/// Returns the field by whose value the question names a record: the city of *zip code of
/// Positano*.
pub(crate) fn asked_by(input: &Input<'_>, record: &RankedRecord) -> Option<String> {
    let records = records_known(input);
    let names_it = |(field, condition): &(&String, &Value)| {
        let is_own = condition.is_string() && record.field(field) == Some(*condition);
        let distinct = input.facts(field).and_then(|facts| facts.distinct);
        is_own && distinct.is_some_and(|distinct| distinct * 2 >= records)
    };
    let mut fields = input.meaning.filters.iter().filter(names_it);
    fields.next().map(|(field, _)| field.clone())
}

/// Returns the number of records, as far as the fields tell it.
fn records_known(input: &Input<'_>) -> u64 {
    let known = input.task.fields.iter();
    known
        .filter_map(FieldFacts::known_records)
        .max()
        .unwrap_or_default()
}

/// Returns the field that tells a record from the others: one that is named like a name, else the
/// text with most distinct values.
pub(crate) fn name_field(
    input: &Input<'_>,
    record: &RankedRecord,
    ranked_by: &str,
) -> Option<String> {
    let has_value = |field: &&String| {
        let value = record.field(field);
        // A link does not name a record: reports print no links.
        let is_name = |text: &str| !text.contains("://");
        value.and_then(Value::as_str).is_some_and(is_name) && field.as_str() != ranked_by
    };
    let fields: Vec<&String> = record.fields.keys().filter(has_value).collect();
    // A few values of many records name none of them.
    let records = records_known(input);
    let is_kind = |field: &String| {
        let distinct = input.facts(field).and_then(|facts| facts.distinct);
        distinct.is_some_and(|distinct| distinct <= KINDS && distinct * MANY < records)
    };
    let by_name = NAMES.iter().find_map(|name| {
        fields.iter().filter(|field| !is_kind(field)).find(|field| {
            let spaced = field.replace('_', " ");
            let parts = words(&spaced);
            parts.iter().any(|word| word.lower == *name)
        })
    });
    let distinct = |field: &&&String| {
        let facts = input.facts(field);
        facts
            .filter(|facts| facts.kind == FieldKind::Text)
            .and_then(|facts| facts.distinct)
            .unwrap_or_default()
    };

    // A category does not tell records apart.
    let found = by_name.or_else(|| {
        fields
            .iter()
            .filter(|field| distinct(field) > 1 && distinct(field) * 2 >= records)
            .max_by_key(distinct)
    });
    found.map(|field| (*field).clone())
}

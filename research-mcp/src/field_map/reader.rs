//! Reads the documents of a query's results, page after page, each document once.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;

use super::map::FieldMap;
use super::path::{first_text, inner, text_at};
use super::{infer, locate};
use crate::document::{Document, Extraction, Skipped, begin, query_key};
use crate::envelope::DataResult;
use crate::payload::payload;
use crate::tool::Object;

/// Longest snippet in characters.
const SNIPPET: usize = 300;
/// Fewest fields of a record.
const FIELDS: usize = 2;

/// Reads the documents of one query of a tool. Made by [`FieldMapping::reader`](super::FieldMapping::reader).
///
/// Ids are remembered over all results it reads, so that a record which a server sends twice is read once. A record without an
/// id gets `anon-{query}-{position}`, see [`query_key`]; where the reading began at a cursor that the caller gave, the position
/// counts from there and the id names that place too. Such an id never stands for two records, but a record that was reached on
/// two ways may have two ids.
#[derive(Clone, Debug)]
pub struct DocumentReader {
    map: FieldMap,
    /// The map is a guess and still to be completed from the first page.
    complete: bool,
    /// The id's path was inferred from values, not known by name.
    guessed_id: bool,
    key: String,
    positions: [usize; 2],
    seen: HashMap<String, u64>,
}

impl DocumentReader {
    pub(super) fn new(map: FieldMap, complete: bool, tool: &str, arguments: &Object) -> Self {
        let begin = begin(arguments);
        let query = query_key(tool, arguments);
        Self {
            complete,
            map,
            guessed_id: false,
            key: begin.place.map_or_else(|| query.clone(), |place| format!("{query}-{place}")),
            positions: [begin.offset, 0],
            seen: HashMap::new(),
        }
    }

    /// The documents of one result, in any of the usual envelopes.
    pub fn read(&mut self, result: &Value) -> Extraction {
        self.read_payload(&payload(result))
    }

    /// Reads the documents of a result whose envelopes are opened only once.
    pub fn read_data(&mut self, result: &DataResult) -> Extraction {
        self.read_payload(result.payload())
    }

    fn read_payload(&mut self, payload: &Value) -> Extraction {
        let located = locate::records(payload);
        // What cannot become a document says nothing about the fields of those that can.
        let records = || located.records.iter().map(AsRef::as_ref).filter(|record| fields(record).is_ok());
        if self.complete && records().next().is_some() {
            self.complete = false;
            self.map = infer::complete(std::mem::take(&mut self.map), &records().collect::<Vec<_>>());
            let common = FieldMap::default().id;
            self.guessed_id = self.map.id.iter().any(|path| !common.contains(path));
        }
        let mut extraction = Extraction { samples: located.samples, ..Extraction::default() };
        for record in &located.records {
            self.positions[usize::from(located.samples)] += 1;
            match self.document(record, located.samples) {
                Err(skipped) => extraction.skipped.add(skipped),
                Ok(document) => match self.unseen(document) {
                    None => extraction.duplicates += 1,
                    Some(document) => extraction.documents.push(document),
                },
            }
        }
        extraction
    }

    /// Number of distinct documents read so far.
    pub fn seen(&self) -> usize {
        self.seen.len()
    }

    /// Remembers the document, or drops it when its id is known.
    ///
    /// Where the id's column was only guessed, another record with the same value proves the guess wrong; it is kept.
    fn unseen(&mut self, mut document: Document) -> Option<Document> {
        let content = hash(&document.fields);
        if self.guessed_id && self.seen.get(&document.id).is_some_and(|known| *known != content) {
            let position = self.positions[0] + self.positions[1];
            document.id = format!("{}~{position}", document.id);
        }
        if self.seen.contains_key(&document.id) {
            return None;
        }
        self.seen.insert(document.id.clone(), content);
        Some(document)
    }

    fn document(&self, record: &Value, sample: bool) -> Result<Document, Skipped> {
        let fields = fields(record)?;
        let own = first_text(record, &self.map.id);
        let anonymous = own.is_none();
        let id = own.unwrap_or_else(|| {
            let (kind, position) = if sample { ("s", self.positions[1]) } else { ("", self.positions[0]) };
            format!("anon-{}-{kind}{position}", self.key)
        });
        let address = |text: &String| text.contains(':') && !text.contains(char::is_whitespace);
        let url = self.map.url.iter().filter_map(|path| text_at(record, path)).find(address);
        Ok(Document {
            title: first_text(record, &self.map.title).unwrap_or_else(|| id.clone()),
            url: url.unwrap_or_else(|| format!("doc://{id}")),
            snippet: shorten(&first_text(record, &self.map.snippet).unwrap_or_else(|| joined(fields))),
            date: first_text(record, &self.map.date),
            content: first_text(record, &self.map.content),
            fields: fields.clone(),
            id,
            anonymous,
        })
    }
}

/// The fields of a record, or why it cannot become a document.
fn fields(record: &Value) -> Result<&Object, Skipped> {
    let outer = record.as_object().ok_or(Skipped { not_objects: 1, ..Skipped::default() })?;
    let fields = inner(record).unwrap_or(outer);
    if fields.len() < FIELDS && outer.len() < FIELDS {
        return Err(Skipped { too_small: 1, ..Skipped::default() });
    }
    Ok(fields)
}

/// The fields as `name: value; …`, without empty ones.
fn joined(fields: &Object) -> String {
    let mut text = String::new();
    for (name, value) in fields {
        let value = match value {
            Value::Null => continue,
            Value::String(value) if value.trim().is_empty() => continue,
            Value::String(value) => value.clone(),
            other => other.to_string(),
        };
        if !text.is_empty() {
            text.push_str("; ");
        }
        text.push_str(name);
        text.push_str(": ");
        text.push_str(&value);
        if text.len() > SNIPPET * 4 {
            break;
        }
    }
    text
}

/// At most [`SNIPPET`] characters on one line, cut at a word's end with an ellipsis.
fn shorten(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= SNIPPET {
        return text;
    }
    let cut: String = text.chars().take(SNIPPET - 1).collect();
    let end = cut.rfind(' ').filter(|end| *end > cut.len() / 2).unwrap_or(cut.len());
    format!("{}…", cut[..end].trim_end())
}

fn hash(fields: &Object) -> u64 {
    let mut hasher = DefaultHasher::new();
    Value::Object(fields.clone()).to_string().hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests;

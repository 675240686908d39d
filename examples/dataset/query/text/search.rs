//! Searches: the records whose texts say something.

use rusqlite::Connection;
use serde_json::{Value, json};

use super::super::super::data::Dataset;
use super::super::super::error::QueryError;
use super::super::super::field::FieldKind;
use super::super::super::store::{Sql, joined};
use super::super::super::words;
use super::super::arguments::{self, known_members, text_member};
use super::super::bucket::count;
use super::super::selection::{self, Selection};
use super::{expression, index};

/// Name of the argument, for errors.
const ARGUMENT: &str = "search";
/// How the words of a text must stand in a field.
pub(in super::super::super) const MATCHES: [&str; 3] = ["all", "phrase", "any"];
/// Words of one search.
const WORDS: usize = 30;

/// A text that records must say in one of their fields.
#[derive(Clone, Debug)]
pub(in super::super) struct Search {
    text: String,
    words: Vec<String>,
    /// Names of the fields; all text fields when there is none.
    fields: Vec<String>,
    matching: &'static str,
    exact: bool,
}

impl Search {
    /// Reads `{"text": …, "fields": …, "match": …, "exact": …}`.
    pub(in super::super) fn compile(dataset: &Dataset, given: &Value) -> Result<Self, QueryError> {
        let refuse = |reason: String| QueryError::argument(ARGUMENT, reason);
        let object = arguments::object(ARGUMENT, given)?;
        known_members(ARGUMENT, &object, &["text", "fields", "match", "exact"])?;
        let text = text_member(ARGUMENT, &object, "text")?.trim().to_owned();
        let mut words: Vec<String> = words::folded(&text).split(' ').map(str::to_owned).collect();
        if words[0].is_empty() {
            return Err(refuse("`text` needs at least one word".to_owned()));
        }
        if words.len() > WORDS {
            return Err(refuse(format!("`text` may have at most {WORDS} words")));
        }

        let matching = match object.get("match") {
            None | Some(Value::Null) => "all",
            Some(given) => *MATCHES
                .iter()
                .find(|known| given.as_str() == Some(**known))
                .ok_or_else(|| refuse(format!("`match` must be one of {}, not {given}", MATCHES.join(", "))))?,
        };
        if matching != "phrase" {
            words.sort_unstable();
            words.dedup();
        }
        let fields = match object.get("fields") {
            None | Some(Value::Null) => Vec::new(),
            Some(given) => arguments::names(dataset, ARGUMENT, given)?,
        };
        for name in &fields {
            let field = dataset.require(name, ARGUMENT)?;
            if field.kind != FieldKind::Text {
                return Err(refuse(format!("looks into text fields, and `{name}` is {}", field.kind.name())));
            }
        }
        if index::text_fields(dataset).next().is_none() {
            return Err(refuse("looks into text fields, and the data set has none".to_owned()));
        }
        let exact = object.get("exact").and_then(Value::as_bool).unwrap_or_default();
        Ok(Self { text, words, fields, matching, exact })
    }

    /// Puts the records that say it into the table `hits`, and restricts the selection to them.
    pub(in super::super) fn restrict(
        &self,
        dataset: &Dataset,
        connection: &Connection,
        selection: &mut Selection,
    ) -> Result<(), QueryError> {
        let spans = index::spans(dataset, connection)?;
        index::find(connection, &self.expression(connection)?)?;
        connection.execute("DELETE FROM hits", []).map_err(QueryError::store)?;
        for span in spans {
            let field = span.field;
            if !self.fields.is_empty() && !self.fields.contains(&field.name) {
                continue;
            }
            let within = span.within();
            let entries = format!("(SELECT value FROM entries JOIN found USING (id) WHERE {within})");
            let records = match (span.by_value, field.place.many) {
                (false, _) => format!("SELECT id - {} AS record FROM found WHERE {within}", span.before),
                (true, false) => {
                    let (column, table) = (field.column(), field.place.table);
                    format!("SELECT record FROM t{table} WHERE {column} IN {entries}")
                }
                (true, true) => format!("SELECT DISTINCT record FROM {} WHERE value IN {entries}", field.list()),
            };
            // Nothing was found in most fields, and to read over their records takes long.
            let sql = format!(
                "INSERT INTO hits SELECT {at}, record FROM ({records}) WHERE EXISTS (SELECT 1 FROM found WHERE {within})",
                at = field.place.at
            );
            connection.execute(&sql, []).map_err(QueryError::store)?;
        }

        let condition = std::mem::take(&mut selection.condition);
        selection.condition = joined(vec![condition, Sql::new("t0.record IN (SELECT record FROM hits)")], "AND");
        Ok(())
    }

    fn expression(&self, connection: &Connection) -> Result<String, QueryError> {
        let forms: Result<Vec<Vec<String>>, QueryError> = self
            .words
            .iter()
            .map(|word| if self.exact { Ok(vec![word.clone()]) } else { expression::forms(connection, word) })
            .collect();
        Ok(match self.matching {
            "phrase" => expression::phrase(&forms?),
            "any" => expression::words(&forms?, "OR"),
            _ => expression::words(&forms?, "AND"),
        })
    }

    /// Returns what was searched for, and how many of the matching records say it in which field.
    pub(in super::super) fn result(
        &self,
        dataset: &Dataset,
        connection: &Connection,
        selection: &Selection,
    ) -> Result<Value, QueryError> {
        let mut matching = Sql::new("SELECT field, COUNT(*) AS records FROM hits WHERE record IN (");
        matching = matching
            .sql(selection.select(&Sql::new("t0.record"), &[]))
            .text(") GROUP BY field ORDER BY records DESC, field");
        let mut hits = Vec::new();
        for row in selection::run(connection, &matching)? {
            let field = dataset.fields.get(usize::try_from(count(row.first())).unwrap_or(usize::MAX));
            hits.extend(field.map(|field| json!({ "field": field.name, "doc_count": count(row.get(1)) })));
        }

        let all = || index::text_fields(dataset).map(|field| field.name.clone()).collect();
        let fields: Vec<String> = if self.fields.is_empty() { all() } else { self.fields.clone() };
        Ok(json!({ "text": self.text, "match": self.matching, "fields": fields, "hits": hits }))
    }
}

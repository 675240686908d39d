//! Lookups: which values are called so, and which fields mention it, over all records.

use std::collections::HashMap;

use rusqlite::{Connection, params};
use serde_json::{Value, json};

use super::super::super::data::Dataset;
use super::super::super::error::QueryError;
use super::super::super::words;
use super::super::arguments::{self, known_members};
use super::index::Span;
use super::{expression, index, spelling};

/// Name of the argument, for errors.
const ARGUMENT: &str = "lookup";
/// Texts of one lookup.
pub(in super::super::super) const LOOKUPS: usize = 30;
/// Characters of a text that is looked up.
const LONGEST: usize = 200;
/// Candidates for one text.
const CANDIDATES: usize = 10;
/// Entries of a field whose values are read to find candidates; of a word that more entries have, only whole values are found surely.
const ENTRIES: i64 = 20_000;
/// Longest value in characters that is a candidate: longer ones are prose, which mentions things and is not called so.
const LONGEST_VALUE: usize = 100;
/// Letters of several words from which on two of them may be wrong.
const SHORTEST_JOINED: usize = 8;
/// Words behind a name that a question leaves out.
const SUFFIXES: [&str; 5] = ["jr", "sr", "ii", "iii", "iv"];
/// Letters from which on the beginning of a word stands for the word.
const PREFIX: usize = 3;

/// Texts to look up.
#[derive(Clone, Debug)]
pub(in super::super) struct Lookup {
    texts: Vec<String>,
}

/// A value that a text may mean.
struct Candidate {
    field: String,
    value: String,
    records: i64,
    kind: Kind,
    /// Words of the value beside those of the text.
    rest: usize,
}

/// How a value fits a text, the best first. `Case` stands for other forms and orders of the words too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Exact,
    Case,
    Words,
    Prefix,
    Spelling,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Case => "case",
            Self::Words => "words",
            Self::Prefix => "prefix",
            Self::Spelling => "spelling",
        }
    }
}

impl Lookup {
    /// Reads `{"texts": [ … ]}`.
    pub(in super::super) fn compile(given: &Value) -> Result<Self, QueryError> {
        let object = arguments::object(ARGUMENT, given)?;
        known_members(ARGUMENT, &object, &["texts"])?;
        let texts: Option<Vec<String>> = object
            .get("texts")
            .and_then(Value::as_array)
            .and_then(|texts| texts.iter().map(|text| text.as_str().map(|text| text.trim().to_owned())).collect());
        let Some(texts) = texts else {
            return Err(QueryError::argument(ARGUMENT, "needs `texts`, a list of texts"));
        };
        if texts.len() > LOOKUPS {
            return Err(QueryError::argument(ARGUMENT, format!("may have at most {LOOKUPS} texts")));
        }
        if let Some(long) = texts.iter().find(|text| text.chars().count() > LONGEST) {
            let begin: String = long.chars().take(40).collect();
            let reason =
                format!("the text {begin:?}… is longer than {LONGEST} characters; look up names and words of it");
            return Err(QueryError::argument(ARGUMENT, reason));
        }
        Ok(Self { texts })
    }

    /// Looks all texts up.
    pub(in super::super) fn answer(&self, dataset: &Dataset, connection: &Connection) -> Result<Value, QueryError> {
        let spans = index::spans(dataset, connection)?;
        let phrases: Vec<Vec<String>> = self.texts.iter().map(|text| split(text)).collect();
        let mut found = Vec::new();
        for (text, phrase) in self.texts.iter().zip(&phrases) {
            found.push(if phrase.is_empty() { Found::default() } else { whole(connection, &spans, text, phrase)? });
        }

        // Only what nothing is called is looked for as a beginning, and then in other spellings, which reads the vocabulary once.
        for (found, phrase) in found.iter_mut().zip(&phrases) {
            let last = phrase.last().map_or(0, |word| word.chars().count());
            if found.candidates.is_empty() && last >= PREFIX {
                let expression = format!("{}*", expression::quoted(&phrase.join(" ")));
                found.candidates = candidates(connection, &spans, &expression, |_| Kind::Prefix)?;
            }
        }
        let unknown: Vec<&Vec<String>> = found
            .iter()
            .zip(&phrases)
            .filter(|(found, _)| found.candidates.is_empty())
            .map(|(_, phrase)| phrase)
            .collect();
        let spellings = spelling::similar(connection, &unknown)?;
        for (found, phrase) in found.iter_mut().zip(&phrases).filter(|(found, _)| found.candidates.is_empty()) {
            let forms: Vec<Vec<String>> =
                phrase.iter().map(|word| spellings.get(word).cloned().unwrap_or_default()).collect();
            if !forms.is_empty() && forms.iter().all(|forms| !forms.is_empty()) {
                found.candidates = candidates(connection, &spans, &expression::phrase(&forms), |_| Kind::Spelling)?;
                if found.candidates.is_empty() && phrase.len() > 1 {
                    found.candidates = misspelt_in_another_order(connection, &spans, &forms)?;
                }
            }
            if found.candidates.is_empty() && phrase.len() > 1 {
                found.candidates = joined_alike(connection, &spans, phrase, &forms)?;
            }
        }

        let searched = json!({ "fields": spans.len(), "records": dataset.records });
        Ok(self.texts.iter().zip(found).map(|(text, found)| found.result(text, &searched)).collect())
    }
}

/// What was found for one text.
#[derive(Default)]
struct Found {
    candidates: Vec<Candidate>,
    mentions: Vec<(String, i64)>,
}

impl Found {
    fn result(mut self, text: &str, searched: &Value) -> Value {
        self.candidates.sort_by(|a, b| {
            (a.kind, a.rest).cmp(&(b.kind, b.rest)).then(b.records.cmp(&a.records)).then_with(|| a.value.cmp(&b.value))
        });
        self.candidates.truncate(CANDIDATES);
        self.mentions.sort_by_key(|(_, records)| std::cmp::Reverse(*records));
        let candidate = |candidate: &Candidate| {
            json!({
                "field": candidate.field,
                "value": candidate.value,
                "doc_count": candidate.records,
                "match": candidate.kind.name(),
            })
        };
        let mention = |(field, records): &(String, i64)| json!({ "field": field, "doc_count": records });
        json!({
            "text": text,
            "candidates": self.candidates.iter().map(candidate).collect::<Value>(),
            "mentions": self.mentions.iter().map(mention).collect::<Value>(),
            "searched": searched,
        })
    }
}

fn split(text: &str) -> Vec<String> {
    words::folded(text).split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Finds the values that are called so or contain it, and the fields that mention it.
fn whole(connection: &Connection, spans: &[Span<'_>], text: &str, phrase: &[String]) -> Result<Found, QueryError> {
    let plain = words::without_marks(&phrase.join(" "));
    let kind = |value: &str| {
        if value == text {
            Kind::Exact
        } else if words::without_marks(&words::folded(value)) == plain {
            Kind::Case
        } else {
            Kind::Words
        }
    };
    let expression = expression::quoted(&phrase.join(" "));
    let mut candidates = candidates(connection, spans, &expression, kind)?;

    let mut mentions = Vec::new();
    for span in spans {
        let records = span.records(connection)?;
        if records > 0 {
            mentions.push((span.field.name.clone(), records));
        }
    }
    if candidates.iter().all(|candidate| candidate.kind > Kind::Case) {
        candidates.extend(in_another_order(connection, spans, phrase)?);
        candidates.extend(in_another_form(connection, spans, phrase)?);
    }
    Ok(Found { candidates, mentions })
}

/// Finds the values with exactly these words, or other forms of them, in another order: *Hirst, Damien* for *Damien Hirst*. Initials and
/// the like may be left out, as of *KENNEDY, JOHN F.*
fn in_another_order(
    connection: &Connection,
    spans: &[Span<'_>],
    phrase: &[String],
) -> Result<Vec<Candidate>, QueryError> {
    if phrase.len() < 2 {
        return Ok(Vec::new());
    }
    let forms: Vec<Vec<String>> =
        phrase.iter().map(|word| expression::forms(connection, word)).collect::<Result<_, _>>()?;
    let has_all = |value: &str| {
        let words = split(&words::without_marks(value));
        let plain = |form: &String| words::without_marks(form);
        let is_said = |word: &String| forms.iter().flatten().any(|form| plain(form) == *word);
        let says = |forms: &Vec<String>| words.iter().any(|word| forms.iter().any(|form| plain(form) == *word));
        let mut rest = words.iter().filter(|word| !is_said(word));
        forms.iter().all(says) && rest.all(|word| word.chars().count() == 1 || SUFFIXES.contains(&word.as_str()))
    };
    let has_no_more = |value: &str| split(value).len() == forms.len();
    let mut found = candidates(connection, spans, &expression::words(&forms, "AND"), |value| {
        if has_no_more(value) { Kind::Case } else { Kind::Words }
    })?;
    found.retain(|candidate| has_all(&candidate.value));
    Ok(found)
}

/// Finds the values with exactly these words, each in one of its spellings, in another order.
fn misspelt_in_another_order(
    connection: &Connection,
    spans: &[Span<'_>],
    forms: &[Vec<String>],
) -> Result<Vec<Candidate>, QueryError> {
    let mut found = candidates(connection, spans, &expression::words(forms, "AND"), |_| Kind::Spelling)?;
    found.retain(|candidate| split(&candidate.value).len() == forms.len());
    Ok(found)
}

/// Finds the values with one of these words and nearly the same letters, however they are divided: *Destiny's Child* for *Destinys Child*.
fn joined_alike(
    connection: &Connection,
    spans: &[Span<'_>],
    phrase: &[String],
    forms: &[Vec<String>],
) -> Result<Vec<Candidate>, QueryError> {
    let known: Vec<Vec<String>> = forms.iter().filter(|forms| !forms.is_empty()).cloned().collect();
    let letters = phrase.concat();
    if known.is_empty() || letters.chars().count() < SHORTEST_JOINED {
        return Ok(Vec::new());
    }
    let mut found = candidates(connection, spans, &expression::words(&known, "OR"), |_| Kind::Spelling)?;
    found.retain(|candidate| {
        let own = split(&candidate.value).concat();
        strsim::osa_distance(&own, &letters) <= 2
    });
    Ok(found)
}

/// Finds the values whose words have the same stems as these, such as *Beagle* for *beagles*.
fn in_another_form(
    connection: &Connection,
    spans: &[Span<'_>],
    phrase: &[String],
) -> Result<Vec<Candidate>, QueryError> {
    let forms: Vec<Vec<String>> =
        phrase.iter().map(|word| expression::forms(connection, word)).collect::<Result<_, _>>()?;
    if forms.iter().all(|forms| forms.len() == 1) {
        return Ok(Vec::new());
    }
    let is_form = |value: &str| {
        let words = split(value);
        words.len() == forms.len() && words.iter().zip(&forms).all(|(word, forms)| forms.contains(word))
    };
    candidates(
        connection,
        spans,
        &expression::phrase(&forms),
        |value| {
            if is_form(value) { Kind::Case } else { Kind::Words }
        },
    )
}

/// Finds short values that match an expression, some for every field.
fn candidates(
    connection: &Connection,
    spans: &[Span<'_>],
    expression: &str,
    kind: impl Fn(&str) -> Kind,
) -> Result<Vec<Candidate>, QueryError> {
    index::find(connection, expression)?;
    let mut candidates = Vec::new();
    for span in spans {
        for (value, records) in values(connection, span).map_err(QueryError::store)? {
            let rest = words::folded(&value).split(' ').count();
            candidates.push(Candidate { field: span.field.name.clone(), kind: kind(&value), value, records, rest });
        }
    }
    Ok(candidates)
}

/// Returns the shortest values of a field among the entries that were found, with the records that have them.
fn values(connection: &Connection, span: &Span<'_>) -> rusqlite::Result<Vec<(String, i64)>> {
    let within = span.within();
    let any = format!("SELECT EXISTS (SELECT 1 FROM found WHERE {within})");
    if !connection.query_one(&any, [], |row| row.get::<_, bool>(0))? {
        return Ok(Vec::new());
    }
    let pair = |row: &rusqlite::Row<'_>| -> rusqlite::Result<(String, i64)> { Ok((row.get(0)?, row.get(1)?)) };
    let limits = format!("ORDER BY length(value), records DESC, value LIMIT {CANDIDATES}");
    if span.by_value {
        let sql = format!(
            "SELECT value, records FROM entries JOIN found USING (id) WHERE {within} AND length(value) <= {LONGEST_VALUE} {limits}"
        );
        return connection.prepare(&sql)?.query_map([], pair)?.collect();
    }

    let (column, table) = (span.field.column(), span.field.place.table);
    let sql = format!(
        "SELECT {column} AS value, COUNT(*) AS records FROM (SELECT id - ? AS found_record FROM found WHERE {within} LIMIT {ENTRIES})
         JOIN t{table} ON record = found_record WHERE length(value) <= {LONGEST_VALUE} GROUP BY value {limits}"
    );
    let found: Vec<(String, i64)> =
        connection.prepare(&sql)?.query_map([span.before], pair)?.collect::<Result<_, _>>()?;

    // Of very common words not all entries were read, so the records are counted again.
    let more = format!("SELECT COUNT(*) FROM (SELECT 1 FROM found WHERE {within} LIMIT {ENTRIES} + 1)");
    if connection.query_one(&more, [], |row| row.get::<_, i64>(0))? <= ENTRIES {
        return Ok(found);
    }
    let mut exact: HashMap<String, i64> = HashMap::new();
    let mut count = connection.prepare(&format!("SELECT COUNT(*) FROM t{table} WHERE {column} = ?"))?;
    for (value, _) in found {
        let records = count.query_one(params![value], |row| row.get(0))?;
        exact.insert(value, records);
    }
    Ok(exact.into_iter().collect())
}

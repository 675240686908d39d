//! Reads the answers of search services.

use std::time::Duration;

use research_agents_report::text::Untrusted;
use serde_json::Value;
use url::Url;

use crate::read::date_in;
use crate::search::error::SourceError;
use crate::search::model::{Hit, SearchResults};
use crate::search::shapes::SearchShape;

/// Maximum length of a title and of what is shown of a page, in characters.
const MOST_TITLE: usize = 300;
const MOST_SNIPPET: usize = 2_000;
/// Maximum number of failed engines that an error names, and of characters of each of their words.
const MOST_ENGINES: usize = 5;
const MOST_ENGINE: usize = 60;

/// An answer as it came.
pub(crate) struct Answer<'a> {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) body: &'a [u8],
}

/// Reads an answer.
pub(crate) fn read(
    shape: &SearchShape,
    answer: &Answer<'_>,
    limit: usize,
) -> Result<SearchResults, SourceError> {
    let service = || shape.name.to_owned();
    match answer.status {
        200..300 => {}
        403 if shape.name == "searxng" => return Err(SourceError::JsonDisabled),
        401 | 403 => {
            return Err(SourceError::Unauthorized {
                service: service(),
                variable: (!shape.variable.is_empty()).then(|| shape.variable.to_owned()),
            });
        }
        429 => {
            return Err(SourceError::RateLimited {
                service: service(),
                retry_after: answer.retry_after,
            });
        }
        status => {
            return Err(SourceError::Status {
                service: service(),
                status,
            });
        }
    }

    let value: Value = serde_json::from_slice(answer.body).map_err(|_| SourceError::NotJson {
        service: service(),
        found: beginning(answer.body),
    })?;
    let Some(records) = list_of(shape, &value) else {
        return Err(SourceError::NoResults {
            service: service(),
            place: shape.results.to_owned(),
        });
    };

    let failed = failed_engines(&value);
    if records.is_empty() && !failed.is_empty() {
        return Err(SourceError::NoEngines {
            service: service(),
            engines: failed,
        });
    }

    let hits: Vec<Hit> = records
        .iter()
        .filter_map(|record| hit_of(shape, record))
        .collect();
    Ok(SearchResults {
        unusable: records.len() - hits.len(),
        beyond: hits.len().saturating_sub(limit),
        hits: hits.into_iter().take(limit).collect(),
    })
}

/// Returns the list of results. Some services leave the list out when nothing was found.
fn list_of<'v>(shape: &SearchShape, value: &'v Value) -> Option<&'v [Value]> {
    if let Some(list) = value.pointer(shape.results) {
        return list.as_array().map(Vec::as_slice);
    }
    let says_nothing_found = shape.name == "brave" && value.get("query").is_some();
    says_nothing_found.then_some(&[])
}

/// Returns the engines of a SearXNG server that gave no answer, each with its reason.
fn failed_engines(value: &Value) -> Vec<String> {
    let engines = value.get("unresponsive_engines").and_then(Value::as_array);
    let described = engines.into_iter().flatten().filter_map(|engine| {
        let text = |at: usize| Some(plain(engine.get(at)?.as_str()?, MOST_ENGINE));
        Some(format!("{}: {}", text(0)?, text(1)?))
    });
    described.take(MOST_ENGINES).collect()
}

fn hit_of(shape: &SearchShape, record: &Value) -> Option<Hit> {
    let text = |names: &[&str]| names.iter().find_map(|name| record.get(*name)?.as_str());
    let url = Url::parse(text(&["url"])?.trim()).ok()?;
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return None;
    }
    let url = url.to_string();
    Some(Hit {
        id: url.clone(),
        title: Untrusted::new(plain(text(shape.title).unwrap_or_default(), MOST_TITLE)),
        url: Some(url),
        snippet: Untrusted::new(plain(text(shape.snippet).unwrap_or_default(), MOST_SNIPPET)),
        date: text(shape.date).and_then(date_in),
        headings: Vec::new(),
        range: None,
        score: record.get("score").and_then(Value::as_f64),
    })
}

/// Returns text without the tags by which services mark words.
fn plain(text: &str, most: usize) -> String {
    let mut out = text.to_owned();
    for tag in ["<strong>", "</strong>", "<b>", "</b>", "<em>", "</em>"] {
        out = out.replace(tag, "");
    }
    out.chars().take(most).collect()
}

fn beginning(body: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(&body[..body.len().min(80)])
        .chars()
        .filter(|c| !c.is_control())
        .collect();
    if text.trim().is_empty() {
        "an empty answer".to_owned()
    } else {
        format!("`{text}`")
    }
}

//! The documents that a recorded run fetched, read from its bundle again.

use research_agents_report::assessment::Rating;
use research_agents_report::passage::Document;
use research_agents_runtime::bundle::Bundle;
use research_agents_runtime::bundle::verify::Origins;
use research_agents_runtime::tape::{Effect, Exchange, Outcome};
use research_agents_sources::search::{
    Fetched, Hit, McpSearch, SearchResults, SourceError, SourceKind,
};
use research_mcp::{CallOutput, Object};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::credibility::Credibility;
use crate::searcher::document_of;
use crate::source_set::{SourceInfo, credibility_of};

/// Beginnings of the names of effects by which sources are searched and documents fetched.
const SEARCH: &str = "search_";
const FETCH: &str = "fetch_";

/// Returns whether an effect is a search or a fetch, or a call of a tool.
pub(crate) fn is_of_source(effect: &Effect) -> bool {
    let is_tool = |exchange: &Exchange| matches!(exchange, Exchange::Tool { .. });
    effect.what.starts_with(SEARCH)
        || effect.what.starts_with(FETCH)
        || effect.exchanges.iter().any(is_tool)
}

/// Returns what a bundle of a system over documents must match: its documents as the sources of the
/// run gave them, and how credible their sites are at most. `earlier` are the searches and fetches
/// of the runs before a follow-up; `local` is the credibility of a folder or server that the user
/// named and the table does not know; `problem` tells why the settings cannot be read.
pub fn document_origins(
    bundle: &Bundle,
    earlier: &[Effect],
    sources: &[SourceInfo],
    table: &Credibility,
    local: f64,
    problem: Option<String>,
) -> Origins {
    let mut rating = Rating::default();
    for document in bundle.evidence.passages.documents() {
        let site = document.origin.site.clone();
        let own = credibility_of(document, table, local);
        let known = rating.credibility.entry(site).or_insert(own);
        *known = known.max(own);
    }

    Origins {
        documents: recorded_documents(earlier.iter().chain(&bundle.effects), sources),
        context: vec![bundle.question.clone()],
        rating,
        answers: vec![("the settings of the run".to_owned(), problem)],
        ..Origins::default()
    }
}

/// Returns every document that recorded searches and fetches can have given, for
/// [`Origins::documents`](research_agents_runtime::bundle::verify::Origins::documents).
///
/// A document without a title has that of a hit, so that one fetch may give several.
pub fn recorded_documents<'e>(
    effects: impl IntoIterator<Item = &'e Effect>,
    sources: &[SourceInfo],
) -> Vec<Document> {
    let effects: Vec<&Effect> = effects.into_iter().collect();
    let servers: Vec<McpSearch> = sources.iter().filter_map(SourceInfo::mcp).collect();
    let searches: Vec<SearchResults> = answers(&effects, SEARCH);
    let mut hits: Vec<Hit> = searches.into_iter().flat_map(|found| found.hits).collect();
    for server in &servers {
        let answers = tool_answers(&effects, &server.tools().search);
        let found = answers.filter_map(|(_, answer)| server.read_results(answer, usize::MAX).ok());
        hits.extend(found.flat_map(|found| found.hits));
    }

    let mut documents = Vec::new();
    let mut add = |fetched: &Fetched, hit: &Hit| {
        for kind in [SourceKind::Local, SourceKind::Web] {
            let document = document_of(kind, fetched, hit);
            if !documents.contains(&document) {
                documents.push(document);
            }
        }
    };
    for fetched in answers::<Fetched>(&effects, FETCH) {
        for hit in hits.iter().filter(|hit| hit.id == fetched.id) {
            add(&fetched, hit);
        }
    }
    for server in &servers {
        let tools = server.tools();
        for (arguments, answer) in tool_answers(&effects, &tools.fetch) {
            let id = arguments.get(&tools.id).and_then(Value::as_str);
            for hit in hits.iter().filter(|hit| Some(&*hit.id) == id) {
                if let Ok(fetched) = server.read_document(answer, hit) {
                    add(&fetched, hit);
                }
            }
        }
    }
    documents
}

/// Returns the recorded answers of a tool, each with the arguments of its call.
fn tool_answers<'e>(
    effects: &'e [&Effect],
    tool: &'e str,
) -> impl Iterator<Item = (&'e Object, &'e CallOutput)> {
    let exchanges = effects.iter().flat_map(|effect| &effect.exchanges);
    exchanges.filter_map(move |exchange| match exchange {
        Exchange::Tool {
            name,
            arguments,
            outcome: Outcome::Given(output),
        } if name == tool => Some((arguments, output)),
        _ => None,
    })
}

/// Returns what the calls whose names have a prefix gave.
fn answers<T: DeserializeOwned>(effects: &[&Effect], prefix: &str) -> Vec<T> {
    let calls = effects
        .iter()
        .filter(|effect| effect.what.starts_with(prefix));
    let values = calls
        .flat_map(|effect| &effect.exchanges)
        .filter_map(|exchange| match exchange {
            Exchange::Local { value } => Some(value),
            _ => None,
        });
    values
        .filter_map(|value| Result::<T, SourceError>::deserialize(value).ok()?.ok())
        .collect()
}

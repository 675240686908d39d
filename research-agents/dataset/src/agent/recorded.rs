//! The recorded traffic of a bundle, as verification reads it.

use research_agents_runtime::bundle::{Bundle, canonical, sha256};
use research_agents_runtime::tape::{DIGITS, Exchange, Outcome};
use research_llm::layer::redact_keys;
use research_mcp::envelope::DataResult;
use research_mcp::{Tool, ToolListing};
use serde_json::Value;

use crate::data::config::DatasetConfig;
use crate::data::record::Object;
use crate::found::coverage::QueryReport;
use crate::tools::reading::Reading;

/// Returns the tools as they were listed to the run.
pub(crate) fn listed(bundle: &Bundle) -> Vec<Tool> {
    let exchanges = bundle.effects.iter().flat_map(|effect| &effect.exchanges);
    let listings = exchanges.filter_map(|exchange| match exchange {
        Exchange::Listing {
            outcome: Outcome::Given(ToolListing { tools, .. }),
        } => Some(tools),
        _ => None,
    });
    listings.flatten().cloned().collect()
}

/// A recorded tool result that can be read.
pub(crate) struct Answer<'a> {
    /// The task of the run that made the call.
    pub(crate) at: &'a str,
    pub(crate) tool: &'a str,
    pub(crate) arguments: &'a Object,
    /// The hash of the arguments, by which a replay finds the result.
    with: &'a str,
    pub(crate) result: DataResult,
}

impl Answer<'_> {
    /// Returns why this cannot be the result of its call.
    pub(crate) fn problem(&self) -> Option<String> {
        let hash = sha256(&canonical(Value::Object(self.arguments.clone())));
        let fits = self.with.len() == DIGITS && hash.starts_with(self.with);
        (!fits).then(|| "it is kept under the hash of other arguments than it shows".to_owned())
    }
}

/// Returns the recorded tool results that can be read, in the order of the run.
pub(crate) fn answers(bundle: &Bundle) -> impl Iterator<Item = Answer<'_>> {
    let exchanges = bundle.effects.iter().flat_map(|effect| {
        effect
            .exchanges
            .iter()
            .map(move |exchange| (effect, exchange))
    });

    exchanges.filter_map(|(effect, exchange)| match exchange {
        Exchange::Tool {
            name,
            arguments,
            outcome: Outcome::Given(output),
        } => Some(Answer {
            at: &effect.at,
            tool: name,
            arguments,
            with: &effect.with,
            result: DataResult::new(output.json().ok()?),
        }),
        _ => None,
    })
}

/// Returns the queries whose results are missing or cannot be read. If they belong to a scan, it is
/// unknown how many records match.
pub(crate) fn failed(bundle: &Bundle, tools: &[Tool], config: &DatasetConfig) -> Vec<QueryReport> {
    let exchanges = bundle.effects.iter().flat_map(|effect| &effect.exchanges);
    let failed = exchanges.filter_map(|exchange| match exchange {
        Exchange::Tool {
            outcome: Outcome::Given(output),
            ..
        } if output.json().is_ok() => None,
        Exchange::Tool {
            name, arguments, ..
        } => Some((name, arguments)),
        _ => None,
    });
    let query = |(name, arguments): (&String, &Object)| {
        let reading = Reading::of(
            name,
            tools.iter().find(|tool| tool.exposed_name == *name),
            config,
        );
        let filters = reading
            .arguments
            .selection(&reading.arguments.in_words_of_a_plan(arguments));
        QueryReport {
            tool: name.clone(),
            filters,
            scanned: true,
            ..QueryReport::default()
        }
    };

    failed.map(query).collect()
}

/// Number of letters and digits of a question that are looked for in prompts, which may shorten it.
const ASKED: usize = 400;

/// Returns why the recorded prompts are not those of the question. `None` if a prompt has it, or if
/// no model was asked.
pub(crate) fn question_problem(bundle: &Bundle) -> Option<String> {
    let mut question = Value::from(bundle.question.as_str());
    // Prompts are recorded without keys.
    redact_keys(&mut question);
    let question = question.as_str().unwrap_or_default();
    let in_json = Value::from(question).to_string();
    let wanted = [letters(question), letters(&in_json)];

    let exchanges = bundle.effects.iter().flat_map(|effect| &effect.exchanges);
    let mut requests = exchanges
        .filter_map(|exchange| match exchange {
            Exchange::Model { interaction } => interaction.get("request"),
            _ => None,
        })
        .peekable();
    requests.peek()?;

    let is_asked = requests.any(|request| has_text(request, &wanted));
    (!is_asked).then(|| format!("no recorded prompt asks `{}`", bundle.question))
}

/// Returns whether a string in a value contains one of the texts, letter by letter.
fn has_text(value: &Value, wanted: &[String]) -> bool {
    match value {
        Value::String(text) => {
            let text = all_letters(text);
            wanted.iter().any(|wanted| text.contains(wanted))
        }
        Value::Array(items) => items.iter().any(|item| has_text(item, wanted)),
        Value::Object(fields) => fields.values().any(|field| has_text(field, wanted)),
        _ => false,
    }
}

/// Returns the first letters and digits of a string. Prompts may set blanks and marks
/// differently.
fn letters(text: &str) -> String {
    all_letters(text).chars().take(ASKED).collect()
}

fn all_letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

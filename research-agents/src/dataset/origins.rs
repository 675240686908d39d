//! Reads the recorded answers of tools once more, as the run did, to tell where the evidence of its bundle comes from.

use std::collections::{BTreeMap, BTreeSet};

use research_mcp::{Document, FieldMapping, Tool, ToolListing, envelope};
use serde::Deserialize;
use serde_json::Value;

use super::bundle::SYSTEM;
use super::charts::table_view;
use super::config::DatasetConfig;
use super::corpus::{TEXT_CAP, source};
use super::evidence::table;
use super::filters::describe_filters;
use super::reading::Reading;
use super::record::Object;
use super::results::read_result;
use super::samples::GroupSamples;
use super::scope::{Ledger, QueryReport};
use super::task::ToolFacts;
use crate::kernel::Source;
use crate::kernel::bundle::verify::{OriginTable, Origins, Verification};
use crate::kernel::bundle::{Bundle, canonical, sha256};
use crate::kernel::tape::{DIGITS, Exchange, Outcome};

/// Checks a bundle of the dataset agent again, without a model and without a tool: every source, table, number, quote and
/// citation in it. [What is checked against what](crate::kernel::bundle::verify).
///
/// A sub-agent of the host that brings records of its own, which no tool of the run gave, leaves them unproved: they fail.
///
/// ```no_run
/// use research_agents::dataset;
/// use research_agents::kernel::Bundle;
///
/// let bundle = Bundle::from_json(&std::fs::read_to_string("strikes.bundle.json")?)?;
/// let verification = dataset::verify(&bundle);
/// for failure in verification.failures() {
///     println!("{}: {} {:?}", failure.place, failure.what, failure.outcome);
/// }
/// assert!(verification.holds());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn verify(bundle: &Bundle) -> Verification {
    bundle.verify_against(&origins(bundle))
}

/// What the recorded answers of tools give.
fn origins(bundle: &Bundle) -> Origins {
    let unreadable = |problem: String| {
        let answers = vec![("what the tools answered".to_owned(), Some(problem))];
        Origins { answers, ..Origins::default() }
    };
    if bundle.system != SYSTEM {
        return unreadable(format!("the run is one of the system `{}`, and this checks `{SYSTEM}`", bundle.system));
    }
    let config = match config(bundle) {
        Ok(config) => config,
        Err(error) => return unreadable(format!("the settings of the run cannot be read: {error}")),
    };
    let tools = listed(bundle);
    let failed = failed(bundle, &tools, &config);
    let mut reader =
        Reader { bundle, tools: &tools, config: &config, pages: Pages::default(), asked: Vec::new(), failed };
    let mut origins = Origins::default();
    for answer in answers(bundle) {
        origins.answers.push((format!("{} at {}", answer.tool, answer.at), answer.problem()));
        reader.read(&answer, &mut origins);
    }
    let ledgers = reader.ledgers();
    origins.context = context(bundle, &tools, &ledgers);
    for ledger in &ledgers {
        let coverage = ledger.coverage();
        origins.coverage.push((coverage.fetched, coverage.total));
        origins.coverage_words.extend(ledger.describe(config.max_docs));
    }
    origins.coverage_words.push(config.max_docs.to_string());
    let cut = bundle.evidence.sources.iter().filter(|sealed| sealed.source.cut).count();
    if cut > 0 {
        origins.coverage_words.push(format!("{cut} of {TEXT_CAP}"));
    }
    origins.coverage_words.extend(origins.context.iter().cloned());
    origins
}

fn config(bundle: &Bundle) -> Result<DatasetConfig, String> {
    DatasetConfig::deserialize(bundle.settings.get("config").unwrap_or(&Value::Null)).map_err(|error| error.to_string())
}

/// The tools as they were listed to the run.
fn listed(bundle: &Bundle) -> Vec<Tool> {
    let exchanges = bundle.effects.iter().flat_map(|effect| &effect.exchanges);
    let listings = exchanges.filter_map(|exchange| match exchange {
        Exchange::Listing { outcome: Outcome::Given(ToolListing { tools, .. }) } => Some(tools),
        _ => None,
    });
    listings.flatten().cloned().collect()
}

/// An answer of a tool that could be read.
struct Answer<'a> {
    /// Where in the run the call was made.
    at: &'a str,
    tool: &'a str,
    arguments: &'a Object,
    /// The hash of the arguments, by which a replay finds the answer.
    with: &'a str,
    result: Value,
}

impl Answer<'_> {
    /// Why it cannot be the answer to its call.
    fn problem(&self) -> Option<String> {
        let hash = sha256(&canonical(Value::Object(self.arguments.clone())));
        let fits = self.with.len() == DIGITS && hash.starts_with(self.with);
        (!fits).then(|| "it is kept under the hash of other arguments than it shows".to_owned())
    }
}

fn answers(bundle: &Bundle) -> impl Iterator<Item = Answer<'_>> {
    bundle.effects.iter().flat_map(|effect| {
        effect.exchanges.iter().filter_map(|exchange| match exchange {
            Exchange::Tool { name, arguments, outcome: Outcome::Given(output) } => {
                let result = output.json().ok()?;
                Some(Answer { at: &effect.at, tool: name, arguments, with: &effect.with, result })
            }
            _ => None,
        })
    })
}

/// What was asked of tools that gave no answer to be read: of a scan that failed so it stays unknown how many match.
fn failed(bundle: &Bundle, tools: &[Tool], config: &DatasetConfig) -> Vec<QueryReport> {
    let exchanges = bundle.effects.iter().flat_map(|effect| &effect.exchanges);
    let failed = exchanges.filter_map(|exchange| match exchange {
        Exchange::Tool { outcome: Outcome::Given(output), .. } if output.json().is_ok() => None,
        Exchange::Tool { name, arguments, .. } => Some((name, arguments)),
        _ => None,
    });
    let query = |(name, arguments): (&String, &Object)| {
        let reading = Reading::of(name, tools.iter().find(|tool| tool.exposed_name == *name), config);
        let filters = reading.arguments.selection(&reading.arguments.in_words_of_a_plan(arguments));
        QueryReport { tool: name.clone(), filters, scanned: true, ..QueryReport::default() }
    };
    failed.map(query).collect()
}

/// The readers of walks over pages, by the task that walks, the tool and what it selects: a record without an id is named by
/// its position in the whole walk.
type Pages = BTreeMap<Walk, research_mcp::DocumentReader>;
type Walk = (String, String, String);

/// What was asked of a tool: the pages of one walk together.
struct Asked {
    walk: Walk,
    query: QueryReport,
    /// Records of the samples, group by group.
    groups: Vec<Vec<String>>,
}

struct Reader<'a> {
    bundle: &'a Bundle,
    tools: &'a [Tool],
    config: &'a DatasetConfig,
    pages: Pages,
    asked: Vec<Asked>,
    failed: Vec<QueryReport>,
}

impl Reader<'_> {
    fn read(&mut self, answer: &Answer<'_>, origins: &mut Origins) {
        let tool = self.tools.iter().find(|tool| tool.exposed_name == answer.tool);
        let reading = Reading::of(answer.tool, tool, self.config);
        let arguments = reading.arguments.in_words_of_a_plan(answer.arguments);
        let language = self.bundle.report.language;
        let found = read_result(answer.tool, &arguments, &answer.result, &reading, 1);
        origins.tables.extend(
            found
                .results
                .iter()
                .map(|result| OriginTable { table: table(result, language), view: table_view(result, language) }),
        );
        let total = envelope::data_context(&answer.result).unique_ids_matched;
        let samples = GroupSamples::of(&answer.result, &arguments, total);
        let groups = samples.map(|samples| samples.documents(&mut reading.mapping().reader(answer.tool, &arguments)));
        let ids = |documents: &Vec<Document>| documents.iter().map(|document| document.id.clone()).collect();
        let groups: Vec<Vec<String>> = groups.iter().flatten().map(ids).collect();
        let sampled: Vec<Source> = found.sources;
        let selection = Value::Object(reading.arguments.selection(&arguments)).to_string();
        let walk = (answer.at.to_owned(), answer.tool.to_owned(), selection);
        let (begins, walked) = self.walked(answer, &arguments, &reading, walk.clone());
        let records: Vec<String> = walked.iter().map(|source| source.record.clone()).collect();
        origins.sources.extend(sampled);
        origins.sources.extend(walked);
        for query in found.queries {
            let before = self.asked.iter_mut().rev().find(|asked| !begins && asked.walk == walk);
            if let Some(before) = before.filter(|_| query.samples.is_none()) {
                before.query.records.extend(records.iter().cloned());
                before.query.exhausted |= query.exhausted;
                before.query.total = query.total.or(before.query.total);
                continue;
            }
            let all = records.iter().chain(groups.iter().flatten()).cloned();
            let query = QueryReport { records: all.collect(), ..query };
            self.asked.push(Asked { walk: walk.clone(), query, groups: groups.clone() });
        }
    }

    /// Whether a page begins its walk, and its records. A walk begins with a page that no cursor leads to.
    fn walked(
        &mut self,
        answer: &Answer<'_>,
        arguments: &Object,
        reading: &Reading,
        walk: Walk,
    ) -> (bool, Vec<Source>) {
        let mut begun = arguments.clone();
        reading.arguments.remove_places(&mut begun);
        let begins = begun == *arguments;
        let mapping: &FieldMapping = reading.mapping();
        let reader = match self.pages.entry(walk) {
            std::collections::btree_map::Entry::Occupied(mut known) if begins => {
                known.insert(mapping.reader(answer.tool, arguments));
                known.into_mut()
            }
            entry => entry.or_insert_with(|| mapping.reader(answer.tool, arguments)),
        };
        let documents = reader.read(&answer.result).documents;
        (begins, documents.into_iter().map(|document| source(answer.tool, document)).collect())
    }

    /// What was read of what, when a tool that does not say so had no more, and when it had, or when not all that it gave was
    /// kept: nobody else knows.
    fn ledgers(&self) -> Vec<Ledger> {
        let kept: BTreeSet<(&str, &str)> = self
            .bundle
            .evidence
            .sources
            .iter()
            .map(|sealed| (sealed.source.tool.as_str(), sealed.source.record.as_str()))
            .collect();
        let is_kept = |tool: &str, record: &str| {
            let place = position(record);
            let is_there = |(of, kept): &(&str, &str)| *of == tool && place.is_some() && position(kept) == place;
            kept.contains(&(tool, record)) || kept.iter().any(is_there)
        };
        let ledger = |ended: Option<bool>, capped: bool, failed: &[QueryReport]| {
            let mut ledger = Ledger::default();
            for Asked { query, groups, .. } in &self.asked {
                let mut query = QueryReport { capped, ..query.clone() };
                let tool = query.tool.clone();
                if let Some(samples) = &mut query.samples {
                    let kept = |group: &Vec<String>| group.iter().filter(|record| is_kept(&tool, record)).count();
                    samples.each = groups.iter().map(kept).max().unwrap_or_default();
                    samples.records.retain(|record| is_kept(&tool, record));
                }
                query.scanned = query.total.is_some() || !query.records.is_empty();
                query.records.retain(|record| is_kept(&query.tool, record));
                query.exhausted = ended.unwrap_or(query.exhausted);
                ledger.enter(&query);
            }
            // A direct call that failed leaves no trace, a scan does.
            failed.iter().for_each(|query| ledger.enter(query));
            ledger
        };
        let ways = [(None, false), (None, true), (Some(true), false), (Some(false), true)];
        let mut failed: Vec<&[QueryReport]> = vec![&[]];
        if !self.failed.is_empty() {
            failed.push(&self.failed);
        }
        failed.into_iter().flat_map(|failed| ways.map(|(ended, capped)| ledger(ended, capped, failed))).collect()
    }
}

/// Where a record without an id stands in its walk. The query before that is named by its arguments, which the tool may have
/// been sent in words of its own.
fn position(record: &str) -> Option<&str> {
    record.strip_prefix("anon-")?.rsplit_once('-').map(|(_, position)| position)
}

/// The texts whose numbers a sentence may repeat.
fn context(bundle: &Bundle, tools: &[Tool], ledgers: &[Ledger]) -> Vec<String> {
    let filters = ledgers.iter().take(1).flat_map(Ledger::scopes).map(|scope| describe_filters(&scope.filters));
    let fields = tools.iter().flat_map(|tool| ToolFacts::from(tool).fields).map(|field| field.name);
    filters.chain(fields).chain([bundle.question.clone()]).collect()
}

//! Verifies bundles of the dataset agent: derives sources and tables from the recorded tool results
//! as the run did, and compares the evidence of the bundle with them.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use research_agents_report::evidence::Source;
use research_agents_runtime::bundle::verify::{OriginTable, Origins, Verification};
use research_agents_runtime::bundle::{Bundle, canonical, sha256};
use research_agents_runtime::tape::{DIGITS, Exchange, Outcome};
use research_mcp::envelope::DataResult;
use research_mcp::{Document, DocumentReader, FieldMapping, Tool, ToolListing};
use serde::Deserialize;
use serde_json::Value;

use crate::data::config::DatasetConfig;
use crate::data::filters::describe_filters;
use crate::data::record::Object;
use crate::data::task::ToolFacts;
use crate::found::charts::table_view;
use crate::found::coverage::{Ledger, QueryReport};
use crate::found::evidence::table;
use crate::tools::documents::{TEXT_CAP, source};
use crate::tools::reading::Reading;
use crate::tools::results::read_result;
use crate::tools::samples::GroupSamples;

/// The name under which bundles keep runs of the dataset agent.
pub(crate) const SYSTEM: &str = "dataset";

/// Verifies a bundle of the dataset agent without a model and without a tool: every source, table,
/// number, quote and citation in it. The module
/// [`verify`](mod@research_agents_runtime::bundle::verify) says what is compared with what.
///
/// Records that a sub-agent of the host added, and that no tool of the run returned, have no origin
/// in the bundle and fail.
///
/// ```no_run
/// use research_agents_dataset::verify;
/// use research_agents_runtime::bundle::Bundle;
///
/// let bundle = Bundle::from_json(&std::fs::read_to_string("strikes.bundle.json")?)?;
/// let verification = verify(&bundle);
/// for failure in verification.failures() {
///     println!("{}: {} {:?}", failure.place, failure.what, failure.outcome);
/// }
/// assert!(verification.holds());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn verify(bundle: &Bundle) -> Verification {
    bundle.verify_against(&origins(bundle))
}

/// Returns what the recorded results of tools give: sources, tables and coverage.
pub(crate) fn origins(bundle: &Bundle) -> Origins {
    let unreadable = |problem: String| {
        let answers = vec![("what the tools answered".to_owned(), Some(problem))];
        Origins {
            answers,
            ..Origins::default()
        }
    };

    if bundle.system != SYSTEM {
        return unreadable(format!(
            "the run is one of the system `{}`, and this checks `{SYSTEM}`",
            bundle.system
        ));
    }

    let config = match config(bundle) {
        Ok(config) => config,
        Err(error) => {
            return unreadable(format!("the settings of the run cannot be read: {error}"));
        }
    };

    // Read the results in the order of the run.
    let tools = listed(bundle);
    let failed = failed(bundle, &tools, &config);
    let mut reader = Reader {
        bundle,
        tools: &tools,
        config: &config,
        pages: Pages::default(),
        queries: Vec::new(),
        failed,
    };
    let mut origins = Origins::default();
    for answer in answers(bundle) {
        origins.answers.push((
            format!("{} at {}", answer.tool, answer.at),
            answer.problem(),
        ));
        reader.read(&answer, &mut origins);
    }

    // The coverage that the report may state.
    let ledgers = reader.ledgers();
    for ledger in &ledgers {
        let coverage = ledger.coverage();
        origins.coverage.push((coverage.fetched, coverage.total));
        origins
            .coverage_words
            .extend(ledger.describe(config.max_docs));
    }
    origins.coverage_words.push(config.max_docs.to_string());
    let cut = bundle
        .evidence
        .sources
        .iter()
        .filter(|sealed| sealed.source.cut)
        .count();
    if cut > 0 {
        origins.coverage_words.push(format!("{cut} of {TEXT_CAP}"));
    }

    origins.context = context(bundle, &tools, &ledgers);
    origins
        .coverage_words
        .extend(origins.context.iter().cloned());
    origins
}

fn config(bundle: &Bundle) -> Result<DatasetConfig, String> {
    DatasetConfig::deserialize(bundle.settings.get("config").unwrap_or(&Value::Null))
        .map_err(|error| error.to_string())
}

/// Returns the tools as they were listed to the run.
fn listed(bundle: &Bundle) -> Vec<Tool> {
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
struct Answer<'a> {
    /// The task of the run that made the call.
    at: &'a str,
    tool: &'a str,
    arguments: &'a Object,
    /// The hash of the arguments, by which a replay finds the result.
    with: &'a str,
    result: DataResult,
}

impl Answer<'_> {
    /// Returns why this cannot be the result of its call.
    fn problem(&self) -> Option<String> {
        let hash = sha256(&canonical(Value::Object(self.arguments.clone())));
        let fits = self.with.len() == DIGITS && hash.starts_with(self.with);
        (!fits).then(|| "it is kept under the hash of other arguments than it shows".to_owned())
    }
}

/// Returns the recorded tool results that can be read, in the order of the run.
fn answers(bundle: &Bundle) -> impl Iterator<Item = Answer<'_>> {
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
fn failed(bundle: &Bundle, tools: &[Tool], config: &DatasetConfig) -> Vec<QueryReport> {
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

/// The document reader of each walk over pages. A record without an id is named by its position in
/// the whole walk.
type Pages = BTreeMap<Walk, DocumentReader>;

/// A walk over pages: the task that walks, the tool, and the selection of records.
type Walk = (String, String, String);

/// A query that was sent to a tool; all pages of a walk are one query.
struct RecordedQuery {
    walk: Walk,
    report: QueryReport,
    /// Records of the samples, group by group.
    groups: Vec<Vec<String>>,
}

/// Reads the recorded results of a run in their order.
struct Reader<'a> {
    bundle: &'a Bundle,
    tools: &'a [Tool],
    config: &'a DatasetConfig,
    pages: Pages,
    queries: Vec<RecordedQuery>,
    failed: Vec<QueryReport>,
}

impl Reader<'_> {
    /// Adds the tables and records of a result to the origins, and its queries to those of the run.
    fn read(&mut self, answer: &Answer<'_>, origins: &mut Origins) {
        let tool = self
            .tools
            .iter()
            .find(|tool| tool.exposed_name == answer.tool);
        let reading = Reading::of(answer.tool, tool, self.config);
        let arguments = reading.arguments.in_words_of_a_plan(answer.arguments);
        let found = read_result(answer.tool, &arguments, &answer.result, &reading, 1);

        let language = self.bundle.report.language;
        origins
            .tables
            .extend(found.results.iter().map(|result| OriginTable {
                table: table(result, language),
                view: table_view(result, language),
            }));

        // The records that came as samples of groups.
        let samples = GroupSamples::of(&answer.result, &arguments);
        let groups = samples.map(|samples| {
            samples.documents(&mut reading.mapping().reader(answer.tool, &arguments))
        });
        let ids = |documents: &Vec<Document>| {
            documents
                .iter()
                .map(|document| document.id.clone())
                .collect()
        };
        let groups: Vec<Vec<String>> = groups.iter().flatten().map(ids).collect();
        origins.sources.extend(found.sources);

        // The records of the page.
        let selection = Value::Object(reading.arguments.selection(&arguments)).to_string();
        let walk = (answer.at.to_owned(), answer.tool.to_owned(), selection);
        let (begins, walked) = self.walked(answer, &arguments, &reading, walk.clone());
        let records: Vec<String> = walked.iter().map(|source| source.record.clone()).collect();
        origins.sources.extend(walked);

        for report in found.queries {
            // A later page of a walk extends the query of its first page.
            let before = self
                .queries
                .iter_mut()
                .rev()
                .find(|query| !begins && query.walk == walk);
            if let Some(before) = before.filter(|_| report.samples.is_none()) {
                before.report.records.extend(records.iter().cloned());
                before.report.exhausted |= report.exhausted;
                before.report.total = report.total.or(before.report.total);
                continue;
            }

            let all = records.iter().chain(groups.iter().flatten()).cloned();
            let report = QueryReport {
                records: all.collect(),
                ..report
            };
            self.queries.push(RecordedQuery {
                walk: walk.clone(),
                report,
                groups: groups.clone(),
            });
        }
    }

    /// Returns whether a page begins its walk, and the records of the page. A walk begins with a
    /// page that no cursor leads to.
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
            Entry::Occupied(mut known) if begins => {
                known.insert(mapping.reader(answer.tool, arguments));
                known.into_mut()
            }
            entry => entry.or_insert_with(|| mapping.reader(answer.tool, arguments)),
        };
        let documents = reader.read_data(&answer.result).documents;

        (
            begins,
            documents
                .into_iter()
                .map(|document| source(answer.tool, document))
                .collect(),
        )
    }

    /// Returns the ledgers that the run may have had. The recording does not contain whether a tool
    /// had more records if the tool did not say so, nor whether the limit on documents ended a
    /// scan, nor whether a failed call belonged to a scan: each possibility gives a ledger.
    fn ledgers(&self) -> Vec<Ledger> {
        let ends = [
            (None, false),
            (None, true),
            (Some(true), false),
            (Some(false), true),
        ];

        // A direct call that failed leaves no trace in the ledger of a run, a scan does.
        let mut failed: Vec<&[QueryReport]> = vec![&[]];
        if !self.failed.is_empty() {
            failed.push(&self.failed);
        }

        let kept = KeptRecords::new(self.bundle);
        failed
            .into_iter()
            .flat_map(|failed| {
                ends.map(|(exhausted, capped)| self.ledger(&kept, exhausted, capped, failed))
            })
            .collect()
    }

    /// Returns the ledger of the run if its queries ended in a certain way: whether the tools had
    /// no more records, by what they said if that is `None`, and whether the limit on documents was
    /// reached.
    fn ledger(
        &self,
        kept: &KeptRecords<'_>,
        exhausted: Option<bool>,
        capped: bool,
        failed: &[QueryReport],
    ) -> Ledger {
        let mut ledger = Ledger::default();
        for RecordedQuery { report, groups, .. } in &self.queries {
            let mut report = QueryReport {
                capped,
                ..report.clone()
            };
            let tool = report.tool.clone();

            if let Some(samples) = &mut report.samples {
                let count = |group: &Vec<String>| {
                    group
                        .iter()
                        .filter(|record| kept.contains(&tool, record))
                        .count()
                };
                samples.each = groups.iter().map(count).max().unwrap_or_default();
                samples
                    .records
                    .retain(|record| kept.contains(&tool, record));
            }

            report.scanned = report.total.is_some() || !report.records.is_empty();
            report.records.retain(|record| kept.contains(&tool, record));
            report.exhausted = exhausted.unwrap_or(report.exhausted);
            ledger.enter(&report);
        }

        failed.iter().for_each(|report| ledger.enter(report));
        ledger
    }
}

/// The records in the evidence of a bundle, by tool.
struct KeptRecords<'b>(BTreeSet<(&'b str, &'b str)>);

impl<'b> KeptRecords<'b> {
    fn new(bundle: &'b Bundle) -> Self {
        let sources = bundle.evidence.sources.iter();
        let records = sources.map(|sealed| &sealed.source);
        Self(
            records
                .map(|source| (source.tool.as_str(), source.record.as_str()))
                .collect(),
        )
    }

    /// Returns whether a record of a tool is among them. A record without an id is found by its
    /// position.
    fn contains(&self, tool: &str, record: &str) -> bool {
        let position = position_in_walk(record);
        let is_at_position = |(of, kept): &(&str, &str)| {
            *of == tool && position.is_some() && position_in_walk(kept) == position
        };
        self.0.contains(&(tool, record)) || self.0.iter().any(is_at_position)
    }
}

/// Returns the position of a record without an id in its walk. The part before it in the id is a
/// hash of the arguments, whose names and spelling the tool may have been sent differently.
fn position_in_walk(record: &str) -> Option<&str> {
    record
        .strip_prefix("anon-")?
        .rsplit_once('-')
        .map(|(_, position)| position)
}

/// Returns the texts whose numbers a sentence may repeat without a claim.
fn context(bundle: &Bundle, tools: &[Tool], ledgers: &[Ledger]) -> Vec<String> {
    let filters = ledgers
        .iter()
        .take(1)
        .flat_map(Ledger::scopes)
        .map(|scope| describe_filters(&scope.filters));
    let fields = tools
        .iter()
        .flat_map(|tool| ToolFacts::from(tool).fields)
        .map(|field| field.name);
    filters
        .chain(fields)
        .chain([bundle.question.clone()])
        .collect()
}

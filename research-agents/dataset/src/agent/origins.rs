//! Verifies bundles of the dataset agent: derives sources and tables from the recorded tool results
//! as the run did, and compares the evidence of the bundle with them.

use research_agents_report::confidence::Confidence;
use research_agents_report::document::{Block, Report, Section};
use research_agents_runtime::bundle::verify::{CoverageReading, Origins, Verification};
use research_agents_runtime::bundle::{Bundle, read_strictly};
use research_llm::ModelInfo;
use research_mcp::Tool;
use serde_json::Value;

use crate::agent::builder::check_settings;
use crate::agent::recorded::{answers, listed, question_problem};
use crate::agent::result_reader::Reader;
use crate::data::config::DatasetConfig;
use crate::data::filters::describe_filters;
use crate::data::task::ToolFacts;
use crate::found::coverage::Ledger;
use crate::report::read::{
    all_confidence_words, computed_line, coverage_line, limitation, record_note,
};
use crate::state::input::RunInput;

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

    // Settings that a run refuses cannot be those of a run.
    let config = match config(bundle) {
        Ok(config) => config,
        Err(problem) => {
            return unreadable(format!("its settings are not those of a run: {problem}"));
        }
    };
    if let Err(problem) = read_strictly::<RunInput>(&bundle.input) {
        return unreadable(format!("its input is not that of a run: {problem}"));
    }

    // Read the results in the order of the run.
    let tools = listed(bundle);
    let mut reader = Reader::new(bundle, &tools, &config);
    let mut origins = Origins::default();
    for answer in answers(bundle) {
        origins.answers.push((
            format!("{} at {}", answer.tool, answer.at),
            answer.problem(),
        ));
        reader.read(&answer, &mut origins);
    }
    origins.answers.push((
        "the question in the prompts".to_owned(),
        question_problem(bundle),
    ));

    // The coverage that the report may state.
    let ledgers = reader.ledgers();
    for ledger in &ledgers {
        let coverage = ledger.coverage();
        origins.coverage.push((coverage.fetched, coverage.total));
        origins
            .coverage_words
            .extend(ledger.describe(config.max_docs));
        let reading = reading(bundle, ledger, config.max_docs);
        for reading in [computed(bundle, ledger, &reading), Some(reading)]
            .into_iter()
            .flatten()
        {
            if !origins.readings.contains(&reading) {
                origins.readings.push(reading);
            }
        }
    }
    origins.coverage_words.push(config.max_docs.to_string());

    origins.context = context(bundle, &tools, &ledgers);
    origins
        .coverage_words
        .extend(origins.context.iter().cloned());
    origins
}

/// Returns the settings of the run, which must be valid as for a run.
fn config(bundle: &Bundle) -> Result<DatasetConfig, String> {
    let Some(settings) = bundle.settings.as_object() else {
        return Err("they are not an object".to_owned());
    };
    let unknown = |name: &&String| !matches!(name.as_str(), "config" | "marker");
    if let Some(name) = settings.keys().find(unknown) {
        return Err(format!("the form has no field `{name}`"));
    }
    if !settings.get("marker").is_some_and(Value::is_string) {
        return Err("they have no marker".to_owned());
    }

    let config: DatasetConfig = read_strictly(settings.get("config").unwrap_or(&Value::Null))?;
    let model: ModelInfo = read_strictly(&bundle.model)?;
    check_settings(&config, &model).map_err(|error| error.to_string())?;
    Ok(config)
}

/// Returns what a report says about coverage with this ledger.
fn reading(bundle: &Bundle, ledger: &Ledger, limit: usize) -> CoverageReading {
    let language = bundle.report.language;
    let coverage = ledger.coverage();
    let sources = bundle.evidence.sources.iter();
    let cut = sources.filter(|sealed| sealed.source.cut).count() as u64;

    let stated = confidence(&bundle.report).into_iter();
    let words = stated.flat_map(|confidence| all_confidence_words(language, confidence));
    let texts = words.map(|words| coverage_line(ledger, language, limit, cut, &words));

    CoverageReading {
        read: coverage.fetched,
        total: coverage.total,
        texts: texts.collect(),
        note: record_note(ledger, language),
        limitation: limitation(ledger, language, limit),
    }
}

/// Returns what a report says about coverage if the data source computed its answer over all
/// matching records.
fn computed(bundle: &Bundle, ledger: &Ledger, read: &CoverageReading) -> Option<CoverageReading> {
    let language = bundle.report.language;
    let words = all_confidence_words(language, confidence(&bundle.report)?);
    let texts: Option<Vec<String>> = words
        .map(|words| computed_line(ledger, language, &words))
        .collect();
    Some(CoverageReading {
        texts: texts?,
        limitation: None,
        ..read.clone()
    })
}

/// Returns the confidence that a report states with its coverage.
fn confidence(report: &Report) -> Option<Confidence> {
    fn first(sections: &[Section]) -> Option<Confidence> {
        sections.iter().find_map(|section| {
            let own = section.blocks.iter().find_map(|block| match block {
                Block::Coverage(coverage) => Some(coverage.confidence),
                _ => None,
            });
            own.or_else(|| first(&section.sections))
        })
    }

    first(&report.sections)
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

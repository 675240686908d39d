//! INITIALIZATION: discovers the tools, and checks what the user fixed before anything is planned.

use research_agents_report::evidence::plain;
use research_agents_report::language::Language;
use research_agents_runtime::error::{Error, closest};
use research_agents_runtime::event::{Note, RunEvent};
use research_core::{Cx, NodeError};
use research_llm::ModelKind;
use research_mcp::{Tool, ToolListing};

use crate::cx::{DatasetCx, Services};
use crate::data::event::Phase;
use crate::data::task::{QueryOverrides, ToolFacts};
use crate::graph::read_question::read_question;
use crate::question::ambiguity;
use crate::question::doubt::Doubt;
use crate::state::model::{DatasetState, DatasetStateUpdate};
use crate::tools::only_reads::{only_reads, reason};
use crate::tools::overrides::check_overrides;

pub(crate) async fn initialize(
    cx: Cx<DatasetState, Services>,
) -> Result<DatasetStateUpdate, NodeError> {
    let cx = DatasetCx::new(cx);
    let state = cx.state();
    if state.question.trim().is_empty() {
        return Err(Error::BlankQuestion.into());
    }

    let info = cx.model().clone();
    cx.emit(RunEvent::RunStarted {
        question: state.question.clone(),
        model: info.id(),
    });
    cx.phase(Phase::Planning);
    let percent = cx.progress(2, "listing the tools");

    let listing = cx.job().list_tools().await;
    let listing = listing.map_err(|source| Error::NoDataSource {
        problems: vec![source.to_string()],
        source: Some(Box::new(source)),
    })?;
    let problems = problems(&listing);
    for problem in &problems {
        cx.warn(&Error::other(problem.to_string()));
    }

    let (enabled, left_out) = enabled(&listing, &state.requested_tools)?;
    if enabled.is_empty() {
        let problems = problems
            .iter()
            .map(ToString::to_string)
            .chain(left_out)
            .collect();
        return Err(Error::NoDataSource {
            problems,
            source: None,
        }
        .into());
    }

    if let Some(left_out) = left_out {
        cx.warn(&Error::other(left_out));
    }

    let available: Vec<ToolFacts> = listing.tools.iter().map(ToolFacts::from).collect();
    let usable: Vec<ToolFacts> = available
        .iter()
        .filter(|tool| enabled.contains(&tool.name))
        .cloned()
        .collect();
    let listed = listing
        .tools
        .iter()
        .filter(|tool| enabled.contains(&tool.exposed_name))
        .cloned();
    let listed: Vec<Tool> = listed.collect();

    let (overrides, warning) = check_overrides(&state.overrides, &usable)?;
    if let Some(warning) = &warning {
        cx.warn(&Error::other(warning.clone()));
    }

    announce_follow_up(&cx);
    let read = read_question(&cx, &usable, &listed, &overrides).await;
    let doubts = doubts(&cx, &usable, &overrides);
    // A language model looks at every question where its user can be asked; the program needs no
    // second look.
    let may_ask = info.kind != ModelKind::Extractive && cx.job().can_ask();
    let asked_in = question_language(&state.question, &usable);
    let language = answer_language(&cx, asked_in);

    let update = read
        .question
        .into_iter()
        .fold(DatasetState::update(), DatasetStateUpdate::reading);
    Ok(cx.done(
        update
            .aggregation_results(read.searches)
            .is_unclear(may_ask || !doubts.is_empty())
            .doubts(doubts)
            .overrides(overrides)
            .question_language(asked_in)
            .language(language)
            .llm_provider(info.provider)
            .llm_model(info.name)
            .available_tools(available)
            .enabled_tools(enabled)
            .listed_tools(listed)
            .current_phase(Phase::Planning)
            .progress_percentage(percent)
            .notes(
                problems
                    .into_iter()
                    .chain(warning.map(Note::own))
                    .collect::<Vec<_>>(),
            ),
    ))
}

/// Reports the earlier questions of a thread.
fn announce_follow_up(cx: &DatasetCx) {
    let state = cx.state();
    if state.turns.is_empty() {
        return;
    }
    let earlier = state.turns.iter().map(|turn| turn.question.clone());
    cx.emit(RunEvent::FollowUp {
        turn: state.number_of_turn(),
        earlier: earlier.collect(),
    });
}

/// Returns the language to answer in: the requested one, else that of the question. The offline
/// model writes English only.
fn answer_language(cx: &DatasetCx, asked_in: Language) -> Language {
    if cx.model().kind == ModelKind::Extractive {
        return Language::ENGLISH;
    }
    cx.state()
        .requested_language
        .or(cx.config().language)
        .unwrap_or(asked_in)
}

/// Returns the language of the question without the names and values of the data, which are the
/// same in every language; English when that is not certain.
fn question_language(question: &str, tools: &[ToolFacts]) -> Language {
    let fields = || tools.iter().flat_map(|tool| &tool.fields);
    let values: Vec<String> = fields()
        .flat_map(|field| &field.values)
        .filter(|value| value.is_string())
        .map(plain)
        .collect();
    let names = fields().map(|field| field.name.as_str());
    Language::detect(question, names.chain(values.iter().map(String::as_str))).unwrap_or_default()
}

/// Returns what the program takes for ambiguous.
fn doubts(cx: &DatasetCx, usable: &[ToolFacts], overrides: &QueryOverrides) -> Vec<Doubt> {
    if cx.config().max_clarifications == 0 {
        return Vec::new();
    }
    let is_computed = cx.model().kind == ModelKind::Extractive;
    let state = cx.state();
    ambiguity::doubts(
        &state.question,
        &state.conversation(),
        usable,
        overrides,
        is_computed,
    )
}

/// Returns notes on servers and tools that cannot be used, with their reasons.
fn problems(listing: &ToolListing) -> Vec<Note> {
    let failed = listing.failed.iter().map(|failed| {
        let message = format!("server {} cannot be used", failed.server);
        Note::own(&message).in_full(format!("{message}: {}", failed.reason))
    });
    // The name of a tool is its server's word.
    let bad = listing.quarantined.iter().map(|tool| {
        let message = format!("a tool of server {} cannot be used", tool.server);
        Note::own(message).in_full(format!(
            "tool {} of {} cannot be used: {}",
            tool.name, tool.server, tool.reason
        ))
    });
    failed.chain(bad).collect()
}

/// Returns the tools that the user asked for, else all that only read, and in words which were left
/// out and how to use them.
fn enabled(
    listing: &ToolListing,
    requested: &[String],
) -> Result<(Vec<String>, Option<String>), Error> {
    let names = || listing.tools.iter().map(|tool| tool.exposed_name.as_str());
    if requested.is_empty() {
        let (used, left): (Vec<&Tool>, Vec<&Tool>) =
            listing.tools.iter().partition(|tool| only_reads(tool));
        return Ok((
            used.iter().map(|tool| tool.exposed_name.clone()).collect(),
            left_out(&left),
        ));
    }

    for name in requested {
        if listing.get(name).is_none() {
            return Err(Error::UnknownTool {
                name: name.clone(),
                suggestion: closest(name, names()).map(str::to_owned),
                known: names().map(str::to_owned).collect(),
            });
        }
    }

    Ok((requested.to_vec(), None))
}

/// Tools that are left out are named one by one up to so many.
const NAMED: usize = 5;

fn left_out(tools: &[&Tool]) -> Option<String> {
    let named = tools
        .iter()
        .take(NAMED)
        .map(|tool| format!("`{}` ({})", tool.exposed_name, reason(tool)));
    let more = tools.len().saturating_sub(NAMED);
    let named: Vec<String> = named
        .chain((more > 0).then(|| format!("{more} more")))
        .collect();
    let named = named.join(", ");

    match tools.len() {
        0 => None,
        1 => Some(format!(
            "a tool is not used: {named}; to use it, name it among the tools of the run"
        )),
        _ => Some(format!(
            "some tools are not used: {named}; to use them, name them among the tools of the run"
        )),
    }
}

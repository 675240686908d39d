//! Reads the question in terms of a tool's fields before anything is planned. Words that fit
//! nothing there are looked up at the data source, over all its records.

use research_agents_report::text::words;
use research_mcp::Tool;
use research_mcp::envelope::{DataResult, LookedUp as Found};
use serde_json::{Value, json};

use crate::cx::{DatasetCx, TOOLS_ROLE};
use crate::data::record::{AggregationKind, AggregationResult, Object};
use crate::data::task::conversation::Conversation;
use crate::data::task::question::lookup::{LookedUp, Lookup, Supposed};
use crate::data::task::question::meaning::QuestionReading;
use crate::data::task::question::shape::AnswerShape;
use crate::data::task::{QueryOverrides, ReadQuestion, ToolFacts};
use crate::question::continuation::carried_over;
use crate::question::lexicon::is_plural;
use crate::question::read::read;
use crate::question::read::words::concepts::concepts;
use crate::question::topics::readings;
use crate::tools::reading::Reading;
use crate::tools::results::read_result;

/// The maximum number of texts that are looked up together.
const TEXTS: usize = 30;
/// Lookups for one question.
const ROUNDS: usize = 2;
/// Words of a question that are read again because no record fulfils what they were read as.
const TAKEN_BACK: usize = 3;

/// A question that was read, and the searches that show what the data does not have.
#[derive(Default)]
pub(crate) struct Read {
    pub(crate) question: Option<ReadQuestion>,
    pub(crate) searches: Vec<AggregationResult>,
}

/// Reads the question in terms of the tool that fits it best.
pub(crate) async fn read_question(
    cx: &DatasetCx,
    tools: &[ToolFacts],
    listed: &[Tool],
    overrides: &QueryOverrides,
) -> Read {
    let state = cx.state();
    let said = state.conversation();
    let best = readings(&state.question, &said, tools).into_iter().next();
    let Some(tool) = best
        .map(|best| best.tool)
        .filter(|tool| !tool.fields.is_empty())
    else {
        return Read::default();
    };

    let mut meaning = interpret(&state.question, &said, tool, &Lookup::default());
    let (mut searches, mut found) = (Vec::new(), Lookup::default());
    let listed = listed.iter().find(|one| one.exposed_name == tool.name);
    // What is found can leave other words to be looked up.
    for _ in 0..ROUNDS {
        let texts = meaning.unknown.iter().chain(&meaning.further);
        let texts = texts.filter(|text| found.get(text).is_none());
        let texts: Vec<String> = texts.take(TEXTS).cloned().collect();
        if texts.is_empty() || !tool.can("lookup") || cx.job().stop().is_some() {
            break;
        }
        let arguments = Object::from_iter([
            ("lookup".to_owned(), json!({ "texts": texts })),
            ("page_size".to_owned(), json!(1)),
        ]);
        match look_up(cx, tool, listed, arguments).await {
            Ok((result, sent)) => {
                found.entries.extend(lookup(&result).entries);
                searches.extend(searched(cx, tool, listed, &sent, &result));
                meaning = interpret(&state.question, &said, tool, &found);
            }
            Err(error) => {
                cx.warn(&error);
                break;
            }
        }
    }
    take_back(cx, tool, listed, &mut meaning, &mut found, &said).await;
    if !found.entries.is_empty() {
        // No condition vanishes: what was not looked up has no effect, and the report says so.
        for text in std::mem::take(&mut meaning.unknown) {
            if !meaning.unread.contains(&text) {
                meaning.unread.push(text);
            }
        }
    }

    // Only what the report calls absent needs the search that shows it.
    searches.retain(|table| {
        let text = table.text.as_ref();
        text.is_some_and(|text| {
            meaning
                .absent
                .iter()
                .any(|word| word.eq_ignore_ascii_case(text))
        })
    });
    for (at, table) in searches.iter_mut().enumerate() {
        table.id = format!("A{}", cx.state().next_table() + at);
    }

    fix(&mut meaning, overrides);
    Read {
        question: Some(ReadQuestion {
            tool: tool.name.clone(),
            meaning,
            found,
        }),
        searches,
    }
}

/// Takes values back that words were only supposed to be, one after the other, while no record
/// fulfils all conditions: what the data has none of was read wrongly before it is an answer.
async fn take_back(
    cx: &DatasetCx,
    tool: &ToolFacts,
    listed: Option<&Tool>,
    meaning: &mut QuestionReading,
    found: &mut Lookup,
    said: &Conversation,
) {
    for _ in 0..TAKEN_BACK {
        let applied = |supposed: &&Supposed| meaning.filters.contains_key(&supposed.field);
        let Some(weakest) = meaning.supposed.iter().find(applied).cloned() else {
            return;
        };
        if meaning.filters.len() < 2 || cx.job().stop().is_some() {
            return;
        }
        let arguments = Object::from_iter([
            ("filters".to_owned(), json!(meaning.filters)),
            ("page_size".to_owned(), json!(1)),
        ]);
        let total = match look_up(cx, tool, listed, arguments).await {
            Ok((result, _)) => result.context().unique_ids_matched,
            Err(error) => {
                cx.warn(&error);
                return;
            }
        };
        if total != Some(0) {
            return;
        }

        // Other values of the same words go with it.
        let same = meaning
            .supposed
            .iter()
            .filter(|one| one.said == weakest.said && one.field == weakest.field);
        for supposed in same.cloned().collect::<Vec<_>>() {
            found.take_back(supposed);
        }
        *meaning = interpret(&cx.state().question, said, tool, found);
    }
}

/// Replaces what the user fixed.
pub(crate) fn fix(meaning: &mut QuestionReading, overrides: &QueryOverrides) {
    if let Some(filters) = &overrides.filters {
        meaning.filters.clone_from(filters);
    }
    if let Some(group_by) = &overrides.group_by {
        meaning.group_by.clone_from(group_by);
        if matches!(meaning.answer, AnswerShape::Overview | AnswerShape::Count) {
            meaning.answer = AnswerShape::Groups;
        }
    }
}

/// Reads the question with what the user said before.
pub(crate) fn interpret(
    question: &str,
    said: &Conversation,
    tool: &ToolFacts,
    found: &Lookup,
) -> QuestionReading {
    let stems = |text: &str| {
        words(text)
            .into_iter()
            .map(|word| word.stem)
            .collect::<Vec<_>>()
    };
    // What the data is called: the tool's name, and its description in backticks.
    let quoted = tool.description.split('`').skip(1).step_by(2);
    let quoted = quoted.chain([tool.name.as_str()]);
    let titles: Vec<String> = quoted.clone().flat_map(stems).collect();
    // Those in the plural are words for its records.
    let plurals = quoted.flat_map(words);
    let plurals = plurals.filter(|word| is_plural(&word.lower));
    let records: Vec<String> = plurals.map(|word| word.lower).collect();
    let meaning = read(
        &said.completed(question),
        &tool.fields,
        found,
        &said.fields(),
        &records,
    );
    let mut meaning = carried_over(meaning, question, said, tool);
    let known = stems(&tool.description);
    // *films* are what a tool for movies has.
    let is_called = |stem: &String| {
        let own = concepts().of(stem, stem, "");
        let mut others = titles
            .iter()
            .flat_map(|title| concepts().of(title, title, ""));
        known.contains(stem) || others.any(|concept| own.contains(concept))
    };
    let subject = meaning.subject.as_deref().map(stems).unwrap_or_default();
    let is_known = meaning.is_subject_known;
    meaning.is_subject_known |= subject.iter().any(is_called);
    // `adelie penguins`: the tool knows penguins, and the other word restricts them.
    let is_called_so = meaning.is_subject_known && !is_known;
    if let Some(said) = meaning.subject.clone().filter(|_| is_called_so) {
        let beside = words(&said).into_iter();
        let beside = beside.filter(|word| !known.contains(&word.stem));
        let beside: Vec<String> = beside.map(|word| word.text.to_owned()).collect();
        meaning.unread.extend(beside);
    }
    // A word that the tool calls its records by restricts nothing. A name does only as part of
    // what the data is called.
    let is_german = meaning.language == "de";
    let is_records = |said: &str| {
        let opens = question.trim_start().starts_with(said);
        let is_name = said.starts_with(char::is_uppercase) && !is_german && !opens;
        let called = if is_name { &titles } else { &known };
        let is_subject = |word: &String| !is_name && subject.contains(word) && is_called(word);
        let said = stems(said);
        matches!(said.as_slice(), [word] if called.contains(word) || is_subject(word))
    };
    meaning
        .conditions
        .retain(|condition| condition.is_applied() || !is_records(&condition.said));
    for list in [
        &mut meaning.unread,
        &mut meaning.unheld,
        &mut meaning.absent,
    ] {
        list.retain(|word| !is_records(word));
    }

    // Where neither the noun nor another word is known, it is not known what is counted.
    let foreign: Vec<String> = meaning
        .dropped()
        .map(|condition| condition.said.clone())
        .filter(|said| said.chars().all(char::is_lowercase))
        .chain(meaning.unread.iter().cloned())
        .collect();
    let is_count = meaning.answer == AnswerShape::Count;
    let is_alone = meaning.filters.is_empty() && meaning.search.is_empty();
    let is_foreign = meaning.language == "en" && !foreign.is_empty();
    if let Some(subject) = meaning.subject.clone()
        && is_count
        && (is_foreign || is_alone)
        && !meaning.is_subject_known
        && meaning.unheld.is_empty()
    {
        let others = foreign.into_iter().filter(|word| *word != subject);
        meaning.unheld.extend(others.collect::<Vec<_>>());
        meaning.unheld.insert(0, subject);
    }
    meaning
}

/// Calls the tool in the role of calls that plans name. The state does not list the tools yet.
async fn look_up(
    cx: &DatasetCx,
    tool: &ToolFacts,
    listed: Option<&Tool>,
    arguments: Object,
) -> Result<(DataResult, Object), research_agents_runtime::error::Error> {
    let reading = Reading::of(&tool.name, listed, cx.config());
    let arguments = reading.arguments.spoken(arguments);
    cx.with_discovered(listed.map(std::slice::from_ref).unwrap_or_default())
        .in_role(TOOLS_ROLE)
        .call_tool_for(&tool.name, arguments)
        .await
}

/// Returns the results of a lookup as the reader of questions takes them.
fn lookup(result: &DataResult) -> Lookup {
    let one = |found: &Found| {
        let mut entry = json!(found);
        entry["searched"] = json!({"fields": found.fields, "records": found.records});
        serde_json::from_value::<LookedUp>(entry).ok()
    };
    Lookup {
        entries: result.lookup().iter().filter_map(one).collect(),
    }
}

/// Returns the searches that found nothing, as aggregations.
fn searched(
    cx: &DatasetCx,
    tool: &ToolFacts,
    listed: Option<&Tool>,
    sent: &Object,
    result: &DataResult,
) -> Vec<AggregationResult> {
    let reading = Reading::of(&tool.name, listed, cx.config());
    let found = read_result(&tool.name, sent, result, &reading, cx.state().next_table());
    let searches = found.results.into_iter();
    searches
        .filter(|table| table.kind == AggregationKind::Search)
        .collect()
}

/// Returns whether a call of a tool looks texts up and reads no records.
pub(crate) fn is_lookup(arguments: &Object) -> bool {
    arguments
        .get("lookup")
        .is_some_and(|lookup| *lookup != Value::Null)
}

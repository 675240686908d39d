//! The aggregator: statistics over all matching records, computed by the data tools, and what they
//! show.

use futures::future::join_all;
use research_agents_report::check::{Checker, Failure};
use research_agents_report::claim::Statement;
use research_agents_report::evidence::{Source, SourceRegistry, known_sum};
use research_agents_report::language::Language;
use research_agents_runtime::ask::UserText;
use research_agents_runtime::error::Error;
use research_agents_runtime::event::Note;
use research_agents_runtime::job::{Ask, Incomplete};
use research_agents_runtime::tools::registry::{Card, InvalidInput, SubAgent};
use research_llm::ModelKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::agents::scanner;
use crate::cx::DatasetCx;
use crate::data::config::INSIGHTS;
use crate::data::contribution::Contribution;
use crate::data::event::Phase;
use crate::data::filters::{describe_filters, parse_filters};
use crate::data::names::AGGREGATOR;
use crate::data::record::{AggregationResult, Object};
use crate::data::task::{INSIGHTS as INSIGHTS_TASK, InsightsOutput, InsightsTask};
use crate::found::coverage::QueryReport;
use crate::found::evidence::evidence_of;
use crate::found::findings::normalised;
use crate::prompts;
use crate::report::compose::limitations::reasons;
use crate::report::repair::repair_statement;
use crate::state::filter_notes::note_of_filter_left_out;
use crate::tools::reduce::shortfall;
use crate::tools::results::read_result;
use crate::tools::statistics::total_table;

/// The sub-agent that requests statistics from the data tools.
#[derive(Clone, Copy, Debug, Default)]
pub struct Aggregator;

/// What the aggregator takes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct AggregatorInput {
    /// The data tool to ask.
    #[serde(default)]
    pub tool_name: Option<String>,
    /// Several data tools to ask at once.
    #[serde(default)]
    pub tool_names: Vec<String>,
    /// Field to group by, or several joined by `,`.
    #[serde(default)]
    pub group_by: Option<String>,
    /// Filters: a JSON object written as a string.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub filters: Option<Value>,
    /// Groups over time, as the tool takes them, such as `{"field": "date", "interval": "year"}`.
    #[serde(default)]
    pub date_histogram: Option<Value>,
    /// Most groups, at least 1.
    #[serde(default = "twenty")]
    pub top_n: u32,
    /// Sample records of each group.
    #[serde(default)]
    pub samples_per_bucket: u32,
    /// Statistics to compute, as `[{"function": "mean", "field": "height"}]`.
    #[serde(default)]
    pub measures: Option<Value>,
    /// Pairs of numeric fields to correlate, as `[["height", "weight"]]`.
    #[serde(default)]
    pub correlations: Option<Value>,
    /// Order of the groups, as `{"function": "mean", "field": "height", "order": "desc"}`.
    #[serde(default)]
    pub order_by: Option<Value>,
    /// A search in the texts of the records, as `{"text": "engine fire"}`.
    #[serde(default)]
    pub search: Option<Value>,
    /// Order of the records, as `[{"field": "height", "order": "desc"}]`.
    #[serde(default)]
    pub sort: Option<Value>,
    /// Number of records that are returned.
    #[serde(default)]
    pub page_size: Option<u32>,
}

/// Reads filters that are written as JSON text, as they should be, or as an object.
fn filters_in(given: &Value) -> Result<Object, Error> {
    match given {
        Value::String(text) => parse_filters(text),
        other => parse_filters(&other.to_string()),
    }
}

fn twenty() -> u32 {
    20
}

/// What the aggregator returns.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AggregatorOutput {
    /// The statistics.
    pub results: Vec<AggregationResult>,
    /// What they show, checked: at most five sentences.
    pub insights: Vec<Statement>,
    /// Records that match, summed over the tools, when all that were asked said so.
    pub total_dataset_size: Option<u64>,
    /// Records that came with the statistics.
    #[schemars(with = "Vec<Value>")]
    pub sources: Vec<Source>,
    /// What was asked of which tool.
    pub queries: Vec<QueryReport>,
    /// What went wrong, in words.
    pub notes: Vec<Note>,
}

impl SubAgent<DatasetCx> for Aggregator {
    type Input = AggregatorInput;
    type Output = AggregatorOutput;

    fn card(&self) -> Card {
        Card::new(
            AGGREGATOR,
            "Counts, distributions and trends over all matching records, computed by data tools.",
        )
        .use_when("statistics are needed without reading every record")
        .speed("one tool call for each tool and one model call")
        .cost("low")
        .fetches_data()
    }

    fn validate(&self, input: &AggregatorInput) -> Result<(), InvalidInput> {
        if input.top_n == 0 {
            return Err(InvalidInput::new("top_n", "must be at least 1"));
        }
        Ok(())
    }

    async fn run(&self, cx: &DatasetCx, input: AggregatorInput) -> Result<AggregatorOutput, Error> {
        cx.phase(Phase::Aggregating);

        // Filters that cannot be read must not be taken for none.
        input.filters.as_ref().map(filters_in).transpose()?;

        let tools = scanner::tool_names(cx, input.tool_name.as_deref(), &input.tool_names)?;
        let calls = tools
            .iter()
            .map(|tool| call(cx, tool, arguments(cx, tool, &input)));
        let notes = tools
            .iter()
            .flat_map(|tool| refused(cx, tool, &input))
            .collect();

        let mut output = AggregatorOutput {
            notes,
            ..AggregatorOutput::default()
        };
        let mut failures = Vec::new();
        for (tool, answer) in tools.iter().zip(join_all(calls).await) {
            match answer {
                Ok(found) => add(&mut output, found, cx.state().next_table()),
                Err(error) => {
                    output
                        .notes
                        .push(Note::failed(&format!("a call of {tool} failed"), &error));
                    failures.push(error);
                }
            }
        }

        // One tool that answers is enough; the total is known only if all of them do.
        let is_whole = failures.is_empty();
        if let (Some(error), true) = (failures.pop(), output.queries.is_empty()) {
            return Err(error);
        }

        let total = known_sum(output.queries.iter().map(|query| query.total));
        output.total_dataset_size = total.filter(|_| is_whole);
        if output
            .results
            .iter()
            .any(|result| result.has_groups() && !result.buckets.is_empty())
        {
            insights(cx, &mut output).await;
        }

        Ok(output)
    }
}

/// Returns the arguments that the tool takes, of those that were given. A tool that does not list
/// its arguments gets all that were given.
fn arguments(cx: &DatasetCx, tool: &str, input: &AggregatorInput) -> Object {
    let listed = cx
        .state()
        .available_tools
        .iter()
        .find(|facts| facts.name == tool)
        .map(|facts| &facts.arguments);

    let text = |value: &Option<String>| {
        value
            .clone()
            .filter(|text| !text.trim().is_empty())
            .map(Value::from)
    };

    let filters = input.filters.as_ref().map(|filters| match filters {
        Value::Object(_) => Value::from(filters.to_string()),
        written => written.clone(),
    });
    let given = [
        ("filters", filters),
        ("group_by", text(&input.group_by)),
        (
            "date_histogram",
            input
                .date_histogram
                .clone()
                .filter(|value| !value.is_null()),
        ),
        ("top_n", Some(Value::from(input.top_n))),
        (
            "samples_per_bucket",
            (input.samples_per_bucket > 0).then(|| Value::from(input.samples_per_bucket)),
        ),
        ("measures", asked(&input.measures)),
        ("correlations", asked(&input.correlations)),
        ("order_by", asked(&input.order_by)),
        ("search", asked(&input.search)),
        ("sort", asked(&input.sort)),
        ("page_size", input.page_size.map(Value::from)),
    ];
    let given = given
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .collect();

    let mut arguments = cx.reading(tool).arguments.with_filters_apart(given);
    arguments
        .retain(|name, _| listed.is_none_or(|listed| listed.is_empty() || listed.contains(name)));
    arguments
}

/// Returns an argument unless it asks for nothing.
fn asked(value: &Option<Value>) -> Option<Value> {
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    };
    value.clone().filter(|value| !is_empty(value))
}

/// Returns the filters of the call that the tool has no argument for, in words.
fn refused(cx: &DatasetCx, tool: &str, input: &AggregatorInput) -> Vec<Note> {
    let filters = input
        .filters
        .iter()
        .map(|filters| ("filters".to_owned(), filters.clone()))
        .collect();
    let refused = cx.reading(tool).arguments.refused(&filters).into_iter();
    refused
        .map(|field| note_of_filter_left_out(tool, &field, cx.state()))
        .collect()
}

async fn call(cx: &DatasetCx, tool: &str, arguments: Object) -> Result<Contribution, Error> {
    let (result, sent) = cx.call_tool_for(tool, arguments.clone()).await?;
    let reading = cx.reading(tool);
    let asked = reading.arguments.in_words_of_a_plan(&sent);
    let mut found = read_result(tool, &asked, &result, &reading, 1);

    // Without groups, the number of matching records is a separate table.
    if !found.results.iter().any(AggregationResult::has_groups) {
        let total = total_table(&result, &asked);
        found.results.extend(total.map(|total| AggregationResult {
            source_tool: tool.to_owned(),
            filters: reading.arguments.selection(&sent),
            ..total
        }));
    }
    found
        .notes
        .extend(shortfall(&arguments, &sent).map(Note::own));
    Ok(found)
}

fn add(output: &mut AggregatorOutput, found: Contribution, next_table: usize) {
    for mut result in found.results {
        result.id = format!("A{}", next_table + output.results.len());
        output.results.push(result);
    }
    output.sources.extend(found.sources);
    output.queries.extend(found.queries);
    output.notes.extend(found.notes);
}

/// Asks what the statistics show and keeps what holds. If that is too little, asks once more.
async fn insights(cx: &DatasetCx, output: &mut AggregatorOutput) {
    let task = InsightsTask {
        query: cx.state().question.clone(),
        aggregations: output
            .results
            .iter()
            .filter(|result| result.has_groups())
            .cloned()
            .collect(),
    };
    let wanted = *INSIGHTS.start();
    let mut judged = Judged::default();
    match draft(cx, &task, None).await {
        Ok(drafted) => judged.take(cx, &task, drafted),
        Err(error) => {
            output.notes.push(Note::failed(
                "there are no insights into the statistics",
                &error,
            ));
            return;
        }
    }

    // A program that computes its answers would repeat itself.
    let may_say_more = cx.model().kind != ModelKind::Extractive;
    if may_say_more && judged.kept.len() < wanted {
        match draft(cx, &task, Some(&judged.too_little(wanted))).await {
            Ok(drafted) => judged.take(cx, &task, drafted),
            Err(error) if !cx.is_cancelled() => cx.warn(&error),
            Err(_) => {}
        }
    }

    output.notes.extend(withheld_note(&judged.withheld));
    let count = judged.kept.len();
    if may_say_more && count < wanted {
        let message = format!(
            "insights that the statistics bear out: {count}, fewer than the {wanted} asked for"
        );
        output.notes.push(Note::own(message));
    }

    output.insights = judged.kept;
}

async fn draft(
    cx: &DatasetCx,
    task: &InsightsTask,
    short: Option<&Incomplete>,
) -> Result<Vec<Statement>, Error> {
    let ask = Ask::shrinking(&prompts::INSIGHTS, INSIGHTS_TASK, task, |prompt, shrink| {
        prompt
            .set(
                "question",
                UserText::new(cx.state().conversation().in_context(&task.query)),
            )
            .data(
                "aggregations",
                &prompts::aggregations(&task.aggregations, shrink),
            )
    });
    Ok(cx.ask::<InsightsOutput>(ask.after(short)).await?.insights)
}

/// Drafted insights, judged by the statistics.
#[derive(Default)]
struct Judged {
    /// Insights that hold, each once and no more than wanted.
    kept: Vec<Statement>,
    /// Reasons why others do not hold, each once.
    withheld: Vec<Failure>,
    /// All drafted insights in words, each with its verdict.
    said: Vec<String>,
}

impl Judged {
    fn take(&mut self, cx: &DatasetCx, task: &InsightsTask, drafted: Vec<Statement>) {
        let evidence = evidence_of(SourceRegistry::default(), &task.aggregations);
        let filters: Vec<String> = task
            .aggregations
            .iter()
            .map(|result| describe_filters(&result.filters))
            .collect();
        let context = filters
            .iter()
            .map(String::as_str)
            .chain([task.query.as_str()]);
        let context = context.chain(task.aggregations.iter().map(|result| result.field.as_str()));
        let checker = Checker::in_language(cx.state().language, &evidence, context);

        for mut insight in drafted.into_iter().take(*INSIGHTS.end()) {
            repair_statement(&mut insight, &task.aggregations);

            // An insight counts once, however it is spelled.
            let key = normalised(&insight.text);
            let is_new =
                !key.is_empty() && self.kept.iter().all(|known| normalised(&known.text) != key);
            match checker.check(&insight) {
                Ok(_) => {
                    self.said.push(format!("- holds: {}", insight.text));
                    if is_new && self.kept.len() < *INSIGHTS.end() {
                        self.kept.push(insight);
                    }
                }
                Err(failure) => {
                    self.said
                        .push(format!("- does not hold ({failure}): {}", insight.text));
                    if !self.withheld.contains(&failure) {
                        self.withheld.push(failure);
                    }
                }
            }
        }
    }

    fn too_little(&self, wanted: usize) -> Incomplete {
        Incomplete {
            answer: prompts::lines(self.said.iter().cloned()),
            usable: self.kept.len(),
            wanted,
        }
    }
}

/// Returns the note on insights that do not hold: their number and the reasons. Only its full form,
/// for the planner, repeats the insights.
fn withheld_note(withheld: &[Failure]) -> Option<Note> {
    let were = match withheld.len() {
        0 => return None,
        1 => "1 insight into the statistics was withheld".to_owned(),
        count => format!("{count} insights into the statistics were withheld"),
    };
    let failures = withheld
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("; ");
    let message = format!("{were}: {}", reasons(withheld, Language::ENGLISH));
    Some(Note::own(message).in_full(format!("{were}: {failures}")))
}

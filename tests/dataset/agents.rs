//! The sub-agents as a set: their names, what they can be called without, and that those that only think fetch nothing.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use futures::StreamExt;
use research_agents::dataset::{
    Aggregator, AggregatorInput, AggregatorOutput, DatasetAgent, DatasetCx, DatasetEventKind, DatasetReport, EventKind,
    RunEvent, standard_agents,
};
use research_agents::subagent::{Card, InvalidInput, Registry, SubAgent, SubAgentError};
use research_agents::{Error, ErrorCategory};
use research_llm::testing::{Reply, ScriptedModel};
use research_llm::{ModelError, ModelInfo, ModelKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};

use crate::fake::FakeTool;
use crate::fixture;
use crate::script::{
    DECOMPOSE, EXTRACT, GAPS, INSIGHTS, PERSPECTIVES, PLAN, QUESTIONS, SYNTHESIZE, VALIDATE, extraction, finding,
    helpful, plan, prompt,
};

#[test]
fn there_are_exactly_the_eight_agents() {
    let mut names = standard_agents().names();
    names.sort_unstable();
    let eight =
        ["aggregator", "decomposer", "extractor", "gap_analyzer", "perspective", "scanner", "synthesizer", "validator"];
    assert_eq!(names, eight);
    let fetching: Vec<&str> =
        standard_agents().cards().filter(|card| card.fetches_data).map(|card| card.name).collect();
    assert_eq!(fetching, ["aggregator", "scanner"]);
}

fn bare(agents: &[&str]) -> Value {
    plan(&agents.iter().map(|name| (*name, json!({}))).collect::<Vec<_>>(), &[])
}

async fn run(model: &Arc<ScriptedModel>, tool: &Arc<FakeTool>) -> Vec<EventKind<DatasetEventKind>> {
    let agent = DatasetAgent::builder(Arc::clone(model), Arc::clone(tool)).build().unwrap();
    agent.run("numbers by parity").stream().map(|event| event.kind).collect().await
}

#[tokio::test]
async fn every_agent_can_be_planned_with_nothing_and_those_that_think_fetch_nothing() {
    let thinking = ["decomposer", "perspective", "extractor", "validator", "gap_analyzer", "synthesizer"];
    let model = helpful()
        .on_task(PLAN, plan(&[("decomposer", json!({}))], &[json!({"group_by": "parity"})]))
        .on_task(PLAN, bare(&thinking))
        .on_task(EXTRACT, extraction(&[finding("Numbers are even", &["2"])]));
    let (model, tool) = (Arc::new(model), Arc::new(FakeTool::new("analyze_events", 12)));
    let events = run(&model, &tool).await;
    let failed: Vec<_> = events.iter().filter(|kind| matches!(kind, EventKind::Run(RunEvent::Error { .. }))).collect();
    assert!(failed.is_empty(), "{failed:?}");
    let finished = |kind: &EventKind<DatasetEventKind>| match kind {
        EventKind::Run(RunEvent::AgentFinished { agent, ok: true, .. }) => Some(agent.clone()),
        _ => None,
    };
    let mut done: Vec<String> = events.iter().filter_map(finished).skip(1).collect();
    assert_eq!(done.last().map(String::as_str), Some("synthesizer"), "the report waits for all others");
    let place = |name: &str| done.iter().position(|other| other == name).unwrap();
    assert!(place("extractor") < place("validator") && place("validator") < place("gap_analyzer"), "{done:?}");
    done.sort();
    let mut all = thinking.map(str::to_owned);
    all.sort();
    assert_eq!(done, all);
    assert_eq!(tool.calls.load(Ordering::SeqCst), 1, "the direct call, and nothing else");

    let first = prompt(&model, PLAN, 0);
    for name in standard_agents().names() {
        assert!(first.contains(&format!("## {name}")), "no {name} in {first}");
    }
    assert!(first.matches("use when: ").count() == 8 && !first.contains("\"documents\""), "{first}");
    for task in [PLAN, EXTRACT, VALIDATE, GAPS, SYNTHESIZE] {
        let at = usize::from(task == PLAN);
        let prompt = prompt(&model, task, at);
        assert!(QUESTIONS.iter().all(|question| prompt.contains(question)), "{task}: {prompt}");
    }
}

#[tokio::test]
async fn points_of_view_are_kept_once_and_shown_to_the_planner() {
    let domain = json!({"topic": "events", "domain": "enterprise software"});
    let model = helpful()
        .on_task(PLAN, plan(&[("perspective", domain)], &[json!({"group_by": "parity"})]))
        .on_task(PLAN, bare(&["perspective", "scanner"]))
        .always(PLAN, bare(&["synthesizer"]));
    let model = Arc::new(model);
    let agent = DatasetAgent::builder(Arc::clone(&model), FakeTool::new("analyze_events", 40)).build().unwrap();
    let report = agent.run("numbers by parity").await.unwrap();
    let names: Vec<&str> = report.perspectives.iter().map(|view| view.name.as_str()).collect();
    assert_eq!(names, ["Business Analyst", "Regional Expert", "Data Scientist"], "the second call brought the same");
    assert!(prompt(&model, PERSPECTIVES, 0).contains("enterprise software"));
    let next = prompt(&model, PLAN, 1);
    for word in ["Business Analyst", "Regional Expert", "Data Scientist", "revenue", "monsoon", "outlier"] {
        assert!(next.contains(word), "no `{word}` in {next}");
    }
}

#[tokio::test]
async fn as_many_points_of_view_as_asked_for_within_one_and_eight() {
    let view = |name: usize| json!({"name": format!("Expert {name}"), "focus": "x"});
    for (asked, kept, calls) in [(-1, 1, 1), (0, 1, 1), (2, 2, 1), (99, 8, 1)] {
        let many = json!({"perspectives": (0..12).map(view).collect::<Vec<_>>()});
        let arguments = json!({"num_perspectives": asked});
        let model = ScriptedModel::new()
            .on_task(PLAN, plan(&[("perspective", arguments)], &[json!({"group_by": "parity"})]))
            .always(PERSPECTIVES, many);
        let model = Arc::new(model.otherwise(|_| None));
        let agent = DatasetAgent::builder(Arc::clone(&model), FakeTool::new("analyze_events", 4)).build().unwrap();
        let report = agent.run("numbers by parity").max_iterations(1).await.unwrap();
        assert_eq!((report.perspectives.len(), model.calls_of(PERSPECTIVES).len()), (kept, calls), "{asked}");
        assert!(prompt(&model, PERSPECTIVES, 0).contains(&format!("Exactly {kept} points of view")));
    }
}

#[tokio::test]
async fn too_few_points_of_view_are_asked_for_once_more() {
    let one = json!({"perspectives": [{"name": "Analyst", "focus": "x"}, {"name": "analyst", "focus": "y"}]});
    let model = helpful()
        .on_task(PLAN, plan(&[("perspective", json!({}))], &[json!({"group_by": "parity"})]))
        .on_task(PERSPECTIVES, one.clone())
        .on_task(PERSPECTIVES, one);
    let (model, tool) = (Arc::new(model), Arc::new(FakeTool::new("analyze_events", 4)));
    let agent = DatasetAgent::builder(Arc::clone(&model), tool).build().unwrap();
    let events: Vec<_> = agent.run("numbers by parity").max_iterations(1).stream().collect().await;
    assert_eq!(model.calls_of(PERSPECTIVES).len(), 2);
    let warned = |kind: &EventKind<DatasetEventKind>| match kind {
        EventKind::Run(RunEvent::Error { message, .. }) => message.contains("1 points of view, fewer than 3"),
        _ => false,
    };
    assert!(events.iter().any(|event| warned(&event.kind)), "{events:?}");
}

/// A run of one iteration with this plan: its report and what went wrong on the way.
async fn run_once(model: ScriptedModel, planned: Value) -> (Arc<ScriptedModel>, DatasetReport, Vec<String>) {
    let model = Arc::new(model.on_task(PLAN, planned));
    let agent = DatasetAgent::builder(Arc::clone(&model), FakeTool::new("analyze_events", 40)).build().unwrap();
    let mut stream = agent.run("numbers by parity").max_iterations(1).stream();
    let mut errors = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::Run(RunEvent::Error { message, .. }) = event.kind {
            errors.push(message);
        }
    }
    (model, stream.outcome().await.unwrap(), errors)
}

/// A failure that does not pass.
fn refusal() -> Reply {
    ModelError::authentication("no key").into()
}

#[tokio::test]
async fn a_second_answer_that_fails_takes_no_point_of_view_away() {
    let one = json!({"perspectives": [{"name": "Analyst", "focus": "x"}]});
    let model = helpful().on_task(PERSPECTIVES, one).on_task(PERSPECTIVES, refusal());
    let planned = plan(&[("perspective", json!({}))], &[json!({"group_by": "parity"})]);
    let (model, report, errors) = run_once(model, planned).await;
    assert_eq!((model.calls_of(PERSPECTIVES).len(), report.perspectives.len()), (2, 1));
    assert!(prompt(&model, PERSPECTIVES, 1).contains("| - Analyst: x\n"));
    assert!(errors.iter().any(|error| error.contains("no key")), "{errors:?}");
}

#[tokio::test]
async fn too_few_sub_questions_are_asked_for_once_more_and_the_longer_answer_stays() {
    let answer = |texts: &[&str]| {
        let question = |(at, text): (usize, &&str)| json!({"id": format!("sq_{}", at + 1), "question": text});
        Reply::json(json!({"sub_questions": texts.iter().enumerate().map(question).collect::<Vec<_>>()}))
    };
    let two = || answer(&["How many are even?", "How many are odd?"]);
    let many = ["One?", "Two?", "Three?", "Four?", "Five?", "Six?", "Seven?", "Eight?", "Nine?"];
    let few = Some("the decomposer gave 2 sub-questions, fewer than 3");
    for (case, answers, kept, warning) in [
        ("two twice", vec![two(), two()], 2, few),
        ("a failure after two", vec![two(), refusal()], 2, few),
        ("none after two", vec![two(), answer(&[])], 2, few),
        ("a blank among three", vec![answer(&["One?", " ", "Two?"]), answer(&many[..4])], 4, None),
        ("nine", vec![answer(&many)], 7, None),
    ] {
        let calls = answers.len();
        let model = answers.into_iter().fold(helpful(), |model, answer| model.on_task(DECOMPOSE, answer));
        let planned = plan(&[("decomposer", json!({}))], &[json!({"group_by": "parity"})]);
        let (model, report, errors) = run_once(model, planned).await;
        assert_eq!((report.sub_questions.len(), model.calls_of(DECOMPOSE).len()), (kept, calls), "{case}");
        if calls > 1 {
            let again = prompt(&model, DECOMPOSE, 1);
            assert!(again.contains("Of it 2 can be used, and at least 3 are wanted."), "{case}: {again}");
        }
        let told = errors.iter().find(|error| error.starts_with("the decomposer gave"));
        assert_eq!(told.map(String::as_str), warning, "{case}: {errors:?}");
    }
}

fn insight(text: &str, claim: Value) -> Value {
    json!({"text": text, "claims": [claim]})
}

fn count(value: &str) -> Value {
    json!({"type": "count", "over": {"aggregation": "A1"}, "field": "parity", "value": value, "number": 20})
}

#[tokio::test]
async fn too_few_insights_are_asked_for_once_more_and_what_is_missing_is_noted() {
    let even = || insight("20 numbers are even.", count("even"));
    let odd = || insight("20 numbers are odd.", count("odd"));
    let total = || insight("40 numbers match.", json!({"type": "total", "over": {"aggregation": "A1"}, "number": 40}));
    let wrong = || insight("21 numbers are odd.", count("odd"));
    let again = || insight("Odd: 20 numbers.", count("odd"));
    let more = || insight("Even: 20 numbers.", count("even"));
    let answer = |insights: &[Value]| Reply::json(json!({ "insights": insights }));
    for (case, answers, kept, is_noted) in [
        ("three at once", vec![answer(&[even(), odd(), total()])], 3, false),
        ("one, then all", vec![answer(&[even()]), answer(&[even(), odd(), total()])], 3, false),
        ("one that is wrong", vec![answer(&[even(), wrong(), total()]), answer(&[odd()])], 3, false),
        ("the same again", vec![answer(&[even()]), answer(&[even()])], 1, true),
        ("a failure after two", vec![answer(&[even(), odd()]), refusal()], 2, true),
        ("none", vec![answer(&[]), answer(&[])], 0, true),
        ("six", vec![answer(&[even(), odd(), total(), again(), more(), even()])], 5, false),
        (
            "two, then five",
            vec![answer(&[even(), odd()]), answer(&[odd(), even(), total(), again(), more()])],
            5,
            false,
        ),
    ] {
        let calls = answers.len();
        let model = answers.into_iter().fold(helpful(), |model, answer| model.on_task(INSIGHTS, answer));
        let (model, report, _) = run_once(model, plan(&[("aggregator", json!({"group_by": "parity"}))], &[])).await;
        assert_eq!((report.insights.len(), model.calls_of(INSIGHTS).len()), (kept, calls), "{case}");
        let note = format!("insights that the statistics bear out: {kept}, fewer than the 3 asked for");
        assert_eq!(report.notes.contains(&note), is_noted, "{case}: {:?}", report.notes);
        if calls > 1 {
            assert_ne!(
                prompt(&model, INSIGHTS, 0),
                prompt(&model, INSIGHTS, 1),
                "{case}: the same prompt brings the same"
            );
        }
    }
}

#[tokio::test]
async fn whoever_is_asked_once_more_is_told_what_holds_and_what_does_not() {
    let drafted = [insight("20 numbers are even.", count("even")), insight("21 numbers are odd.", count("odd"))];
    let model = helpful().on_task(INSIGHTS, json!({ "insights": drafted }));
    let (model, _, _) = run_once(model, plan(&[("aggregator", json!({"group_by": "parity"}))], &[])).await;
    let again = prompt(&model, INSIGHTS, 1);
    for told in [
        "| - holds: 20 numbers are even.\n",
        "| - does not hold (nothing supports the number 21): 21 numbers are odd.\n",
        "Of it 1 can be used, and at least 3 are wanted.",
    ] {
        assert!(again.contains(told), "{told}: {again}");
    }
}

#[tokio::test]
async fn a_program_that_computes_insights_is_asked_once() {
    let info = ModelInfo::new("scripted", "program", ModelKind::Extractive);
    let model = ScriptedModel::named(info)
        .on_task(INSIGHTS, json!({"insights": [insight("20 numbers are even.", count("even"))]}))
        .always(SYNTHESIZE, crate::script::draft());
    let (model, report, errors) = run_once(model, plan(&[("aggregator", json!({"group_by": "parity"}))], &[])).await;
    assert_eq!((report.insights.len(), model.calls_of(INSIGHTS).len()), (1, 1));
    assert!(report.notes.iter().all(|note| !note.contains("insights")), "{:?}", report.notes);
    assert!(errors.is_empty(), "{errors:?}");
}

/// The aggregator, whose results are kept.
struct Watched(Arc<Mutex<Vec<AggregatorOutput>>>);

impl SubAgent<DatasetCx> for Watched {
    type Input = AggregatorInput;
    type Output = AggregatorOutput;

    fn card(&self) -> Card {
        SubAgent::<DatasetCx>::card(&Aggregator)
    }

    fn validate(&self, input: &AggregatorInput) -> Result<(), InvalidInput> {
        SubAgent::<DatasetCx>::validate(&Aggregator, input)
    }

    async fn run(&self, cx: &DatasetCx, input: AggregatorInput) -> Result<AggregatorOutput, Error> {
        let output = Aggregator.run(cx, input).await?;
        self.0.lock().unwrap().push(output.clone());
        Ok(output)
    }
}

#[tokio::test]
async fn an_aggregator_counts_all_matching_records_without_reading_them() {
    let hub = fixture(&[]).await;
    let arguments = json!({"filters": "{\"country\":\"India\"}", "group_by": "event_theme"});
    let model = helpful()
        .on_task(PLAN, plan(&[("aggregator", arguments)], &[]))
        .always(PLAN, plan(&[("scanner", json!({}))], &[]));
    let (model, seen) = (Arc::new(model), Arc::new(Mutex::default()));
    let builder = DatasetAgent::builder(Arc::clone(&model), Arc::clone(&hub));
    let agent = builder.agent(Watched(Arc::clone(&seen))).build().unwrap();
    agent.run("India events by theme").await.unwrap();
    hub.close().await;

    let seen = seen.lock().unwrap();
    assert_eq!((seen.len(), seen[0].total_dataset_size), (1, Some(165)));
    let table = &seen[0].results[0];
    assert_eq!((table.field.as_str(), table.total_docs), ("event_theme", 165));
    assert!(table.buckets.iter().any(|bucket| (&bucket.key, bucket.doc_count) == (&json!("AI"), 50)), "{table:?}");
    let next = model.calls_of(PLAN)[1].task.as_ref().unwrap().input["state"].clone();
    assert_eq!((&next["total_docs"], &next["needs_full_scan"]), (&json!(165), &json!(true)));
}

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

/// Says by its type that it has a list of names, and writes a text.
#[derive(Deserialize, JsonSchema)]
struct Names {
    #[expect(dead_code, reason = "only its type matters")]
    names: Vec<String>,
}

impl Serialize for Names {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        json!({"names": "Ada, Grace"}).serialize(serializer)
    }
}

/// An agent of the host whose result is not what its schema says.
struct Lister;

impl<C: Sync + 'static> SubAgent<C> for Lister {
    type Input = Nothing;
    type Output = Names;

    fn card(&self) -> Card {
        Card::new("lister", "Lists names.")
    }

    async fn run(&self, _: &C, _: Nothing) -> Result<Names, Error> {
        Ok(Names { names: Vec::new() })
    }
}

#[tokio::test]
async fn a_result_that_is_not_what_its_schema_says_is_an_error_with_its_place() {
    let mut registry = Registry::<()>::new();
    registry.register(Lister);
    match registry.call("lister", &(), json!({})).await {
        Err(SubAgentError::InvalidOutput { agent, path, .. }) => {
            assert_eq!((agent.as_str(), path.as_str()), ("lister", "names"))
        }
        other => panic!("{other:?}"),
    }

    let model = helpful()
        .on_task(PLAN, plan(&[("lister", json!({}))], &[json!({"group_by": "parity"})]))
        .always(PLAN, bare(&["synthesizer"]));
    let builder = DatasetAgent::builder(model, FakeTool::new("analyze_events", 4));
    let events: Vec<_> = builder.agent(Lister).build().unwrap().run("numbers by parity").stream().collect().await;
    let is_told = |kind: &EventKind<DatasetEventKind>| {
        matches!(kind, EventKind::Run(RunEvent::Error { category: ErrorCategory::SubAgentError, message, fatal: false, .. })
            if message.contains("does not fit its schema at `names`"))
    };
    assert!(events.iter().any(|event| is_told(&event.kind)), "{events:?}");
    assert!(matches!(events.last().unwrap().kind, EventKind::Run(RunEvent::RunCompleted { .. })));
}

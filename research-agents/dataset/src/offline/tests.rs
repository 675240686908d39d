//! The model as a whole: which tasks it answers, that it is deterministic, and that it takes
//! nothing out of the air.

use std::sync::Arc;

use futures::executor::block_on;
use research_agents_report::evidence::plain;
use research_agents_report::text::{nearly, stems};
use research_agents_runtime::offline::OfflineModel;
use research_llm::{
    ChatModel, ChatModelExt, ErrorKind, ModelKind, ModelSpec, Providers, Request, Task, collect,
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::data::record::ReportDraft;
use crate::data::task::{
    AgentFacts, ExtractorLlmResponse, FieldKind, InsightsOutput, PlanTask, PlannerOutput,
};
use crate::offline::fixture::Fixture;
use crate::offline::*;

fn model() -> OfflineModel {
    OfflineModel::new(answers())
}

fn request<T: Serialize>(name: &str, input: &T) -> Request {
    Request::new().task(Task::of(name, input).unwrap())
}

fn plan_task(fixture: &Fixture, question: &str) -> PlanTask {
    let agents = ["decomposer", "aggregator", "scanner", "synthesizer"].map(|name| AgentFacts {
        name: name.into(),
        description: String::new(),
        use_when: String::new(),
        speed: String::new(),
        cost: String::new(),
        input_schema: json!({}),
    });
    PlanTask {
        question: question.into(),
        iteration: 1,
        max_iterations: 10,
        tools: vec![fixture.tool()],
        agents: agents.to_vec(),
        ..PlanTask::default()
    }
}

fn all_requests(fixture: &Fixture) -> Vec<Request> {
    let perspectives = json!({
        "topic": fixture.question, "num_perspectives": 3, "tools": [fixture.tool()]
    });
    let validation = json!({
        "query": fixture.question, "sub_questions": [], "findings": [], "checks": []
    });
    let gaps = json!({
        "query": fixture.question, "sub_questions": [], "findings": [],
        "coverage_by_question": {}, "answered_from": 70,
        "coverage": {"fetched": 3, "capped": false}
    });

    vec![
        request(PLAN, &plan_task(fixture, fixture.question)),
        request(DECOMPOSE, &fixture.decompose()),
        request(INSIGHTS, &fixture.insights()),
        request(PERSPECTIVES, &perspectives),
        request(VALIDATE, &validation),
        request(GAPS, &gaps),
        request(EXTRACT, &fixture.extract()),
        request(SYNTHESIZE, &fixture.synthesize()),
    ]
}

#[test]
fn every_task_is_answered_in_its_own_shape() {
    let fixture = Fixture::sightings(80, 80);
    let offline = model();
    let plan = block_on(
        offline.structured::<PlannerOutput>(request(PLAN, &plan_task(&fixture, fixture.question))),
    )
    .unwrap();

    assert_eq!((plan.attempts, plan.usage.total()), (1, 0));
    assert_eq!(plan.value.sub_agent_calls.len(), 2);

    let insights =
        block_on(offline.structured::<InsightsOutput>(request(INSIGHTS, &fixture.insights())))
            .unwrap()
            .value;

    assert!((3..=5).contains(&insights.insights.len()));

    fixture.check(&insights.insights);
    let found =
        block_on(offline.structured::<ExtractorLlmResponse>(request(EXTRACT, &fixture.extract())))
            .unwrap()
            .value;

    assert!(!found.findings.is_empty());

    let draft =
        block_on(offline.structured::<ReportDraft>(request(SYNTHESIZE, &fixture.synthesize())))
            .unwrap()
            .value;
    fixture.check(&draft.key_findings);
}

#[test]
fn the_same_request_gets_the_same_answer_streamed_or_whole() {
    let offline = model();
    for request in all_requests(&Fixture::sightings(120, 100)) {
        let first = block_on(offline.complete(&request)).unwrap();
        assert_eq!(block_on(model().complete(&request)).unwrap(), first);
        assert_eq!(
            block_on(collect("extractive", offline.stream(request))).unwrap(),
            first
        );
    }
}

#[test]
fn what_is_no_task_of_its_own_is_refused() {
    let offline = model();
    let chat = block_on(offline.complete(&Request::new().user("Hello!"))).unwrap_err();
    assert_eq!(chat.kind(), ErrorKind::Unsupported);
    assert!(
        chat.to_string().contains("a request without a task") && chat.to_string().contains(PLAN),
        "{chat}"
    );
    let other = block_on(offline.complete(&request("studio.plan", &json!({})))).unwrap_err();
    assert!(other.to_string().contains("`studio.plan`"), "{other}");
    let malformed =
        block_on(offline.complete(&request(INSIGHTS, &json!({"query": 1, "aggregations": []}))))
            .unwrap_err();
    assert_eq!(malformed.kind(), ErrorKind::InvalidRequest);
    assert!(malformed.to_string().contains("query"), "{malformed}");
    assert!(block_on(collect("extractive", offline.stream(Request::new()))).is_err());
}

#[test]
fn it_opens_under_its_name_and_no_other() {
    let providers = Providers::new().with("offline", |spec: &ModelSpec| {
        let model = OfflineModel::open(spec, answers())?;
        Ok(Arc::new(model) as Arc<dyn ChatModel>)
    });
    assert_eq!(
        providers.open("offline").unwrap().info().kind,
        ModelKind::Extractive
    );
    assert!(providers.open("offline:extractive").is_ok());
    assert!(providers.open("offline:large").is_err());
}

/// A generator of numbers (Marsaglia's xorshift, 2003), so that the questions are many and always
/// the same.
struct Xorshift(u64);

impl Xorshift {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

#[test]
fn no_filter_has_a_value_that_is_not_in_the_question_and_the_schema() {
    let fixture = Fixture::sightings(60, 60);
    let tool = fixture.tool();
    let mut pieces: Vec<String> = tool
        .fields
        .iter()
        .map(|field| field.name.to_lowercase())
        .collect();
    pieces.extend(
        tool.fields
            .iter()
            .flat_map(|field| &field.values)
            .map(plain),
    );
    let connecting = "by and or not except over under between in at with which how many per the \
        of 7 120 1995 since before large-ish smal gulls Owls texan top cost height dollars Ohio, \
        ? (un)";
    pieces.extend(connecting.split_whitespace().map(str::to_owned));
    let mut random = Xorshift(0x9E37_79B9_7F4A_7C15);
    let mut filters_seen = 0;

    for _ in 0..1000 {
        let words: Vec<&str> = (0..1 + random.below(9))
            .map(|_| pieces[random.below(pieces.len())].as_str())
            .collect();
        let question = words.join(" ");
        let plan = plan::plan(&plan_task(&fixture, &question));
        let Some(text) = plan.sub_agent_calls[1]
            .arguments
            .get("filters")
            .and_then(Value::as_str)
        else {
            continue;
        };
        let filters: serde_json::Map<String, Value> = serde_json::from_str(text).unwrap();
        let said = stems(&question);
        for (name, condition) in &filters {
            filters_seen += 1;
            let field = tool
                .fields
                .iter()
                .find(|field| field.name == *name)
                .unwrap();
            let values: Vec<&Value> = match condition {
                Value::Array(values) => values.iter().collect(),
                Value::Object(range) => range.values().collect(),
                value => vec![value],
            };
            let is_said = |value: &Value| {
                stems(&plain(value))
                    .iter()
                    .all(|stem| said.iter().any(|word| word == stem || nearly(word, stem)))
            };
            match field.kind {
                FieldKind::Text => {
                    assert!(
                        values.iter().all(|value| field.values.contains(value)),
                        "{question}: {filters:?}"
                    );
                    // A denied value means all the others.
                    let denied = field
                        .values
                        .iter()
                        .filter(|value| !values.contains(value))
                        .all(is_said);
                    assert!(
                        values.iter().all(|value| is_said(value)) || denied,
                        "{question}: {filters:?}"
                    );
                }
                FieldKind::Date => assert!(question.contains("1995"), "{question}: {filters:?}"),
                _ => assert!(
                    values.iter().all(|value| question.contains(&plain(value))),
                    "{question}: {filters:?}"
                ),
            }
        }
    }

    assert!(filters_seen > 500, "{filters_seen}");
}

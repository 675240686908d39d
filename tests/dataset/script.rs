//! Prepared answers of a model, one for each task.

use research_llm::testing::ScriptedModel;
use serde_json::{Value, json};

/// Names of the tasks.
pub const PLAN: &str = "dataset.plan";
pub const DECOMPOSE: &str = "dataset.decompose";
pub const EXTRACT: &str = "dataset.extract";
pub const INSIGHTS: &str = "dataset.insights";
pub const SYNTHESIZE: &str = "dataset.synthesize";
pub const PERSPECTIVES: &str = "dataset.perspectives";
pub const VALIDATE: &str = "dataset.validate";
pub const GAPS: &str = "dataset.gaps";

pub const QUESTIONS: [&str; 3] = [
    "What are the main event themes in India?",
    "How are events distributed across themes?",
    "Which themes have the most events?",
];

/// A plan of sub-agents, each with its arguments, and tool calls.
pub fn plan(agents: &[(&str, Value)], tools: &[Value]) -> Value {
    let agents: Vec<Value> = agents
        .iter()
        .enumerate()
        .map(|(at, (agent, arguments))| json!({"id": format!("a{at}"), "agent": agent, "arguments": arguments}))
        .collect();
    let tools: Vec<Value> = tools
        .iter()
        .enumerate()
        .map(|(at, arguments)| json!({"id": format!("t{at}"), "tool": "analyze_events", "arguments": arguments}))
        .collect();
    json!({"reasoning": "as planned", "sub_agent_calls": agents, "tool_calls": tools})
}

/// The first plan of the golden walk.
pub fn golden_start() -> Value {
    plan(
        &[("decomposer", json!({"query": "India events by theme"}))],
        &[json!({"filters": "{\"country\":\"India\"}", "group_by": "event_theme"})],
    )
}

pub fn decomposition() -> Value {
    let questions: Vec<Value> = QUESTIONS
        .iter()
        .enumerate()
        .map(|(at, text)| json!({"id": format!("sq_{}", at + 1), "question": text, "priority": at + 1}))
        .collect();
    json!({"sub_questions": questions, "reasoning": "themes"})
}

pub fn finding(claim: &str, docs: &[&str]) -> Value {
    json!({"claim": claim, "doc_ids": docs, "confidence": "medium", "relevant_questions": ["sq_1"], "themes": ["themes"]})
}

pub fn extraction(findings: &[Value]) -> Value {
    json!({"findings": findings, "themes_discovered": []})
}

/// A draft whose one key finding holds when AI has 50 events.
pub fn draft() -> Value {
    let ai = json!({
        "text": "AI leads with 50 of 165 events (30.3 %).",
        "claims": [{"type": "count", "over": {"aggregation": "A1"}, "field": "event_theme", "value": "AI", "number": 50}]
    });
    json!({
        "title": "India events by theme",
        "summary": [ai],
        "key_findings": [ai],
        "analysis": [{"question_id": "sq_1", "answered": true, "statements": [ai]}],
        "conclusion": [],
        "confidence": 0.8
    })
}

/// Three points of view.
pub fn perspectives() -> Value {
    let view = |name: &str, keyword: &str| json!({"name": name, "focus": "what it sees", "questions": ["Which?"], "keywords": [keyword]});
    let views =
        [view("Business Analyst", "revenue"), view("Regional Expert", "monsoon"), view("Data Scientist", "outlier")];
    json!({"perspectives": views, "reasoning": "three sides"})
}

/// The text of the n-th prompt of a task.
pub fn prompt(model: &ScriptedModel, task: &str, at: usize) -> String {
    model.calls_of(task)[at].messages.iter().map(|message| message.text()).collect()
}

/// A model that answers every task but the planner's: no findings, no objections, the draft above.
pub fn helpful() -> ScriptedModel {
    ScriptedModel::new()
        .always(DECOMPOSE, decomposition())
        .always(EXTRACT, extraction(&[]))
        .always(INSIGHTS, json!({"insights": []}))
        .always(PERSPECTIVES, perspectives())
        .always(VALIDATE, json!({"issues": []}))
        .always(GAPS, json!({"reasoning": "", "gaps": []}))
        .always(SYNTHESIZE, draft())
}

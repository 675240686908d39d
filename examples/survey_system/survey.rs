//! A research system of a host: the agent of the tutorial on the runtime. It reads texts through tools until one word is in
//! three of them, and reports it with checked numbers and a quote.

use std::collections::{BTreeMap, BTreeSet};

use research_agents::core::{CompiledGraph, END, Sends, Targets};
use research_agents::report::check::{Checker, Verified};
use research_agents::report::claim::{Basis, Claim, Statement};
use research_agents::report::document::{Report, ReportWriter, TableView};
use research_agents::report::evidence::{Evidence, Source, Table, TableRow};
use research_agents::runtime::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, from_value, json, to_string};

/// The state: what the runtime keeps of every run, then what the survey keeps.
#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
pub struct Survey {
    question: String,
    #[reduce(append)]
    replies: Vec<String>,
    #[reduce(with = add_usage)]
    usage: Usage,
    #[reduce(max)]
    active_ms: u64,
    #[reduce(add)]
    tasks_done: u64,
    beginning: Option<Box<Beginning<QuestionInput>>>,
    #[reduce(append)]
    recording: Log<TaskRecord>,
    report: Option<Report>,
    unread: Vec<String>,
    batch: Vec<String>,
    #[reduce(append)]
    texts: Vec<Source>,
}
run_state!(Survey);

/// Asks which words count, and lists the texts.
async fn plan(cx: Cx<Survey, Kit>) -> Result<SurveyUpdate, NodeError> {
    let job = cx.job().in_role("reader");
    let mut update = Survey::update();
    if !cx.state.question.contains("letters") && job.can_ask() {
        let options = ["at least 4 letters", "at least 7 letters"].map(str::to_owned);
        let question = "Which words count?".to_owned();
        let asked = Clarification { question, options: options.into(), default: None };
        update = update.replies(job.clarify(&asked, 0).await?.into_iter().collect::<Vec<_>>());
    }
    let listed = job.call_tool("list_texts", Object::new()).await?.into_json()?;
    Ok(cx.done(&job, update.unread(from_value::<Vec<String>>(listed)?)))
}

/// Picks the next two texts; none when a word is in three texts, or when the run must stop.
async fn pick(cx: Cx<Survey, Kit>) -> Result<SurveyUpdate, NodeError> {
    let (job, most) = (cx.job(), words(&cx.state.texts, letters(&cx.state)).rows.first().map_or(0, |row| row.count));
    let wanted = if most >= 3 || job.is_stopped() { 0 } else { cx.state.unread.len().min(2) };
    let (now, later) = cx.state.unread.split_at(wanted);
    Ok(cx.done(&job, Survey::update().batch(now).unread(later)))
}

/// Reads one text. A failure costs this text only.
async fn read(cx: Cx<Survey, Kit>, id: String) -> Result<SurveyUpdate, NodeError> {
    let job = cx.job().in_role("reader");
    let answer = job.call_tool("read_text", Object::from_iter([("id".to_owned(), json!(id))])).await;
    let text = answer.and_then(|answer| Ok(source(&answer.into_json()?)));
    let text = text.inspect_err(|error| job.warn(error)).ok().flatten();
    Ok(cx.done(&job, Survey::update().texts(Vec::from_iter(text))))
}

/// Lets the model draft, and reports what holds.
async fn report(cx: Cx<Survey, Kit>) -> Result<SurveyUpdate, NodeError> {
    let (job, evidence) = (cx.job(), Words::evidence(&cx.state));
    let task = Found { words: words(&cx.state.texts, letters(&cx.state)), texts: cx.state.texts.clone() };
    let (user, data) = (UserText::new(&*cx.state.question), to_string(&task)?.into());
    let ask = Ask::new(&PROMPT, JUDGE, &task, |prompt| prompt.set("question", user.clone()).data("found", &data));
    let draft: Draft = job.ask(ask.for_report()).await?;

    let checker = Checker::new(&evidence, [&*cx.state.question]);
    let held: Vec<Verified> = draft.statements.iter().filter_map(|said| checker.check(said).ok()).collect();
    let mut writer = ReportWriter::new(&evidence, "Survey").with_question(&cx.state.question).with_views([view()]);
    writer.section("Answer");
    writer.bullets(&held);
    let report = writer.finish();
    RunEvent::report(&report.to_markdown(), Some(report.clone())).into_iter().for_each(|event| job.emit(event));
    Ok(cx.done(&job, Survey::update().report(report)))
}

const JUDGE: &str = "survey.judge";
const PROMPT: Template =
    Template::new(JUDGE, 1, "{{question}}\nName the commonest word, with claims, from:\n{{found}}");

#[derive(Serialize, Deserialize)]
struct Found {
    words: Table,
    texts: Vec<Source>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Draft {
    statements: Vec<Statement>,
}

/// What the system answers to its own task without a language model.
pub fn answers() -> OfflineAnswers {
    OfflineAnswers::new().with(JUDGE, |found: &Found| {
        let say = |row: &TableRow| {
            let word = row.value.as_str()?;
            let text = found.texts.iter().find(|text| text.text.for_code().contains(word))?;
            let (source, text) = (text.id.clone(), text.text.for_code().clone());
            let over = Basis::Aggregation("A1".into());
            let count = Claim::Count { over, field: "word".into(), value: row.value.clone(), number: row.count };
            let quote = Claim::Quote { source, text: text.clone(), start: None };
            let text = format!("The word {word} is in {} of {} texts, such as “{text}”", row.count, found.words.total);
            Some(Statement { text, claims: vec![count, quote] })
        };
        Draft { statements: found.words.rows.first().and_then(say).into_iter().collect() }
    })
}

/// Returns how many letters a word needs, by the user's reply.
fn letters(survey: &Survey) -> usize {
    if survey.replies.iter().any(|reply| reply == "2" || reply.contains('7')) { 7 } else { 4 }
}

/// Counts the texts that each word of at least so many letters is in.
fn words(texts: &[Source], letters: usize) -> Table {
    let mut counts = BTreeMap::<String, u64>::new();
    for text in texts {
        let lower = text.text.for_code().to_lowercase();
        let words: BTreeSet<&str> =
            lower.split(|c: char| !c.is_alphabetic()).filter(|word| word.len() >= letters).collect();
        words.into_iter().for_each(|word| *counts.entry(word.to_owned()).or_default() += 1);
    }
    let row = |(word, count)| TableRow::new("word", json!(word), count);
    let mut rows: Vec<TableRow> = counts.into_iter().map(row).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.count));
    Table {
        id: "A1".into(),
        caption: view().title,
        field: "word".into(),
        total: texts.len() as u64,
        rows,
        ..Table::default()
    }
}

fn view() -> TableView {
    TableView { id: "A1".into(), title: "Texts by word".into(), ..TableView::default() }
}

fn source(json: &Value) -> Option<Source> {
    let (id, text) = (json["id"].as_str()?.to_owned(), json["text"].as_str()?.to_owned());
    Some(Source { id: id.clone(), record: id, tool: "read_text".into(), text: text.into(), ..Source::default() })
}

/// The system, for [`Hosted`].
pub struct Words;

impl Workflow for Words {
    const NAME: &'static str = "survey";
    type State = Survey;
    type Config = BudgetLimits;

    fn graph() -> Result<CompiledGraph<Survey, Kit>, Error> {
        let mut g = Graph::<Survey, Kit>::new("survey");
        let (plan, pick, report) = (g.node("plan", plan), g.node("pick", pick), g.node("report", report));
        let read = g.task("read", read);
        g.entry(plan).edge(plan, pick).edge(read, pick).edge(report, END).route(pick, move |s: &Survey| -> Targets {
            let sends: Sends = s.batch.iter().map(|id| read.send(id.clone())).collect();
            if s.batch.is_empty() { report.into() } else { sends.into() }
        });
        Ok(g.compile()?)
    }

    fn limits(budget: &BudgetLimits) -> Settings {
        let policy = Policy::new().role("reader", ["list_texts", "read_text"]);
        Settings::new(policy).budget(*budget).clarification(ClarificationPolicy::Ask, 1)
    }

    fn evidence(state: &Survey) -> Evidence {
        Evidence {
            sources: state.texts.clone().into(),
            tables: vec![words(&state.texts, letters(state))],
            ..Evidence::default()
        }
    }

    fn origins(bundle: &Bundle) -> Origins {
        let texts: Vec<Source> = bundle.tool_results().filter_map(|output| source(&output.json().ok()?)).collect();
        let tables = [4, 7].map(|letters| OriginTable { table: words(&texts, letters), view: view() }).into();
        Origins { tables, sources: texts, context: vec![bundle.question.clone()], ..Origins::default() }
    }
}

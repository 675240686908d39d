//! The system: it reads pages, and answers with the sentence that several of them carry.

use research_agents::core::{CompiledGraph, END};
use research_agents::report::check::{Checker, Verified};
use research_agents::report::claim::{Claim, Statement};
use research_agents::report::document::{Report, ReportWriter};
use research_agents::report::evidence::Evidence;
use research_agents::report::passage::extract::Extract;
use research_agents::report::passage::{Document, Found, Origin, PassageRegistry};
use research_agents::runtime::bundle::sha256;
use research_agents::runtime::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, to_string};

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
pub struct Answering {
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
    passages: PassageRegistry,
}
run_state!(Answering);

async fn read(cx: Cx<Answering, Kit>) -> Result<AnsweringUpdate, NodeError> {
    let job = cx.job().in_role("reader");
    let pages = job.call_tool("read_pages", Object::new()).await?.into_json()?;
    let mut passages = PassageRegistry::default();
    for document in documents(&pages) {
        let text = document.text.for_code().clone();
        let id = passages.add_document(document);
        // Each paragraph that is no heading is a passage.
        for paragraph in text.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.starts_with('#')) {
            let start = text.find(paragraph).unwrap_or_default();
            passages.add(&id, start..start + paragraph.len(), Found::by("manual"))?;
        }
    }
    Ok(cx.done(&job, Answering::update().passages(passages)))
}

async fn report(cx: Cx<Answering, Kit>) -> Result<AnsweringUpdate, NodeError> {
    let (job, evidence) = (cx.job(), Cited::evidence(&cx.state));
    let task = Material { question: cx.state.question.clone(), passages: evidence.passages.clone() };
    let (user, data) = (UserText::new(&*cx.state.question), to_string(&task)?.into());
    let ask = Ask::new(&PROMPT, ANSWER, &task, |prompt| prompt.set("question", user.clone()).data("found", &data));
    let draft: Draft = job.ask(ask.for_report()).await?;

    let checker = Checker::new(&evidence, []);
    let says = |said: Said| Statement {
        text: said.text.clone(),
        claims: said
            .passages
            .into_iter()
            .map(|source| Claim::Says { source, text: said.text.clone(), start: None })
            .collect(),
    };
    let held: Vec<Verified> = draft.said.into_iter().filter_map(|said| checker.check(&says(said)).ok()).collect();
    let mut writer = ReportWriter::new(&evidence, "Answer").with_question(&cx.state.question);
    writer.section("Answer");
    writer.bullets(&held);
    let report = writer.finish();
    RunEvent::report(&report.to_markdown(), Some(report.clone())).into_iter().for_each(|event| job.emit(event));
    Ok(cx.done(&job, Answering::update().report(report)))
}

const ANSWER: &str = "cited.answer";
const PROMPT: Template = Template::new(ANSWER, 1, "{{question}}\nAnswer from the passages:\n{{found}}");

#[derive(Serialize, Deserialize)]
struct Material {
    question: String,
    passages: PassageRegistry,
}

/// Sentences with the passages that carry them.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Draft {
    said: Vec<Said>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Said {
    text: String,
    passages: Vec<String>,
}

/// Without a language model: the best sentence, said of every passage, for the checker to refuse what does not hold.
pub fn answers() -> OfflineAnswers {
    OfflineAnswers::new().with(ANSWER, |found: &Material| {
        let extract = Extract::new(&found.question, &found.passages, 1);
        let passages: Vec<String> = found.passages.iter().map(|passage| passage.id.clone()).collect();
        let said =
            extract.sentences.iter().map(|quoted| Said { text: quoted.text.clone(), passages: passages.clone() });
        Draft { said: said.collect() }
    })
}

fn documents(pages: &Value) -> Vec<Document> {
    let document = |page: &Value| {
        let text = page["text"].as_str()?;
        let origin = Origin {
            address: page["address"].as_str()?.to_owned(),
            site: page["site"].as_str()?.to_owned(),
            ..Origin::default()
        };
        let mut document = Document::new("", text).with_origin(origin);
        (document.file_hash, document.reader) = (sha256(text), "plain/1".to_owned());
        Some(document)
    };
    pages.as_array().into_iter().flatten().filter_map(document).collect()
}

/// The system, for [`Hosted`](research_agents::runtime::run::Hosted).
pub struct Cited;

impl Workflow for Cited {
    const NAME: &'static str = "cited";
    type State = Answering;
    type Config = BudgetLimits;

    fn graph() -> Result<CompiledGraph<Answering, Kit>, Error> {
        let mut g = Graph::<Answering, Kit>::new("cited");
        let (read, report) = (g.node("read", read), g.node("report", report));
        g.entry(read).edge(read, report).edge(report, END);
        Ok(g.compile()?)
    }

    fn limits(budget: &BudgetLimits) -> Settings {
        Settings::new(Policy::new().role("reader", ["read_pages"])).budget(*budget)
    }

    fn evidence(state: &Answering) -> Evidence {
        Evidence { passages: state.passages.clone(), ..Evidence::default() }
    }

    fn origins(bundle: &Bundle) -> Origins {
        let pages = bundle.tool_results().filter_map(|output| output.json().ok());
        let documents = pages.flat_map(|pages| documents(&pages)).collect();
        Origins { documents, context: vec![bundle.question.clone()], ..Origins::default() }
    }
}

//! Researches one task: search, fetch, and the sentences that say something about it.

use std::collections::BTreeSet;
use std::time::Instant;

use research_agents_fieldwork::asked::{Asked, room, tokens_of};
use research_agents_fieldwork::assignment::Assignment;
use research_agents_fieldwork::findings::{FieldFindings, FieldPassage};
use research_agents_fieldwork::source_set::{SEARCHER, credibility_of};
use research_agents_report::text::{LOCATED, locate, scores};
use research_agents_runtime::ask::UserText;
use research_agents_runtime::error::Error;
use research_agents_runtime::event::RunEvent;
use research_agents_runtime::job::Job;
use research_agents_runtime::run::NodeJob;
use research_core::{Cx, NodeError};

use crate::agent::kit::FeedbackKit;
use crate::agent::state::{FeedbackState, FeedbackStateUpdate};
use crate::offline;
use crate::records::{FoundPassage, ResearchTask, SubagentFinding, TaskStatus, VisitedSource};
use crate::tasks::{ANALYZE, ANALYZE_PROMPT, AnalysisOutput, AnalyzeTask, PassageView};

/// Maximum number of passages that are read for a task.
const MOST_PASSAGES: usize = 30;

/// Researches one task. It knows the question, its task and its passages, and nothing of other
/// tasks. Failures cost what they are about, and never the pass.
pub(super) async fn subagent(
    cx: Cx<FeedbackState, FeedbackKit>,
    task: ResearchTask,
) -> Result<FeedbackStateUpdate, NodeError> {
    let (job, kit, state) = (cx.job(), &cx.resources, &cx.state);
    let workers = state.complexity_analysis.recommended_workers;
    let Ok(_slot) = kit.slots(workers).acquire().await else {
        return Ok(cx.done(&job, FeedbackState::update()));
    };

    let start = Instant::now();
    let agent = task.id.clone();
    job.emit(RunEvent::AgentStarted {
        agent: agent.clone(),
    });
    let question = state.input.question.as_str();
    let finding = research(&job, kit, question, task, state.iteration_count).await?;
    job.emit(RunEvent::AgentFinished {
        agent,
        ok: finding.status != TaskStatus::Failed,
        ms: u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
    });

    let visited: BTreeSet<VisitedSource> = finding
        .passages
        .iter()
        .map(|passage| VisitedSource {
            identifier: passage.document.origin.address.clone(),
            source_type: passage.document.origin.site.clone(),
        })
        .collect();
    let update = FeedbackState::update()
        .subagent_findings(vec![finding])
        .visited_sources(visited);
    Ok(cx.done(&job, update))
}

async fn research(
    job: &Job,
    kit: &FeedbackKit,
    question: &str,
    task: ResearchTask,
    iteration: u32,
) -> Result<SubagentFinding, Error> {
    let assignment =
        Assignment::new(&*task.id, &*task.description).with_queries(task.queries.clone());
    let found = kit.searcher.work(&job.in_role(SEARCHER), &assignment).await;
    let analysis = analyze(job, question, &task, &found).await?;

    let passages: Vec<FoundPassage> = analysis
        .findings
        .iter()
        .filter_map(|quoted| {
            let at = quoted.passage.strip_prefix('p')?.parse::<usize>().ok()?;
            let passage = found.passages.get(at.checked_sub(1)?)?;
            kept(passage, &quoted.quotes, kit)
        })
        .collect();
    let status = if found.is_dead_end() {
        TaskStatus::Failed
    } else if passages.is_empty() {
        TaskStatus::Nothing
    } else {
        TaskStatus::Found
    };
    Ok(SubagentFinding {
        task,
        iteration,
        status,
        summary: analysis.summary,
        passages,
        failures: found.failures,
        beyond: found.beyond,
    })
}

/// Asks for the sentences that say something about a task.
async fn analyze(
    job: &Job,
    question: &str,
    task: &ResearchTask,
    found: &FieldFindings,
) -> Result<AnalysisOutput, Error> {
    if found.passages.is_empty() {
        return Ok(AnalysisOutput::default());
    }
    let views = found
        .passages
        .iter()
        .enumerate()
        .map(|(at, one)| PassageView {
            id: format!("p{}", at + 1),
            site: one.document.origin.site.clone(),
            address: one.document.origin.address.clone(),
            title: one.document.title.for_code().clone(),
            headings: one.found.section.clone(),
            text: one.text().to_owned(),
        });
    let room = room::<AnalysisOutput>(job, "analyze", &task.id);
    let input = AnalyzeTask {
        question: question.to_owned(),
        task: task.description.clone(),
        passages: fitting(views.collect(), &task.description, room),
    };

    let asked = Asked::new(&ANALYZE_PROMPT, ANALYZE, &input)
        .set("question", UserText::new(question))
        .fitted("task", &input.task)
        .fitted("passages", &input.passages);
    asked.or_compute(job, offline::analyze).await
}

/// Returns the passages that the model can hold, the nearest to the task before others.
fn fitting(views: Vec<PassageView>, task: &str, room: usize) -> Vec<PassageView> {
    let texts: Vec<&str> = views.iter().map(|view| view.text.as_str()).collect();
    let scores = scores(task, &texts);
    let mut order: Vec<usize> = (0..views.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));

    let (mut used, mut kept) = (0, BTreeSet::new());
    for at in order.into_iter().take(MOST_PASSAGES) {
        used += tokens_of(&views[at]);
        if used > room {
            break;
        }
        kept.insert(at);
    }
    let numbered = views.into_iter().enumerate();
    let fitting = numbered.filter(|(at, _)| kept.contains(at));
    fitting.map(|(_, view)| view).collect()
}

/// Returns a passage with those quotes that are in it. One that is not word for word is located,
/// and the passage's own words are taken.
fn kept(passage: &FieldPassage, quotes: &[String], kit: &FeedbackKit) -> Option<FoundPassage> {
    let text = passage.text();
    let own = quotes.iter().filter_map(|quote| {
        let quote = quote.trim();
        if quote.is_empty() {
            return None;
        }
        let place = match text.find(quote) {
            Some(start) => start..start + quote.len(),
            None => locate(text, quote, LOCATED)?.span,
        };
        Some(text.get(place)?.to_owned())
    });
    let mut quotes: Vec<String> = Vec::new();
    for quote in own {
        if !quotes.contains(&quote) {
            quotes.push(quote);
        }
    }

    let config = &kit.config;
    let (table, local) = (&config.credibility, config.local_credibility);
    (!quotes.is_empty()).then(|| FoundPassage {
        credibility: credibility_of(&passage.document, table, local),
        document: passage.document.clone(),
        span: passage.span,
        found: passage.found.clone(),
        quotes,
    })
}

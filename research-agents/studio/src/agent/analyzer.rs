//! Finds what the question asks for, after a first look at the sources.

use research_agents_fieldwork::assignment::Assignment;
use research_agents_runtime::ask::UserText;
use research_agents_runtime::job::Job;
use research_agents_runtime::run::NodeJob;
use research_core::{Cx, NodeError};

use crate::agent::kit::{Asked, SEARCHER, StudioKit};
use crate::agent::state::{StudioState, StudioStateUpdate};
use crate::offline;
use crate::records::{QueryAnalysis, ScoutHit};
use crate::tasks::{ANALYZE, ANALYZE_PROMPT, AnalyzeTask, scouted};

/// Looks into the sources, and analyzes the question.
pub(super) async fn query_analyzer(
    cx: Cx<StudioState, StudioKit>,
) -> Result<StudioStateUpdate, NodeError> {
    let (job, state) = (cx.job(), &cx.state);
    job.phase("analyzing");
    job.progress(2, "looking into the sources");

    let hits = scout(&job, &cx.resources, &state.input.question).await;
    let task = AnalyzeTask {
        question: state.input.question.clone(),
        clarification: None,
        earlier: state.earlier_questions().to_vec(),
        hits,
    };
    let analysis = analyze(&job, &task).await?;

    let request = analysis.clarification_question.clone();
    let update = StudioState::update()
        .original_query(&*state.input.question)
        .hits(task.hits)
        .query_analysis(analysis);
    let update = match request {
        Some(request) => update.clarification_request(request),
        None => update,
    };
    Ok(cx.done(&job, update))
}

/// Asks for the analysis of a question.
pub(super) async fn analyze(job: &Job, task: &AnalyzeTask) -> Result<QueryAnalysis, NodeError> {
    let question = match &task.clarification {
        None => task.question.clone(),
        Some(reply) => format!("{}\nThe user added: {reply}", task.question),
    };
    let asked = Asked::new(&ANALYZE_PROMPT, ANALYZE, task)
        .set("question", UserText::new(question))
        .data("found", &(&task.earlier, scouted(&task.hits)));
    Ok(asked.required(job, offline::analyze).await?)
}

/// Searches all sources for the question. What fails here fails again in a sub-agent, which reports
/// it.
async fn scout(job: &Job, kit: &StudioKit, question: &str) -> Vec<ScoutHit> {
    let assignment = Assignment::new("scout", question);
    let found = kit.searcher.work(&job.in_role(SEARCHER), &assignment).await;

    let mut hits: Vec<ScoutHit> = Vec::new();
    for passage in &found.passages {
        let hit = ScoutHit {
            source: passage.source.clone(),
            title: passage.document.title.for_code().clone(),
            headings: passage.found.section.clone(),
            score: f64::from(passage.found.score.unwrap_or_default()),
        };
        if !hits
            .iter()
            .any(|known| (&known.title, &known.headings) == (&hit.title, &hit.headings))
        {
            hits.push(hit);
        }
    }
    hits
}

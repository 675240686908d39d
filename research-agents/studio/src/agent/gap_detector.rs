//! Names what is missing after a round, and prepares the next one.

use std::collections::BTreeMap;

use research_agents_fieldwork::assignment::Assignment;
use research_agents_report::text::scores;
use research_agents_report::trust::Mark;
use research_agents_runtime::run::NodeJob;
use research_core::{Cx, NodeError};

use crate::agent::kit::{Asked, StudioKit};
use crate::agent::state::{StudioState, StudioStateUpdate};
use crate::answers::gaps::{Gap, GapKind, PlannedQuestion, Review};
use crate::answers::table::Standing;
use crate::event::StudioEvent;
use crate::offline;
use crate::records::{KnowledgeGap, ResearchPlan, ResearchQuestion, Severity};
use crate::tasks::{
    GAPS, GAPS_PROMPT, GapsFound, GapsTask, ProposedGap, QuestionView, SectionView,
};

/// Section of the questions that the user added while the run was under way.
const ADDED: &str = "Added while running";
/// Maximum number of queries for a gap.
const MOST_QUERIES: usize = 2;
/// Number of headings of near passages that the model port sees of a question.
const NEAR: usize = 3;

/// Compares what was found with the plan. Code names unanswered questions, conflicts and sections
/// without evidence; the model port proposes confidences and further gaps.
pub(super) async fn gap_detector(
    cx: Cx<StudioState, StudioKit>,
) -> Result<StudioStateUpdate, NodeError> {
    let (job, state) = (cx.job(), &cx.state);
    let mut plan = state.research_plan.clone();
    let review = review(state, &plan);
    let task = task_of(state, &plan, &review);
    let asked = Asked::new(&GAPS_PROMPT, GAPS, &task).data("state", &task);
    let found: GapsFound = asked.or_compute(&job, offline::gaps).await?;

    let proposed: BTreeMap<String, f64> = found
        .section_confidence
        .iter()
        .map(|one| (one.section.clone(), one.confidence))
        .collect();
    let review = review.with_proposed(&proposed);
    let gaps = gaps_of(&review, &found.gaps, &plan);
    for gap in &gaps {
        let event = StudioEvent::Gap { gap: gap.clone() };
        job.record_event(&event);
        cx.emit(event);
    }

    // What the user added while the run was under way becomes a question of the next round.
    let mut refinements = refinements(&gaps, &mut plan);
    let added = job.steering("gap_detector").await?;
    let steered = added.iter().filter(|text| !text.trim().is_empty()).count();
    for text in added.iter().filter(|text| !text.trim().is_empty()) {
        let question = add_question(&mut plan, text.trim(), ADDED);
        refinements.push(Assignment::new(&*question.id, &*question.question).in_section(ADDED));
    }
    let mut asked = state.asked.clone();
    let refinements = asked.admit_all(refinements);

    let queries: Vec<String> = refinements
        .iter()
        .flat_map(|one| one.searches().into_iter().map(str::to_owned))
        .collect();
    let update = StudioState::update()
        .research_plan(plan)
        .knowledge_gaps(gaps)
        .refinement_queries(queries)
        .refinements(refinements)
        .steered(u32::try_from(steered).unwrap_or(u32::MAX))
        .has_steered(steered > 0)
        .previous_confidence(state.overall_confidence)
        .overall_confidence(rounded(review.overall))
        .section_confidence(review.sections);
    Ok(cx.done(&job, update))
}

/// Reviews the plan by what was found.
fn review(state: &StudioState, plan: &ResearchPlan) -> Review {
    let questions: Vec<PlannedQuestion> = plan
        .research_questions
        .iter()
        .map(|question| PlannedQuestion::new(&*question.id, &*question.section))
        .collect();
    let covered = |section: &String| state.coverage.get(section).copied().unwrap_or_default();
    let outline = plan.outline.iter();
    Review::new(
        &questions,
        &state.standings,
        state.rating.thresholds.verified,
    )
    .with_sections(outline.map(|section| (section.as_str(), covered(section))))
}

/// Returns the state of the round for the model port.
fn task_of(state: &StudioState, plan: &ResearchPlan, review: &Review) -> GapsTask {
    let sections = plan.outline.iter().map(|section| SectionView {
        section: section.clone(),
        confidence: review.sections.get(section).copied().unwrap_or_default(),
        evidence: state.coverage.get(section).copied().unwrap_or_default(),
    });

    let questions = plan.research_questions.iter().map(|question| {
        let standing = state.standings.get(&question.id);
        let is_gap = |gap: &Gap| gap.question.as_ref() == Some(&question.id);
        QuestionView {
            id: question.id.clone(),
            question: question.question.clone(),
            section: question.section.clone(),
            standing: match standing {
                None | Some(Standing::Unanswered) => "unanswered",
                Some(Standing::Answered(_)) => "answered",
                Some(Standing::Conflicting { .. }) => "conflicting",
            }
            .to_owned(),
            confidence: standing.map(Standing::confidence).unwrap_or_default(),
            is_gap: review.gaps.iter().any(is_gap),
            headings: near(state, &question.question),
        }
    });
    GapsTask {
        round: state.research_iteration,
        sections: sections.collect(),
        questions: questions.collect(),
    }
}

/// Returns the last headings of the passages that are nearest to a question.
fn near(state: &StudioState, question: &str) -> Vec<String> {
    let passages: Vec<_> = state.passages.iter().collect();
    let texts: Vec<&str> = passages
        .iter()
        .map(|passage| passage.text.for_code().as_str())
        .collect();
    let scores = scores(question, &texts);
    let mut order: Vec<usize> = (0..passages.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));

    let mut headings: Vec<String> = Vec::new();
    for at in order {
        let Some(heading) = passages[at].found.section.last() else {
            continue;
        };
        if !headings.contains(heading) && headings.len() < NEAR {
            headings.push(heading.clone());
        }
    }
    headings
}

/// Returns the gaps: those that code names, and those that the model port proposes for sections of
/// the outline.
fn gaps_of(review: &Review, proposed: &[ProposedGap], plan: &ResearchPlan) -> Vec<KnowledgeGap> {
    let queries_of = |section: &str, question: Option<&String>| {
        let of_question = proposed
            .iter()
            .find(|one| question.is_some() && one.question.as_ref() == question);
        let of_section = proposed
            .iter()
            .find(|one| one.section == section && one.question.is_none());
        let queries = of_question.or(of_section).map(|one| &one.queries);
        let queries = queries.into_iter().flatten().take(MOST_QUERIES);
        queries.cloned().collect::<Vec<String>>()
    };
    let named = |gap: &&Gap| gap.kind != GapKind::LowConfidence;
    let mut gaps: Vec<KnowledgeGap> = review
        .gaps
        .iter()
        .filter(named)
        .map(|gap| KnowledgeGap {
            section: gap.section.clone(),
            question: gap.question.clone(),
            kind: gap.kind,
            severity: match gap.kind {
                GapKind::Missing | GapKind::Unanswered => Severity::High,
                GapKind::Conflict => Severity::Medium,
                GapKind::LowConfidence => Severity::Low,
            },
            description: description(gap, plan),
            suggested_queries: queries_of(&gap.section, gap.question.as_ref()),
        })
        .collect();

    for one in proposed {
        let is_known = gaps.iter().any(|gap| {
            gap.section == one.section && (one.question.is_none() || gap.question == one.question)
        });
        if is_known || !plan.outline.contains(&one.section) {
            continue;
        }
        let question = one
            .question
            .clone()
            .filter(|id| plan.question(id).is_some());
        let gap = Gap {
            section: one.section.clone(),
            question,
            kind: GapKind::LowConfidence,
        };
        gaps.push(KnowledgeGap {
            description: if one.description.trim().is_empty() {
                description(&gap, plan)
            } else {
                Mark::removed_from(&one.description)
            },
            section: gap.section,
            question: gap.question,
            kind: gap.kind,
            severity: Severity::Low,
            suggested_queries: one.queries.iter().take(MOST_QUERIES).cloned().collect(),
        });
    }
    gaps
}

fn description(gap: &Gap, plan: &ResearchPlan) -> String {
    let question = gap.question.as_ref().and_then(|id| plan.question(id));
    let about = question.map_or(&gap.section, |question| &question.question);
    match gap.kind {
        GapKind::Missing => format!("nothing was found for the section “{about}”"),
        GapKind::Unanswered => format!("no source answers “{about}”"),
        GapKind::Conflict => format!("sources disagree about “{about}”"),
        GapKind::LowConfidence => format!("“{about}” rests on one source"),
    }
}

/// Returns the assignments that may close gaps. Each keeps the section of its gap; a gap of a
/// section without a question becomes a question of the plan.
fn refinements(gaps: &[KnowledgeGap], plan: &mut ResearchPlan) -> Vec<Assignment> {
    let mut refinements = Vec::new();
    for gap in gaps.iter().filter(|gap| !gap.suggested_queries.is_empty()) {
        let of_section = |one: &&ResearchQuestion| one.section == gap.section;
        let known = match &gap.question {
            Some(id) => plan.question(id).cloned(),
            None => plan.research_questions.iter().find(of_section).cloned(),
        };
        let question = known.unwrap_or_else(|| {
            let text = gap.suggested_queries.first().map_or("", String::as_str);
            add_question(plan, text, &gap.section)
        });

        refinements.push(
            Assignment::new(question.id, question.question)
                .with_queries(gap.suggested_queries.iter().cloned())
                .in_section(&*gap.section),
        );
    }
    refinements
}

/// Adds a question to a plan, and returns it.
fn add_question(plan: &mut ResearchPlan, text: &str, section: &str) -> ResearchQuestion {
    let question = ResearchQuestion {
        id: plan.next_id(),
        question: text.to_owned(),
        section: section.to_owned(),
        priority: 1.0,
        queries: Vec::new(),
    };
    if !plan.outline.iter().any(|known| known == section) {
        plan.outline.push(section.to_owned());
    }
    plan.research_questions.push(question.clone());
    question
}

/// Rounds a confidence to two decimals, as reports show it.
fn rounded(confidence: f64) -> f64 {
    (confidence * 100.0 + 1e-9).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_is_rounded_as_people_round() {
        let sections = [0.9, 0.85, 0.8, 0.6, 0.5, 0.4];
        let mean = sections.iter().sum::<f64>() / 6.0;
        assert!((rounded(mean) - 0.68).abs() < 1e-12);
    }

    #[test]
    fn a_refinement_keeps_the_section_of_its_gap() {
        let mut plan = ResearchPlan {
            outline: vec!["Facts".into(), "Opinions".into()],
            ..ResearchPlan::default()
        };
        add_question(&mut plan, "How large?", "Facts");
        let proposed = ["Facts", "Opinions", "Elsewhere"].map(|section| ProposedGap {
            section: section.to_owned(),
            queries: vec![format!("{section} query")],
            ..ProposedGap::default()
        });

        let gaps = gaps_of(&Review::default(), &proposed, &plan);
        let next = refinements(&gaps, &mut plan);
        let rows: Vec<(&str, &str)> = next
            .iter()
            .map(|one| (one.id.as_str(), one.section.as_deref().unwrap()))
            .collect();
        assert_eq!(rows, [("q1", "Facts"), ("q2", "Opinions")]);
        assert_eq!(plan.research_questions[1].question, "Opinions query");
    }
}

//! Researches one question: search, fetch, and the quotes that answer it.

use std::collections::BTreeSet;
use std::time::Instant;

use research_agents_fieldwork::assignment::Assignment;
use research_agents_fieldwork::findings::{FieldFindings, FieldPassage};
use research_agents_report::passage::{Document, Found, Span};
use research_agents_report::text::{LOCATED, fold, locate, scores};
use research_agents_report::trust::value::{Value, values};
use research_agents_runtime::ask::UserText;
use research_agents_runtime::error::Error;
use research_agents_runtime::event::RunEvent;
use research_agents_runtime::job::Job;
use research_agents_runtime::run::NodeJob;
use research_core::{Cx, NodeError};

use crate::agent::kit::{Asked, SEARCHER, StudioKit, room, tokens_of};
use crate::agent::state::{StudioState, StudioStateUpdate};
use crate::offline;
use crate::records::{RawEvidence, RawQuote, RawSource, SubagentFindings};
use crate::tasks::{EXTRACT, EXTRACT_PROMPT, ExtractTask, Extraction, PassageView, ProposedAnswer};

/// Maximum number of passages that an answer is sought in.
const MOST_PASSAGES: usize = 40;
/// Maximum number of passages of earlier rounds and questions among them.
const MOST_EARLIER: usize = 12;
/// Maximum number of sentences that a language model is given as the nearest ones.
const MOST_NEAREST: usize = 5;

/// A passage in which the answer is sought.
struct Candidate {
    document: Document,
    span: Span,
    found: Found,
    /// Name of the source that gave it in this round; `None` for one of an earlier round.
    source: Option<String>,
}

impl Candidate {
    fn text(&self) -> &str {
        let text = self.document.text.for_code();
        text.get(self.span.start..self.span.end).unwrap_or_default()
    }

    /// Returns whether a quote is a heading of the passage.
    fn is_heading(&self, quote: &str) -> bool {
        let mut headings = self.found.section.iter();
        headings.any(|heading| fold(heading.trim()) == fold(quote.trim()))
    }
}

/// Researches one assignment. Failures cost what they are about, and never the round.
pub(super) async fn subagent(
    cx: Cx<StudioState, StudioKit>,
    assignment: Assignment,
) -> Result<StudioStateUpdate, NodeError> {
    let (job, kit) = (cx.job(), &cx.resources);
    let round = cx.state.research_iteration;
    let agent = format!("{}/{round}", assignment.id);
    let Ok(_slot) = kit.slots.acquire().await else {
        return Ok(cx.done(&job, StudioState::update()));
    };

    let start = Instant::now();
    job.emit(RunEvent::AgentStarted {
        agent: agent.clone(),
    });
    let work = Work {
        job: &job,
        kit,
        state: &cx.state,
        assignment: &assignment,
    };
    let worked = work.run(&agent).await?;
    job.emit(RunEvent::AgentFinished {
        agent,
        ok: worked.findings.dead_ends.is_empty(),
        ms: u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
    });

    let update = StudioState::update()
        .subagent_findings([worked.findings])
        .raw_sources(worked.sources)
        .raw_evidence(worked.evidence);
    Ok(cx.done(&job, update))
}

/// An assignment in work.
struct Work<'a> {
    job: &'a Job,
    kit: &'a StudioKit,
    state: &'a StudioState,
    assignment: &'a Assignment,
}

/// What came of it.
struct Worked {
    findings: SubagentFindings,
    sources: Vec<RawSource>,
    evidence: Vec<RawEvidence>,
}

impl Work<'_> {
    async fn run(&self, agent: &str) -> Result<Worked, Error> {
        let searcher = self.job.in_role(SEARCHER);
        let mut found = self.kit.searcher.work(&searcher, self.assignment).await;
        let mut candidates = self.candidates(&found);
        let mut extraction = self.extract(&candidates).await?;
        let mut iterations = 1;

        // Other words may find what the first queries did not.
        if extraction.answers.is_empty() && !extraction.queries.is_empty() && !found.is_cut {
            let queries = extraction.queries.iter().take(2).cloned();
            let again = self.assignment.clone().with_queries(queries);
            let more = self.kit.searcher.work(&searcher, &again).await;
            if !more.passages.is_empty() {
                merge(&mut found, more);
                candidates = self.candidates(&found);
                extraction = self.extract(&candidates).await?;
            }
            iterations = 2;
        }

        let (sources, evidence) = self.evidence(agent, &candidates, &extraction);
        let quotes: usize = evidence.iter().map(|one| one.quotes.len()).sum();
        let findings = SubagentFindings {
            subagent_id: agent.to_owned(),
            question: self.assignment.id.clone(),
            round: self.state.research_iteration,
            confidence: share(quotes, candidates.len()),
            iterations_used: iterations,
            searches: found.searches,
            hits: found.hits,
            beyond: found.beyond,
            passages: found.passages.len(),
            dead_ends: self.dead_ends(&found, quotes),
            failures: found.failures,
        };
        Ok(Worked {
            findings,
            sources,
            evidence,
        })
    }

    /// Returns the passages of this round, and those of earlier rounds and questions that are about
    /// the question.
    fn candidates(&self, found: &FieldFindings) -> Vec<Candidate> {
        let own = found
            .passages
            .iter()
            .map(|passage: &FieldPassage| Candidate {
                document: passage.document.clone(),
                span: passage.span,
                found: passage.found.clone(),
                source: Some(passage.source.clone()),
            });
        let mut candidates: Vec<Candidate> = own.take(MOST_PASSAGES).collect();

        let known: Vec<_> = self.state.passages.iter().collect();
        let texts: Vec<&str> = known
            .iter()
            .map(|passage| passage.text.for_code().as_str())
            .collect();
        let scores = scores(&self.assignment.question, &texts);
        let mut order: Vec<usize> = (0..known.len()).filter(|at| scores[*at] > 0.0).collect();
        order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
        for at in order.into_iter().take(MOST_EARLIER) {
            let passage = known[at];
            let Some(document) = self.state.passages.document_of(passage) else {
                continue;
            };
            let is_there = candidates
                .iter()
                .any(|one| one.span == passage.bytes && one.document.origin == document.origin);
            if !is_there {
                candidates.push(Candidate {
                    document: Document::clone(document),
                    span: passage.bytes,
                    found: passage.found.clone(),
                    source: None,
                });
            }
        }
        candidates
    }

    /// Asks for the quotes that answer the question. If a model quotes only what its passages do
    /// not have, the answer is computed.
    async fn extract(&self, candidates: &[Candidate]) -> Result<Extraction, Error> {
        if candidates.is_empty() {
            return Ok(Extraction::default());
        }
        let views = candidates.iter().enumerate().map(|(at, one)| PassageView {
            id: passage_id(at),
            site: one.document.origin.site.clone(),
            address: one.document.origin.address.clone(),
            title: one.document.title.for_code().clone(),
            headings: one.found.section.clone(),
            text: one.text().to_owned(),
            score: one.found.score.unwrap_or_default(),
        });
        let room = room::<Extraction>(self.job, "extract", &self.assignment.id);
        let mut task = ExtractTask {
            question: self.assignment.question.clone(),
            section: self.assignment.section.clone().unwrap_or_default(),
            outline: self.state.research_plan.outline.clone(),
            passages: self.fitting(views.collect(), room),
            nearest: Vec::new(),
        };
        if room < usize::MAX {
            task.nearest = offline::nearest_sentences(&task, MOST_NEAREST);
        }

        let shown: Vec<PassageView> = task.passages.iter().map(PassageView::shown).collect();
        let asked = Asked::new(&EXTRACT_PROMPT, EXTRACT, &task)
            .set("question", UserText::new(&*task.question))
            .fitted("passages", &(&task.outline, &shown))
            .data("nearest", &task.nearest);
        let proposed: Extraction = asked.or_compute(self.job, offline::extraction).await?;

        let is_quoted = |answer: &ProposedAnswer| {
            let mut numbered = candidates.iter().enumerate();
            numbered
                .any(|(at, one)| answer.passage == passage_id(at) && quoted(one, answer).is_some())
        };
        if proposed.answers.is_empty() || proposed.answers.iter().any(is_quoted) {
            return Ok(proposed);
        }
        self.job.warn(&Error::other(
            "the model quoted what its passages do not say; the answer is computed",
        ));
        Ok(Extraction {
            answers: offline::extraction(&task).answers,
            ..proposed
        })
    }

    /// Returns the passages that fit into so many tokens, the nearest to the question first.
    fn fitting(&self, views: Vec<PassageView>, room: usize) -> Vec<PassageView> {
        let texts: Vec<&str> = views.iter().map(|view| view.text.as_str()).collect();
        let scores = scores(&self.assignment.question, &texts);
        let mut order: Vec<usize> = (0..views.len()).collect();
        order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));

        let (mut used, mut kept) = (0, BTreeSet::new());
        for at in order {
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

    /// Returns the documents, and the passages with the quotes that are in them.
    fn evidence(
        &self,
        agent: &str,
        candidates: &[Candidate],
        extraction: &Extraction,
    ) -> (Vec<RawSource>, Vec<RawEvidence>) {
        let (mut sources, mut evidence): (Vec<RawSource>, _) = (Vec::new(), Vec::new());
        for (at, one) in candidates.iter().enumerate() {
            let id = passage_id(at);
            let ranked = extraction.answers.iter().enumerate();
            let own: Vec<(usize, &ProposedAnswer)> =
                ranked.filter(|(_, answer)| answer.passage == id).collect();
            let quotes: Vec<RawQuote> = own
                .iter()
                .filter_map(|(rank, answer)| {
                    let quote = quoted(one, answer)?;
                    Some(RawQuote {
                        rank: *rank,
                        ..quote
                    })
                })
                .collect();

            let origin = &one.document.origin;
            if let Some(source) = &one.source
                && !sources.iter().any(|known| known.document.origin == *origin)
            {
                sources.push(RawSource {
                    subagent_id: agent.to_owned(),
                    source: source.clone(),
                    credibility: self.kit.config.credibility_of(&one.document),
                    document: one.document.clone(),
                });
            }
            if one.source.is_none() && quotes.is_empty() {
                continue;
            }
            let outline = &self.state.research_plan.outline;
            let section = own.iter().find_map(|(_, answer)| answer.section.clone());
            let section = section.filter(|section| outline.contains(section));
            evidence.push(RawEvidence {
                subagent_id: agent.to_owned(),
                question: self.assignment.id.clone(),
                section: section
                    .or_else(|| self.assignment.section.clone())
                    .unwrap_or_default(),
                site: origin.site.clone(),
                address: origin.address.clone(),
                span: one.span,
                found: one.found.clone(),
                quotes,
            });
        }
        (sources, evidence)
    }

    fn dead_ends(&self, found: &FieldFindings, quotes: usize) -> Vec<String> {
        let mut dead_ends: Vec<String> = found.failures.iter().map(ToString::to_string).collect();
        dead_ends.dedup();
        if found.is_dead_end() {
            dead_ends.push(format!(
                "no source was searched for “{}”",
                self.assignment.question
            ));
        } else if quotes == 0 {
            dead_ends.push(format!("no passage answers “{}”", self.assignment.question));
        }
        dead_ends
    }
}

/// Returns the id of a candidate in a task.
fn passage_id(at: usize) -> String {
    format!("p{}", at + 1)
}

fn merge(found: &mut FieldFindings, more: FieldFindings) {
    for passage in more.passages {
        let is_there = found.passages.iter().any(|known| {
            known.span == passage.span && known.document.origin == passage.document.origin
        });
        if !is_there {
            found.passages.push(passage);
        }
    }
    found.failures.extend(more.failures);
    found.searches += more.searches;
    found.hits += more.hits;
    found.beyond += more.beyond;
    found.is_cut |= more.is_cut;
}

/// Returns a proposed answer as a place in a passage, with its value if the words there have it.
/// A quote that is not word for word is located, and the passage's own words are taken. A heading
/// names what is below it and states nothing, so it is not an answer.
fn quoted(candidate: &Candidate, answer: &ProposedAnswer) -> Option<RawQuote> {
    let text = candidate.text();
    let quote = answer.quote.trim();
    if quote.is_empty() {
        return None;
    }
    let place = match text.find(quote) {
        Some(start) => start..start + quote.len(),
        None => locate(text, quote, LOCATED)?.span,
    };

    let own = text.get(place.clone())?;
    if candidate.is_heading(own) {
        return None;
    }
    let sought = answer.value.as_deref().map(str::trim);
    let value: Option<Value> = sought.filter(|value| !value.is_empty()).and_then(|value| {
        let mut typed = values(own, candidate.document.language).into_iter();
        typed
            .find(|typed| {
                let spans = [typed.span.clone(), typed.core.clone()];
                spans.into_iter().any(|span| own[span].trim() == value)
            })
            .map(|typed| typed.value)
    });
    Some(RawQuote {
        rank: 0,
        place,
        value,
    })
}

#[expect(
    clippy::cast_precision_loss,
    reason = "numbers of passages are far below 2^52"
)]
fn share(part: usize, whole: usize) -> f64 {
    (part as f64 / whole.max(1) as f64).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(text: &str, headings: &[&str]) -> Candidate {
        let headings = headings.iter().map(|&heading| heading.to_owned());
        Candidate {
            document: Document::new("manual.md", text),
            span: Span::from(0..text.len()),
            found: Found::by("search").with_section(headings.collect()),
            source: None,
        }
    }

    fn answer(quote: &str, value: &str) -> ProposedAnswer {
        ProposedAnswer {
            quote: quote.to_owned(),
            value: Some(value.to_owned()),
            ..ProposedAnswer::default()
        }
    }

    #[test]
    fn a_quote_becomes_the_words_of_its_passage() {
        let text = "The default is 4096 bytes. The maximum page size is 65536 bytes.";
        let passage = candidate(text, &[]);
        let quote = |quote, value| quoted(&passage, &answer(quote, value)).unwrap();

        let exact = quote("The maximum page size is 65536 bytes.", "65536 bytes");
        assert_eq!(exact.place, 27..64);
        assert!(exact.value.is_some());
        let near = quote("the maximum page size would be 65536 bytes", "65537 bytes");
        assert_eq!(&text[near.place], "The maximum page size is 65536 bytes");
        assert_eq!(near.value, None);
        assert!(quoted(&passage, &answer("Nothing like it.", "")).is_none());
    }

    #[test]
    fn a_heading_is_not_an_answer() {
        let text = "Maximum Number Of Rows\n\nThe maximum is 2000 rows.";
        let passage = candidate(text, &["Limits", "Maximum Number Of Rows"]);
        assert!(quoted(&passage, &answer("Maximum number of rows", "")).is_none());
        assert!(quoted(&passage, &answer("The maximum is 2000 rows.", "")).is_some());
    }
}

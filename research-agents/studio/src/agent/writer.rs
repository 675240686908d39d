//! Writes the report from verified claims, and names what is missing, disputed and unread.

use std::collections::{BTreeMap, BTreeSet};

use research_agents_report::check::{Checker, Verified};
use research_agents_report::claim::{Claim, Statement};
use research_agents_report::document::{QuestionStatus, Report, ReportWriter};
use research_agents_report::evidence::Evidence;
use research_agents_report::passage::Passage;
use research_agents_report::passage::extract::Extract;
use research_agents_report::trust::Mark;
use research_agents_report::trust::value::values;
use research_agents_runtime::ask::UserText;
use research_agents_runtime::event::RunEvent;
use research_agents_runtime::limits::EarlyEnd;
use research_agents_runtime::run::NodeJob;
use research_core::{Cx, NodeError};
use research_llm::ModelKind;

use crate::agent::kit::{Asked, StudioKit};
use crate::agent::state::{StudioState, StudioStateUpdate};
use crate::answers::extract::nearest;
use crate::answers::gaps::GapKind;
use crate::answers::table::{Answer, Standing};
use crate::offline;
use crate::records::{KnowledgeGap, ResearchMetadata, ResearchQuestion, TrustedClaim};
use crate::tasks::{Draft, DraftSentence, VerifiedClaim, WRITE, WRITE_PROMPT, WriteTask};

/// Maximum number of quotes that are shown as nearest to a question.
const MOST_NEAREST: usize = 5;

/// Writes the report. A run that must stop gets the verified claims in their own words.
pub(super) async fn writer(cx: Cx<StudioState, StudioKit>) -> Result<StudioStateUpdate, NodeError> {
    let (job, state) = (cx.job(), &cx.state);
    job.phase("writing");
    job.progress(95, "writing the report");

    let task = task_of(state);
    let asked = Asked::new(&WRITE_PROMPT, WRITE, &task)
        .set("question", UserText::new(&*task.question))
        .data("material", &(&task.outline, &task.claims, &task.gaps));
    let draft: Draft = asked.or_compute(&job, offline::write).await?;

    let metadata = metadata(state);
    let evidence = evidence(state);
    let is_extractive = job.kit().model().kind == ModelKind::Extractive;
    let writing = Writing::new(state, &evidence, &metadata);
    let early_end = state.early_end.clone();
    let early_end = early_end.or_else(|| job.stop().map(EarlyEnd::from));
    let report = writing.report(&draft, is_extractive, early_end.as_ref());
    let markdown = report.to_markdown();
    for event in RunEvent::report(&markdown, Some(report.clone())) {
        job.emit(event);
    }
    job.progress(100, "done");
    let update = StudioState::update()
        .report(report)
        .research_metadata(metadata);
    Ok(cx.done(&job, update.ended_by(&job)))
}

/// Returns the evidence that the report rests on.
pub(crate) fn evidence(state: &StudioState) -> Evidence {
    Evidence {
        passages: state.passages.clone(),
        ..Evidence::default()
    }
}

fn task_of(state: &StudioState) -> WriteTask {
    let verified = state.claims.iter().filter(|claim| claim.mark.is_some());

    WriteTask {
        question: state.full_question().to_owned(),
        outline: state.research_plan.outline.clone(),
        claims: verified
            .map(|claim| VerifiedClaim {
                cid: claim.cid.clone(),
                text: claim.text.clone(),
                section: claim.section.clone(),
                is_answer: claim.question.is_some(),
                confidence: claim.confidence,
            })
            .collect(),
        gaps: state
            .knowledge_gaps
            .iter()
            .map(|gap| gap.description.clone())
            .collect(),
    }
}

fn metadata(state: &StudioState) -> ResearchMetadata {
    let marked = |least: Mark| {
        let claims = state.claims.iter();
        claims.filter(|claim| claim.mark >= Some(least)).count()
    };
    ResearchMetadata {
        iterations: state.research_iteration,
        raw_sources: state.raw_sources.len(),
        sources: state.passages.documents().len(),
        evidence: state.passages.len(),
        claims: state.claims.len(),
        verified: marked(Mark::Single),
        cross_validated: marked(Mark::CrossValidated),
        hallucination_score: state.hallucination_score,
        overall_confidence: state.overall_confidence,
        section_confidence: state.section_confidence.clone(),
        gaps: state.knowledge_gaps.len(),
    }
}

/// A report in writing.
struct Writing<'a> {
    state: &'a StudioState,
    evidence: &'a Evidence,
    metadata: &'a ResearchMetadata,
    checker: Checker<'a>,
    claims: BTreeMap<&'a str, &'a TrustedClaim>,
}

impl<'a> Writing<'a> {
    fn new(state: &'a StudioState, evidence: &'a Evidence, metadata: &'a ResearchMetadata) -> Self {
        let verified = state.claims.iter().filter(|claim| claim.mark.is_some());
        Self {
            state,
            evidence,
            metadata,
            checker: Checker::new(evidence, [state.input.question.as_str()]),
            claims: verified.map(|claim| (claim.cid.as_str(), claim)).collect(),
        }
    }

    fn report(&self, draft: &Draft, is_extractive: bool, early_end: Option<&EarlyEnd>) -> Report {
        let question = self.state.input.question.as_str();
        let mut writer = ReportWriter::new(self.evidence, question).with_question(question);
        if is_extractive {
            writer.note(&format!(
                "{} The question was read by rules.",
                Extract::NOTICE
            ));
        }
        if let Some(EarlyEnd { reason, .. }) = early_end {
            writer.note(&format!(
                "The research ended early ({reason}); the report covers what was found by then."
            ));
        }

        writer.section("Answer");
        self.answer(&mut writer, &draft.answer);
        if let Some(context) = &self.state.user_clarification {
            writer.note(&format!("The question was taken to mean: {context}."));
        }
        for section in &draft.sections {
            let sentences = self.sentences(&section.sentences);
            if !sentences.is_empty() {
                writer.section(&section.heading);
                writer.bullets(&sentences);
            }
        }

        self.conflicts(&mut writer);
        self.nearest(&mut writer, is_extractive);
        self.not_found(&mut writer);
        self.not_read(&mut writer);
        self.quality(&mut writer);
        writer.finish()
    }

    /// Writes the answer: for several questions of the user, one after the other.
    fn answer(&self, writer: &mut ReportWriter<'_>, drafted: &[DraftSentence]) {
        let asked = self.state.full_question();
        let questions = &self.state.research_plan.research_questions;
        let own = questions
            .iter()
            .filter(|one| asked.contains(one.question.trim()));
        let own: Vec<&ResearchQuestion> = own.collect();
        if own.len() < 2 {
            let answer = self.sentences(drafted);
            if answer.is_empty() {
                writer.note(&self.no_answer());
            }
            return writer.bullets(&answer);
        }

        let question_of = |sentence: &DraftSentence| {
            let mut claims = sentence
                .claims
                .iter()
                .filter_map(|cid| self.claims.get(cid.as_str()));
            claims.find_map(|claim| claim.question.clone())
        };
        for question in own {
            let is_own = |one: &&DraftSentence| question_of(one).as_ref() == Some(&question.id);
            let sentences: Vec<DraftSentence> = drafted.iter().filter(is_own).cloned().collect();
            let answer = self.sentences(&sentences);
            let standing = self.state.standings.get(&question.id);
            let is_disputed = matches!(standing, Some(Standing::Conflicting { .. }));
            let status = if answer.is_empty() && !is_disputed {
                QuestionStatus::NotAnswered
            } else {
                QuestionStatus::Answered
            };

            writer.question(&question.question, &question.id, status);
            writer.bullets(&answer);
            if is_disputed {
                writer.note("The sources disagree, as stated below.");
            }
        }
    }

    fn no_answer(&self) -> String {
        if self.state.subagent_findings.is_empty() {
            return "Nothing was researched.".to_owned();
        }
        let mut standings = self.state.standings.values();
        if standings.any(|standing| matches!(standing, Standing::Conflicting { .. })) {
            "The sources disagree, as stated below.".to_owned()
        } else {
            "No source answers the question.".to_owned()
        }
    }

    /// Returns the sentences that hold. One that does not is replaced by the claims that it states,
    /// in their own words.
    fn sentences(&self, drafted: &[DraftSentence]) -> Vec<Verified> {
        let mut written = BTreeSet::new();
        let mut sentences = Vec::new();
        for sentence in drafted {
            let claims: Vec<&TrustedClaim> = sentence
                .claims
                .iter()
                .filter_map(|cid| self.claims.get(cid.as_str()).copied())
                .collect();

            let text = sentence.text.trim();
            let whole = (!text.is_empty()).then(|| self.sentence(text, &claims));
            match whole.flatten() {
                Some(verified) => sentences.push(verified),
                None => {
                    let own = claims.iter().filter(|claim| written.insert(&claim.cid));
                    sentences.extend(own.filter_map(|claim| self.claim(claim)));
                }
            }
        }
        sentences
    }

    /// Returns a claim in its own words, after the value that it gives as an answer.
    fn claim(&self, claim: &TrustedClaim) -> Option<Verified> {
        let value = self.value_of(claim);
        let led = value.and_then(|value| {
            let text = format!("{value}: {}", claim.text);
            self.sentence(&text, &[claim])
        });
        led.or_else(|| self.sentence(&claim.text, &[claim]))
    }

    /// Returns the value that a claim gives as an answer, as its quote has it.
    fn value_of(&self, claim: &TrustedClaim) -> Option<&str> {
        let question = claim.question.as_ref()?;
        let Standing::Answered(agreed) = self.state.standings.get(question)? else {
            return None;
        };
        let value = agreed.value.as_ref()?;
        let first = claim.quotes.first()?;
        let passage = self.state.passages.get(&first.passage)?;
        let language = self.state.passages.document_of(passage)?.language;
        let quote = passage.text.for_code();
        let start = quote.find(first.quote.as_str())?;
        let own = quote.get(start..start + first.quote.len())?;

        let typed = values(own, language);
        let typed = typed.into_iter().find(|typed| typed.value == *value)?;
        own.get(typed.span)
    }

    /// Returns a sentence with the quotes of its claims and the lowest of their marks, if it holds.
    fn sentence(&self, text: &str, claims: &[&TrustedClaim]) -> Option<Verified> {
        let mark = claims.iter().filter_map(|claim| claim.mark).min()?;
        let quotes = claims.iter().flat_map(|claim| &claim.quotes);
        let says = quotes.map(|says| Claim::Says {
            source: says.passage.clone(),
            text: says.quote.clone(),
            start: says.start,
        });
        let statement = Statement {
            text: text.to_owned(),
            claims: says.collect(),
        };
        let verified = self.checker.check(&statement).ok()?;
        Some(verified.with_mark(mark))
    }

    /// Writes both sides of every disagreement, each with its quotes.
    fn conflicts(&self, writer: &mut ReportWriter<'_>) {
        let questions = &self.state.research_plan.research_questions;
        let mut has_begun = false;
        for question in questions {
            let standing = self.state.standings.get(&question.id);
            let Some(Standing::Conflicting {
                sides,
                is_independent,
            }) = standing
            else {
                continue;
            };
            if !has_begun {
                writer.section("Sources disagree");
                has_begun = true;
            }

            writer.note(&question.question);
            let answers = sides
                .iter()
                .flat_map(|side| self.state.table.answers_of(&question.id, side));
            let quotes: Vec<Verified> = answers.filter_map(|one| self.quote(one)).collect();
            writer.bullets(&quotes);
            let ids: Vec<&String> = sides.iter().flat_map(|side| &side.passages).collect();
            for note in self.about_sides(&ids, *is_independent) {
                writer.note(&note);
            }
        }
    }

    /// Returns a quote that answers a question, as a sentence.
    fn quote(&self, answer: &Answer) -> Option<Verified> {
        let text = self.state.passages.get(&answer.passage)?.text.for_code();
        let quote = text.get(answer.quote.clone())?;
        let statement = Statement {
            text: quote.trim().to_owned(),
            claims: vec![Claim::Says {
                source: answer.passage.clone(),
                text: quote.to_owned(),
                start: Some(answer.quote.start),
            }],
        };
        self.checker.check(&statement).ok()
    }

    /// Returns what is known about the sides of a disagreement: whether they are of one publisher,
    /// and which is newer.
    fn about_sides(&self, passages: &[&String], is_independent: bool) -> Vec<String> {
        let mut notes = Vec::new();
        if !is_independent {
            notes.push("These passages are of one publisher, or copies of each other.".to_owned());
        }

        let mut dates: Vec<(&str, &str)> = passages
            .iter()
            .filter_map(|id| {
                let passage = self.state.passages.get(id)?;
                let document = self.state.passages.document_of(passage)?;
                let date = document.origin.date.as_deref();
                Some((date.or(document.origin.version.as_deref())?, id.as_str()))
            })
            .collect();
        dates.sort_unstable();
        let (first, last) = (dates.first(), dates.last());
        if let (Some((older, _)), Some((newer, id))) = (first, last)
            && older != newer
        {
            notes.push(format!(
                "The passage {id} is of the newest document ({newer}); none is preferred for that."
            ));
        }
        notes
    }

    /// Writes the quotes that are nearest to each question without an answer, for the reader to
    /// judge, and those that are near to an answer that code chose and that does not lead clearly.
    fn nearest(&self, writer: &mut ReportWriter<'_>, is_extractive: bool) {
        let questions = &self.state.research_plan.research_questions;
        let mut has_begun = false;
        for question in questions {
            let Some(standing) = self.state.standings.get(&question.id) else {
                continue;
            };
            let is_open = matches!(standing, Standing::Unanswered);
            let is_chosen = is_extractive && offline::is_question(&question.question);
            if !is_open && !is_chosen {
                continue;
            }

            let is_own = |passage: &Passage| self.is_of(question, passage);
            let found = nearest(
                &question.question,
                &self.state.passages,
                is_own,
                MOST_NEAREST,
            );
            if !is_open && found.is_clear {
                continue;
            }
            let quotes = found.quotes.iter().filter_map(|one| self.quote(one));
            let quotes: Vec<Verified> = quotes.filter(|quote| !self.is_said(quote)).collect();
            if quotes.is_empty() {
                continue;
            }
            if !has_begun {
                writer.section("Nearest passages");
                has_begun = true;
            }
            if questions.len() > 1 {
                writer.note(&question.question);
            }
            writer.note(if is_open {
                "These are nearest to the question. None was taken for its answer."
            } else {
                "The answer does not lead clearly. These are near to the question as well."
            });
            writer.bullets(&quotes);
        }
    }

    /// Returns whether a claim of the report has a quote.
    fn is_said(&self, quote: &Verified) -> bool {
        let mut claims = self.claims.values();
        claims.any(|claim| claim.text.contains(quote.text().trim()))
    }

    /// Returns whether a passage was found for a question.
    fn is_of(&self, question: &ResearchQuestion, passage: &Passage) -> bool {
        let Some(document) = self.state.passages.document_of(passage) else {
            return false;
        };
        let origin = &document.origin;
        let mut evidence = self.state.raw_evidence.iter();
        evidence.any(|one| {
            let is_there = one.site == origin.site && one.address == origin.address;
            one.question == question.id && is_there && one.span == passage.bytes
        })
    }

    /// Writes the questions and sections that nothing was found for.
    fn not_found(&self, writer: &mut ReportWriter<'_>) {
        // Of a question that no sub-agent worked on nothing is known.
        let findings = self.state.subagent_findings.iter();
        let tried: BTreeSet<&String> = findings.map(|one| &one.question).collect();
        let is_tried = |id: &String| tried.contains(id);
        let is_open = |gap: &&KnowledgeGap| {
            let is_open = matches!(gap.kind, GapKind::Missing | GapKind::Unanswered);
            is_open && gap.question.as_ref().is_none_or(is_tried)
        };
        let open = self.state.knowledge_gaps.iter().filter(is_open);
        let mut lines: Vec<String> = open.map(|gap| sentence_case(&gap.description)).collect();

        let questions = self.state.research_plan.research_questions.iter();
        let untried = questions.filter(|question| !is_tried(&question.id));
        lines.extend(untried.map(|question| format!("Not researched: “{}”", question.question)));

        let limited = self
            .state
            .knowledge_gaps
            .iter()
            .filter(|gap| gap.kind == GapKind::LowConfidence);
        lines.extend(limited.map(|gap| format!("Limited coverage: {}", gap.description)));
        lines.dedup();
        if !lines.is_empty() {
            writer.section("Not found");
            writer.notes(&lines);
        }
    }

    /// Writes the files that could not be read, and the calls that failed.
    fn not_read(&self, writer: &mut ReportWriter<'_>) {
        let mut lines = self.state.input.not_read.clone();
        for findings in self.state.subagent_findings.iter() {
            for failure in &findings.failures {
                let line = failure.to_string();
                if !lines.contains(&line) {
                    lines.push(line);
                }
            }
        }
        if !lines.is_empty() {
            writer.section("Not read");
            writer.notes(&lines);
        }
    }

    fn quality(&self, writer: &mut ReportWriter<'_>) {
        let quality = self.metadata;
        let percent = |share: f64| format!("{:.0} %", share * 100.0);
        let mut lines = Vec::new();
        lines.push(
            "✓✓ independent sources agree; ✓ one source, or several that depend on each other; ⚠ \
             one source about which little is known."
                .to_owned(),
        );
        lines.push(format!(
            "Claims: {} of {} verified, {} confirmed by independent sources.",
            quality.verified, quality.claims, quality.cross_validated
        ));

        lines.push(match quality.hallucination_score {
            Some(score) => format!("Share of claims that were withheld: {}.", percent(score)),
            None => "There is no claim.".to_owned(),
        });
        lines.push(format!(
            "Confidence: {}. Rounds: {}. Passages: {} of {} documents.",
            percent(quality.overall_confidence),
            quality.iterations,
            quality.evidence,
            quality.sources
        ));
        let beyond: usize = self
            .state
            .subagent_findings
            .iter()
            .map(|one| one.beyond)
            .sum();
        if beyond > 0 {
            let hits: usize = self
                .state
                .subagent_findings
                .iter()
                .map(|one| one.hits)
                .sum();
            lines.push(format!(
                "A list may be incomplete: {hits} of {} hits were read.",
                hits + beyond
            ));
        }

        writer.folded_section("Quality");
        writer.notes(&lines);
    }
}

fn sentence_case(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|c| c.to_uppercase().to_string());
    first.unwrap_or_default() + characters.as_str()
}

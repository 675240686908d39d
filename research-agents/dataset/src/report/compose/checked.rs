//! Checks the sentences of a draft, and keeps those that hold.

use research_agents_report::check::{Checker, Failure, Verified};
use research_agents_report::claim::Statement;
use research_agents_report::evidence::Evidence;

use crate::data::record::{ReportDraft, ReportFormat, SubQuestion};
use crate::report::compose::context::ReportContext;
use crate::report::compose::limitations::{limitations, plain_sentences};

/// The maximum number of key findings that a report prints.
const KEY_FINDINGS: usize = 8;

/// A draft after its sentences were checked.
pub(crate) struct Checked<'a> {
    /// The computed answer.
    pub(crate) answer: Vec<Verified>,
    pub(crate) summary: Vec<Verified>,
    pub(crate) key_findings: Vec<Verified>,
    /// The sub-questions with their sentences, and whether each one is answered.
    pub(crate) analysis: Vec<(&'a SubQuestion, Vec<Verified>, bool)>,
    pub(crate) conclusion: Vec<Verified>,
    /// Contradictions with their citations.
    pub(crate) cited: Vec<Verified>,
    /// Contradictions without citations.
    pub(crate) uncited: Vec<String>,
    pub(crate) limitations: Vec<String>,
    pub(crate) suggestions: Vec<String>,
}

/// Checks all sentences of a draft.
pub(crate) fn check<'a>(
    evidence: &Evidence,
    context: &ReportContext<'a>,
    draft: &ReportDraft,
) -> Checked<'a> {
    let mut verifier = DraftVerifier {
        checker: Checker::in_language(context.language, evidence, context.known_texts()),
        withheld: Vec::new(),
    };
    let said = context.answer.map(|answer| answer.statements.as_slice());
    let answer = verifier.answer(said.unwrap_or_default());
    let withheld_of_answer = verifier.withheld.len();
    let mut key_findings = verifier.strict(&draft.key_findings);
    key_findings.truncate(KEY_FINDINGS);
    let mut summary = verifier.loose(&draft.summary);

    // No sentence twice.
    let is_new =
        |others: &[Verified], one: &Verified| others.iter().all(|known| known.text() != one.text());
    summary.retain(|one| is_new(&answer, one));
    key_findings.retain(|one| is_new(&answer, one));

    // The analysis and the conclusion, which only a comprehensive report prints: sentences that are
    // not printed do not count as withheld.
    let withheld = verifier.withheld.len();
    let analysis = context
        .sub_questions
        .iter()
        .map(|question| section(question, draft, context, &mut verifier))
        .collect();
    let conclusion = verifier.loose(&draft.conclusion);
    if !context.is_comprehensive() {
        verifier.withheld.truncate(withheld);
    }

    // What the offline model drafts with a computed answer is not printed either.
    let is_drafted_by_code = context.author.is_none() && context.is_computed();
    if is_drafted_by_code && !answer.is_empty() {
        verifier.withheld.truncate(withheld_of_answer);
    }

    // A contradiction is always reported: the numbers of a finding were compared with its records
    // when it was drawn.
    let (cited, uncited): (Vec<_>, Vec<_>) = context
        .contradictions
        .iter()
        .map(|statement| {
            verifier
                .checker
                .check_loose(statement)
                .map_err(|_| statement.text.clone())
        })
        .partition(Result::is_ok);

    Checked {
        answer,
        summary,
        key_findings,
        analysis,
        conclusion,
        cited: cited.into_iter().flatten().collect(),
        uncited: uncited.into_iter().filter_map(Result::err).collect(),
        limitations: limitations(context, draft, &verifier.withheld),
        suggestions: plain_sentences(&draft.suggestions, context),
    }
}

/// Checks sentences of a draft: returns those that hold, and keeps the failures of the others.
struct DraftVerifier<'a> {
    checker: Checker<'a>,
    withheld: Vec<Failure>,
}

impl DraftVerifier<'_> {
    /// Returns the statements that hold with evidence.
    fn strict(&mut self, statements: &[Statement]) -> Vec<Verified> {
        self.verify(statements, |checker, statement| checker.check(statement))
    }

    /// Returns the statements that hold, those without evidence included.
    fn loose(&mut self, statements: &[Statement]) -> Vec<Verified> {
        self.verify(statements, |checker, statement| {
            checker.check_loose(statement)
        })
    }

    /// Returns the statements of a computed answer that hold; none if the first one, which is the
    /// answer, does not.
    fn answer(&mut self, statements: &[Statement]) -> Vec<Verified> {
        let first = self.loose(&statements[..statements.len().min(1)]);
        if first.is_empty() {
            return first;
        }
        let others = self.loose(&statements[1..]);
        first.into_iter().chain(others).collect()
    }

    /// Returns the statements that a check accepts.
    fn verify(
        &mut self,
        statements: &[Statement],
        check: impl Fn(&Checker<'_>, &Statement) -> Result<Verified, Failure>,
    ) -> Vec<Verified> {
        let mut kept = Vec::new();
        for statement in statements
            .iter()
            .filter(|statement| !statement.text.trim().is_empty())
        {
            match check(&self.checker, statement) {
                Ok(verified) => kept.push(verified),
                Err(failure) => {
                    self.withheld.push(failure);
                }
            }
        }

        kept
    }
}

/// Returns the checked sentences of a sub-question, and whether it is answered: the draft says so
/// and a sentence with evidence is left. Drafts of short reports may lack the analysis; then the
/// gathered material decides.
fn section<'q>(
    question: &'q SubQuestion,
    draft: &ReportDraft,
    context: &ReportContext<'_>,
    verifier: &mut DraftVerifier<'_>,
) -> (&'q SubQuestion, Vec<Verified>, bool) {
    let Some(section) = draft
        .analysis
        .iter()
        .find(|section| section.question_id == question.id)
    else {
        let is_short = context.format != ReportFormat::ComprehensiveReport;
        return (
            question,
            Vec::new(),
            is_short && context.answered.contains(&question.id),
        );
    };

    let sentences = verifier.loose(&section.statements);
    let answered = section.answered
        && sentences
            .iter()
            .any(|sentence| !sentence.claims().is_empty());
    (question, sentences, answered)
}

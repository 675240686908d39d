//! The four checks as code computes them, the confidence that follows, and the verdict.

use std::collections::HashSet;

use research_agents_report::text::name_words;

use crate::agents::validator::input::ValidatorInput;
use crate::data::config::DatasetConfig;
use crate::data::record::{Finding, SubQuestion};
use crate::data::review::{QuestionConfidence, ValidationCheck, ValidationIssue, ValidationStatus};
use crate::found::conflicts::{Contradiction, contradictions};
use crate::state::answered::Answers;
use crate::state::completion::auto_confidence;
use crate::state::model::DatasetState;

/// The amount by which a contradiction lowers the confidence, and how many are counted.
const PER_CONTRADICTION: f64 = 0.1;
const CONTRADICTIONS: usize = 3;
/// The amount by which irrelevant findings lower the confidence, times their share of all findings.
const OFF_TOPIC: f64 = 0.2;
/// Fewest letters of a word that shows what a sentence is about.
const CONTENT_WORD: usize = 4;

/// The outcome of a review.
#[derive(Debug)]
pub(crate) struct Review {
    pub(crate) status: ValidationStatus,
    pub(crate) issues: Vec<ValidationIssue>,
    pub(crate) scores: QuestionConfidence,
    /// The mean of the scores, less the deductions for contradictions and irrelevant findings.
    pub(crate) overall: f64,
}

/// Reviews the findings by the checks that were asked for.
pub(crate) fn review(
    state: &DatasetState,
    config: &DatasetConfig,
    input: &ValidatorInput,
) -> Review {
    let rules = &config.review;
    let answers = Answers::new(state, rules.min_sources).with_findings(&input.findings);
    let scores: QuestionConfidence = input
        .sub_questions
        .iter()
        .map(|question| (question.id.clone(), answers.confidence(question)))
        .collect();
    let asked = |check| input.validation_checks.contains(&check);
    let mut issues = Vec::new();
    let mut overall = mean(&scores).unwrap_or_else(|| auto_confidence(state, config));
    if asked(ValidationCheck::Contradiction) {
        let questions = [input.original_query.as_str()];
        let (tables, sources) = (&state.aggregation_results, &state.extracted_sources);
        let found = contradictions(&input.findings, tables, sources, &questions, state.language);
        overall -= PER_CONTRADICTION * found.len().min(CONTRADICTIONS) as f64;
        issues.extend(found.into_iter().map(contradiction));
    }

    if asked(ValidationCheck::Coverage) {
        issues.extend(unanswered(
            &input.sub_questions,
            &scores,
            rules.answered_threshold,
        ));
    }

    if asked(ValidationCheck::EvidenceStrength) {
        issues.extend(weak(&input.findings, rules.min_sources));
    }

    let mut off = 0.0;
    if asked(ValidationCheck::Relevance) {
        let strangers = off_topic(
            &input.findings,
            &input.original_query,
            &input.sub_questions,
            state,
        );
        off = share(strangers.len(), input.findings.len());
        overall -= OFF_TOPIC * off;
        issues.extend(irrelevant(&strangers, off));
    }

    let overall = ((overall * 1e9).round() / 1e9).clamp(0.0, 1.0);
    let has_answer = scores.is_empty() || scores.values().any(|score| *score > 0.0);
    let has_data = !input.findings.is_empty() || !state.aggregation_results.is_empty();
    let is_irrelevant = off >= 1.0 && state.aggregation_results.is_empty();
    let status = if !has_data || !has_answer || is_irrelevant {
        ValidationStatus::Failed
    } else if overall < config.completion_confidence
        || issues.iter().any(|issue| issue.severity == "high")
    {
        ValidationStatus::NeedsRevision
    } else {
        ValidationStatus::Passed
    };

    Review {
        status,
        issues,
        scores,
        overall,
    }
}

fn mean(scores: &QuestionConfidence) -> Option<f64> {
    (!scores.is_empty()).then(|| scores.values().sum::<f64>() / scores.len() as f64)
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

fn issue(
    kind: ValidationCheck,
    severity: &str,
    description: String,
    action: &str,
) -> ValidationIssue {
    ValidationIssue {
        kind: kind.name().to_owned(),
        description,
        severity: severity.to_owned(),
        suggested_action: action.to_owned(),
        affected_findings: Vec::new(),
        advisory: false,
    }
}

fn contradiction(found: Contradiction) -> ValidationIssue {
    let action = "Name both in the report, or read further records on it.";
    let issue = issue(
        ValidationCheck::Contradiction,
        "high",
        found.statement.text,
        action,
    );
    ValidationIssue {
        affected_findings: found.findings,
        ..issue
    }
}

/// Returns an issue for each question below the threshold: the more important the question and the
/// weaker the answer, the more severe.
fn unanswered(
    questions: &[SubQuestion],
    scores: &QuestionConfidence,
    threshold: f64,
) -> Vec<ValidationIssue> {
    let first = questions.iter().map(|question| question.priority).min();
    let open = questions.iter().filter_map(|question| {
        let score = scores
            .get(&question.id)
            .copied()
            .filter(|score| *score < threshold)?;
        let severity = match (Some(question.priority) == first, score > 0.0) {
            (true, false) => "high",
            (true, true) | (false, false) => "medium",
            (false, true) => "low",
        };
        let how = if score > 0.0 {
            format!("is answered weakly ({score:.2})")
        } else {
            "is not answered".to_owned()
        };
        let action = "Read more records on it, or group by a field that answers it.";
        let text = format!("{} “{}” {how}.", question.id, question.question);
        Some(issue(ValidationCheck::Coverage, severity, text, action))
    });

    open.collect()
}

/// Returns one issue for all findings that rest on too few records.
fn weak(findings: &[Finding], least: usize) -> Option<ValidationIssue> {
    let weak: Vec<&Finding> = findings
        .iter()
        .filter(|finding| finding.doc_ids.len() < least)
        .collect();
    let severity = if share(weak.len(), findings.len()) > 0.5 {
        "medium"
    } else {
        "low"
    };

    (!weak.is_empty()).then(|| {
        let text = format!(
            "{} of {} findings rest on fewer than {least} records.",
            weak.len(),
            findings.len()
        );
        let action = "Tell them as single cases, or read more records.";
        let issue = issue(ValidationCheck::EvidenceStrength, severity, text, action);
        ValidationIssue {
            affected_findings: weak.iter().map(|finding| finding.id.clone()).collect(),
            ..issue
        }
    })
}

/// Returns the findings that were drawn for no question of the checklist and share no content word
/// with the question, the checklist or the groupings.
fn off_topic<'f>(
    findings: &'f [Finding],
    query: &str,
    questions: &[SubQuestion],
    state: &DatasetState,
) -> Vec<&'f Finding> {
    let texts = questions.iter().map(|question| question.question.as_str());
    let fields = state
        .aggregation_results
        .iter()
        .map(|table| table.field.as_str());
    let topic: HashSet<String> = texts
        .chain(fields)
        .chain([query])
        .flat_map(name_words)
        .collect();

    let is_about = |text: &String| {
        name_words(text)
            .iter()
            .any(|word| is_content(word) && topic.contains(word))
    };
    let is_relevant = |finding: &Finding| {
        questions
            .iter()
            .any(|question| finding.relevant_questions.contains(&question.id))
            || is_about(&finding.claim)
            || finding.themes.iter().any(is_about)
    };

    findings
        .iter()
        .filter(|finding| !is_relevant(finding))
        .collect()
}

fn is_content(word: &str) -> bool {
    let joining = [
        "what", "which", "where", "when", "with", "from", "that", "this", "there", "have", "most",
        "many", "they",
    ];
    word.chars().count() >= CONTENT_WORD && !joining.contains(&word)
}

fn irrelevant(strangers: &[&Finding], share: f64) -> Option<ValidationIssue> {
    let severity = match share {
        all if all >= 1.0 => "high",
        most if most > 0.5 => "medium",
        _ => "low",
    };
    let action = "Leave them out, or name the question that they answer.";
    let text = format!(
        "{} findings touch neither the question nor the checklist.",
        strangers.len()
    );
    (!strangers.is_empty()).then(|| {
        let issue = issue(ValidationCheck::Relevance, severity, text, action);
        ValidationIssue {
            affected_findings: strangers.iter().map(|finding| finding.id.clone()).collect(),
            ..issue
        }
    })
}

#[cfg(test)]
mod tests {
    use research_agents_report::evidence::Source;
    use research_agents_report::text::Untrusted;

    use super::*;

    fn question(id: &str, text: &str, priority: u32) -> SubQuestion {
        SubQuestion {
            id: id.into(),
            question: text.into(),
            priority,
            depends_on: Vec::new(),
        }
    }

    fn finding(id: &str, claim: &str, docs: usize, questions: &[&str]) -> Finding {
        Finding {
            id: id.into(),
            claim: claim.into(),
            evidence: Vec::new(),
            evidence_count: docs,
            doc_ids: (0..docs).map(|id| id.to_string()).collect(),
            confidence: Default::default(),
            relevant_questions: questions.iter().map(|id| (*id).to_owned()).collect(),
            themes: Vec::new(),
        }
    }

    /// Returns a state with four of four records read.
    fn state() -> DatasetState {
        let mut state = DatasetState::default();
        for record in 0..4 {
            let record = record.to_string();
            let text = Untrusted::new("x".to_owned());
            state.extracted_sources.register(Source {
                tool: "t".into(),
                record,
                text,
                ..Source::default()
            });
        }

        state.ledger.enter(&crate::found::coverage::QueryReport {
            tool: "t".into(),
            total: Some(4),
            records: (0..4).map(|record: u32| record.to_string()).collect(),
            scanned: true,
            ..Default::default()
        });
        state
    }

    fn reviewed(findings: Vec<Finding>, checks: &[ValidationCheck]) -> Review {
        let input = ValidatorInput {
            findings,
            sub_questions: vec![
                question("sq_1", "Which birds?", 1),
                question("sq_2", "At which height?", 2),
            ],
            original_query: "Strikes of birds".into(),
            validation_checks: checks.to_vec(),
        };
        review(&state(), &DatasetConfig::default(), &input)
    }

    fn summary(review: &Review) -> Vec<(&str, &str)> {
        review
            .issues
            .iter()
            .map(|issue| (issue.kind.as_str(), issue.severity.as_str()))
            .collect()
    }

    fn sound() -> Vec<Finding> {
        vec![
            finding("f_1", "Gulls lead", 3, &["sq_1"]),
            finding("f_2", "Most fly low", 4, &["sq_2"]),
        ]
    }

    #[test]
    fn sound_findings_pass_without_an_issue() {
        let review = reviewed(sound(), &ValidationCheck::ALL);
        assert_eq!(
            (review.status, review.issues.len(), review.overall),
            (ValidationStatus::Passed, 0, 0.9)
        );
    }

    #[test]
    fn each_check_finds_what_was_planted_for_it_and_nothing_else() {
        let cases = [
            (
                ValidationCheck::Contradiction,
                "high",
                finding("f_3", "Most fly not low", 4, &["sq_2"]),
            ),
            (
                ValidationCheck::EvidenceStrength,
                "low",
                finding("f_3", "Hawks are rare", 2, &["sq_1"]),
            ),
            (
                ValidationCheck::Relevance,
                "low",
                finding("f_3", "Coffee is dear", 4, &[]),
            ),
        ];

        for (check, severity, planted) in cases {
            let mut findings = sound();
            findings.push(planted);
            let review = reviewed(findings, &ValidationCheck::ALL);
            assert_eq!(summary(&review), [(check.name(), severity)], "{check:?}");
            assert!(
                review.issues[0]
                    .affected_findings
                    .contains(&"f_3".to_owned()),
                "{review:?}"
            );
        }

        let review = reviewed(sound()[..1].to_vec(), &ValidationCheck::ALL);

        assert_eq!(
            summary(&review),
            [("coverage", "medium")],
            "the second question is open"
        );
        assert_eq!(
            (review.status, review.overall),
            (ValidationStatus::NeedsRevision, 0.45)
        );

        let review = reviewed(sound()[1..].to_vec(), &ValidationCheck::ALL);

        assert_eq!(
            summary(&review),
            [("coverage", "high")],
            "the first is the most important"
        );
    }

    #[test]
    fn only_the_checks_that_were_asked_for_are_made() {
        let findings = vec![
            finding("f_1", "Coffee is dear", 1, &[]),
            finding("f_2", "Coffee is not dear", 1, &[]),
        ];

        assert_eq!(
            reviewed(findings.clone(), &ValidationCheck::ALL)
                .issues
                .len(),
            5
        );

        for check in ValidationCheck::ALL {
            let review = reviewed(findings.clone(), &[check]);
            assert!(
                !review.issues.is_empty()
                    && summary(&review)
                        .iter()
                        .all(|(kind, _)| *kind == check.name()),
                "{review:?}"
            );
        }
    }

    #[test]
    fn nothing_to_go_by_fails() {
        assert_eq!(
            reviewed(Vec::new(), &ValidationCheck::ALL).status,
            ValidationStatus::Failed
        );
        let beside = vec![finding("f_1", "Coffee is dear", 4, &[])];
        assert_eq!(
            reviewed(beside, &ValidationCheck::ALL).status,
            ValidationStatus::Failed
        );
    }

    #[test]
    fn contradictions_and_findings_off_the_point_take_from_the_confidence() {
        let mut findings = sound();
        findings.push(finding("f_3", "Most fly not low", 4, &["sq_2"]));
        findings.push(finding("f_4", "Coffee is dear", 4, &[]));
        let review = reviewed(findings, &ValidationCheck::ALL);
        assert!(
            (review.overall - (0.9 - 0.1 - 0.05)).abs() < 1e-9,
            "{}",
            review.overall
        );
        assert_eq!(
            review.status,
            ValidationStatus::NeedsRevision,
            "a contradiction is severe"
        );
    }
}

//! The judgement of an answer.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::answer::Sentence;
use crate::check::claims::Fact;
use crate::check::names::mentions;
use crate::run::{CheckOutcome, Evidence, Verification, VerificationStatus};

/// The largest difference between the stated confidence and the support without a remark.
const CALIBRATION: f64 = 0.2;
/// Support below which an answer fails, and below which it is weak.
const FAILS_BELOW: f64 = 0.2;
const WEAK_BELOW: f64 = 0.5;

/// Lines that were read again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reread {
    /// Id of the evidence.
    pub id: String,
    /// Why the lines are not those of the evidence, if they are not.
    pub problem: Option<String>,
}

/// An answer that was judged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judged {
    /// The checks.
    pub verification: Verification,
    /// The sentences that hold.
    pub kept: Vec<Sentence>,
    /// What is wrong with the others.
    pub problems: Vec<String>,
}

/// Judges an answer. `reread` are the cited lines as they are now, `facts` what code has computed.
pub fn judge(
    sentences: &[Sentence],
    confidence: f64,
    evidence: &[Evidence],
    facts: &[Fact],
    reread: &[Reread],
) -> Judged {
    let mut kept = Vec::new();
    let (mut unresolved, mut changed, mut ungrounded) = (Vec::new(), Vec::new(), Vec::new());

    for sentence in sentences {
        let before = unresolved.len() + changed.len() + ungrounded.len();
        for id in &sentence.cited {
            if !evidence.iter().any(|evidence| evidence.id == *id) {
                unresolved.push(format!("`{}` is not the id of any evidence", shortened(id)));
            }
            let again = reread.iter().find(|again| again.id == *id);
            if let Some(problem) = again.and_then(|again| again.problem.as_ref()) {
                changed.push(format!("{id}: {problem}"));
            }
        }
        ungrounded.extend(problem_of(sentence, evidence, facts));
        if unresolved.len() + changed.len() + ungrounded.len() == before {
            kept.push(sentence.clone());
        }
    }

    let cited: BTreeSet<&String> = sentences.iter().flat_map(|one| &one.cited).collect();
    let cited: Vec<&Evidence> = evidence
        .iter()
        .filter(|one| cited.contains(&one.id))
        .collect();
    // A count over everything that was searched needs no line.
    let computed = sentences
        .iter()
        .filter(|one| facts.iter().any(|fact| fact.says(&one.text)));
    let support = if computed.count() == sentences.len() && !sentences.is_empty() {
        support(&cited).max(confidence)
    } else {
        support(&cited)
    };
    let calibration = (confidence - support).abs();

    let problems: Vec<String> = [&unresolved, &changed, &ungrounded]
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    let has_claims = sentences.iter().any(|one| !mentions(&one.text).is_empty());
    let is_cited = !cited.is_empty() || !has_claims || kept.len() == sentences.len();
    let status = if !problems.is_empty() || (has_claims && support < FAILS_BELOW) {
        VerificationStatus::Failed
    } else if support < WEAK_BELOW || !is_cited || calibration > CALIBRATION {
        VerificationStatus::Warning
    } else {
        VerificationStatus::Passed
    };

    let check = |check: &str, details: Vec<String>| CheckOutcome {
        check: check.to_owned(),
        holds: details.is_empty(),
        details,
    };
    let weak = (support < WEAK_BELOW).then(|| format!("the support is {support:.2}"));
    let off = (calibration > CALIBRATION)
        .then(|| format!("confidence {confidence:.2} and support {support:.2} differ"));
    Judged {
        verification: Verification {
            status,
            support,
            calibration,
            checks: vec![
                check("citations_resolve", unresolved),
                check("lines_unchanged", changed),
                check("sentences_supported", ungrounded),
                check("evidence_support", weak.into_iter().collect()),
                check("confidence_calibrated", off.into_iter().collect()),
            ],
            retries: 0,
            removed: sentences.len() - kept.len(),
        },
        kept,
        problems,
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

/// Returns why a sentence is not supported by what it cites.
fn problem_of(sentence: &Sentence, evidence: &[Evidence], facts: &[Fact]) -> Option<String> {
    let own = facts.iter().find(|fact| fact.says(&sentence.text));
    if let Some(fact) = own {
        let problem = fact.problem.as_ref()?;
        return Some(format!("{problem}: {}", shortened(&sentence.text)));
    }

    let cited: Vec<&Evidence> = sentence
        .cited
        .iter()
        .filter_map(|id| evidence.iter().find(|evidence| evidence.id == *id))
        .collect();
    let related: Vec<&Fact> = facts
        .iter()
        .filter(|fact| {
            fact.problem.is_none() && fact.evidence.iter().any(|id| sentence.cited.contains(id))
        })
        .collect();
    let missing: Vec<String> = mentions(&sentence.text)
        .into_iter()
        .filter(|mention| {
            let in_lines = cited.iter().any(|evidence| {
                let lines = &evidence.lines;
                mention.is_in(evidence.text())
                    || mention.is_in(lines.file_path.as_str())
                    || mention.text() == lines.start_line.to_string()
                    || mention.text() == lines.end_line.to_string()
            });
            !in_lines && !related.iter().any(|fact| mention.is_in(&fact.text))
        })
        .map(|mention| format!("`{}`", shortened(mention.text()).replace('`', "")))
        .collect();

    let start = shortened(&sentence.text);
    if !missing.is_empty() {
        return Some(format!(
            "{} is not in the lines that this sentence cites: {start}",
            missing.join(", ")
        ));
    }
    let is_bare = sentence.cited.is_empty() && sentence.text.split_whitespace().count() > 3;
    (is_bare && !is_about_the_research(&sentence.text))
        .then(|| format!("this sentence cites nothing: {start}"))
}

/// Returns whether a sentence says what was not found, which no line shows.
fn is_about_the_research(sentence: &str) -> bool {
    const PHRASES: [&str; 6] = [
        "no evidence",
        "evidence does not",
        "not answer",
        "no answer",
        "does not show",
        "was searched",
    ];
    let lower = sentence.to_lowercase();
    PHRASES.iter().any(|phrase| lower.contains(phrase))
}

/// Returns how strongly evidence supports an answer, from 0 to 1: its number, scores and variety.
fn support(cited: &[&Evidence]) -> f64 {
    if cited.is_empty() {
        return 0.0;
    }
    let count = cited.len() as f64;
    let scores = cited.iter().map(|evidence| {
        evidence
            .lines
            .score
            .map_or(1.0, |score| score.clamp(0.0, 1.0))
    });
    let mean = scores.sum::<f64>() / count;

    let kinds: BTreeSet<_> = cited
        .iter()
        .map(|evidence| evidence.lines.provenance)
        .collect();
    let support =
        0.4 * (count / 5.0).min(1.0) + 0.4 * mean + (0.1 * kinds.len() as f64).min(0.3) + 0.1;
    (support.clamp(0.0, 1.0) * 1_000.0).round() / 1_000.0
}

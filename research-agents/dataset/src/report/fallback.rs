//! A draft without a model: lists what was gathered, so that a run whose model fails at the end
//! still has its report.

use research_agents_report::claim::{Basis, Claim, Statement};
use research_agents_report::evidence::plain;
use research_agents_report::language::{Language, Phrase as ReportPhrase};

use crate::data::phrase::Phrase;
use crate::data::record::{DraftSection, Finding, ReportDraft};
use crate::data::task::SynthesizeTask;

/// Groups of each aggregation that are listed.
const GROUPS: usize = 5;
/// Findings that are listed.
const FINDINGS: usize = 8;

/// Returns the draft, in a language.
pub(crate) fn fallback_draft(task: &SynthesizeTask, language: Language) -> ReportDraft {
    let totals = task.aggregations.iter().take(1).map(|table| {
        let over = Basis::Aggregation(table.id.clone());
        let number = table.total_docs;
        Statement {
            text: language.say(Phrase::Match { count: number }),
            claims: vec![Claim::Total { over, number }],
        }
    });

    let mut key_findings = groups(task, language);
    key_findings.extend(quoted(&task.findings));
    let analysis = task.sub_questions.iter().map(|question| {
        let own: Vec<Finding> = task
            .findings
            .iter()
            .filter(|f| f.relevant_questions.contains(&question.id))
            .cloned()
            .collect();
        let statements = quoted(&own);
        DraftSection {
            question_id: question.id.clone(),
            answered: !statements.is_empty(),
            statements,
        }
    });

    ReportDraft {
        summary: totals.collect(),
        key_findings,
        analysis: analysis.collect(),
        ..ReportDraft::default()
    }
}

/// Returns the largest groups of every aggregation.
fn groups(task: &SynthesizeTask, language: Language) -> Vec<Statement> {
    let records = |count| language.say(ReportPhrase::Records { count });
    let tables = task.aggregations.iter();

    tables
        .flat_map(|table| {
            let mut buckets: Vec<_> = table
                .buckets
                .iter()
                .filter(|bucket| bucket.buckets.is_empty())
                .collect();
            buckets.sort_by_key(|bucket| std::cmp::Reverse(bucket.doc_count));

            buckets
                .into_iter()
                .take(GROUPS)
                .map(move |bucket| Statement {
                    text: format!(
                        "{} {}: {}.",
                        table.field,
                        plain(&bucket.key),
                        records(bucket.doc_count)
                    ),
                    claims: vec![Claim::Count {
                        over: Basis::Aggregation(table.id.clone()),
                        field: table.field.clone(),
                        value: bucket.key.clone(),
                        number: bucket.doc_count,
                    }],
                })
        })
        .collect()
}

/// Returns the findings that have a quote, those with most records first.
fn quoted(findings: &[Finding]) -> Vec<Statement> {
    let mut sorted: Vec<&Finding> = findings
        .iter()
        .filter(|finding| !finding.evidence.is_empty())
        .collect();
    sorted.sort_by_key(|finding| std::cmp::Reverse(finding.evidence_count));
    let statement = |finding: &&Finding| Statement {
        text: finding.claim.clone(),
        claims: finding.evidence.clone(),
    };
    sorted.iter().take(FINDINGS).map(statement).collect()
}

#[cfg(test)]
mod tests {
    use research_agents_report::check::Checker;
    use research_agents_report::evidence::SourceRegistry;
    use serde_json::json;

    use super::*;
    use crate::data::record::AggregationResult;
    use crate::found::evidence::evidence_of;

    #[test]
    fn every_listed_group_passes_the_checker() {
        let table: AggregationResult = serde_json::from_value(json!({
            "id": "A1", "type": "group_by", "field": "theme 2", "total_docs": 90,
            "source_tool": "t",
            "buckets": [{"key": "AI", "doc_count": 50}, {"key": null, "doc_count": 39},
                {"key": "ML", "doc_count": 1}]
        }))
        .unwrap();
        let task = SynthesizeTask {
            aggregations: vec![table.clone()],
            ..SynthesizeTask::default()
        };
        let draft = fallback_draft(&task, Language::ENGLISH);

        assert_eq!(draft.key_findings[0].text, "theme 2 AI: 50 records.");
        assert_eq!(draft.key_findings[2].text, "theme 2 ML: 1 record.");

        let evidence = evidence_of(SourceRegistry::default(), &[table]);
        let checker = Checker::new(&evidence, []);
        for statement in draft.key_findings.iter().chain(&draft.summary) {
            assert!(checker.check(statement).is_ok(), "{statement:?}");
        }
    }
}

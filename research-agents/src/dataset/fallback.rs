//! A draft without a model: lists what was gathered, so that a run whose model fails at the end still has its report.

use super::record::{DraftSection, Finding, ReportDraft};
use super::task::SynthesizeTask;
use crate::kernel::evidence::plain;
use crate::kernel::language::Phrase;
use crate::kernel::{Basis, Claim, Language, Statement};

/// Groups of each aggregation that are listed.
const GROUPS: usize = 5;
/// Findings that are listed.
const FINDINGS: usize = 8;

/// The draft, in a language.
pub(crate) fn fallback_draft(task: &SynthesizeTask, language: Language) -> ReportDraft {
    let totals = task.aggregations.iter().take(1).map(|table| {
        let over = Basis::Aggregation(table.id.clone());
        let number = table.total_docs;
        Statement { text: language.say(Phrase::Match { count: number }), claims: vec![Claim::Total { over, number }] }
    });
    let totals = totals.collect();
    let mut key_findings = groups(task, language);
    key_findings.extend(quoted(&task.findings));
    let analysis = task.sub_questions.iter().map(|question| {
        let own: Vec<Finding> =
            task.findings.iter().filter(|f| f.relevant_questions.contains(&question.id)).cloned().collect();
        let statements = quoted(&own);
        DraftSection { question_id: question.id.clone(), answered: !statements.is_empty(), statements }
    });
    ReportDraft { summary: totals, key_findings, analysis: analysis.collect(), ..ReportDraft::default() }
}

/// The largest groups of every aggregation.
fn groups(task: &SynthesizeTask, language: Language) -> Vec<Statement> {
    let records = |count| language.say(Phrase::Records { count });
    let tables = task.aggregations.iter();
    tables
        .flat_map(|table| {
            let mut buckets: Vec<_> = table.buckets.iter().filter(|bucket| bucket.buckets.is_empty()).collect();
            buckets.sort_by_key(|bucket| std::cmp::Reverse(bucket.doc_count));
            buckets.into_iter().take(GROUPS).map(move |bucket| Statement {
                text: format!("{} {}: {}.", table.field, plain(&bucket.key), records(bucket.doc_count)),
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

/// Findings that have a quote, those with most records first.
fn quoted(findings: &[Finding]) -> Vec<Statement> {
    let mut sorted: Vec<&Finding> = findings.iter().filter(|finding| !finding.evidence.is_empty()).collect();
    sorted.sort_by_key(|finding| std::cmp::Reverse(finding.evidence_count));
    let statement = |finding: &&Finding| Statement { text: finding.claim.clone(), claims: finding.evidence.clone() };
    sorted.iter().take(FINDINGS).map(statement).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::dataset::evidence::evidence_of;
    use crate::dataset::record::AggregationResult;
    use crate::kernel::{Checker, SourceRegistry};

    #[test]
    fn every_listed_group_passes_the_checker() {
        let table: AggregationResult = serde_json::from_value(json!({
            "id": "A1", "type": "group_by", "field": "theme 2", "total_docs": 90, "source_tool": "t",
            "buckets": [{"key": "AI", "doc_count": 50}, {"key": null, "doc_count": 39}, {"key": "ML", "doc_count": 1}]
        }))
        .unwrap();
        let task = SynthesizeTask { aggregations: vec![table.clone()], ..SynthesizeTask::default() };
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

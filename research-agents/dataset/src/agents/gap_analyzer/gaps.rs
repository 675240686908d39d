//! The gaps that code finds: questions below the threshold, questions without a finding, groups
//! that no finding mentions.

use research_agents_report::evidence::plain;
use research_agents_report::text::name_words;
use serde_json::json;

use crate::agents::gap_analyzer::input::GapAnalyzerInput;
use crate::data::names::{AGGREGATOR, EXTRACTOR, SCANNER};
use crate::data::phrase::Phrase;
use crate::data::record::{AggregationResult, Bucket, Coverage, Finding, Object, SubQuestion};
use crate::data::review::{QuestionConfidence, ResearchGap};
use crate::prompts;
use crate::state::answered::names;
use crate::state::model::DatasetState;

/// Largest groups of a statistic that are looked for in the findings.
const GROUPS: usize = 5;
/// Groups without a finding that are listed.
const UNEXPLORED: usize = 5;

/// The measures that gaps are judged by.
pub(crate) struct Open<'a> {
    pub(crate) scores: &'a QuestionConfidence,
    pub(crate) threshold: f64,
    /// Records that came and were not read.
    pub(crate) unread: usize,
    pub(crate) coverage: &'a Coverage,
    pub(crate) state: &'a DatasetState,
    /// Names of the agents that are registered.
    pub(crate) agents: &'a [&'static str],
}

/// Returns the gaps, the most important first, and the groups that no finding mentions.
pub(crate) fn find(input: &GapAnalyzerInput, open: &Open<'_>) -> (Vec<ResearchGap>, Vec<String>) {
    let first = input
        .sub_questions
        .iter()
        .map(|question| question.priority)
        .min();

    let mut gaps: Vec<ResearchGap> = Vec::new();
    for question in &input.sub_questions {
        let score = open.scores.get(&question.id).copied().unwrap_or_default();
        let has_finding = input
            .findings
            .iter()
            .any(|finding| finding.relevant_questions.contains(&question.id));

        if score < open.threshold {
            let importance = if Some(question.priority) == first {
                "high"
            } else {
                "medium"
            };
            let text = question.question.as_str();
            let phrase = if score > 0.0 {
                Phrase::GapLittleData { question: text }
            } else {
                Phrase::GapNoData { question: text }
            };

            gaps.push(gap(
                open.state.language.say(phrase),
                importance,
                open.means(question),
            ));
        } else if !has_finding {
            let text = open.state.language.say(Phrase::GapCountsOnly {
                question: &question.question,
            });
            gaps.push(gap(text, "low", None));
        }
    }

    let rank = |gap: &ResearchGap| {
        ["high", "medium", "low"]
            .iter()
            .position(|word| *word == gap.importance)
    };
    gaps.sort_by_key(rank);
    let unexplored = unexplored(&input.aggregation_results, &input.findings);

    (gaps, unexplored)
}

fn gap(
    description: String,
    importance: &str,
    means: Option<(&'static str, Object)>,
) -> ResearchGap {
    let (agent, suggested_params) = means.unzip();
    ResearchGap {
        description,
        importance: importance.to_owned(),
        suggested_agent: agent.map(str::to_owned),
        suggested_params: suggested_params.unwrap_or_default(),
        advisory: false,
    }
}

impl Open<'_> {
    /// Returns the agent that could answer a question, with its arguments: a grouping by a field
    /// that the question names, records that are there and unread, or records that did not come
    /// yet.
    fn means(&self, question: &SubQuestion) -> Option<(&'static str, Object)> {
        let asked = name_words(&question.question);
        let is_counted = |field: &str| {
            self.state
                .aggregation_results
                .iter()
                .any(|table| table.field == field)
        };
        let named = self.state.tools().find_map(|tool| {
            let groups = tool.arguments.iter().any(|argument| argument == "group_by");
            let field = tool
                .fields
                .iter()
                .find(|field| names(&asked, &field.name) && !is_counted(&field.name));
            field.filter(|_| groups).map(|field| (tool, field))
        });

        let filters = self
            .state
            .ledger
            .main()
            .first()
            .map(|scope| scope.filters.clone())
            .unwrap_or_default();
        let filters = (!filters.is_empty()).then(|| prompts::json(&filters));
        let is_open = self
            .coverage
            .total
            .is_none_or(|total| self.coverage.fetched < total)
            && !self.coverage.capped;

        // The cheapest means comes first: a grouping, then records to fetch, then records that are
        // here.
        let (agent, arguments) = if let Some((tool, field)) = named {
            let mut arguments = json!({"tool_name": tool.name, "group_by": field.name});
            if let Some(filters) = filters {
                arguments["filters"] = json!(filters);
            }
            (AGGREGATOR, arguments)
        } else if is_open {
            let tool_args =
                filters.map_or_else(|| json!({}), |filters| json!({"filters": filters}));
            (
                SCANNER,
                json!({"tool_args": tool_args, "extraction_focus": question.question}),
            )
        } else if self.unread > 0 {
            (EXTRACTOR, json!({"extraction_focus": question.question}))
        } else {
            return None;
        };

        let arguments = arguments.as_object().cloned().unwrap_or_default();
        self.agents.contains(&agent).then_some((agent, arguments))
    }
}

/// Returns the largest groups of each statistic that no finding mentions.
fn unexplored(tables: &[AggregationResult], findings: &[Finding]) -> Vec<String> {
    let texts: Vec<String> = findings
        .iter()
        .map(|finding| format!("{} {}", finding.claim, finding.themes.join(" ")).to_lowercase())
        .collect();
    let is_told = |key: &str| texts.iter().any(|text| text.contains(&key.to_lowercase()));
    let groups = tables.iter().flat_map(|table| {
        let texts = table
            .buckets
            .iter()
            .take(GROUPS)
            .filter(|bucket| bucket.key.is_string());
        texts.map(move |bucket| (table, bucket))
    });

    let open = groups.filter(|(_, bucket)| !is_told(&plain(&bucket.key)));
    let line = |(table, bucket): (&AggregationResult, &Bucket)| {
        format!(
            "{} {} ({} records)",
            table.field,
            plain(&bucket.key),
            bucket.doc_count
        )
    };

    open.map(line).take(UNEXPLORED).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::record::Strength;
    use crate::data::task::{FieldFacts, ToolFacts};

    fn question(id: &str, text: &str, priority: u32) -> SubQuestion {
        SubQuestion {
            id: id.into(),
            question: text.into(),
            priority,
            depends_on: Vec::new(),
        }
    }

    fn finding(claim: &str, question: &str) -> Finding {
        Finding {
            id: "f_1".into(),
            claim: claim.into(),
            evidence: Vec::new(),
            evidence_count: 1,
            doc_ids: vec!["1".into()],
            confidence: Strength::Low,
            relevant_questions: vec![question.into()],
            themes: Vec::new(),
        }
    }

    fn state() -> DatasetState {
        let field = FieldFacts {
            name: "city".into(),
            ..FieldFacts::default()
        };
        let tool = ToolFacts {
            name: "events".into(),
            arguments: vec!["group_by".into()],
            fields: vec![field],
            ..ToolFacts::default()
        };
        DatasetState {
            available_tools: vec![tool],
            enabled_tools: vec!["events".into()],
            ..DatasetState::default()
        }
    }

    fn found(
        scores: &[(&str, f64)],
        coverage: Coverage,
        unread: usize,
    ) -> (Vec<ResearchGap>, Vec<String>) {
        let table = json!({
            "id": "A1", "type": "group_by", "field": "theme", "total_docs": 90,
            "source_tool": "events",
            "buckets": [{"key": "AI", "doc_count": 50}, {"key": "Cloud", "doc_count": 40}]
        });
        let input = GapAnalyzerInput {
            original_query: "events".into(),
            findings: vec![finding("Cloud is growing", "sq_2")],
            sub_questions: vec![
                question("sq_2", "In which cities?", 2),
                question("sq_1", "Who comes?", 1),
            ],
            aggregation_results: vec![serde_json::from_value(table).unwrap()],
            docs_processed: 0,
            total_docs_available: None,
        };

        let scores = scores
            .iter()
            .map(|(id, score)| ((*id).to_owned(), *score))
            .collect();
        let (state, agents) = (state(), ["scanner", "aggregator", "extractor"]);

        let open = Open {
            scores: &scores,
            threshold: 0.7,
            unread,
            coverage: &coverage,
            state: &state,
            agents: &agents,
        };

        find(&input, &open)
    }

    fn summary(gaps: &[ResearchGap]) -> Vec<(&str, &str, Option<&str>)> {
        let summary = gaps.iter().map(|gap| {
            (
                gap.description.as_str(),
                gap.importance.as_str(),
                gap.suggested_agent.as_deref(),
            )
        });
        summary.collect()
    }

    #[test]
    fn an_open_question_is_a_gap_with_the_agent_that_could_fill_it() {
        let half = Coverage {
            fetched: 10,
            total: Some(90),
            ..Coverage::default()
        };
        let (gaps, _) = found(&[("sq_1", 0.0), ("sq_2", 0.6)], half, 0);

        assert_eq!(
            summary(&gaps),
            [
                ("No data on “Who comes?”", "high", Some("scanner")),
                (
                    "Too little data on “In which cities?”",
                    "medium",
                    Some("aggregator")
                ),
            ]
        );
        assert_eq!(gaps[1].suggested_params["group_by"], "city");

        let all = Coverage {
            fetched: 90,
            total: Some(90),
            ..Coverage::default()
        };

        assert_eq!(
            found(&[("sq_1", 0.0), ("sq_2", 0.9)], all.clone(), 3).0[0]
                .suggested_agent
                .as_deref(),
            Some("extractor")
        );
        assert_eq!(
            found(&[("sq_1", 0.0), ("sq_2", 0.9)], all, 0).0[0].suggested_agent,
            None
        );
    }

    #[test]
    fn an_answered_question_without_a_finding_is_flagged() {
        let (gaps, _) = found(&[("sq_1", 0.7), ("sq_2", 0.7)], Coverage::default(), 0);
        assert_eq!(
            summary(&gaps),
            [(
                "No finding on “Who comes?”, which counts alone answer",
                "low",
                None
            )]
        );
    }

    #[test]
    fn groups_of_which_no_finding_speaks_are_unexplored() {
        let (_, unexplored) = found(&[("sq_1", 0.7), ("sq_2", 0.7)], Coverage::default(), 0);
        assert_eq!(unexplored, ["theme AI (50 records)"]);
    }
}

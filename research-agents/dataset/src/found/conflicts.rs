//! Finds contradictions by code: tables that count the same groups differently, sentences in the
//! texts of records, and findings on the same record with different values. Contradictions that
//! only a model sees are kept separate as advice.

use std::collections::BTreeMap;

use research_agents_report::claim::{Basis, Claim, Statement, Statistic};
use research_agents_report::conflict::{Sentence, between_texts, names};
use research_agents_report::evidence::{SourceRegistry, ValueIndex, plain};
use research_agents_report::language::Language;

use crate::data::phrase::Phrase;
use crate::data::record::{AggregationResult, Bucket, Finding};
use crate::data::review::{ValidationCheck, ValidationIssue};
use crate::found::findings::normalised;

/// The maximum number of contradictions that are listed.
pub(crate) const LISTED: usize = 10;
/// Words that turn a sentence into its opposite.
const NEGATIONS: &[&str] = &["not", "no", "never", "without", "cannot"];
/// Auxiliary verbs that come with a negation: *lead* becomes *do not lead*.
const AUXILIARIES: &[&str] = &["do", "does", "did"];

/// Two statements that cannot both hold.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Contradiction {
    /// The contradiction in a sentence, with the claims that support it.
    pub(crate) statement: Statement,
    /// Ids of the findings: none if tables differ, and those drawn from the texts if texts do.
    pub(crate) findings: Vec<String>,
}

/// Returns the contradictions that code finds, at most [`LISTED`]. Of the sentences of records it
/// considers those that concern one of the questions. These are the user's questions and not the
/// checklist, which names values that no one asked about.
pub(crate) fn contradictions(
    findings: &[Finding],
    tables: &[AggregationResult],
    sources: &SourceRegistry,
    questions: &[&str],
    language: Language,
) -> Vec<Contradiction> {
    let mut found = between_tables(tables, sources, language);
    found.extend(between_typed_claims(findings, language));
    found.extend(
        between_texts(sources, questions)
            .iter()
            .map(|(a, b)| pair_of_texts(a, b, findings, language)),
    );

    for pair in between_sentences(findings, sources, language) {
        let is_known =
            |known: &Contradiction| pair.findings.iter().all(|id| known.findings.contains(id));
        if !found.iter().any(is_known) {
            found.push(pair);
        }
    }

    found.truncate(LISTED);

    found
}

/// Returns the contradictions that only a model sees, as quotes of the findings in sentences that
/// name the model as their author.
pub(crate) fn advised(
    issues: &[ValidationIssue],
    findings: &[Finding],
    language: Language,
) -> Vec<Statement> {
    let is_advice = |issue: &&ValidationIssue| {
        issue.advisory && issue.kind == ValidationCheck::Contradiction.name()
    };
    let statement = |issue: &ValidationIssue| {
        let named = issue
            .affected_findings
            .iter()
            .filter_map(|id| findings.iter().find(|finding| finding.id == *id));
        let named: Vec<&Finding> = named.collect();
        let claims: Vec<String> = named
            .iter()
            .map(|finding| quoted(&finding.claim, language))
            .collect();

        // A single finding contradicts nothing.
        (named.len() > 1).then(|| Statement {
            text: language.say(Phrase::ByTheModel {
                claims: &claims.join("; "),
            }),
            claims: named
                .iter()
                .flat_map(|finding| finding.evidence.clone())
                .collect(),
        })
    };

    issues
        .iter()
        .filter(is_advice)
        .filter_map(statement)
        .take(LISTED)
        .collect()
}

fn quoted(claim: &str, language: Language) -> String {
    language.say(Phrase::Quoted {
        text: claim.trim().trim_end_matches('.'),
    })
}

/// Finds tables that count the same group differently: of two tools that serve the same records, or
/// of one tool grouped by a field alone and by this field with others inside.
fn between_tables(
    tables: &[AggregationResult],
    sources: &SourceRegistry,
    language: Language,
) -> Vec<Contradiction> {
    let mut found = Vec::new();
    for (at, a) in tables.iter().enumerate() {
        for b in tables
            .iter()
            .skip(at + 1)
            .filter(|b| a.kind == b.kind && a.filters == b.filters)
        {
            let is_comparable = a.source_tool == b.source_tool
                || serve_the_same(&a.source_tool, &b.source_tool, sources);
            let field = common_field(a, b).filter(|_| is_comparable);
            found.extend(field.and_then(|field| different_counts(a, b, field, language)));
        }
    }

    found
}

/// Returns whether two tools serve the same records: both returned a record with the same id and
/// text.
fn serve_the_same(a: &str, b: &str, sources: &SourceRegistry) -> bool {
    sources
        .iter()
        .filter(|source| source.tool == a && !source.text.for_code().is_empty())
        .any(|source| {
            let twin = sources.of_record(b, &source.record);
            twin.is_some_and(|twin| twin.text.for_code() == source.text.for_code())
        })
}

/// Returns the outermost field of both tables, if it is the same and the tables are not.
fn common_field<'t>(a: &'t AggregationResult, b: &AggregationResult) -> Option<&'t str> {
    let field = outermost(a)?;
    let is_same = outermost(b).is_some_and(|other| field.eq_ignore_ascii_case(other));
    (is_same && (a.source_tool != b.source_tool || a.field != b.field)).then_some(field)
}

/// Returns the field of the outer groups. `None` for groups by tuples, which have no outer groups.
fn outermost(table: &AggregationResult) -> Option<&str> {
    let is_tuple = table.buckets.iter().any(|bucket| bucket.key.is_array());
    (!is_tuple)
        .then(|| table.field.split(',').next().map(str::trim))
        .flatten()
        .filter(|field| !field.is_empty())
}

fn different_counts(
    a: &AggregationResult,
    b: &AggregationResult,
    field: &str,
    language: Language,
) -> Option<Contradiction> {
    let index = ValueIndex::new(b.buckets.iter().map(|bucket| &bucket.key));
    let twin = |bucket: &Bucket| b.buckets.get(index.find(&bucket.key)?);

    // Of several differences the largest is reported.
    let differing = a
        .buckets
        .iter()
        .filter_map(|bucket| Some((bucket, twin(bucket)?)));
    let (mine, other) = differing
        .filter(|(mine, other)| mine.doc_count != other.doc_count)
        .max_by_key(|(mine, other)| mine.doc_count.abs_diff(other.doc_count))?;

    let count = |table: &AggregationResult, bucket: &Bucket| Claim::Count {
        over: Basis::Aggregation(table.id.clone()),
        field: field.to_owned(),
        value: bucket.key.clone(),
        number: bucket.doc_count,
    };
    let (value, first, second) = (plain(&mine.key), mine.doc_count, other.doc_count);
    let text = language.say(Phrase::TwoCounts {
        field,
        value: &value,
        first,
        second,
    });
    let statement = Statement {
        text,
        claims: vec![count(a, mine), count(b, other)],
    };

    Some(Contradiction {
        statement,
        findings: Vec::new(),
    })
}

/// Finds findings whose typed claims state different numbers for the same measure.
fn between_typed_claims(findings: &[Finding], language: Language) -> Vec<Contradiction> {
    let mut known: BTreeMap<String, (f64, &Finding)> = BTreeMap::new();
    let mut found = Vec::new();
    for finding in findings {
        for (what, number) in finding.evidence.iter().filter_map(measured) {
            match known.get(&what) {
                Some((other, first)) if *other != number && first.id != finding.id => {
                    found.push(pair(first, finding, language));
                }
                Some(_) => {}
                None => {
                    known.insert(what, (number, finding));
                }
            }
        }
    }
    found
}

/// Returns what a claim measures and the number that it states.
fn measured(claim: &Claim) -> Option<(String, f64)> {
    let basis = |over: &Basis| match over {
        Basis::Aggregation(id) => id.clone(),
        Basis::Records => "records".to_owned(),
    };

    match claim {
        Claim::Count {
            over,
            field,
            value,
            number,
        } => Some((
            format!(
                "count {} {field} {}",
                basis(over),
                plain(value).to_lowercase()
            ),
            *number as f64,
        )),

        Claim::Total { over, number } => Some((format!("total {}", basis(over)), *number as f64)),
        Claim::Statistic {
            field,
            statistic,
            number,
            ..
        } => Some((format!("{} {field}", word(*statistic)), *number)),
        Claim::GroupStatistic {
            field,
            statistic,
            number,
            by,
            value,
        } => {
            let group = plain(value).to_lowercase();
            Some((
                format!("{} {field} where {by} {group}", word(*statistic)),
                *number,
            ))
        }
        Claim::Measure {
            over,
            field,
            statistic,
            number,
        } => Some((format!("{} {over} {field}", word(*statistic)), *number)),
        Claim::GroupMeasure {
            over,
            by,
            value,
            field,
            statistic,
            number,
        } => {
            let (word, group) = (word(*statistic), plain(value).to_lowercase());
            Some((format!("{word} {over} {field} where {by} {group}"), *number))
        }
        Claim::Correlation {
            over,
            fields: [a, b],
            number,
            ..
        } => Some((format!("correlation {over} {a} {b}"), *number)),
        Claim::MeasureText { .. }
        | Claim::Field { .. }
        | Claim::Ranked { .. }
        | Claim::Absent { .. }
        | Claim::Says { .. }
        | Claim::Quote { .. } => None,
    }
}

fn word(statistic: Statistic) -> &'static str {
    match statistic {
        Statistic::Min => "min",
        Statistic::Max => "max",
        Statistic::Mean => "mean",
        Statistic::Median => "median",
        Statistic::Sum => "sum",
        Statistic::Count => "count",
        Statistic::Distinct => "distinct",
    }
}

fn pair(a: &Finding, b: &Finding, language: Language) -> Contradiction {
    let (first, second) = (quoted(&a.claim, language), quoted(&b.claim, language));
    let text = language.say(Phrase::TwoFindings {
        first: &first,
        second: &second,
    });
    let claims = a.evidence.iter().chain(&b.evidence).cloned().collect();
    Contradiction {
        statement: Statement { text, claims },
        findings: vec![a.id.clone(), b.id.clone()],
    }
}

/// Returns two sentences of records as a contradiction, with the findings that were drawn from
/// them.
fn pair_of_texts(
    a: &Sentence,
    b: &Sentence,
    findings: &[Finding],
    language: Language,
) -> Contradiction {
    let (first, second) = (quoted(&a.text, language), quoted(&b.text, language));
    let text = language.say(Phrase::TwoTexts {
        first: &first,
        second: &second,
    });
    let quotes = |finding: &Finding, sentence: &Sentence| {
        finding.evidence.iter().any(|claim| match claim {
            Claim::Quote { source, text, .. } => {
                *source == sentence.source && *text == sentence.text
            }
            _ => false,
        })
    };
    let drawn = findings
        .iter()
        .filter(|finding| quotes(finding, a) || quotes(finding, b));
    let findings = drawn.map(|finding| finding.id.clone()).collect();

    Contradiction {
        statement: Statement {
            text,
            claims: vec![a.quote(), b.quote()],
        },
        findings,
    }
}

/// Finds findings on the same record whose sentences differ in their numbers, in a negation, or in
/// the value of a field.
///
/// On different records both may hold: one strike was at 120 knots and another at 140.
fn between_sentences(
    findings: &[Finding],
    sources: &SourceRegistry,
    language: Language,
) -> Vec<Contradiction> {
    let mut alike: BTreeMap<String, Vec<(&Finding, String)>> = BTreeMap::new();
    for finding in findings {
        let form = Form::new(&finding.claim);
        if form.words > 1 {
            alike
                .entry(form.skeleton)
                .or_default()
                .push((finding, form.rest));
        }
        if let Some((field, value)) = field_and_value(finding, sources) {
            alike
                .entry(format!("field {field}"))
                .or_default()
                .push((finding, value));
        }
    }

    let mut found = Vec::new();
    for group in alike.values() {
        for (at, (a, mine)) in group.iter().enumerate() {
            let is_same = |b: &Finding| share_a_record(a, b) && names(&a.claim) == names(&b.claim);
            let against = group
                .iter()
                .skip(at + 1)
                .filter(|(b, other)| other != mine && is_same(b));
            found.extend(against.map(|(b, _)| pair(a, b, language)));
        }
    }

    found
}

fn share_a_record(a: &Finding, b: &Finding) -> bool {
    a.doc_ids.iter().any(|id| b.doc_ids.contains(id))
}

/// A sentence, divided into what two contradicting sentences share and what differs.
struct Form {
    /// The sentence without negations, and with `#` in place of numbers.
    skeleton: String,
    /// The negations and numbers, in their order.
    rest: String,
    /// Number of words of the skeleton, without placeholders of numbers.
    words: usize,
}

impl Form {
    fn new(claim: &str) -> Self {
        // Otherwise words such as `isn't` would be split into `isn` and `t`.
        let claim = normalised(&claim.replace("n't", " not").replace("n’t", " not"));
        let (mut skeleton, mut rest) = (Vec::new(), Vec::new());

        let mut words = 0;
        for word in claim.split(' ') {
            if NEGATIONS.contains(&word) {
                rest.push("not");
            } else if AUXILIARIES.contains(&word) {
                continue;
            } else if word
                .trim_start_matches(['+', '-'])
                .starts_with(|letter: char| letter.is_ascii_digit())
            {
                skeleton.push("#");
                rest.push(word);
            } else {
                skeleton.push(word);
                words += usize::from(word.contains(char::is_alphanumeric));
            }
        }

        Self {
            skeleton: skeleton.join(" "),
            rest: rest.join(" "),
            words,
        }
    }
}

/// Returns the field and value of a finding such as *Size is Small*, if a record of it has such a
/// field.
fn field_and_value(finding: &Finding, sources: &SourceRegistry) -> Option<(String, String)> {
    let (field, value) = finding
        .claim
        .trim()
        .trim_end_matches('.')
        .split_once(" is ")?;
    let record = sources.get(finding.doc_ids.first()?)?;
    // A field with several values may have both.
    let held = record
        .field(field)
        .filter(|held| !held.is_array() && !held.is_object());
    held?;
    Some((field.to_lowercase(), normalised(value)))
}

#[cfg(test)]
mod tests {
    use research_agents_report::evidence::Source;
    use research_agents_report::text::Untrusted;
    use serde_json::{Value, json};

    use super::*;
    use crate::data::record::Strength;
    use crate::found::findings::id_of;

    fn finding(claim: &str, docs: &[&str]) -> Finding {
        Finding {
            id: id_of(claim),
            claim: claim.into(),
            evidence: Vec::new(),
            evidence_count: docs.len(),
            doc_ids: docs.iter().map(|id| (*id).to_owned()).collect(),
            confidence: Strength::Low,
            relevant_questions: Vec::new(),
            themes: Vec::new(),
        }
    }

    fn table(id: &str, tool: &str, field: &str, buckets: Value) -> AggregationResult {
        let table = json!({
            "id": id, "type": "group_by", "field": field, "total_docs": 90, "source_tool": tool,
            "buckets": buckets
        });
        serde_json::from_value(table).unwrap()
    }

    fn sources(records: &[(&str, &str)]) -> SourceRegistry {
        let mut sources = SourceRegistry::default();
        for (tool, record) in records {
            let fields = json!({"Size": "Small"}).as_object().unwrap().clone();
            sources.register(Source {
                tool: (*tool).into(),
                record: (*record).into(),
                text: Untrusted::new("Size: Small".into()),
                fields: Untrusted::new(fields),
                ..Source::default()
            });
        }
        sources
    }

    fn texts(found: &[Contradiction]) -> Vec<&str> {
        found
            .iter()
            .map(|contradiction| contradiction.statement.text.as_str())
            .collect()
    }

    #[test]
    fn sentences_on_the_same_record_with_other_numbers_negations_or_values_contradict() {
        let sources = sources(&[("t", "1"), ("t", "2")]);

        for (a, b) in [
            (
                "The aircraft flew at 120 knots.",
                "the aircraft flew at 140 knots",
            ),
            ("The change was -5 degrees.", "The change was 5 degrees"),
            ("The pilot was warned", "The pilot was not warned."),
            ("The pilot was warned", "The pilot wasn't warned."),
            ("The first gulls lead", "The first gulls do not lead."),
            ("Size is Small", "size is Large"),
            ("Size is A+", "Size is A-"),
        ] {
            let found = contradictions(
                &[finding(a, &["1", "2"]), finding(b, &["2"])],
                &[],
                &sources,
                &[],
                Language::ENGLISH,
            );
            assert_eq!(found.len(), 1, "{a} / {b}");
            assert_eq!(found[0].findings, [id_of(a), id_of(b)]);
            assert!(
                contradictions(
                    &[finding(a, &["1"]), finding(b, &["2"])],
                    &[],
                    &sources,
                    &[],
                    Language::ENGLISH
                )
                .is_empty(),
                "{a} / {b}"
            );
        }

        for (a, b) in [
            ("Pump 30 was replaced", "Pump 31 was replaced"),
            ("Valve B-17 is hot", "Valve B-18 is hot"),
        ] {
            let other = [finding(a, &["1"]), finding(b, &["1"])];
            assert!(
                contradictions(&other, &[], &sources, &[], Language::ENGLISH).is_empty(),
                "{a} / {b}"
            );
        }

        let agree = [
            finding("The bird is a gull", &["1"]),
            finding("The bird is dead", &["1"]),
        ];

        assert!(
            contradictions(&agree, &[], &sources, &[], Language::ENGLISH).is_empty(),
            "no record has a field of that name"
        );
    }

    #[test]
    fn typed_claims_that_measure_the_same_with_other_numbers_contradict() {
        let total = |number| {
            vec![Claim::Total {
                over: Basis::Records,
                number,
            }]
        };
        let a = Finding {
            evidence: total(90),
            ..finding("all are there", &["1"])
        };
        let b = Finding {
            evidence: total(91),
            ..finding("none is missing", &["2"])
        };
        let found = contradictions(
            &[a.clone(), b],
            &[],
            &SourceRegistry::default(),
            &[],
            Language::ENGLISH,
        );

        assert_eq!(
            texts(&found),
            ["Two findings contradict each other: “all are there” and “none is missing”."]
        );

        let same = Finding {
            evidence: total(90),
            ..finding("everything came", &["2"])
        };

        assert!(
            contradictions(
                &[a, same],
                &[],
                &SourceRegistry::default(),
                &[],
                Language::ENGLISH
            )
            .is_empty()
        );
    }

    #[test]
    fn tables_that_count_the_same_group_differently_contradict() {
        let ai = |count: u64| {
            let cloud = json!({"key": "Cloud", "doc_count": 40});
            json!([{"key": "AI", "doc_count": count}, cloud])
        };
        let nested =
            json!([{"key": "AI", "doc_count": 49, "buckets": [{"key": 2024, "doc_count": 49}]}]);
        let one_tool = [
            table("A1", "t", "theme", ai(50)),
            table("A2", "t", "theme,year", nested),
        ];
        let found = contradictions(
            &[],
            &one_tool,
            &SourceRegistry::default(),
            &[],
            Language::ENGLISH,
        );
        assert_eq!(
            texts(&found),
            ["For theme AI one statistic counts 50 records and another 49."]
        );
        assert_eq!(found[0].statement.claims.len(), 2);

        let two_tools = [
            table("A1", "t", "theme", ai(50)),
            table("A2", "u", "theme", ai(45)),
        ];
        assert_eq!(
            contradictions(
                &[],
                &two_tools,
                &sources(&[("t", "1"), ("u", "1")]),
                &[],
                Language::ENGLISH
            )
            .len(),
            1
        );
        assert!(
            contradictions(
                &[],
                &two_tools,
                &sources(&[("t", "1"), ("u", "2")]),
                &[],
                Language::ENGLISH
            )
            .is_empty(),
            "other records"
        );
        let spelled = json!([{"key": "cloud ", "doc_count": 40}, {"key": "ai", "doc_count": 45}]);
        let spelled = [
            table("A1", "t", "theme", ai(50)),
            table("A2", "u", "theme", spelled),
        ];
        let found = contradictions(
            &[],
            &spelled,
            &sources(&[("t", "1"), ("u", "1")]),
            &[],
            Language::ENGLISH,
        );
        assert_eq!(
            texts(&found),
            ["For theme AI one statistic counts 50 records and another 45."]
        );
        let agree = [
            table("A1", "t", "theme", ai(50)),
            table("A2", "u", "theme", ai(50)),
        ];
        assert!(
            contradictions(
                &[],
                &agree,
                &sources(&[("t", "1"), ("u", "1")]),
                &[],
                Language::ENGLISH
            )
            .is_empty()
        );
    }

    #[test]
    fn a_models_view_is_said_to_be_one() {
        let findings = [finding("Gulls lead", &["1"]), finding("Hawks lead", &["2"])];
        let issue = |advisory, ids: &[&Finding]| ValidationIssue {
            kind: "contradiction".into(),
            description: String::new(),
            severity: "medium".into(),
            suggested_action: String::new(),
            affected_findings: ids.iter().map(|finding| finding.id.clone()).collect(),
            advisory,
        };
        let both = [&findings[0], &findings[1]];
        let said = advised(
            &[
                issue(true, &both),
                issue(false, &both),
                issue(true, &both[..1]),
            ],
            &findings,
            Language::ENGLISH,
        );

        assert_eq!(said.len(), 1);
        assert!(
            said[0].text.contains("code did not confirm")
                && said[0].text.contains("“Gulls lead”; “Hawks lead”")
        );
    }
}

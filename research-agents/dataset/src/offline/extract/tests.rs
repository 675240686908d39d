//! What is drawn from batches of records, tabular and written.

use research_agents_report::claim::Claim;
use serde_json::{Value, json};

use crate::data::record::{Object, Strength, SubQuestion};
use crate::data::task::DocumentText;
use crate::offline::extract::*;

fn document(id: usize, fields: Value) -> DocumentText {
    let Value::Object(fields) = fields else {
        panic!("fields are an object")
    };
    let text = fields
        .iter()
        .map(|(name, value)| format!("{name}: {}", research_agents_report::evidence::plain(value)))
        .collect::<Vec<_>>();
    DocumentText {
        id: id.to_string(),
        text: text.join("\n"),
        fields,
    }
}

fn strikes(count: usize) -> Vec<DocumentText> {
    (0..count)
        .map(|i| {
            let large = i % 5 == 0;
            let substantial = large && i % 10 == 0 || i == 3;
            document(
                i,
                json!({
                    "Record": format!("R{i}"),
                    "Phase": "Approach",
                    "Species": (["Canada goose", "Gull", "Starling"][i % 3]),
                    "Size": if large { "Large" } else { "Small" },
                    "Damage": if substantial { "Substantial" } else { "None" },
                    "Cost": if i == 10 { 66_818 } else { i % 4 },
                }),
            )
        })
        .collect()
}

fn task(documents: Vec<DocumentText>) -> ExtractTask {
    let question = |id: &str, question: &str| SubQuestion {
        id: id.into(),
        question: question.into(),
        priority: 1,
        depends_on: vec![],
    };
    ExtractTask {
        query: "Strikes on approach by size".into(),
        sub_questions: vec![
            question("sq_1", "Which values of Species occur most often?"),
            question("sq_2", "In which range does Cost lie?"),
        ],
        filters: Object::from_iter([("Phase".to_owned(), json!("Approach"))]),
        documents,
        max_findings_per_doc: 3,
        ..ExtractTask::default()
    }
}

fn claims(answer: &ExtractorLlmResponse) -> Vec<&str> {
    answer
        .findings
        .iter()
        .map(|finding| finding.claim.as_str())
        .collect()
}

#[track_caller]
fn check_quotes(task: &ExtractTask, answer: &ExtractorLlmResponse) {
    for finding in &answer.findings {
        assert!(!finding.evidence.is_empty(), "{finding:?}");
        for claim in &finding.evidence {
            let Claim::Quote {
                source,
                text,
                start,
            } = claim
            else {
                panic!("{claim:?}")
            };
            let document = task
                .documents
                .iter()
                .find(|document| document.id == *source)
                .unwrap();
            assert!(finding.doc_ids.contains(source));
            assert!(document.text[start.unwrap()..].starts_with(text.as_str()));
        }
    }

    for document in &task.documents {
        let places = answer
            .findings
            .iter()
            .filter(|finding| finding.doc_ids.contains(&document.id))
            .count();
        assert!(
            places <= task.max_findings_per_doc,
            "{} findings from {}",
            places,
            document.id
        );
    }
}

#[test]
fn shared_values_outliers_and_pairs_are_found() {
    let task = task(strikes(75));
    let answer = extract(&task);
    check_quotes(&task, &answer);
    let claims = claims(&answer);

    for expected in [
        "Size is Small",
        "Size is Large",
        "Species is Gull",
        "Cost is 66818",
    ] {
        assert!(claims.contains(&expected), "{expected} in {claims:?}");
    }

    // Which of the two is named first follows the order of the fields in the records.
    let pair = |claim: &&str| {
        ["Damage Substantial", "Size Large", "occurs together with"]
            .iter()
            .all(|part| claim.contains(part))
    };

    assert!(claims.iter().any(pair), "{claims:?}");
    assert!(
        !claims
            .iter()
            .any(|claim| claim.contains("Approach") || claim.contains('R')),
        "{claims:?}"
    );

    let gull = answer
        .findings
        .iter()
        .find(|finding| finding.claim == "Species is Gull")
        .unwrap();

    assert_eq!(
        (
            gull.doc_ids.len(),
            gull.confidence,
            gull.relevant_questions.as_slice()
        ),
        (25, Strength::High, &["sq_1".to_owned()][..])
    );
    assert!(answer.themes_discovered.contains(&"Gull".to_owned()));
}

#[test]
fn a_small_batch_gives_the_same_claims_so_that_they_merge() {
    let (large, small) = (extract(&task(strikes(75))), extract(&task(strikes(15))));
    let large = claims(&large);
    assert!(
        claims(&small)
            .iter()
            .filter(|claim| large.contains(claim))
            .count()
            >= 4
    );
}

#[test]
fn the_cap_holds_when_it_is_one() {
    let task = ExtractTask {
        max_findings_per_doc: 1,
        ..task(strikes(40))
    };
    let answer = extract(&task);
    check_quotes(&task, &answer);
    assert_eq!(claims(&answer), ["Size is Small", "Size is Large"]);
}

#[test]
fn sentences_of_long_texts_are_quoted_word_for_word() {
    let story = |i: usize| {
        format!(
            "The crew reported nothing of note on day {i}. A flock of gulls struck the left \
             engine during the approach. The weather was clear and the runway was dry all day. \
             Damage to the engine was repaired within {i} days."
        )
    };
    let documents: Vec<DocumentText> = (0..6)
        .map(|i| document(i, json!({"Story": story(i), "Kind": (["A", "B"][i % 2])})))
        .collect();
    let question = SubQuestion {
        id: "sq_1".into(),
        question: "What damage did the engine take?".into(),
        priority: 1,
        depends_on: vec![],
    };
    let task = ExtractTask {
        query: "Bird strikes on the engine".into(),
        documents,
        sub_questions: vec![question],
        max_findings_per_doc: 3,
        ..ExtractTask::default()
    };
    let answer = extract(&task);
    check_quotes(&task, &answer);
    let damage = answer
        .findings
        .iter()
        .find(|finding| finding.claim.starts_with("Damage to the engine"))
        .unwrap();

    assert_eq!(damage.relevant_questions, ["sq_1"]);
    assert!(
        !claims(&answer)
            .iter()
            .any(|claim| claim.contains("weather")),
        "{:?}",
        claims(&answer)
    );
}

#[test]
fn plain_texts_without_fields_are_read_too() {
    let documents = vec![DocumentText {
        id: "a".into(),
        text: "Nothing here.\nThe  glacier of the valley lost ice in every year.".into(),
        fields: Object::new(),
    }];
    let task = ExtractTask {
        query: "How much ice did the glacier lose?".into(),
        documents,
        max_findings_per_doc: 3,
        ..ExtractTask::default()
    };
    let answer = extract(&task);
    check_quotes(&task, &answer);
    assert_eq!(
        claims(&answer),
        ["The glacier of the valley lost ice in every year."]
    );
}

#[test]
fn an_empty_batch_gives_nothing() {
    assert_eq!(extract(&task(vec![])), ExtractorLlmResponse::default());
}

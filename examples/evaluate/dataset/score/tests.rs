//! A report that was made worse by hand must score worse: a measure that cannot fall measures nothing.

use research_agents::kernel::{BudgetLimits, Report};
use research_agents::offline::OfflineModel;
use serde_json::{Value, json};

use super::*;
use crate::dataset::ask::ask;
use crate::dataset::case::Case;
use crate::dataset::shelf::{self, Data};
use crate::harness::meter::Metered;
use crate::harness::metric::Metric;
use crate::harness::suite::Means;

/// A case with its data and the report of the model that computes.
struct Answered {
    data: std::sync::Arc<Data>,
    case: Case,
    report: DatasetReport,
}

async fn answered(id: &str) -> Answered {
    let books = shelf::open(None, None).unwrap();
    let book = books.into_iter().find(|book| book.cases.iter().any(|case| case.id == id)).unwrap();
    let case = book.cases.iter().find(|case| case.id == id).unwrap().clone();
    let model = Metered::new(std::sync::Arc::new(OfflineModel::new()));
    let report = ask(&book.data, &case, Means { model, budget: BudgetLimits::default(), parallel: 1 }).await.unwrap();
    Answered { data: book.data, case, report }
}

impl Answered {
    fn score(&self) -> Score {
        score(&self.case, &self.data.records, &self.report)
    }

    /// The score after this was done to the document of the report.
    fn after(&self, change: impl FnOnce(&mut Value)) -> Score {
        let mut document = serde_json::to_value(self.report.document.as_ref().unwrap()).unwrap();
        change(&mut document);
        let mut report = self.report.clone();
        report.document = Some(serde_json::from_value::<Report>(document).unwrap());
        score(&self.case, &self.data.records, &report)
    }
}

fn mean(score: &Score, metric: &Metric) -> f64 {
    score.measures.get(metric).mean().unwrap()
}

/// Calls this with every sentence of a document until it says that it has done its work.
fn with_sentence(value: &mut Value, work: &mut impl FnMut(&mut Value) -> bool) -> bool {
    match value {
        Value::Array(items) => items.iter_mut().any(|item| with_sentence(item, work)),
        Value::Object(members) if members.contains_key("claims") => work(value),
        Value::Object(members) => members.iter_mut().any(|(_, member)| with_sentence(member, work)),
        _ => false,
    }
}

#[tokio::test]
async fn wrong_counts_and_numbers_are_found() {
    let answered = answered("reviews/by-product").await;
    assert_eq!(answered.score().failures, [] as [&str; 0]);

    let count = answered.after(|document| document["data"][0]["rows"][0]["count"] = json!(11));
    assert!(mean(&count, &metrics::COUNT_ACCURACY) < 1.0);
    assert!(count.failures[0].contains("the report states 11, the data has 10"), "{:?}", count.failures);

    let claim = answered.after(|document| {
        assert!(with_sentence(document, &mut |sentence| {
            let count = sentence["claims"].as_array_mut().unwrap().iter_mut().find(|claim| claim["type"] == "count");
            count.map(|count| count["number"] = json!(4_711)).is_some()
        }));
    });
    assert!(mean(&claim, &metrics::COUNT_ACCURACY) < 1.0);

    let number = answered.after(|document| {
        assert!(with_sentence(document, &mut |sentence| {
            sentence["text"] = json!(format!("{} That makes 4711 of them.", sentence["text"].as_str().unwrap()));
            true
        }));
    });
    assert!(mean(&number, &metrics::NUMBER_SUPPORT) < 1.0);
    assert!(
        number.failures.iter().any(|failure| failure.contains("no number of the data: 4711")),
        "{:?}",
        number.failures
    );

    let silent = answered.after(|document| {
        document["sections"] = json!([]);
        document["data"] = json!([]);
    });
    assert_eq!((mean(&silent, &metrics::COUNTS_FOUND), mean(&silent, &metrics::COUNTS_TOLD)), (0.0, 0.0));
    assert!(!silent.failures.is_empty());
}

#[tokio::test]
async fn wrong_citations_and_coverage_are_found() {
    let mut answered = answered("reviews/faults-of-the-kettle").await;
    assert_eq!(answered.score().failures, [] as [&str; 0]);
    let cited = answered.after(|document| {
        assert!(with_sentence(document, &mut |sentence| {
            let is_quote = sentence["claims"].as_array().unwrap().iter().all(|claim| claim["type"] == "quote");
            if is_quote && sentence["sources"] != json!([]) {
                sentence["sources"] = json!(["r24"]);
            }
            is_quote
        }));
    });
    assert!(mean(&cited, &metrics::CITATION_VALIDITY_RATE) < 1.0);

    answered.report.coverage.fetched -= 1;
    assert!(mean(&answered.score(), &metrics::COVERAGE) < 1.0);
    answered.report.coverage.fetched += 1;
    answered.report.findings.clear();
    let score = answered.score();
    assert_eq!((mean(&score, &metrics::FINDINGS_DRAWN), mean(&score, &metrics::FINDINGS_REPORTED)), (0.0, 1.0));
}

#[tokio::test]
async fn what_must_not_be_said_is_found() {
    let note = |text: &str| json!({"type": "note", "text": text});
    let section = |heading: &str, text: &str| json!({"heading": heading, "blocks": [note(text)]});
    let unwanted = answered("pumps/by-cause").await;
    let vain = unwanted.after(|document| {
        document["sections"].as_array_mut().unwrap().push(section("Contradictions", "Seal and Motor cannot both be."));
    });
    assert_eq!(vain.measures.get(&metrics::FALSE_CONTRADICTIONS).sum, 1.0);
    assert!(!vain.failures.is_empty());

    let open = answered("single/traffic").await;
    assert_eq!(mean(&open.score(), &metrics::UNANSWERABLE_HANDLED), 1.0);
    let asserted = open.after(|document| {
        assert!(with_sentence(document, &mut |sentence| {
            sentence["text"] = json!("Many cars cross it.");
            true
        }));
    });
    assert_eq!(mean(&asserted, &metrics::UNANSWERABLE_HANDLED), 0.0);
}

#[tokio::test]
async fn a_planted_contradiction_and_an_unwanted_text_are_looked_for() {
    let answered = answered("reviews/cord-of-the-blender").await;
    let listed = answered.after(|document| {
        let text = "Two findings contradict each other: “the cord is 2 metres long” and “the cord is 1 metre long”.";
        let section = json!({"heading": "Contradictions", "blocks": [{"type": "notes", "items": [text]}]});
        document["sections"].as_array_mut().unwrap().push(section);
    });
    assert_eq!(mean(&listed, &metrics::CONTRADICTIONS_FOUND), 1.0);
    assert_eq!(listed.measures.get(&metrics::FALSE_CONTRADICTIONS).sum, 0.0);

    let silent = answered.after(|document| document["sections"] = json!([]));
    assert_eq!(mean(&silent, &metrics::CONTRADICTIONS_FOUND), 0.0);
    let mut case = answered.case.clone();
    case.expect.never = vec!["blender".to_owned(), "no such words".to_owned()];
    let unwanted = score(&case, &answered.data.records, &answered.report);
    assert_eq!(mean(&unwanted, &metrics::UNWANTED_ABSENT), 0.5);
}

//! The twelve shapes in which tools return records: eight places, and four envelopes around them.

use research_mcp::CallOutput;
use serde_json::{Value, json};

use crate::cell::{Cell, check};
use crate::tool::{Fault, Times};

/// Where the records of a result stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// In a list of this name.
    List(&'static str),
    /// As the hits of a search engine, each in `_source` under its `_id`.
    Hits,
    /// As samples of the groups of an aggregation.
    Samples,
    /// In `result.structuredContent`.
    ResultStructured,
    /// As JSON in a text of `result.content`.
    ResultText,
    /// In `structuredContent`.
    Structured,
    /// As the text of the answer, without structured content.
    Text,
}

/// All of them.
pub const ALL: [Shape; 12] = [
    Shape::List("documents"),
    Shape::List("results"),
    Shape::List("matches"),
    Shape::List("items"),
    Shape::List("records"),
    Shape::List("data"),
    Shape::Hits,
    Shape::Samples,
    Shape::ResultStructured,
    Shape::ResultText,
    Shape::Structured,
    Shape::Text,
];

impl Shape {
    /// A result with these records in their place, which says how many match if it is to.
    pub fn dress(self, records: Vec<Value>, total: usize, told: bool, has_more: bool, next: Value) -> Value {
        let mut result = json!({"has_more": has_more, "search_after": next});
        if told {
            result["data_context"] = json!({"unique_ids_matched": total});
        }
        match self {
            Self::List(place) => result[place] = json!(records),
            Self::Hits => {
                let hits: Vec<Value> = records.into_iter().map(hit).collect();
                result["hits"] = json!({ "hits": hits });
                if told {
                    result["hits"]["total"] = json!({"value": total, "relation": "eq"});
                }
            }
            Self::Samples => {
                let (even, odd): (Vec<Value>, Vec<Value>) =
                    records.into_iter().partition(|record| record["parity"] == "even");
                result["aggregations"] = json!({"group_by": {"field": "parity", "buckets": [
                    {"key": "even", "doc_count": total.div_ceil(2), "samples": even},
                    {"key": "odd", "doc_count": total / 2, "samples": odd},
                ]}});
            }
            _ => result["documents"] = json!(records),
        }
        result
    }

    /// A result in its envelope.
    pub fn wrap(self, result: Value) -> Value {
        match self {
            Self::ResultStructured => json!({"result": {"structuredContent": result}}),
            Self::ResultText => json!({"result": {"content": [{"type": "text", "text": result.to_string()}]}}),
            Self::Structured => json!({"structuredContent": result}),
            _ => result,
        }
    }

    /// An answer whose JSON was cut: inside its envelope, or inside the one that the Python SDK puts around a text.
    pub fn cut(self, server: &str, tool: &str, cut: &str) -> CallOutput {
        let result = match self {
            Self::Text => return CallOutput::text(server, tool, cut),
            Self::ResultText => json!({"result": {"content": [{"type": "text", "text": cut}]}}),
            _ => self.wrap(json!({ "result": cut })),
        };
        CallOutput::structured(server, tool, result)
    }

    /// The answer of a call.
    pub fn output(self, server: &str, tool: &str, result: Value) -> CallOutput {
        match self {
            Self::Text => CallOutput::text(server, tool, result.to_string()),
            _ => CallOutput::structured(server, tool, result),
        }
    }
}

/// A hit keeps its id outside its fields.
fn hit(mut record: Value) -> Value {
    let id = record.as_object_mut().unwrap().remove("id");
    json!({"_index": "numbers", "_id": id, "_source": record})
}

/// Each shape with totals at which pages and batches end differently; the batches take turns.
async fn all(fault: Fault) {
    for (at, shape) in ALL.into_iter().enumerate() {
        for (other, total) in [0, 1, 76, 101, 301].into_iter().enumerate() {
            let batch = [70, 150][(at + other) % 2];
            for told in [true, false] {
                check(Cell { total, batch, fault, shape, told }).await;
            }
        }
    }
}

#[tokio::test]
async fn every_shape_is_read_to_its_end() {
    all(Fault::None).await;
}

#[tokio::test]
async fn documents_that_come_again_are_known_in_every_shape() {
    all(Fault::Overlap).await;
}

#[tokio::test]
async fn an_empty_page_is_told_in_every_shape() {
    all(Fault::EmptyPage).await;
}

#[tokio::test]
async fn a_breakdown_is_told_in_every_shape() {
    all(Fault::ServerError(Times::Always)).await;
}

#[tokio::test]
async fn an_answer_that_is_cut_is_asked_for_again_in_every_shape() {
    all(Fault::CutJson(Times::Once)).await;
}

#[tokio::test]
async fn answers_that_are_always_cut_are_told_in_every_shape() {
    all(Fault::CutJson(Times::Always)).await;
}

#[tokio::test]
async fn an_error_in_place_of_a_result_is_asked_for_again_in_every_shape() {
    all(Fault::ErrorAsResult(Times::Once)).await;
}

#[tokio::test]
async fn errors_in_place_of_results_are_told_in_every_shape() {
    all(Fault::ErrorAsResult(Times::Always)).await;
}

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
    /// A result with these records.
    pub fn dress(self, records: Vec<Value>, total: usize, has_more: bool, next: Value) -> Value {
        let mut result = json!({"data_context": {"unique_ids_matched": total}, "has_more": has_more, "search_after": next});
        match self {
            Self::List(place) => result[place] = json!(records),
            Self::Hits => {
                let hits: Vec<Value> = records.into_iter().map(hit).collect();
                result["hits"] = json!({"total": {"value": total, "relation": "eq"}, "hits": hits});
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
        match self {
            Self::ResultStructured => json!({"result": {"structuredContent": result}}),
            Self::ResultText => json!({"result": {"content": [{"type": "text", "text": result.to_string()}]}}),
            Self::Structured => json!({"structuredContent": result}),
            _ => result,
        }
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

#[tokio::test]
async fn every_shape_is_read_to_its_end_and_its_faults_are_told() {
    for shape in ALL {
        for total in [0, 1, 76, 101, 301] {
            for batch in [70, 150] {
                for fault in [Fault::None, Fault::Overlap, Fault::EmptyPage, Fault::ServerError(Times::Always)] {
                    check(Cell { total, batch, fault, shape }).await;
                }
            }
        }
    }
}

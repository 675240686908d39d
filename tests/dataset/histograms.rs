//! Groups over time: those of two intervals are two statistics, and a smaller part of one takes nothing away.

use std::sync::Arc;

use futures::StreamExt;
use research_agents::dataset::{DatasetAgent, DatasetEventKind, EventKind};
use research_mcp::{Hub, StdioServer};
use serde_json::{Value, json};

use crate::script::{PLAN, helpful, plan};

#[tokio::test]
async fn years_and_months_stand_side_by_side_and_fewer_groups_replace_none() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("strikes.csv");
    let rows = (0..60).map(|at| format!("S{at},{}-{:02}-03,{}\n", 1990 + at % 3, 1 + at % 12, ["A", "B", "C"][at % 3]));
    std::fs::write(&file, format!("Strike,Day,Phase\n{}", rows.collect::<String>())).unwrap();
    let server = StdioServer::new(env!("CARGO_BIN_EXE_dataset_server")).args([
        "--tool-name",
        "analyze_events",
        file.to_str().unwrap(),
    ]);
    let hub = Arc::new(Hub::builder().stdio("strikes", server).connect().await.unwrap());
    let over = |interval: &str| json!({"date_histogram": format!("{{\"field\":\"Day\",\"interval\":\"{interval}\"}}")});
    let all = json!({"group_by": "Phase", "top_n": 3});
    let fewer = json!({"group_by": "Phase", "top_n": 1});
    let model = helpful()
        .on_task(PLAN, plan(&[], &[over("year"), over("month"), all]))
        .on_task(PLAN, plan(&[("scanner", json!({"max_batches": 1})), ("aggregator", fewer)], &[]))
        .always(PLAN, plan(&[("synthesizer", json!({}))], &[]));
    let agent = DatasetAgent::builder(model, Arc::clone(&hub)).build().unwrap();
    let mut stream = agent.run("strikes over time").stream();
    let mut told = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::Own(DatasetEventKind::Aggregation { aggregation }) = event.kind {
            told.push(aggregation);
        }
    }
    let report = stream.outcome().await.unwrap();
    hub.close().await;
    let tables: Vec<Value> = report
        .aggregations
        .iter()
        .map(|table| json!([table.id, table.field, table.interval, table.buckets.len()]))
        .collect();
    assert_eq!(
        tables,
        [json!(["A1", "Day", "year", 3]), json!(["A2", "Day", "month", 12]), json!(["A3", "Phase", null, 3])]
    );
    assert_eq!(told, report.aggregations, "each once");
}

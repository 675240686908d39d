//! Insights of the model that computes: three to five for each aggregation that has groups to speak of.

use std::sync::Arc;

use research_agents::dataset::{DatasetAgent, DatasetReport};
use research_agents::offline::OfflineModel;
use research_mcp::{Hub, StdioServer};

/// 240 readings: two sites, four kinds, days of three years.
fn readings() -> String {
    let kinds = ["dry", "wet", "wet", "cold", "hot", "wet"];
    let line = |at: usize| {
        let site = if at % 5 < 3 { "North" } else { "South" };
        format!("r{at},{site},{},20{:02}-{:02}-03\n", kinds[at % 6], 20 + at % 7 % 3, at % 12 + 1)
    };
    "id,site,kind,day\n".to_owned() + &(0..240).map(line).collect::<String>()
}

async fn ask(question: &str) -> DatasetReport {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("readings.csv");
    std::fs::write(&file, readings()).unwrap();
    let server = StdioServer::new(env!("CARGO_BIN_EXE_dataset_server")).args([file.to_str().unwrap()]);
    let hub = Arc::new(Hub::builder().stdio("readings", server).connect().await.unwrap());
    let agent = DatasetAgent::builder(OfflineModel::new(), Arc::clone(&hub)).build().unwrap();
    let report = agent.run(question).await.unwrap();
    hub.close().await;
    report
}

#[tokio::test]
async fn an_aggregation_has_three_to_five_insights() {
    for question in [
        "readings by kind",
        "readings by site",
        "readings by kind and site",
        "readings by day over time",
        "dry readings by kind",
    ] {
        let report = ask(question).await;
        let count = report.insights.len();
        assert!((3..=5).contains(&count), "{question}: {count}: {:#?}", report.insights);
        let mut texts: Vec<&str> = report.insights.iter().map(|insight| insight.text.as_str()).collect();
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(texts.len(), count, "{question}: each is said once");
        assert!(report.insights.iter().all(|insight| !insight.claims.is_empty()), "{question}");
    }
}

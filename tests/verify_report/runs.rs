//! Recorded runs of the offline model over servers in child processes.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use research_agents::dataset::record::ReportFormat;
use research_agents::dataset::{DatasetAgent, DatasetConfig};
use research_agents::kernel::Bundle;
use research_agents::offline::OfflineModel;
use research_mcp::{Hub, Limits, StdioServer};
use tempfile::TempDir;

/// Start and handshake of a server: it reads its file first, which takes a slow machine long.
const CONNECT: Duration = Duration::from_secs(300);
/// The question of the README, about the shipped data.
pub const STRIKES: &str = "Bird strikes on approach at 120 knots by wildlife size";

/// A run over what a server serves.
pub async fn recorded(server: StdioServer, question: &str, format: ReportFormat, config: DatasetConfig) -> Bundle {
    let hub = Hub::builder().stdio("events", server).limits(Limits::default().connect(CONNECT));
    let hub = Arc::new(hub.connect().await.unwrap());
    let agent = DatasetAgent::builder(OfflineModel::new(), Arc::clone(&hub)).config(config).build().unwrap();
    let report = agent.run(question).format(format).record().await.unwrap();
    hub.close().await;
    // What is checked is what was written and read again.
    Bundle::from_json(&report.bundle().unwrap().to_json().unwrap()).unwrap()
}

/// A run over the shipped data.
pub async fn strikes(question: &str, format: ReportFormat) -> Bundle {
    recorded(StdioServer::new(SERVER), question, format, DatasetConfig::default()).await
}

/// A run over the events of the fixture server.
pub async fn events(question: &str, format: ReportFormat) -> Bundle {
    recorded(StdioServer::new(env!("CARGO_BIN_EXE_fixture_server")), question, format, DatasetConfig::default()).await
}

/// A run over a file with this content.
pub async fn file(name: &str, content: &str, question: &str, format: ReportFormat) -> Bundle {
    let scratch = Scratch::new();
    let path = scratch.write(name, content);
    recorded(StdioServer::new(SERVER).args([path]), question, format, DatasetConfig::default()).await
}

const SERVER: &str = env!("CARGO_BIN_EXE_dataset_server");

/// Orders in columns with awkward names: numbers, dates, empty cells, names with commas and quotation marks.
pub fn orders() -> String {
    let mut rows = String::from("Order no.,\"Region, 2nd level\",Net (EUR),Placed on,Channel\n");
    for n in 1..=140_usize {
        let region = ["North 1", "South 2", "East", "West “9”", ""][n * n % 5];
        let net = (n * 37 % 900) as f64 + 0.25 * (n % 4) as f64;
        let channel = ["web", "Shop 24", "phone"][n % 3];
        rows.push_str(&format!("O-{n:04},{region},{net},2024-{:02}-{:02},{channel}\n", 1 + n % 12, 1 + n % 28));
    }
    rows
}

/// Reports in free text, without ids, for quotes.
pub fn reports() -> String {
    let birds = ["gull", "kestrel", "starling", "heron"];
    let line = |n: usize| {
        let bird = birds[n * n % 4];
        serde_json::json!({
            "station": (["Hamburg", "Lyon", "Porto"][n % 3]),
            "text": format!(
                "The crew of flight {} saw a {bird} at {} feet shortly after takeoff. The engine was inspected and no damage was \
                 found. Report {n} was closed after {} days.",
                100 + n, 200 + n * 13 % 900, 1 + n % 9
            ),
        })
    };
    (1..=60).map(|n| format!("{}\n", line(n))).collect()
}

/// A directory of its own; removed when dropped.
pub struct Scratch(TempDir);

impl Scratch {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file in it, and gives its path.
    pub fn write(&self, name: &str, content: &str) -> String {
        let path = self.path().join(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

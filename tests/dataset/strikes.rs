//! A small table of strikes that the data server serves from a child process: `Washington` is a state and an airport in it.

use std::sync::Arc;

use research_agents::dataset::record::AggregationResult;
use research_mcp::{Hub, StdioServer};
use serde_json::Value;
use tempfile::TempDir;

/// Rows of the table.
const ROWS: usize = 120;

/// One row.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub state: &'static str,
    pub airport: &'static str,
    pub size: &'static str,
    pub light: &'static str,
}

impl Row {
    fn of(number: usize) -> Self {
        Self {
            state: ["Ohio", "Texas", "Washington"][number % 3],
            airport: ["Dayton", "Dulles", "Seattle", "Washington"][number % 4],
            size: ["Large", "Small", "Small", "Medium", "Small"][number % 5],
            light: ["Day", "Night", "Day"][number % 7 % 3],
        }
    }
}

/// How many rows are such.
pub fn count(is_such: impl Fn(Row) -> bool) -> u64 {
    (0..ROWS).map(Row::of).filter(|row| is_such(*row)).count() as u64
}

/// The groups of an aggregation.
pub fn groups(table: &AggregationResult) -> Vec<(String, u64)> {
    let mut groups: Vec<(String, u64)> =
        table.buckets.iter().map(|bucket| (bucket.key.as_str().unwrap().to_owned(), bucket.doc_count)).collect();
    groups.sort();
    groups
}

/// The aggregation by a field.
pub fn by<'a>(tables: &'a [AggregationResult], field: &str) -> &'a AggregationResult {
    tables.iter().find(|table| table.field == field).unwrap_or_else(|| panic!("nothing by {field}: {tables:?}"))
}

/// Filters as JSON.
pub fn filters(table: &AggregationResult) -> Value {
    Value::Object(table.filters.clone())
}

/// The table in a file, with room for a store beside it.
pub struct Strikes(TempDir);

impl Strikes {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut text = String::from("Strike,State,Airport,Size,Light\n");
        for (number, Row { state, airport, size, light }) in (0..ROWS).map(|number| (number, Row::of(number))) {
            text.push_str(&format!("S{number:03},{state},{airport},{size},{light}\n"));
        }
        std::fs::write(folder.path().join("strikes.csv"), text).unwrap();
        Self(folder)
    }

    /// The path of a file beside the table.
    pub fn file(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    /// A server of its own for the table.
    pub async fn hub(&self) -> Arc<Hub> {
        let server = StdioServer::new(env!("CARGO_BIN_EXE_dataset_server")).args([self.file("strikes.csv")]);
        Arc::new(Hub::builder().stdio("strikes", server).connect().await.unwrap())
    }
}

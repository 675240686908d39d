//! The server that serves the model, and the two providers that talk to it.

use std::sync::Arc;
use std::time::Duration;

use research_llm::{ChatModel, Providers};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Names the address, such as `http://127.0.0.1:8080`.
const VARIABLE: &str = "RESEARCH_TEST_SERVER";

/// The longest wait for anything that must happen. Nothing is asserted on how long it takes.
pub(crate) const WATCHDOG: Duration = Duration::from_secs(120);

/// The address of the server.
pub(crate) fn address() -> String {
    std::env::var(VARIABLE)
        .unwrap_or_else(|_| panic!("{VARIABLE} is not set; start these tests with tests/real_model/run"))
}

/// The one model through both providers, as users name it.
pub(crate) async fn models() -> Vec<(String, Arc<dyn ChatModel>)> {
    let address = address();
    let mut models = Vec::new();
    for spec in [format!("{address}/v1"), format!("anthropic+{address}")] {
        let model = Providers::standard().open_and_probe(&spec).await.unwrap_or_else(|error| panic!("{spec}: {error}"));
        models.push((spec, model));
    }
    models
}

/// Whether the server is working on a request.
pub(crate) async fn is_busy() -> bool {
    let slots = get("/slots").await;
    slots.as_array().expect("a list of slots").iter().any(|slot| slot["is_processing"] == true)
}

async fn get(path: &str) -> Value {
    let address = address();
    let host = address.trim_start_matches("http://");
    let mut stream = TcpStream::connect(host).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{path}: {error}: {answer}"))
}

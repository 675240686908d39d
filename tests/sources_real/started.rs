//! The programs of these tests: each on a free port of loopback, and killed with its test.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use research_mcp::StdioServer;
use tempfile::TempDir;
use tokio::process::{Child, Command};

use crate::ports::{HTTP, answers, free_port};

/// The folder where the programs are installed.
fn installed(path: &str) -> PathBuf {
    let folder = std::env::var_os("RESEARCH_SEARCH_SERVICES").expect("start tests/sources_real/run");
    Path::new(&folder).join(path)
}

/// A path of the folder of these tests.
fn of_these_tests(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("sources_real").join(name)
}

/// A program that listens on a port.
pub struct Listening {
    pub port: u16,
    _child: Child,
    _folder: TempDir,
}

impl Listening {
    /// Starts a program that is given its port and a folder of its own, and waits until it answers `request`.
    async fn start(request: &str, command: impl Fn(u16, &TempDir) -> Command) -> Self {
        // Another process may take a free port first.
        for _ in 0..5 {
            let port = free_port();
            let folder = tempfile::tempdir().unwrap();
            let mut command = command(port, &folder);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);

            let mut child = command.spawn().unwrap();
            while child.try_wait().unwrap().is_none() {
                if answers(port, request).await {
                    return Self { port, _child: child, _folder: folder };
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        panic!("the program does not stay alive");
    }

    /// The address on which it listens.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

/// How a SearXNG server is set up.
#[derive(Clone, Default)]
pub struct Setup {
    /// Formats of its answers.
    pub formats: &'static str,
    /// Address of the MCP endpoint that its only engine asks.
    pub asked: String,
    /// Address of the web site whose pages the engine names.
    pub site: String,
    /// Port of the server that the limiter keeps its counts in; without it there is no limiter.
    pub limiter: Option<u16>,
}

/// Starts SearXNG.
pub async fn searxng(setup: &Setup) -> Listening {
    Listening::start(HTTP, |port, folder| {
        let settings = folder.path().join("settings.yml");
        std::fs::write(&settings, settings_of(setup, port)).unwrap();
        let mut command = Command::new(installed("py/bin/python"));
        // It keeps its caches in the folder for temporary files.
        command.args(["-m", "searx.webapp"]).env("SEARXNG_SETTINGS_PATH", settings).env("TMPDIR", folder.path());
        command
    })
    .await
}

fn settings_of(setup: &Setup, port: u16) -> String {
    let Setup { formats, asked, site, limiter } = setup;
    let engine = of_these_tests("corpus_engine");
    let valkey = limiter.map_or("false".to_string(), |port| format!("valkey://127.0.0.1:{port}/0"));
    format!(
        "use_default_settings: {{engines: {{keep_only: []}}}}
search: {{formats: [{formats}], autocomplete: '', favicon_resolver: ''}}
server: {{port: {port}, bind_address: 127.0.0.1, secret_key: of-a-test, limiter: {}}}
valkey: {{url: {valkey}}}
outgoing: {{request_timeout: 60.0}}
engines:
  - {{name: corpus, engine: '{}', shortcut: co, server: '{asked}', site: '{site}', enable_http: true}}
",
        limiter.is_some(),
        engine.display()
    )
}

/// Starts a server that speaks the protocol of Valkey.
pub async fn valkey() -> Listening {
    Listening::start("PING\r\n", |port, _| {
        let mut command = Command::new(installed("py/bin/python"));
        command.arg(of_these_tests("valkey_server.py")).arg(port.to_string());
        command
    })
    .await
}

/// Starts a `corpus_server` over HTTP.
pub async fn corpus_server(folder: &str) -> Listening {
    Listening::start(HTTP, |port, _| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_corpus_server"));
        command.args([folder, "--http", &port.to_string()]);
        command
    })
    .await
}

/// The MCP server that asks a SearXNG server.
pub fn mcp_searxng(searxng: &Listening) -> StdioServer {
    let program = installed("npm/node_modules/.bin/mcp-searxng").into_os_string().into_string().unwrap();
    let server = StdioServer::new(program).env("SEARXNG_URL", searxng.address());
    // It would not read pages of this machine otherwise.
    server.env("MCP_HTTP_ALLOW_PRIVATE_URLS", "true")
}

//! One running language server.

use std::collections::HashMap;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::{Mutex as AsyncMutex, oneshot};
use tokio_util::sync::CancellationToken;

use crate::lsp::error::LspError;
use crate::lsp::frames::{frame, read};
use crate::lsp::position::Encoding;

/// Maximum duration of a request.
const REQUEST: Duration = Duration::from_secs(30);
/// Maximum time that a server may take to become ready, and how long it must be quiet for that.
const READY: Duration = Duration::from_secs(30);
const QUIET: Duration = Duration::from_millis(300);

/// Variables that a server gets; everything else of the environment is kept from it.
const ENVIRONMENT: [&str; 8] = [
    "HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER",
];

/// What the reader of a server shares with those who ask.
#[derive(Default)]
struct Shared {
    waiting: Mutex<HashMap<i64, oneshot::Sender<Result<Value, String>>>>,
    /// Number of tasks of the server that have begun and not ended.
    working: AtomicUsize,
    diagnostics: Mutex<HashMap<String, Value>>,
    has_ended: CancellationToken,
}

/// One running language server.
pub(super) struct Client {
    shared: Arc<Shared>,
    input: Arc<AsyncMutex<ChildStdin>>,
    child: Mutex<Option<Child>>,
    next: AtomicI64,
    opened: AsyncMutex<HashMap<String, String>>,
    pub(super) encoding: Encoding,
    pub(super) capabilities: Value,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Client {
    /// Starts a server for a code base. It works in a folder outside of it.
    pub(super) async fn start(
        program: &Path,
        arguments: &[String],
        root: &str,
        cache: &Path,
    ) -> Result<Self, LspError> {
        let failed = |error: std::io::Error| LspError::Start {
            program: program.to_owned(),
            problem: error.to_string(),
        };
        let kept = ENVIRONMENT
            .iter()
            .filter_map(|name| Some((*name, std::env::var_os(name)?)));
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env_clear()
            .envs(kept)
            .env("XDG_CACHE_HOME", cache)
            .current_dir(cache)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn().map_err(failed)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(LspError::Ended);
        };

        let shared = Arc::new(Shared::default());
        let input = Arc::new(AsyncMutex::new(input));
        tokio::spawn(listen(
            BufReader::new(output),
            Arc::clone(&shared),
            Arc::clone(&input),
        ));
        let mut client = Self {
            shared,
            input,
            child: Mutex::new(Some(child)),
            next: AtomicI64::new(1),
            opened: AsyncMutex::default(),
            encoding: Encoding::default(),
            capabilities: Value::Null,
        };

        let answer = client.request("initialize", greeting(root)).await?;
        client.capabilities = answer.get("capabilities").cloned().unwrap_or_default();
        client.encoding = Encoding::from_capabilities(&client.capabilities);
        client.notify("initialized", json!({})).await?;
        Ok(client)
    }

    /// Returns whether the server has ended.
    pub(super) fn has_ended(&self) -> bool {
        self.shared.has_ended.is_cancelled()
    }

    /// Sends a request and waits for its answer.
    pub(super) async fn request(&self, method: &str, params: Value) -> Result<Value, LspError> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = oneshot::channel();
        lock(&self.shared.waiting).insert(id, sender);
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(&message).await?;

        let answer = async {
            tokio::select! {
                biased;
                answer = receiver => answer.map_err(|_| LspError::Ended),
                () = self.shared.has_ended.cancelled() => Err(LspError::Ended),
            }
        };
        match tokio::time::timeout(REQUEST, answer).await {
            Ok(answer) => answer?.map_err(|problem| LspError::Refused { problem }),
            Err(_) => {
                lock(&self.shared.waiting).remove(&id);
                self.notify("$/cancelRequest", json!({"id": id})).await?;
                Err(LspError::Timeout)
            }
        }
    }

    pub(super) async fn notify(&self, method: &str, params: Value) -> Result<(), LspError> {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        self.send(&message).await
    }

    async fn send(&self, message: &Value) -> Result<(), LspError> {
        send(&self.input, message)
            .await
            .map_err(|_| LspError::Ended)
    }

    /// Opens a file with its present text, or again if the text has changed.
    pub(super) async fn open(&self, uri: &str, language: &str, text: &str) -> Result<(), LspError> {
        let mut opened = self.opened.lock().await;
        match opened.get(uri) {
            Some(known) if known == text => return Ok(()),
            Some(_) => {
                let document = json!({"textDocument": {"uri": uri}});
                self.notify("textDocument/didClose", document).await?;
            }
            None => {}
        }
        let document = json!({"textDocument": {
            "uri": uri, "languageId": language, "version": 1, "text": text,
        }});
        self.notify("textDocument/didOpen", document).await?;
        opened.insert(uri.to_owned(), text.to_owned());
        Ok(())
    }

    /// Waits until the server does nothing in the background. Returns `false` if it still does
    /// after 30 seconds: its answers are early then.
    pub(super) async fn ready(&self) -> bool {
        let quiet = async {
            loop {
                tokio::time::sleep(QUIET).await;
                if self.shared.working.load(Ordering::Relaxed) == 0 {
                    break;
                }
            }
        };
        tokio::time::timeout(READY, quiet).await.is_ok()
    }

    /// Returns what the server has published about a file.
    pub(super) fn published(&self, uri: &str) -> Option<Value> {
        lock(&self.shared.diagnostics).get(uri).cloned()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // The processes that a server has started are in its group.
        #[cfg(unix)]
        if let Some(id) = lock(&self.child).as_ref().and_then(Child::id)
            && let Ok(id) = i32::try_from(id)
        {
            let group = nix::unistd::Pid::from_raw(id);
            let _ = nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGKILL);
        }
        drop(lock(&self.child).take());
    }
}

fn greeting(root: &str) -> Value {
    let documents = json!({
        "definition": {"linkSupport": true},
        "references": {},
        "hover": {"contentFormat": ["plaintext", "markdown"]},
        "publishDiagnostics": {},
        "diagnostic": {},
    });

    json!({
        "processId": std::process::id(),
        "clientInfo": {"name": "research-code"},
        "rootUri": root,
        "workspaceFolders": [{"uri": root, "name": "root"}],
        "capabilities": {
            "general": {"positionEncodings": ["utf-8", "utf-16"]},
            "window": {"workDoneProgress": true},
            "workspace": {"configuration": true, "workspaceFolders": true},
            "textDocument": documents,
        },
    })
}

async fn send(input: &AsyncMutex<ChildStdin>, message: &Value) -> std::io::Result<()> {
    let mut input = input.lock().await;
    input.write_all(&frame(message)).await?;
    input.flush().await
}

/// Reads what a server sends until it ends.
async fn listen(
    mut output: BufReader<tokio::process::ChildStdout>,
    shared: Arc<Shared>,
    input: Arc<AsyncMutex<ChildStdin>>,
) {
    while let Ok(Some(message)) = read(&mut output).await {
        let method = message.get("method").and_then(Value::as_str);
        let id = message.get("id").filter(|id| !id.is_null());
        match (method, id) {
            (Some(method), Some(id)) => {
                // A request that is not answered would make the server wait.
                let answer = answer(method, &message, id);
                if send(&input, &answer).await.is_err() {
                    break;
                }
            }
            (Some(method), None) => note(&shared, method, &message),
            (None, Some(id)) => {
                let waiting = id.as_i64().and_then(|id| lock(&shared.waiting).remove(&id));
                let problem = message.pointer("/error/message").and_then(Value::as_str);
                let result = match (problem, message.get("error")) {
                    (Some(problem), _) => Err(problem.chars().take(300).collect()),
                    (None, Some(_)) => Err("the server reports an error".to_owned()),
                    (None, None) => Ok(message.get("result").cloned().unwrap_or_default()),
                };
                if let Some(waiting) = waiting {
                    // Whoever asked may have given up.
                    drop(waiting.send(result));
                }
            }
            (None, None) => {}
        }
    }

    shared.has_ended.cancel();
    lock(&shared.waiting).clear();
}

/// Answers a request of a server.
fn answer(method: &str, message: &Value, id: &Value) -> Value {
    let result = match method {
        "workspace/configuration" => {
            let items = message.pointer("/params/items").and_then(Value::as_array);
            json!(vec![Value::Null; items.map_or(0, Vec::len)])
        }
        "client/registerCapability"
        | "client/unregisterCapability"
        | "window/workDoneProgress/create"
        | "workspace/semanticTokens/refresh"
        | "workspace/diagnostic/refresh"
        | "workspace/inlayHint/refresh" => Value::Null,
        "workspace/applyEdit" => json!({"applied": false}),
        _ => {
            let error = json!({"code": -32601, "message": "method not found"});
            return json!({"jsonrpc": "2.0", "id": id, "error": error});
        }
    };

    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// Notes what a server reports.
fn note(shared: &Shared, method: &str, message: &Value) {
    match method {
        "$/progress" => {
            let kind = message
                .pointer("/params/value/kind")
                .and_then(Value::as_str);

            match kind {
                Some("begin") => {
                    shared.working.fetch_add(1, Ordering::Relaxed);
                }
                Some("end") => {
                    let less = |working: usize| Some(working.saturating_sub(1));
                    let order = Ordering::Relaxed;
                    let _ = shared.working.fetch_update(order, order, less);
                }
                _ => {}
            }
        }
        "textDocument/publishDiagnostics" => {
            let uri = message.pointer("/params/uri").and_then(Value::as_str);
            let found = message.pointer("/params/diagnostics");
            if let (Some(uri), Some(found)) = (uri, found) {
                lock(&shared.diagnostics).insert(uri.to_owned(), found.clone());
            }
        }
        _ => {}
    }
}

//! The language servers of a process: started when asked, restarted, and stopped when idle.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use research_agents_code::tree::RelPath;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::lsp::client::Client;
use crate::lsp::error::LspError;
use crate::lsp::spec::ServerSpec;
use crate::space::View;

/// A server that was not asked for so long is stopped.
const IDLE: Duration = Duration::from_secs(300);
/// How often a server is started for one code base.
const MAX_STARTS: u32 = 4;
/// How often a list is asked for until two answers are equal, and the time between them.
const MAX_ASKED: usize = 12;
const BETWEEN: Duration = Duration::from_millis(400);

/// A place in a file of the code base.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LspPlace {
    /// The file.
    pub path: RelPath,
    /// First and last line, counted from 1.
    pub lines: (usize, usize),
}

/// What a server answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked<T> {
    /// The answer.
    pub value: T,
    /// Whether the server was still working, so that its answer may be incomplete.
    pub is_early: bool,
    /// Number of places outside of the code base or the scope, which are left out.
    pub outside: usize,
}

struct Running {
    client: Arc<Client>,
    used: Instant,
    starts: u32,
}

type Table = Arc<Mutex<HashMap<(usize, PathBuf), Running>>>;

/// The language servers of a process. Clones share them.
#[derive(Clone, Default)]
pub struct Servers {
    specs: Arc<[ServerSpec]>,
    running: Table,
    /// Working and cache folder of the servers.
    folder: Arc<std::sync::OnceLock<TempDir>>,
}

/// A file that is open at a server.
struct Opened {
    client: Arc<Client>,
    uri: String,
    text: String,
    root: PathBuf,
}

impl Servers {
    /// Creates the servers that these programs are started for. Nothing is started yet.
    pub fn new(specs: impl IntoIterator<Item = ServerSpec>) -> Self {
        Self {
            specs: specs.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Returns the number of servers that run now.
    pub async fn running(&self) -> usize {
        self.running.lock().await.len()
    }

    /// Asks where the name at a place is defined. `line` is counted from 1, `column` in characters
    /// from 0.
    ///
    /// # Errors
    ///
    /// [`LspError`] when a server is missing or does not answer.
    pub async fn definition(
        &self,
        view: &View,
        path: &RelPath,
        (line, column): (usize, usize),
    ) -> Result<Asked<Vec<LspPlace>>, LspError> {
        self.places(
            view,
            path,
            (line, column),
            "textDocument/definition",
            json!({}),
        )
        .await
    }

    /// Asks where the name at a place is used. The list is asked for until two answers are equal.
    ///
    /// # Errors
    ///
    /// [`LspError`] when a server is missing or does not answer.
    pub async fn references(
        &self,
        view: &View,
        path: &RelPath,
        (line, column): (usize, usize),
    ) -> Result<Asked<Vec<LspPlace>>, LspError> {
        let more = json!({"context": {"includeDeclaration": true}});
        self.places(view, path, (line, column), "textDocument/references", more)
            .await
    }

    /// Asks what the server says about the name at a place.
    ///
    /// # Errors
    ///
    /// [`LspError`] when a server is missing or does not answer.
    pub async fn hover(
        &self,
        view: &View,
        path: &RelPath,
        (line, column): (usize, usize),
    ) -> Result<Asked<Option<String>>, LspError> {
        let opened = self.open(view, path).await?;
        let is_ready = opened.client.ready().await;
        let params = opened.position(line, column)?;
        let answer = opened.client.request("textDocument/hover", params).await?;
        let contents = answer.get("contents").map(words);
        Ok(Asked {
            value: contents.filter(|contents| !contents.trim().is_empty()),
            is_early: !is_ready,
            outside: 0,
        })
    }

    /// Asks for the problems of a file: their lines and messages.
    ///
    /// # Errors
    ///
    /// [`LspError`] when a server is missing or does not answer.
    pub async fn diagnostics(
        &self,
        view: &View,
        path: &RelPath,
    ) -> Result<Asked<Vec<(usize, String)>>, LspError> {
        let opened = self.open(view, path).await?;
        let is_ready = opened.client.ready().await;
        // Servers either answer a request or publish on their own.
        let can_be_asked = opened
            .client
            .capabilities
            .get("diagnosticProvider")
            .is_some();
        let found = match can_be_asked {
            true => {
                let params = json!({"textDocument": {"uri": opened.uri}});
                let answer = opened
                    .client
                    .request("textDocument/diagnostic", params)
                    .await?;
                answer.get("items").cloned()
            }
            false => opened.client.published(&opened.uri),
        };

        let problems = found
            .as_ref()
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        let problems = problems.filter_map(|problem| {
            let line = problem.pointer("/range/start/line")?.as_u64()?;
            let message = problem.get("message")?.as_str()?;
            Some((usize::try_from(line).ok()? + 1, message.to_owned()))
        });
        Ok(Asked {
            value: problems.collect(),
            is_early: !is_ready || found.is_none(),
            outside: 0,
        })
    }

    async fn places(
        &self,
        view: &View,
        path: &RelPath,
        (line, column): (usize, usize),
        method: &str,
        more: Value,
    ) -> Result<Asked<Vec<LspPlace>>, LspError> {
        let opened = self.open(view, path).await?;
        let is_ready = opened.client.ready().await;
        let mut params = opened.position(line, column)?;
        if let (Some(params), Some(more)) = (params.as_object_mut(), more.as_object()) {
            params.extend(more.clone());
        }

        // Servers that still read answer nothing or a part, without an error.
        let mut before = None;
        for _ in 0..MAX_ASKED {
            let answer = opened.client.request(method, params.clone()).await?;
            let found = within(view, &opened.root, &answer);
            if before.as_ref() == Some(&found) {
                let (value, outside) = found;
                return Ok(Asked {
                    value,
                    is_early: !is_ready,
                    outside,
                });
            }
            before = Some(found);
            tokio::time::sleep(BETWEEN).await;
        }
        let (value, outside) = before.unwrap_or_default();
        Ok(Asked {
            value,
            is_early: true,
            outside,
        })
    }

    /// Opens a file at its server, which is started again if it has ended.
    async fn open(&self, view: &View, path: &RelPath) -> Result<Opened, LspError> {
        let file = view.read(path)?;
        let text = String::from_utf8_lossy(&file.bytes).into_owned();
        let root = view.base()?.root().to_owned();
        let uri = format!("{}/{}", uri(&root), encoded(path.as_str()));
        let extension = path.extension();
        let language = language(&extension);

        let mut last = LspError::Ended;
        for _ in 0..2 {
            let client = self.client(&root, &extension).await?;
            match client.open(&uri, language, &text).await {
                Ok(()) => {
                    return Ok(Opened {
                        client,
                        uri,
                        text,
                        root,
                    });
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// Returns the running server of a code base for an extension, and starts it if needed.
    async fn client(&self, root: &Path, extension: &str) -> Result<Arc<Client>, LspError> {
        let serves = |spec: &ServerSpec| spec.extensions().iter().any(|one| one == extension);
        let Some(at) = self.specs.iter().position(serves) else {
            let extension = extension.to_owned();
            return Err(LspError::NoServer { extension });
        };
        let spec = &self.specs[at];
        let program = spec.resolved(root)?;
        let key = (at, root.to_owned());

        let mut running = self.running.lock().await;
        let mut starts = 0;
        if let Some(known) = running.get_mut(&key) {
            if !known.client.has_ended() {
                known.used = Instant::now();
                return Ok(Arc::clone(&known.client));
            }
            starts = known.starts;
        }
        if starts >= MAX_STARTS {
            return Err(LspError::Ended);
        }

        let folder = self.folder(&program)?;
        let address = uri(root);
        let started = Client::start(&program, spec.arguments(), &address, &folder);
        let client = Arc::new(started.await?);
        let entry = Running {
            client: Arc::clone(&client),
            used: Instant::now(),
            starts: starts + 1,
        };
        running.insert(key.clone(), entry);
        stop_when_idle(Arc::downgrade(&self.running), key);
        Ok(client)
    }

    fn folder(&self, program: &Path) -> Result<PathBuf, LspError> {
        if let Some(folder) = self.folder.get() {
            return Ok(folder.path().to_owned());
        }
        let made = tempfile::Builder::new().prefix("research-code-").tempdir();
        let made = made.map_err(|error| LspError::Start {
            program: program.to_owned(),
            problem: error.to_string(),
        })?;
        Ok(self.folder.get_or_init(|| made).path().to_owned())
    }
}

impl fmt::Debug for Servers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Servers")
            .field("specs", &self.specs)
            .finish_non_exhaustive()
    }
}

/// Stops a server when it was not asked for a time, or when all its owners are gone.
fn stop_when_idle(
    table: std::sync::Weak<Mutex<HashMap<(usize, PathBuf), Running>>>,
    key: (usize, PathBuf),
) {
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(IDLE / 10).await;
            let Some(table) = table.upgrade() else { return };

            let mut running = table.lock().await;
            match running.get(&key) {
                None => return,
                Some(known) if known.used.elapsed() >= IDLE => {
                    running.remove(&key);
                    return;
                }
                Some(_) => {}
            }
        }
    });
}

impl Opened {
    /// Returns the parameters of a request about a place.
    fn position(&self, line: usize, column: usize) -> Result<Value, LspError> {
        let number = line.checked_sub(1).ok_or(LspError::Line { line })?;
        let text = self
            .text
            .lines()
            .nth(number)
            .ok_or(LspError::Line { line })?;
        let column = self.client.encoding.to_server(text, column);
        Ok(json!({
            "textDocument": {"uri": self.uri},
            "position": {"line": number, "character": column},
        }))
    }
}

/// Returns the places of an answer that are in listed files of the scope, sorted, and the number of
/// the others.
fn within(view: &View, root: &Path, answer: &Value) -> (Vec<LspPlace>, usize) {
    let items: Vec<&Value> = match answer {
        Value::Array(items) => items.iter().collect(),
        Value::Null => Vec::new(),
        one => vec![one],
    };
    let (mut places, mut outside) = (Vec::new(), 0);
    for item in items {
        match place(view, root, item) {
            Some(place) => places.push(place),
            None => outside += 1,
        }
    }
    places.sort();
    places.dedup();
    (places, outside)
}

fn place(view: &View, root: &Path, item: &Value) -> Option<LspPlace> {
    let uri = item
        .get("uri")
        .or_else(|| item.get("targetUri"))?
        .as_str()?;
    let range = item
        .get("range")
        .or_else(|| item.get("targetSelectionRange"))?;
    let line = |end: &str| range.pointer(&format!("/{end}/line"))?.as_u64();
    let (first, last) = (line("start")?, line("end")?);

    let path = decoded(uri.strip_prefix("file://")?)?;
    let relative = Path::new(&path)
        .strip_prefix(root)
        .ok()?
        .to_str()?
        .to_owned();
    let path = view.path(&relative).ok()?;
    view.snapshot().ok()?.tree().file(&path).ok()?;
    let number = |line: u64| Some(usize::try_from(line).ok()? + 1);
    Some(LspPlace {
        path,
        lines: (number(first)?, number(last)?),
    })
}

/// Returns the text of a hover, which has one of four forms.
fn words(contents: &Value) -> String {
    match contents {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(words).collect::<Vec<_>>().join("\n"),
        other => {
            let value = other.get("value").and_then(Value::as_str);
            value.unwrap_or_default().to_owned()
        }
    }
}

fn uri(root: &Path) -> String {
    format!("file://{}", encoded(&root.to_string_lossy()))
}

fn encoded(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' | b'~' => {
                out.push(char::from(byte));
            }
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

/// Returns text without percent encoding; `None` if it is not valid.
pub(crate) fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut characters = text.bytes();
    while let Some(byte) = characters.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [characters.next()?, characters.next()?];
        let digits = std::str::from_utf8(&digits).ok()?.to_owned();
        bytes.push(u8::from_str_radix(&digits, 16).ok()?);
    }
    String::from_utf8(bytes).ok()
}

/// Returns the name of a language by which servers know it.
fn language(extension: &str) -> &str {
    match extension {
        "rs" => "rust",
        "py" | "pyi" => "python",
        "ts" | "mts" | "cts" => "typescript",
        "tsx" => "typescriptreact",
        "js" | "mjs" | "cjs" => "javascript",
        "jsx" => "javascriptreact",
        "h" => "c",
        "cc" | "cxx" | "hpp" | "hh" | "hxx" => "cpp",
        "cs" => "csharp",
        "rb" => "ruby",
        other => other,
    }
}

//! Servers that are reached over HTTP, and a small web site for the one that fetches pages.

use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use research_mcp::StdioServer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};

use crate::ports::{HTTP, answers, free_port};

/// A server that listens on a port. It is killed when this is dropped.
pub struct Listening {
    pub address: SocketAddr,
    _child: Child,
}

impl Listening {
    /// Starts a server that is told its port, and waits until it answers.
    pub async fn start(server: impl Fn(u16) -> StdioServer) -> Self {
        // Another process may take a free port first.
        for _ in 0..5 {
            let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
            let StdioServer { command, args, env, .. } = server(address.port());
            let mut command = Command::new(command);
            command.args(args).envs(env).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            let mut child = command.kill_on_drop(true).spawn().unwrap();
            while child.try_wait().unwrap().is_none() {
                if answers(address.port(), HTTP).await {
                    return Self { address, _child: child };
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        panic!("the server does not stay alive");
    }

    /// The address of its MCP endpoint.
    pub fn mcp(&self) -> String {
        format!("http://{}/mcp", self.address)
    }
}

/// Pages by their paths.
type Pages = &'static [(&'static str, &'static str, &'static str)];

/// A web site on loopback.
pub struct Site {
    pub address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Site {
    /// Serves these pages, each with path, media type and text; everything else is not found.
    pub async fn start(pages: Pages) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, pages, Arc::clone(&log)));
            }
        });
        Self { address, asked, task }
    }

    /// The address of a page.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The paths that were asked for.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(mut stream: TcpStream, pages: Pages, log: Arc<Mutex<Vec<String>>>) {
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read_buf(&mut head).await {
            Ok(read) if read > 0 => {}
            _ => return,
        }
    }
    let head = String::from_utf8_lossy(&head);
    let path = head.split(' ').nth(1).unwrap_or_default();
    log.lock().unwrap().push(path.to_owned());
    let (status, kind, text) = match pages.iter().find(|page| page.0 == path) {
        Some((_, kind, text)) => ("200 OK", *kind, *text),
        None => ("404 Not Found", "text/plain", "There is no such page."),
    };
    let length = text.len();
    let reply = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{text}"
    );
    // The client may have gone.
    let _ = stream.write_all(reply.as_bytes()).await;
}

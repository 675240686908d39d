//! Real HTTP servers on loopback that answer as a test says.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep};

/// What a server does with a request.
#[derive(Clone)]
pub enum Reply {
    /// Writes these bytes and closes the connection.
    Bytes(Vec<u8>),
    /// Writes the first bytes, and then the others again and again until nobody reads them.
    Endless(Vec<u8>, Vec<u8>),
    /// Writes the first bytes, and then one byte every 50 ms.
    Slow(Vec<u8>),
    /// Writes nothing.
    Silent,
}

/// A server, which ends with the test.
pub struct Server {
    pub port: u16,
    /// Number of connections.
    pub connections: Arc<AtomicUsize>,
    /// The first lines of the requests, and the whole requests.
    pub requests: Arc<std::sync::Mutex<Vec<String>>>,
}

impl Server {
    /// A server that answers by the path of the request.
    pub async fn start(reply: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (connections, requests) = (Arc::new(AtomicUsize::new(0)), Arc::new(std::sync::Mutex::default()));
        let (counted, noted, reply) = (Arc::clone(&connections), Arc::clone(&requests), Arc::new(reply));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::SeqCst);
                let (reply, noted) = (Arc::clone(&reply), Arc::clone(&noted));
                tokio::spawn(async move { answer(stream, &*reply, &noted).await });
            }
        });
        Self { port, connections, requests }
    }

    /// The address of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://localhost:{}{path}", self.port)
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

async fn answer(
    mut stream: TcpStream,
    reply: &(dyn Fn(&str) -> Reply + Send + Sync),
    noted: &std::sync::Mutex<Vec<String>>,
) {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return,
            Ok(count) => request.extend_from_slice(&buffer[..count]),
        }
    }
    let head = String::from_utf8_lossy(&request).into_owned();
    let length = head.to_ascii_lowercase();
    let length =
        length.split("content-length: ").nth(1).and_then(|rest| rest.lines().next()?.trim().parse::<usize>().ok());
    let start = request.windows(4).position(|end| end == b"\r\n\r\n").unwrap() + 4;
    while request.len() < start + length.unwrap_or(0) {
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return,
            Ok(count) => request.extend_from_slice(&buffer[..count]),
        }
    }
    noted.lock().unwrap().push(String::from_utf8_lossy(&request).into_owned());

    let path = head.split(' ').nth(1).unwrap_or("/");
    let until = Instant::now() + Duration::from_secs(20);
    match reply(path) {
        Reply::Bytes(bytes) => {
            let _ = stream.write_all(&bytes).await;
        }
        Reply::Endless(first, more) => {
            let mut result = stream.write_all(&first).await;
            while result.is_ok() && Instant::now() < until {
                result = stream.write_all(&more).await;
            }
        }
        Reply::Slow(first) => {
            let mut result = stream.write_all(&first).await;
            while result.is_ok() && Instant::now() < until {
                sleep(Duration::from_millis(50)).await;
                result = stream.write_all(b"a").await;
            }
        }
        Reply::Silent => sleep(Duration::from_secs(20)).await,
    }
    let _ = stream.shutdown().await;
}

/// A response with headers and a body.
pub fn response(status: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
    let mut head = format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    Reply::Bytes([head.as_bytes(), b"\r\n", body].concat())
}

pub fn html(body: &str) -> Reply {
    response("200 OK", &[("content-type", "text/html; charset=utf-8")], body.as_bytes())
}

pub fn json(body: &str) -> Reply {
    response("200 OK", &[("content-type", "application/json")], body.as_bytes())
}

pub fn redirect(to: &str) -> Reply {
    response("302 Found", &[("location", to)], b"")
}

pub fn not_found() -> Reply {
    response("404 Not Found", &[], b"")
}

//! `--mcp-url`: a server over HTTP is as good as one that is started, and what it asks for comes from the environment.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::QUESTION;
use crate::program::{Running, Served, research, shipped_in_a_process};
use crate::scratch::Scratch;

#[test]
fn the_report_is_that_of_the_same_server_over_its_standard_streams() {
    let served = Served::start(&[]);
    let over_http = research(&["--mcp-url", &served.url, QUESTION]);
    let scratch = Scratch::new();
    let over_pipes = ["--mcp-config", &shipped_in_a_process(&scratch)];
    let piped = research(&[&over_pipes[..], &[QUESTION]].concat());
    assert_eq!(over_http.code, Some(0), "{}", over_http.stderr);
    assert!(over_http.stdout.contains("Coverage: 165 of 165 records read"), "{}", over_http.stdout);
    assert_eq!(over_http.stdout, piped.stdout);

    let fields = |source: &[&str]| research(&[source, &["--list-fields", "--json"]].concat()).stdout;
    let listed = fields(&["--mcp-url", &served.url]);
    assert!(listed.contains("Wildlife Size"), "{listed}");
    assert_eq!(listed, fields(&over_pipes));
}

/// A server that accepts nobody, and remembers what it was sent.
struct Locked {
    url: String,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Locked {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let heads: Arc<Mutex<Vec<String>>> = Arc::default();
        let kept = Arc::clone(&heads);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                // A client that has gone is none of our concern.
                kept.lock().unwrap().extend(refuse(stream.unwrap()));
            }
        });
        Self { url, heads }
    }
}

/// Reads a request up to its body and refuses it.
fn refuse(mut stream: TcpStream) -> std::io::Result<String> {
    stream.set_read_timeout(Some(Duration::from_secs(20)))?;
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut buffer)? {
            0 => break,
            read => request.extend_from_slice(&buffer[..read]),
        }
    }
    let refusal =
        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    stream.write_all(refusal.as_bytes())?;
    Ok(String::from_utf8_lossy(&request).to_lowercase())
}

#[test]
fn secrets_of_the_environment_are_sent_and_never_shown() {
    let server = Locked::start();
    let arguments =
        ["--mcp-url", &server.url, "--mcp-header", "X-Key: k-${STRIKES_KEY}", "--mcp-bearer-env", "STRIKES_TOKEN"];
    let variables = [("STRIKES_KEY", "s3cret"), ("STRIKES_TOKEN", "t0ken")];
    for more in [&["--json"][..], &[], &["--list-fields"]] {
        let ran = Running::start_with(&[&arguments[..], more].concat(), None, &variables).end();
        assert_eq!(ran.code, Some(1));
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(said.contains("401") && said.contains("--mcp-bearer-env"), "{said}");
        assert!(!said.contains("s3cret") && !said.contains("t0ken"), "{said}");
    }
    let heads = server.heads.lock().unwrap();
    assert!(!heads.is_empty());
    for head in heads.iter() {
        assert!(head.contains("x-key: k-s3cret\r\n") && head.contains("authorization: bearer t0ken\r\n"), "{head}");
    }
}

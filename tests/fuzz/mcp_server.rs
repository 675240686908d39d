//! Clients that send any lines: a server on standard input answers what it can read, refuses the rest, and never panics.

use std::process::Stdio;

use fastrand::Rng;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::Command;

use crate::{fuzz, mutate, wait};

/// Lines that a server gets in a round.
const LINES: usize = 200;
/// The id of the request that tells whether the server still answers.
const LAST: &str = "still there?";

fn request(id: Value, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn handshake() -> String {
    let hello =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "any", "version": "1"}});
    let done = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    format!("{}\n{done}\n", request(json!(0), "initialize", hello))
}

/// One line, most of which resemble requests.
fn line(rng: &mut Rng, number: usize) -> Vec<u8> {
    const METHODS: [&str; 9] = [
        "tools/call",
        "tools/list",
        "ping",
        "resources/read",
        "prompts/get",
        "notifications/cancelled",
        "completion/complete",
        "logging/setLevel",
        "initialize",
    ];
    let params = match rng.u8(0..3) {
        0 => mutate::value(rng, 3),
        _ => {
            json!({"name": "analyze_events", "arguments": {"group_by": "colour", "filters": {"size": {"gte": 3}}, "page_size": 2}})
        }
    };
    let mut message = request(json!(number + 1), METHODS[rng.usize(0..METHODS.len())], params);
    let mut bytes = match rng.u8(0..8) {
        0 => mutate::text(rng).into_bytes(),
        1 => mutate::value(rng, 3).to_string().into_bytes(),
        2 => mutate::deep(rng.usize(1..3_000)).into_bytes(),
        3 => {
            let mut bytes = message.to_string().into_bytes();
            mutate::bytes(rng, &mut bytes);
            bytes
        }
        4 => message.to_string().into_bytes(),
        5 => {
            let fields = message.as_object_mut().expect("an object");
            let name = ["jsonrpc", "id", "method", "params"][rng.usize(0..4)];
            fields.insert(name.to_owned(), mutate::value(rng, 2));
            message.to_string().into_bytes()
        }
        _ => {
            mutate::json(rng, &mut message["params"]);
            message.to_string().into_bytes()
        }
    };
    bytes.push(b'\n');
    bytes
}

/// Sends the lines to a server of its own. Returns whether the last request was answered, and what came on standard error.
async fn served(table: &std::path::Path, lines: Vec<u8>) -> (bool, String) {
    let mut server = Command::new(env!("CARGO_BIN_EXE_dataset_server"))
        .arg(table)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let (mut input, output) = (server.stdin.take().unwrap(), server.stdout.take().unwrap());
    let mut errors = server.stderr.take().unwrap();
    let telling = tokio::spawn(async move {
        let mut text = Vec::new();
        errors.read_to_end(&mut text).await.unwrap();
        String::from_utf8_lossy(&text).into_owned()
    });
    let writing = tokio::spawn(async move {
        // A server that has ended reads no more.
        drop(input.write_all(&lines).await);
        let last = request(json!(LAST), "ping", json!({}));
        drop(input.write_all(format!("{last}\n").as_bytes()).await);
        input
    });

    let mut answered = false;
    let mut replies = BufReader::new(output).lines();
    while let Some(reply) = replies.next_line().await.unwrap() {
        let reply: Value = serde_json::from_str(&reply).expect("the server sends JSON");
        if reply["id"] == LAST {
            answered = true;
            break;
        }
    }
    drop(writing.await.unwrap());
    // What comes after the end of its input is not waited for by anyone.
    while replies.next_line().await.unwrap().is_some() {}
    let status = server.wait().await.unwrap();
    let errors = telling.await.unwrap();
    assert!(status.code().is_some_and(|code| code < 100), "{status}: {errors}");
    (answered, errors)
}

fn table() -> tempfile::NamedTempFile {
    let file = tempfile::Builder::new().suffix(".csv").tempfile().unwrap();
    std::fs::write(file.path(), "id,colour,size\n1,red,2\n2,blue,5\n3,red,8\n").unwrap();
    file
}

#[test]
fn a_server_answers_after_whatever_it_was_sent() {
    let table = table();
    fuzz(30, |rng| {
        let mut lines = handshake().into_bytes();
        (0..LINES).for_each(|number| lines.extend(line(rng, number)));

        let (answered, errors) = wait(served(table.path(), lines));

        assert!(answered && !errors.contains("panicked"), "{errors}");
    });
}

#[test]
fn a_session_that_begins_with_anything_ends_without_a_panic() {
    let table = table();
    fuzz(30, |rng| {
        let mut lines = Vec::new();
        (0..20).for_each(|number| lines.extend(line(rng, number)));

        let (_, errors) = wait(served(table.path(), lines));

        assert!(!errors.contains("panicked"), "{errors}");
    });
}

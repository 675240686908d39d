//! The program `mcp_inspect`, run as a user runs it: what it prints, and its exit codes.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::NamedTempFile;

const INSPECT: &str = env!("CARGO_BIN_EXE_mcp_inspect");
const BAD: &str = env!("CARGO_BIN_EXE_bad_server");
const FIXTURE: &str = env!("CARGO_BIN_EXE_fixture_server");

/// A file with this text.
fn file(text: &str) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file
}

/// A configuration with these servers.
fn config(servers: Value) -> NamedTempFile {
    file(&json!({"mcpServers": servers}).to_string())
}

/// A good server, one with a bad tool, one that crashes, and one that is no server at all.
fn four() -> NamedTempFile {
    config(json!({
        "events": {"command": FIXTURE, "args": ["--tool", "search"]},
        "mixed": {"command": BAD, "args": ["--pages", "bad"]},
        "broken": {"command": FIXTURE, "args": ["--crash-at-start"]},
        "odd": {"argv": 1},
    }))
}

fn command(config: &NamedTempFile, arguments: &[&str]) -> Command {
    let mut command = Command::new(INSPECT);
    command.arg("--config").arg(config.path()).args(arguments).stdin(Stdio::null());
    command
}

fn run(config: &NamedTempFile, arguments: &[&str]) -> Output {
    command(config, arguments).output().unwrap()
}

/// What a successful run prints.
fn printed(config: &NamedTempFile, arguments: &[&str]) -> String {
    let output = run(config, arguments);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The one JSON object that a successful run prints.
fn answer(config: &NamedTempFile, arguments: &[&str]) -> Value {
    let text = printed(config, &[&["--json"], arguments].concat());
    assert_eq!(text.lines().count(), 1, "{text}");
    serde_json::from_str(&text).unwrap()
}

fn named<'a>(list: &'a Value, name: &str) -> &'a Value {
    list.as_array().unwrap().iter().find(|entry| entry["name"] == name).unwrap_or_else(|| panic!("{name}: {list}"))
}

/// The exit code and the complaint of a run that fails.
fn refused(config: &NamedTempFile, arguments: &[&str]) -> (Option<i32>, String) {
    let output = run(config, arguments);
    assert!(output.stdout.is_empty(), "{output:?}");
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn servers_say_how_each_stands_and_one_that_is_broken_is_part_of_the_answer() {
    let answer = answer(&four(), &["servers"]);
    let servers = &answer["servers"];
    assert_eq!(servers.as_array().unwrap().len(), 4);
    let events = named(servers, "events");
    assert_eq!((&events["state"], &events["tools"]), (&json!("ready"), &json!(1)));
    assert_eq!(events["protocol"], "2026-07-28");
    assert!(events.get("error").is_none());
    assert_eq!(named(servers, "mixed")["protocol"], "2025-11-25");
    let broken = named(servers, "broken");
    assert_eq!(broken["state"], "failed");
    assert!(broken["error"].as_str().unwrap().contains("the index is corrupt"), "{broken}");
    assert!(broken["protocol"].is_null() && broken["tools"].is_null());
    let odd = named(servers, "odd");
    assert!(odd["state"] == "failed" && odd["error"].is_string(), "{odd}");
}

#[test]
fn tools_are_listed_with_those_that_cannot_be_used() {
    let four = four();
    let all = answer(&four, &["tools"]);
    let search = named(&all["tools"], "search");
    assert_eq!((&search["server"], &search["exposed_name"]), (&json!("events"), &json!("search")));
    assert!(search.get("quarantined").is_none());
    let bad = named(&all["tools"], "no_schema");
    assert_eq!(bad["server"], "mixed");
    assert!(bad["quarantined"].as_str().unwrap().contains("no input schema"), "{bad}");
    let one = answer(&four, &["tools", "events"]);
    assert_eq!(one["tools"].as_array().unwrap().len(), 1);
}

#[test]
fn a_call_answers_with_its_result_or_with_what_went_wrong() {
    let four = four();
    let answered = answer(&four, &["call", "mixed", "echo", r#"{"n": [1, 2.5]}"#]);
    assert_eq!((&answered["ok"], &answered["structured"]), (&json!(true), &json!({"n": [1, 2.5]})));
    assert!(answered["text"].is_string() && answered["ms"].is_u64() && answered.get("error").is_none(), "{answered}");
    for (server, tool, kind) in
        [("events", "search", "tool"), ("mixed", "crash", "closed"), ("odd", "x", "configuration")]
    {
        let failed = answer(&four, &["call", server, tool, r#"{"filters": 5}"#]);
        assert_eq!((&failed["ok"], &failed["error"]["kind"]), (&json!(false), &json!(kind)), "{failed}");
        assert!(failed["error"]["message"].as_str().is_some_and(|message| !message.is_empty()), "{failed}");
    }
    let failed = answer(&four, &["call", "broken", "x"]);
    assert_eq!(failed["ok"], false);
    assert!(failed["error"]["message"].as_str().unwrap().contains("the index is corrupt"), "{failed}");
}

#[test]
fn a_resource_is_read() {
    let four = four();
    let read = answer(&four, &["read", "mixed", "notes://1"]);
    assert_eq!((&read["ok"], &read["contents"][0]["text"]), (&json!(true), &json!("Buy \u{1b}[2Jmilk.")));
    let failed = answer(&four, &["read", "mixed", "notes://2"]);
    assert_eq!((&failed["ok"], &failed["error"]["kind"]), (&json!(false), &json!("protocol")));
}

#[test]
fn what_servers_say_cannot_steer_the_terminal() {
    let config = config(json!({"bad": {"command": BAD, "args": ["--pages", "escapes"]}}));
    for question in [&["tools"][..], &["read", "bad", "notes://1"], &["servers"]] {
        let text = printed(&config, question);
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
    }
    assert!(printed(&config, &["tools"]).contains("echo"));
}

#[test]
fn questions_that_cannot_be_answered_end_with_code_2_and_a_reason() {
    let missing = NamedTempFile::new().unwrap();
    let gone = missing.path().with_extension("gone");
    let output = Command::new(INSPECT).args(["--config", gone.to_str().unwrap(), "servers"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains(gone.to_str().unwrap()));
    for text in ["", "{", "[]", r#"{"mcpServers": 5}"#] {
        let (code, complaint) = refused(&file(text), &["servers"]);
        assert_eq!(code, Some(2), "{text}");
        assert!(complaint.starts_with("error: "), "{complaint}");
    }
    let four = four();
    for question in [&["tools", "event"][..], &["call", "event", "search"], &["read", "event", "a://b"]] {
        let (code, complaint) = refused(&four, question);
        assert_eq!(code, Some(2));
        assert!(complaint.contains("no server `event`") && complaint.contains("events, mixed, broken"), "{complaint}");
    }
    let (code, complaint) = refused(&four, &["call", "events", "search", "[1]"]);
    assert!(code == Some(2) && complaint.contains("JSON object"), "{complaint}");
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_run_leaves_no_process_behind() {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    let log = NamedTempFile::new().unwrap();
    let args = json!(["--hang-connect", "--log", log.path().to_str().unwrap()]);
    let config = config(json!({"slow": {"command": BAD, "args": args}}));
    let mut command = command(&config, &["servers"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut server = None;
    let started = within_two_minutes(|| {
        let text = std::fs::read_to_string(log.path()).unwrap();
        // A line that is complete.
        server = text.strip_suffix('\n').map(|line| serde_json::from_str::<Value>(line).unwrap()["start"].clone());
        server.is_some()
    });
    assert!(started, "the server writes its id");
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), Signal::SIGINT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8(output.stderr).unwrap().contains("interrupted"));
    let stat = format!("/proc/{}/stat", server.unwrap());
    assert!(within_two_minutes(|| {
        let stat = std::fs::read_to_string(&stat).unwrap_or_default();
        // The state stands behind the name in parentheses; a zombie is dead, whoever waits for it or does not.
        stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with('Z'))
    }));
}

/// Whether something comes true in a time that is long enough for anything.
#[cfg(target_os = "linux")]
fn within_two_minutes(mut is_so: impl FnMut() -> bool) -> bool {
    (0..12_000).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        is_so()
    })
}

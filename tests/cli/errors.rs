//! Mistakes of the user: each ends with one error that names the thing and the remedy, in words and as an event.

use crate::program::{ECHO, FIXTURE, Ran, Served, events, research};
use crate::quoted;
use crate::scratch::Scratch;

/// Signs that a text was written for programmers: derived `Debug` output, paths of types, several lines.
const DEBUG: &[&str] = &["Some(", "None", "Err(", "Ok(", "Error(", "Error {", " { ", "kind:", "::", "\n", "panicked"];

/// The arguments fail, in words and as an event, with a message that holds all of this.
fn fails(arguments: &[&str], fragments: &[&str]) {
    let run = events(arguments);
    assert_eq!(run.ran.code, Some(1), "{arguments:?}");
    let message = run.message();
    for fragment in fragments {
        assert!(message.contains(fragment), "`{fragment}` is missing: {message}");
    }
    for sign in DEBUG {
        assert!(!message.contains(sign), "`{sign}` in: {message}");
    }
    assert!(run.of("plan").is_empty() && run.of("report_start").is_empty(), "{:?}", run.all);

    let Ran { code, stdout, stderr } = research(arguments);
    assert_eq!((code, stdout.as_str()), (Some(1), ""), "{arguments:?}");
    let told = stderr.lines().filter(|line| line.starts_with("error: ")).count();
    assert_eq!(told, 1, "{stderr}");
    assert!(stderr.ends_with(&format!("error: {message}\n")), "{stderr}");
}

#[test]
fn a_blank_question() {
    fails(&[" \t "], &["question is blank", "ask something"]);
    fails(&[""], &["question is blank"]);
}

#[test]
fn a_file_that_is_not_there_or_no_file() {
    let scratch = Scratch::new();
    let missing = scratch.file("nothing.csv");
    fails(&["--data", &missing], &[&missing, "no such file", "check the path"]);
    let directory = scratch.path().to_str().unwrap();
    fails(&["--data", directory], &[directory, "is a directory", "name a CSV"]);
}

#[test]
fn a_file_that_cannot_be_understood() {
    let scratch = Scratch::new();
    fails(&["--data", &scratch.write("empty.csv", "")], &["`empty` is empty"]);
    fails(&["--data", &scratch.write("image.csv", b"\x89PNG\0\0\0")], &["`image`", "binary"]);
    fails(&["--data", &scratch.write("torn.json", "[{\"a\": 1},\n{\"a\": ")], &["`torn`", "line 2"]);
    fails(&["--data", &scratch.write("torn.jsonl", "{\"a\": 1}\n{\"a\": \n")], &["`torn`", "line 2"]);
}

#[test]
fn malformed_filters() {
    fails(&["--filters", "{\"Wildlife Size\": }"], &["filters", "line 1 column 19"]);
    fails(&["--filters", "{\"Wildlife Size\":\n \"Small\""], &["filters", "line 2 column"]);
    fails(&["--filters", "Wildlife Size=Small"], &["filters", "line 1 column 1"]);
    fails(&["--filters", "[\"Small\"]"], &["filters", "a list"]);
    fails(&["--filters", ""], &["filters", "line 1 column 0"]);
    fails(&["--group-by", " , "], &["--group-by", "--list-fields"]);
}

#[test]
fn an_unknown_model() {
    for model in ["gpt", "nobody:gpt-5", "", "http://"] {
        fails(&["--model", model], &["model", model, "offline"]);
    }
}

#[test]
fn a_model_that_cannot_be_reached() {
    // Nothing listens on the port of the discard service.
    fails(&["--model", "http://127.0.0.1:9/v1"], &["connection to the model failed", "127.0.0.1:9"]);
}

#[test]
fn a_server_that_cannot_start() {
    fails(&["--mcp-command", "no-such-program --x"], &["cannot start `no-such-program`", "PATH"]);
    let crash = format!("{} --crash-at-start", quoted(FIXTURE));
    fails(&["--mcp-command", &crash], &["`fixture_server`", "exit status: 3", "the index is corrupt"]);
    fails(&["--mcp-command", "echo garbage"], &["`echo`", "before the handshake", "speaks MCP"]);
    fails(&["--mcp-command", "  "], &["--mcp-command is blank"]);
    fails(&["--mcp-command", "server 'unclosed"], &["--mcp-command", "quote"]);
}

#[test]
fn a_tool_that_no_server_has() {
    fails(&["--mcp-command", &quoted(FIXTURE), "--tool", "analyse_events"], &["`analyse_events`", "analyze_events"]);
    let listing = ["--mcp-command", &quoted(FIXTURE), "--tool", "other", "--list-fields"];
    fails(&listing, &["`other`", "analyze_events"]);
}

#[test]
fn a_server_that_cannot_be_reached() {
    fails(&["--mcp-url", "localhost:8000"], &["--mcp-url localhost:8000", "http://127.0.0.1:8000/mcp"]);
    // Nothing listens on the port of the discard service.
    fails(&["--mcp-url", "http://127.0.0.1:9/mcp"], &["127.0.0.1:9", "no connection"]);
    let served = Served::start(&[]);
    fails(&["--mcp-url", &format!("{}/elsewhere", served.url)], &["404"]);
    fails(&["--mcp-url", &served.url, "--tool", "analyse_events"], &["`analyse_events`", "analyze_events"]);
}

#[test]
fn a_header_that_is_no_secret_any_more_or_is_not_set() {
    let url = ["--mcp-url", "http://127.0.0.1:9/mcp"];
    let fails = |more: &[&str], fragments: &[&str]| fails(&[&url[..], more].concat(), fragments);
    fails(&["--mcp-header", "X-Key: ${NO_SUCH_KEY}"], &["--mcp-header: the variable `NO_SUCH_KEY` is not set"]);
    fails(&["--mcp-header", "nonsense"], &["--mcp-header", "NAME: ${VARIABLE}"]);
    fails(&["--mcp-bearer-env", "NO_SUCH_TOKEN"], &["--mcp-bearer-env", "`NO_SUCH_TOKEN` is not set"]);
    let ran = research(&[&url[..], &["--mcp-header", "X-Key: s3cret"]].concat());
    assert!(ran.stderr.contains("'X-Key: ${VARIABLE}'") && !ran.stderr.contains("s3cret"), "{}", ran.stderr);
}

#[test]
fn a_file_of_servers_that_cannot_be_used() {
    let scratch = Scratch::new();
    let missing = scratch.file("nothing.json");
    fails(&["--mcp-config", &missing], &[&missing, "no such file", "check the path"]);
    let fails = |text: &str, fragments: &[&str]| {
        let file = scratch.write("mcp.json", text);
        fails(&["--mcp-config", &file], &[&[file.as_str()][..], fragments].concat());
    };
    fails("{\"mcpServers\":", &["no JSON", "line 1 column"]);
    fails("[]", &["mcpServers"]);
    fails(r#"{"mcpServers": {}}"#, &["names none"]);
    fails(r#"{"mcpServers": {"a": {"command": "${NO_SUCH_PROGRAM}"}}}"#, &["`a`", "`NO_SUCH_PROGRAM` is not set"]);
    fails(
        r#"{"mcpServers": {"a": {"url": "http://h/sse", "type": "sse"}, "b": {"command": "b", "disabled": true}}}"#,
        &["`a`", "streamable HTTP", "`b` is switched off"],
    );
}

#[test]
fn a_tool_of_a_dead_server_and_tools_without_data() {
    let scratch = Scratch::new();
    let servers =
        format!(r#"{{"mcpServers": {{"dead": {{"command": "no-such-program"}}, "echo": {{"command": "{ECHO}"}}}}}}"#);
    let file = scratch.write("mcp.json", servers);
    fails(&["--mcp-config", &file, "--tool", "dead/search"], &["dead/search", "`dead` cannot be used", "PATH"]);
    fails(&["--mcp-config", &file, "--tool", "echo/ecko"], &["`echo/ecko`", "did you mean `echo/echo`?"]);
    fails(&["--mcp-config", &file], &["looks like a data tool", "--tool", "echo/echo"]);
}

#[test]
fn a_report_that_could_not_be_written_is_refused_before_the_run() {
    let scratch = Scratch::new();
    let file = scratch.file("missing/report.md");
    fails(&["--report", &file], &[&file, "create its directory"]);
    fails(&["--report", scratch.path().to_str().unwrap()], &["--report", "name a file"]);
}

#[test]
fn a_run_that_fails_leaves_no_report_and_spares_the_one_that_is_there() {
    let scratch = Scratch::new();
    let new = scratch.file("new.md");
    let old = scratch.write("old.md", "the last report");
    for report in [&new, &old] {
        let run = events(&["--report", report, "--filters", r#"{"no": 1}"#]);
        assert_eq!(run.ran.code, Some(1));
    }
    assert!(!std::path::Path::new(&new).exists());
    assert_eq!(std::fs::read_to_string(old).unwrap(), "the last report");
}

#[test]
fn a_wrong_option_is_explained_by_the_command_line_itself() {
    for (arguments, fragment) in [
        (["--max-iterations", "0"].as_slice(), "--max-iterations"),
        (&["--max-iterations", "many"], "--max-iterations"),
        (&["--no-such-option"], "--no-such-option"),
        (&["--data", "a.csv", "--mcp-command", "b"], "cannot be used with"),
        (&["--mcp-url", "http://h", "--mcp-config", "a.json"], "cannot be used with"),
        (&["--mcp-command", "a", "--mcp-url", "http://h"], "cannot be used with"),
        (&["--mcp-header", "A: ${B}"], "--mcp-url"),
    ] {
        let ran = research(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
        assert!(ran.stderr.contains(fragment) && ran.stderr.contains("--help"), "{}", ran.stderr);
    }
}

#[test]
fn an_option_that_may_hold_a_secret_is_not_repeated() {
    const SECRET: &str = "hunter2-hunter2";
    let url = format!("u:{SECRET}@h/x");
    let database = format!("postgres://u:{SECRET}@h/x");
    let with_options = format!("sqlite:runs.db?key={SECRET}");
    let command = format!("server --token {SECRET} 'open");
    let key = format!("sk-{SECRET}-0123456789");
    let model = format!("http://u:{SECRET}@h/v1");
    for (option, value) in [
        ("--db", &database),
        ("--db", &with_options),
        ("--mcp-url", &url),
        ("--mcp-command", &command),
        ("--model", &key),
        ("--model", &model),
    ] {
        let arguments = [option, value.as_str(), "--thread", "t", "Strikes by state"];
        let arguments = if option == "--db" { &arguments[..] } else { &[option, value.as_str(), "Strikes by state"] };
        let Ran { code, stdout, stderr } = research(arguments);
        assert_eq!(code, Some(1), "{option}: {stderr}");
        assert!(stderr.contains("error: "), "{option}: {stderr}");
        assert!(!stderr.contains("hunter2") && !stdout.contains("hunter2"), "{option}: {stderr}");
    }
}

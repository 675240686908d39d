//! Bundles on the command line: a run is exported, and gone through again somewhere else, without its data, to the same bytes.

use research_agents::kernel::Bundle;
use serde_json::Value;

use crate::program::{Ran, Running, SERVER, Served, fixture, research};
use crate::quoted;
use crate::scratch::Scratch;

const CSV: &str =
    "id,colour,size,note\n1,red,3,a small one\n2,blue,5,a larger one\n3,red,8,the largest one\n4,green,1,tiny\n";

fn ended(ran: Ran) -> Ran {
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    ran
}

fn bundle(path: &str) -> Bundle {
    Bundle::from_json(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Replays somewhere else: in another directory, with another home, time zone, language and model in the environment.
fn replayed(path: &str, more: &[&str]) -> Ran {
    let elsewhere = Scratch::new();
    let home = elsewhere.file("home");
    let variables = [
        ("TZ", "Pacific/Kiritimati"),
        ("HOME", home.as_str()),
        ("LANG", "tr_TR.UTF-8"),
        ("LC_ALL", "tr_TR.UTF-8"),
        ("RESEARCH_MODEL", "openai:gpt-5"),
        ("TMPDIR", "/nowhere"),
        ("RUST_LOG", "trace"),
    ];
    let arguments: Vec<&str> = ["--replay", path].iter().chain(more).copied().collect();
    Running::start_with(&arguments, Some(elsewhere.path()), &variables).end()
}

/// Exports a run, and replays it.
fn exported(arguments: &[&str], scratch: &Scratch) -> Bundle {
    let path = scratch.file("run.bundle.json");
    let ran = ended(research(&[arguments, &["--export", &path]].concat()));
    assert!(ran.stderr.contains("exported to") && ran.stderr.contains("byte for byte"), "{}", ran.stderr);
    let bundle = bundle(&path);
    assert!(bundle.replays);
    assert_eq!(bundle.markdown.trim_end(), ran.stdout.trim_end());
    for _ in 0..2 {
        assert_eq!(ended(replayed(&path, &[])).stdout, ran.stdout);
    }
    bundle
}

#[test]
fn a_file_is_not_needed_any_more_and_its_place_is_nowhere_in_the_bundle() {
    let scratch = Scratch::new();
    let data = scratch.write("colours.csv", CSV);
    let run = exported(&["--data", &data, "Colours by size"], &scratch);
    assert_eq!(run.evidence.sources.len(), 4);
    std::fs::remove_file(&data).unwrap();
    let path = scratch.file("run.bundle.json");
    ended(replayed(&path, &[]));
    let text = std::fs::read_to_string(&path).unwrap();
    let place = scratch.path().to_str().unwrap();
    assert!(!text.contains(place), "{}", text.lines().find(|line| line.contains(place)).unwrap());
    let home = std::env::var("HOME").unwrap_or_default();
    let home = home.trim_end_matches('/');
    assert!(home.is_empty() || !text.contains(&format!("{home}/")));
}

#[test]
fn the_shipped_data_replays_in_every_rendering() {
    let scratch = Scratch::new();
    let path = scratch.file("run.bundle.json");
    for name in ["report.html", "report.json", "report.md"] {
        let (first, again) = (scratch.file(name), scratch.file(&format!("again.{name}")));
        if name == "report.html" {
            ended(research(&["--export", &path, "--report", &first]));
        } else {
            ended(replayed(&path, &["--report", &first]));
        }
        ended(replayed(&path, &["--report", &again]));
        assert_eq!(std::fs::read(&first).unwrap(), std::fs::read(&again).unwrap(), "{name}");
    }
    let events = ended(replayed(&path, &["--json"]));
    let last: Value = serde_json::from_str(events.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(last["event"], "run_completed");
}

#[test]
fn servers_over_pipes_and_over_http_are_not_needed_any_more() {
    let scratch = Scratch::new();
    exported(&["--mcp-command", &fixture("--events 120"), "Events by theme"], &scratch);
    let data = scratch.write("colours.csv", CSV);
    exported(&["--mcp-command", &format!("{} {data}", quoted(SERVER)), "Colours by size"], &scratch);
    let served = Served::start(&[&data]);
    let url = served.url.clone();
    let variable = [("KEY", "hunter2-hunter2-hunter2")];
    let path = scratch.file("http.bundle.json");
    let arguments =
        ["--mcp-url", &url, "--mcp-header", "X-Key: ${KEY}", "--export", &path, "Colours by size"].map(str::to_owned);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let ran = ended(Running::start_with(&arguments, None, &variable).end());
    drop(served);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains("hunter2") && !text.contains(&url));
    assert_eq!(ended(replayed(&path, &[])).stdout, ran.stdout);
}

#[test]
#[cfg(target_os = "linux")]
fn a_run_that_was_killed_and_gone_on_with_replays() {
    // Killed as soon as so many calls have reached the server, however long that takes.
    for calls in [1, 2, 3, 5] {
        let scratch = Scratch::new();
        let (db, path) = (format!("sqlite:{}", scratch.file("runs.db")), scratch.file("run.bundle.json"));
        let log = scratch.file("calls.log");
        let server = fixture(&format!("--events 300 --delay-ms 25 --log {log}"));
        let arguments = ["--mcp-command", &server, "--db", &db, "--thread", "t", "--export", &path, "Events by theme"];
        let mut running = Running::start(&arguments, None);
        running.wait_until(|| std::fs::read_to_string(&log).unwrap_or_default().matches('\n').count() >= calls);
        running.kill();
        let ran = ended(research(&arguments));
        assert!(bundle(&path).replays);
        assert_eq!(ended(replayed(&path, &[])).stdout, ran.stdout);
        // The finished thread gives the same bundle again.
        let first = std::fs::read(&path).unwrap();
        ended(research(&arguments));
        assert!(first == std::fs::read(&path).unwrap());
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_run_that_ctrl_c_or_a_budget_has_ended_replays() {
    let scratch = Scratch::new();
    let path = scratch.file("run.bundle.json");
    let server = fixture("--events 5000 --hang-after-first-page");
    let mut running = Running::start(&["--json", "--mcp-command", &server, "--export", &path, "Events by theme"], None);
    running.wait_for(|line| line.contains("\"progress\"") && line.contains(" records read, "));
    running.interrupt();
    ended(running.end());
    let stopped = bundle(&path);
    assert!(stopped.replays && stopped.markdown.contains("the run was stopped"), "{}", stopped.markdown);
    assert_eq!(ended(replayed(&path, &[])).stdout.trim_end(), stopped.markdown.trim_end());
    let limited =
        exported(&["--budget", "calls=9", "--mcp-command", &fixture("--events 300"), "Events by theme"], &scratch);
    assert!(limited.markdown.contains("budget of 9 calls is used up"), "{}", limited.markdown);
}

#[test]
fn a_thread_that_was_begun_without_a_recording_is_refused_before_anything_runs() {
    let scratch = Scratch::new();
    let (db, log) = (format!("sqlite:{}", scratch.file("runs.db")), scratch.file("calls.log"));
    let server = fixture(&format!("--events 40 --log {log}"));
    let arguments = ["--mcp-command", &server, "--db", &db, "--thread", "t", "Events by theme"];
    ended(research(&arguments));
    let calls = std::fs::read_to_string(&log).unwrap();
    let path = scratch.file("run.bundle.json");
    let ran = research(&[&arguments, &["--export", &path][..]].concat());
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("without a recording") && ran.stderr.contains("another thread"), "{}", ran.stderr);
    assert!(!std::path::Path::new(&path).exists());
    assert_eq!(std::fs::read_to_string(&log).unwrap(), calls);
}

/// The program must refuse to replay this text, and say so.
fn refused(scratch: &Scratch, text: impl AsRef<[u8]>, said: &[&str]) {
    let path = scratch.write("odd.json", text);
    let ran = replayed(&path, &[]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{}", ran.stderr);
    for words in said {
        assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
    }
}

#[test]
fn what_is_no_bundle_is_told_with_a_remedy() {
    let scratch = Scratch::new();
    let data = scratch.write("colours.csv", CSV);
    let whole = exported(&["--data", &data, "Colours by size"], &scratch).to_json().unwrap();
    refused(&scratch, "", &["no bundle", "--export"]);
    refused(&scratch, CSV, &["no bundle", "--export"]);
    refused(&scratch, "[1]", &["no bundle"]);
    refused(&scratch, "{\"a\": 1}", &["no bundle", "`version`"]);
    refused(&scratch, whole.replacen("\"version\": 1", "\"version\": 9", 1), &["form 9", "reads form 1"]);
    refused(&scratch, &whole[..whole.len() / 2], &["damaged", "line"]);
    refused(&scratch, whole.replacen("\"replays\": true", "\"replays\": 3", 1), &["damaged", "replays"]);
    refused(&scratch, whole.replacen("\"system\": \"dataset\"", "\"system\": \"deep\"", 1), &["system `deep`"]);
    let other = whole.replace("\"what\":\"tool ", "\"what\":\"tool-");
    refused(&scratch, other, &["another way than the recording", "tool "]);
    let missing = replayed(&scratch.file("nowhere.json"), &[]);
    assert!(missing.code == Some(1) && missing.stderr.contains("nowhere.json"), "{}", missing.stderr);
}

#[test]
fn what_does_not_go_together_is_told() {
    let scratch = Scratch::new();
    let path = scratch.file("run.bundle.json");
    for more in
        [&["--data", "x.csv"][..], &["--model", "offline"], &["--tool", "t"], &["a question"], &["--export", "x"]]
    {
        let ran = replayed(&path, more);
        assert_eq!(ran.code, Some(2), "{more:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("cannot be used with"), "{}", ran.stderr);
    }
    let ran = research(&["--export", &scratch.file("no/such/directory.json")]);
    assert!(ran.code == Some(1) && ran.stderr.contains("create its directory"), "{}", ran.stderr);
}

//! Research Studio as a user runs it: the program as a real process, killed and resumed, and its quotes read by another reader.

use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use nix::sys::signal::{self, Signal};
use nix::unistd::Pid;

/// Reads every quote of a report again with the HTML reader of Python: the words of a quote stand in its file in this order.
const READER: &str = r#"
import html.parser, json, re, sys
class Text(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.parts, self.silent = [], 0
    def handle_starttag(self, tag, attributes):
        self.silent += tag in ("script", "style")
    def handle_endtag(self, tag):
        self.silent -= tag in ("script", "style")
    def handle_data(self, data):
        if not self.silent:
            self.parts.append(data)
def words(text):
    return re.sub(r"[\W_]+", "", text)
root, report = sys.argv[1], json.load(open(sys.argv[2]))
read = 0
def walk(node):
    global read
    if isinstance(node, dict):
        if "text" in node and "source" in node and node.get("type", node.get("kind")) == "says":
            check(node)
        for inner in node.values():
            walk(inner)
    elif isinstance(node, list):
        for inner in node:
            walk(inner)
sources = {source["id"]: source for source in report["sources"]}
def check(claim):
    global read
    source = sources[claim["source"]]
    path = f"{root}/{source['tool']}/{source['record'].rsplit(':', 1)[0]}"
    reader = Text()
    reader.feed(open(path).read())
    assert words(claim["text"]) in words("".join(reader.parts)), claim
    read += 1
walk(report["sections"])
print(read)
"#;

const QUESTION: &str = "Which version of SQLite added upserts? What is the default page size?";

fn data() -> String {
    format!("{}/../examples/data/studio", env!("CARGO_MANIFEST_DIR"))
}

fn studio(directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_studio_research"));
    command.current_dir(directory).env_remove("RESEARCH_MODEL").stdin(Stdio::null());
    command
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn verify(directory: &Path, bundle: &str) -> Output {
    let mut verify = Command::new(env!("CARGO_BIN_EXE_verify_report"));
    verify.arg(bundle).current_dir(directory).output().unwrap()
}

/// Checks that a bundle holds, and that its replay gives the report.
#[track_caller]
fn assert_proves(directory: &Path, bundle: &str, report: &str) {
    let verified = text(&verify(directory, bundle));
    assert!(verified.contains("Everything holds"), "{verified}");
    let again = text(&studio(directory).args(["--replay", bundle]).output().unwrap());
    assert_eq!(again, report);
}

#[test]
fn the_shipped_documents_show_every_part_of_a_report() {
    let directory = tempfile::tempdir().unwrap();
    let report = text(&studio(directory.path()).args(["--report", "r.html"]).output().unwrap());

    for part in [
        "No language model was used",
        "## Answer",
        "✓✓",
        "## Sources disagree",
        "281 terabytes",
        "1.4e+14 bytes",
        "## Not found",
        "## Not read",
        "images/nocopy.gif: no reader knows its format",
        "### Quality",
        "## Sources",
    ] {
        assert!(report.contains(part), "{part} is missing in\n{report}");
    }
    let page = fs::read_to_string(directory.path().join("r.html")).unwrap();
    assert!(page.contains("class=\"mark\"") && !page.contains("<script"), "{page}");
}

#[test]
fn a_bundle_is_verified_and_replayed() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let report = text(&studio(directory).args(["--export", "run.json", QUESTION]).output().unwrap());

    assert_proves(directory, "run.json", &report);
    let bundle = fs::read_to_string(directory.join("run.json")).unwrap();
    fs::write(directory.join("changed.json"), bundle.replacen("4096 bytes", "8192 bytes", 1)).unwrap();
    assert_eq!(verify(directory, "changed.json").status.code(), Some(1));
}

#[test]
fn a_bundle_of_documents_of_an_mcp_server_is_verified_and_replayed() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let server = format!("{} manual={}/sqlite", env!("CARGO_BIN_EXE_corpus_server"), data());
    let mut command = studio(directory);
    command.args(["--mcp-command", &server, "--search", "mcp:manual", "--export", "run.json", QUESTION]);
    let report = text(&command.output().unwrap());
    assert!(report.contains("4096 bytes") && report.contains("3.24.0"), "{report}");
    assert_proves(directory, "run.json", &report);

    let bundle = fs::read_to_string(directory.join("run.json")).unwrap();
    let mut bundle: serde_json::Value = serde_json::from_str(&bundle).unwrap();
    let documents = bundle["evidence"]["passages"]["documents"].as_array_mut().unwrap();
    let named = documents[0]["origin"]["site"].take();
    assert_eq!(named, "manual");
    documents[0]["origin"]["site"] = "another".into();
    fs::write(directory.join("changed.json"), bundle.to_string()).unwrap();
    let changed = verify(directory, "changed.json");
    assert_eq!(changed.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&changed.stdout).contains("no recorded answer has this document"));
}

#[test]
fn a_plan_waits_for_its_approval() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let thread = ["--thread", "a", "--db", "sqlite:runs.db", "--approve"];

    let waits = studio(directory).args(thread).arg(QUESTION).output().unwrap();
    assert_eq!(waits.status.code(), Some(3), "{}", String::from_utf8_lossy(&waits.stderr));
    assert!(String::from_utf8_lossy(&waits.stderr).contains("q2. What is the default page size?"));
    let edited = studio(directory).args(thread).args(["--answer", "What is the default page size?"]).output();
    let report = text(&edited.unwrap());
    assert!(report.contains("4096 bytes") && !report.contains("3.24.0"), "{report}");
}

#[test]
fn a_killed_run_ends_with_the_same_report() {
    let rounds: u64 = std::env::var("STUDIO_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(6);
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let run = |thread: &str| {
        let mut command = studio(directory);
        command.args(["--thread", thread, "--db", "sqlite:runs.db", QUESTION]);
        command
    };
    let whole = text(&run("whole").output().unwrap());

    for round in 0..rounds {
        let thread = format!("t{round}");
        let mut child = run(&thread).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(100 + fastrand::u64(0..900)));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(text(&run(&thread).output().unwrap()), whole, "round {round}");
    }
}

#[test]
fn ctrl_c_ends_a_run_whose_source_never_answers_with_a_report() {
    let directory = tempfile::tempdir().unwrap();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", silent.local_addr().unwrap());
    let (sender, asked) = mpsc::channel();
    std::thread::spawn(move || {
        let held: Vec<_> = silent.incoming().map(|connection| sender.send(()).map(|()| connection)).collect();
        drop(held);
    });

    let mut command = studio(directory.path());
    command.args(["--search", &address, "What is the default page size?"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    asked.recv().unwrap();
    signal::kill(Pid::from_raw(child.id().try_into().unwrap()), Signal::SIGINT).unwrap();

    let report = text(&child.wait_with_output().unwrap());
    assert!(report.contains("The research ended early"), "{report}");
    assert!(report.contains("Not researched: “What is the default page size?”"), "{report}");
}

#[test]
fn another_reader_finds_every_quote_in_its_file() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    text(&studio(directory).args(["--report", "r.json"]).output().unwrap());

    let script = directory.join("reader.py");
    fs::File::create(&script).unwrap().write_all(READER.as_bytes()).unwrap();
    let Ok(read) = Command::new("python3").arg(&script).arg(data()).arg("r.json").current_dir(directory).output()
    else {
        eprintln!("SKIPPED: there is no python3, so that no other reader looks at the quotes");
        return;
    };
    let quotes: u32 = text(&read).trim().parse().unwrap();
    assert!(quotes >= 4, "{quotes}");
}

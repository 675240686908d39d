//! The program of the survey as a real process: killed in the middle, and resumed by another.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use crate::texts::{QUESTION, UNCLEAR};

fn program(directory: &Path) -> Command {
    program_on("t", directory)
}

fn program_on(thread: &str, directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_survey_system"));
    command.args(["--db", "survey.db", "--thread", thread, "--log", "read.log"]).current_dir(directory);
    command
}

fn read(directory: &Path) -> Vec<String> {
    let log = fs::read_to_string(directory.join("read.log")).unwrap_or_default();
    log.lines().map(str::to_owned).collect()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn a_killed_run_resumes_and_reads_no_text_twice_that_was_recorded() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let whole = text(&program_on("whole", directory).arg(QUESTION).output().unwrap());
    fs::remove_file(directory.join("read.log")).unwrap();

    let mut child = program(directory).args(["--delay", "300", QUESTION]).spawn().unwrap();
    while read(directory).len() < 2 {
        assert!(child.try_wait().unwrap().is_none(), "the run ended before it was killed");
        std::thread::sleep(Duration::from_millis(5));
    }
    // The step of both texts is written while the next two are read.
    std::thread::sleep(Duration::from_millis(150));
    child.kill().unwrap();
    child.wait().unwrap();

    let resumed = text(&program(directory).arg(QUESTION).output().unwrap());
    assert_eq!(resumed, whole);
    let mut read = read(directory);
    read.sort();
    assert_eq!(read, ["t1", "t2", "t3", "t4"]);
}

#[test]
fn a_question_waits_in_the_file_and_a_bundle_is_verified_and_replayed() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();

    let asked = program(directory).args(["--export", "run.json", UNCLEAR]).output().unwrap();
    assert!(!asked.status.success());
    assert!(String::from_utf8_lossy(&asked.stderr).contains("Which words count?"));
    let answered = text(&program(directory).args(["--export", "run.json", "--answer", "1"]).output().unwrap());
    assert!(answered.contains("The word clover is in 3 of 4 texts"), "{answered}");

    let other = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_survey_system"));
        text(&command.args(arguments).current_dir(directory).output().unwrap())
    };
    assert_eq!(other(&["--verify", "run.json"]), "everything holds\n");
    assert_eq!(other(&["--replay", "run.json"]), answered);
}

//! A process that was killed while the user was asked; another goes on with the answer.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::Logged;

fn program(server: &Logged, command: &str, era: &str) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_asking_run"));
    program.args([command, &server.path("trip.db"), env!("CARGO_BIN_EXE_asking_server"), &server.log(), era]);
    program.stdin(Stdio::null()).stdout(Stdio::piped());
    program
}

#[test]
fn a_run_that_was_killed_while_it_waited_goes_on_with_the_answer() {
    for era in ["old", "new"] {
        let server = Logged::new();
        let mut child = program(&server, "ask", era).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let asked: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(asked["complete"], false);
        assert_eq!(asked["questions"][0]["payload"]["elicitation"]["message"], "Which seat?", "{era}");
        assert_eq!(server.calls(), ["note", "book"], "{era}");
        kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), Signal::SIGKILL).unwrap();
        assert!(!child.wait().unwrap().success());

        let answer = json!({"accept": {"seat": "12A"}}).to_string();
        let output = program(&server, "answer", era).arg(answer).output().unwrap();
        let done: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&done["complete"], &done["state"]["note"]), (&json!(true), &json!("done")), "{era}: {done}");
        let ticket: Value = serde_json::from_str(done["state"]["ticket"].as_str().unwrap()).unwrap();
        assert_eq!(ticket["seat"]["content"]["seat"], "12A", "{era}");
        assert_eq!(server.calls(), ["note", "book", "book"], "{era}: what had ended is not called again");
        let ends = server
            .lines()
            .iter()
            .filter(|line| line["done"] == "book" && line["answers"]["seat"]["action"] == "accept")
            .count();
        assert_eq!(ends, 1, "{era}");
    }
}

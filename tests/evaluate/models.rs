//! Models: one that fails, one that cannot be reached, and Ctrl-C in the middle.

use research_llm::testing::{Answer, FakeServer, Received};
use serde_json::json;

use crate::program::{Scratch, command, ran, run};

/// Runs the program without blocking the server of the test.
async fn run_beside(arguments: &[&str]) -> crate::program::Ran {
    let mut command = tokio::process::Command::from(command(arguments));
    ran(command.output().await.unwrap())
}

#[tokio::test]
async fn a_case_that_fails_is_told_and_the_others_are_run() {
    let server = FakeServer::start().await.unwrap();
    server.otherwise(|received: &Received| {
        let (status, message) = match received.path.ends_with("/chat/completions") {
            true => (400, "the model is not loaded"),
            false => (404, "no such path"),
        };
        Answer::json(status, &json!({"error": {"message": message}}))
    });
    let scratch = Scratch::new();
    let (model, file) = (format!("{}/v1", server.url()), scratch.path("r.json"));
    let ran = run_beside(&["--model", &model, "--tag", "small", "--json", &file]).await;
    assert_eq!(ran.code, Some(1), "{}\n{}", ran.stdout, ran.stderr);
    let results = scratch.json("r.json");
    let cases = results["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 5, "{results}");
    for case in cases {
        assert!(case["error"].as_str().unwrap().contains("the model is not loaded"), "{case}");
        assert_eq!((&case["passed"], &case["measures"]["success_rate"]["sum"]), (&json!(false), &json!(0.0)), "{case}");
    }
    assert!(ran.stdout.contains("ERROR") && ran.stdout.contains("0 of 5 cases are right"), "{}", ran.stdout);
}

#[test]
fn a_model_that_is_none_is_told() {
    let ran = run(&["--model", "nobody:nothing", "--case", "single/*"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{}", ran.stderr);
    assert!(ran.stderr.contains("nobody"), "{}", ran.stderr);
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_gives_the_table_so_far() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::Stdio;

    let mut child = command(&["--parallel", "1"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().starts_with("1/")), "the first case ended");
    let id = nix::unistd::Pid::from_raw(i32::try_from(child.id()).unwrap());
    nix::sys::signal::kill(id, nix::sys::signal::Signal::SIGINT).unwrap();
    let mut stdout = String::new();
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{stdout}");
    assert!(stdout.contains("strikes/approach-120-by-size") && stdout.contains("stopped after"), "{stdout}");
}

//! Misuse: a message that says what is wrong, and an exit code.

use std::fs;

use crate::program::{Ended, Scene, program};

#[test]
fn without_a_database_the_usage_is_shown() {
    let ended = Ended::from(program().output().unwrap());
    assert_eq!(ended.status, Some(2));
    assert!(ended.stderr.contains("--db <URL>"), "{ended:?}");
}

#[test]
fn the_help_has_examples_and_says_what_each_durability_costs() {
    let ended = Ended::from(program().arg("--help").output().unwrap());
    assert_eq!(ended.status, Some(0));
    for part in ["durable_fanout --db sqlite:fan.db", "a kill loses the run", "[default: sync]"] {
        assert!(ended.stdout.contains(part), "{part}: {}", ended.stdout);
    }
}

#[test]
fn a_database_that_is_none_is_refused() {
    let scene = Scene::new(1, 1, 1, "sync");
    let text = scene.path("notes.txt");
    fs::write(&text, "this is no database, and long enough to be looked at as if it were one\n".repeat(20)).unwrap();
    let missing = scene.path("missing").join("fan.db");
    for (url, complaint) in [
        ("postgres://localhost/fan".to_string(), "is no URL of an SQLite file; write `sqlite:PATH`"),
        (format!("sqlite:{}", text.display()), "no SQLite database"),
        (format!("sqlite:{}", missing.display()), "does not exist; create it first"),
    ] {
        let ended = scene.finish_with("t", &["--db", &url]);
        assert_eq!((ended.status, &*ended.stdout), (Some(1), ""), "{ended:?}");
        let message = format!("error: the database `{url}` cannot be opened: ");
        assert!(ended.stderr.starts_with(&message) && ended.stderr.contains(complaint), "{ended:?}");
    }
}

#[test]
fn a_log_that_cannot_be_written_is_refused() {
    let scene = Scene::new(1, 1, 1, "sync");
    let log = scene.path("missing").join("fan.log");
    let ended = scene.finish_with("t", &["--log", &log.display().to_string()]);
    assert_eq!((ended.status, &*ended.stdout), (Some(1), ""), "{ended:?}");
    let message = format!("error: the log file `{}` cannot be written: ", log.display());
    assert!(ended.stderr.starts_with(&message), "{ended:?}");
}

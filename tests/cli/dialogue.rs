//! Conversations over the command line: questions to the user, questions that follow on, killed with `kill -9` in between.
#![cfg(target_os = "linux")]

use std::time::Instant;

use crate::program::{Ran, Running, fixture, research};
use crate::scratch::Scratch;
use crate::threads::Kills;
use crate::turns::rounds;

/// `Washington` is a state and an airport in it.
const TABLE: &str = "Strike,State,Airport,Size\nS1,Ohio,Dayton,Large\nS2,Texas,Washington,Small\nS3,Washington,Seattle,Small\n\
    S4,Texas,Dulles,Large\nS5,Ohio,Washington,Small\nS6,Washington,Seattle,Large\nS7,Texas,Washington,Large\n";
const UNCLEAR: &str = "Strikes in Washington by size";
/// Exit status of a run that waits for an answer.
const WAITS: Option<i32> = Some(3);

struct Scene {
    scratch: Scratch,
    data: String,
    db: String,
}

impl Scene {
    fn new() -> Self {
        let scratch = Scratch::new();
        let (data, db) = (scratch.write("strikes.csv", TABLE), format!("sqlite:{}", scratch.file("runs.db")));
        Self { scratch, data, db }
    }

    fn arguments<'a>(&'a self, more: &[&'a str]) -> Vec<&'a str> {
        [&["--data", &self.data, "--db", &self.db, "--thread", "t"], more].concat()
    }

    fn ask(&self, more: &[&str]) -> Ran {
        research(&self.arguments(more))
    }
}

#[test]
fn a_program_is_not_asked_unless_it_wants_to_be() {
    let scene = Scene::new();
    let ran = research(&["--data", &scene.data, UNCLEAR]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("it was taken as State = Washington; it could also mean Airport = Washington."));
    let never = research(&["--data", &scene.data, "--clarify", "never", UNCLEAR]);
    assert!(never.code == Some(0) && !never.stdout.contains("taken as"), "{}", never.stdout);
    // Without a thread nothing could bring the answer.
    let nobody = research(&["--data", &scene.data, "--clarify", "ask", UNCLEAR]);
    assert!(nobody.code == Some(0) && nobody.stdout.contains("it was taken as"), "{}", nobody.stderr);
}

#[test]
fn a_run_that_asks_ends_and_goes_on_with_the_answer() {
    let scene = Scene::new();
    let asked = scene.ask(&["--clarify", "ask", UNCLEAR]);
    assert_eq!((asked.code, asked.stdout.as_str()), (WAITS, ""), "{}", asked.stderr);
    for line in ["Which one is meant?", "1. State = Washington", "2. Airport = Washington", "--answer"] {
        assert!(asked.stderr.contains(line), "{line}: {}", asked.stderr);
    }
    let again = scene.ask(&[UNCLEAR]);
    assert_eq!(again.code, WAITS, "it waits for as long as it takes: {}", again.stderr);
    let ran = scene.ask(&["--answer", "2"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("Understood as: Airport = Washington.") && ran.stdout.contains("3 of 3 records read"));
    assert_eq!(scene.ask(&[UNCLEAR]).stdout, ran.stdout, "the same question gives its report");
}

#[test]
fn a_run_that_was_killed_with_its_question_open_takes_the_answer() {
    let scene = Scene::new();
    let mut running = Running::start(&scene.arguments(&["--clarify", "ask", "--json", UNCLEAR]), None);
    running.wait_for(|line| line.contains("\"clarification_required\""));
    running.kill();
    let ran = scene.ask(&["--answer", "the airport"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("Understood as: Airport = Washington."), "{}", ran.stdout);
}

#[test]
fn a_follow_up_keeps_the_filters_and_says_so() {
    let scene = Scene::new();
    assert_eq!(scene.ask(&["Large strikes by state"]).code, Some(0));
    let ran = scene.ask(&["and by airport?"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let understood = "Understood as: records where Size = Large, by Airport, following on “Large strikes by state”.";
    assert!(ran.stdout.contains(understood) && ran.stdout.contains("4 of 4 records read"), "{}", ran.stdout);
    assert!(ran.stderr.contains("turn 2 after “Large strikes by state”"), "{}", ran.stderr);
    assert!(ran.stderr.contains("“Large strikes by state” before gives Size = Large"), "{}", ran.stderr);
    let events = crate::events::Events::new(scene.ask(&["--json", "only in Texas"]));
    assert_eq!(events.one("follow_up")["turn"], 3);
    assert!(events.report().contains("2 of 2 records read"), "{}", events.report());
}

#[test]
fn a_second_turn_that_is_killed_ends_with_the_same_report() {
    let server = fixture("--events 300 --delay-ms 25");
    let scene = || {
        let scene = Scene::new();
        let db = scene.db.clone();
        let arguments = |question: &'static str| {
            ["--mcp-command", &server, "--db", &db, "--thread", "t", question].map(str::to_owned).to_vec()
        };
        let start = |question| {
            let arguments = arguments(question);
            Running::start(&arguments.iter().map(String::as_str).collect::<Vec<_>>(), None)
        };
        let first = start("Events in India by theme").end();
        assert_eq!(first.code, Some(0), "{}", first.stderr);
        let folder = scene.scratch;
        (folder, db)
    };
    let follow = |db: &str| {
        let arguments = ["--mcp-command", &server, "--db", db, "--thread", "t", "and by city?"];
        Running::start(&arguments, None)
    };
    let (_folder, db) = scene();
    let start = Instant::now();
    let whole = follow(&db).end();
    let ms = u64::try_from(start.elapsed().as_millis()).unwrap().max(1);
    assert_eq!(whole.code, Some(0), "{}", whole.stderr);
    assert!(whole.stdout.contains("following on “Events in India by theme”"), "{}", whole.stdout);
    let (wanted, mut pauses, mut kills) = (rounds(8), Kills::new("dialogue", ms), 0);
    while kills < wanted {
        let (_folder, db) = scene();
        for _ in 0..4 {
            let running = follow(&db);
            std::thread::sleep(pauses.pause());
            let killed = running.kill();
            pauses.came(killed);
            kills += u32::from(killed);
        }
        let ran = follow(&db).end();
        assert_eq!((ran.code, &ran.stdout), (Some(0), &whole.stdout), "{}", ran.stderr);
    }
    println!("{kills} kills in the second turn");
}

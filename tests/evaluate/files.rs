//! Files: those that cannot be used are errors with a remedy, cases of the user's own, and the data that is generated.

use serde_json::json;

use crate::program::{Scratch, baseline, folder, run};

/// One case is enough where the work is not what is tested.
const ONE: [&str; 2] = ["--case", "single/bridge"];

#[test]
fn a_baseline_that_cannot_be_used_is_told_before_the_work() {
    let scratch = Scratch::new();
    let text = std::fs::read_to_string(baseline()).unwrap();
    let cut = scratch.file("cut.json", &text[..text.len() / 2]);
    let other = scratch.file("other.json", &text.replacen("\"form\": 1", "\"form\": 7", 1));
    let foreign = scratch.file("foreign.json", "{\"cases\": 3}");
    let missing = scratch.path("missing.json");
    for (file, reason) in [
        (&cut, "is no baseline of this program: EOF"),
        (&other, "it has form 7, and this program reads form 1; write one with --write-baseline"),
        (&foreign, "is no baseline of this program"),
        (&missing, "No such file or directory (os error 2); check the path"),
    ] {
        let ran = run(&[&ONE[..], &["--baseline", file]].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{}", ran.stderr);
        assert!(ran.stderr.contains(reason) && ran.stderr.contains(file.as_str()), "{}", ran.stderr);
        assert!(!ran.stderr.contains("1/1"), "no case was run: {}", ran.stderr);
    }
}

#[test]
fn a_baseline_of_other_cases_says_nothing() {
    let scratch = Scratch::new();
    let file = scratch.path("b.json");
    assert_eq!(run(&["--case", "single/traffic", "--write-baseline", &file]).code, Some(0));
    let ran = run(&[&ONE[..], &["--baseline", &file]].concat());
    assert_eq!(ran.code, Some(2), "{}", ran.stdout);
    assert!(ran.stderr.contains("it has no case of this run"), "{}", ran.stderr);
}

#[test]
fn a_case_that_was_changed_is_not_compared() {
    let scratch = Scratch::new();
    let both = ["--case", "single/*"];
    run(&[&both[..], &["--write-baseline", &scratch.path("b.json")]].concat());
    let mut changed = scratch.json("b.json");
    changed["cases"][0]["fingerprint"] = json!("another");
    let file = scratch.file("changed.json", &changed.to_string());
    let ran = run(&[&both[..], &["--baseline", &file]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let note = "note: not compared, another question or answer than in the baseline: single/bridge";
    assert!(ran.stdout.contains(note) && ran.stdout.contains("Compared over 1 cases"), "{}", ran.stdout);
}

#[test]
fn cases_of_the_users_own_are_held_against_their_data() {
    let scratch = Scratch::new();
    scratch.file("trees.csv", "id,tree,height\na,Oak,12\nb,Oak,9\nc,Elm,7\n");
    let case = |n: u32, field: &str| {
        let case = json!({
            "id": "trees/by-kind",
            "question": "How many are there of each tree?",
            "tags": ["mine"],
            "expect": {"records": 3, "counts": [{"field": field, "value": "Oak", "n": n}]}
        });
        json!({"data": {"file": "trees.csv", "id": "id"}, "cases": [case]}).to_string()
    };
    let evaluate = || run(&["--cases", &scratch.path("."), "--tag", "mine"]);
    scratch.file("trees.json", &case(2, "tree"));
    let ran = evaluate();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("1 of 1 cases are right in everything"), "{}", ran.stdout);
    for (text, problem) in [
        (case(3, "tree"), "tree = \"Oak\": the case says 3, the data has 2; correct the case"),
        (case(2, "kind"), "the data has no field `kind`"),
        ("{}".to_owned(), "is not a file of cases: missing field `data`"),
        (case(2, "tree").replace("trees.csv", "../trees.csv"), "it must be the name of a file, without a folder"),
    ] {
        scratch.file("trees.json", &text);
        let ran = evaluate();
        assert_eq!(ran.code, Some(2), "{}", ran.stdout);
        assert!(ran.stderr.contains(problem), "no `{problem}` in {}", ran.stderr);
    }
}

#[test]
fn the_generated_data_is_the_committed_data() {
    let scratch = Scratch::new();
    assert_eq!(run(&["--write-data", &scratch.path(".")]).code, Some(0));
    for name in ["pumps.csv", "events.json", "voyages.csv"] {
        let committed = std::fs::read_to_string(folder().join("data").join(name)).unwrap();
        assert!(scratch.read(name) == committed, "{name} differs; write it again with --write-data");
    }
}

#[test]
fn the_list_names_every_case_and_no_other_is_accepted() {
    let ran = run(&["--list"]);
    assert_eq!(ran.code, Some(0));
    for part in
        ["strikes/approach-120-by-size (birdstrikes.csv; 10000 records;", "nothing/by-colour (nothing.csv; 0 records;"]
    {
        assert!(ran.stdout.contains(part), "no `{part}` in {}", ran.stdout);
    }
    let ran = run(&["--case", "strikes/no-such"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("--list shows all") && ran.stderr.contains("unanswerable"), "{}", ran.stderr);
}

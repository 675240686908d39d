//! Questions of strangers: a worse answer is noticed, a sample is the same every time, and case files that cannot be are refused.

use serde_json::json;

use crate::program::{Scratch, run};

/// A sample of the questions that come with the program.
const SAMPLE: [&str; 6] = ["--tag", "question", "--sample", "12", "--seed", "spoiled"];

#[test]
fn a_report_that_says_the_opposite_is_worse() {
    let scratch = Scratch::new();
    let (before, after) = (scratch.path("before.json"), scratch.path("after.json"));
    assert_eq!(run(&[&SAMPLE[..], &["--write-baseline", &before]].concat()).code, Some(0));

    let spoiled = ["--spoil", "report", "--baseline", &before, "--json", &after];
    let ran = run(&[&SAMPLE[..], &spoiled].concat());

    assert_eq!(ran.code, Some(1), "{}", ran.stdout);
    let totals = |name: &str, metric: &str| {
        let measure = &scratch.json(name)["totals"][metric];
        measure["sum"].as_f64().unwrap() / measure["of"].as_f64().unwrap()
    };
    for share in ["answered", "answered_first", "first_numbers"] {
        let (before, after) = (totals("before.json", share), totals("after.json", share));
        assert!(before > 0.0 && after < before, "{share}: {before} and then {after}\n{}", ran.stdout);
        assert!(ran.stdout.contains("worse: "), "{}", ran.stdout);
    }
    let (before, after) = (totals("before.json", "overconfident"), totals("after.json", "overconfident"));
    assert!(after > before, "overconfident: {before} and then {after}");
}

#[test]
fn a_sample_follows_from_its_seed() {
    let list = |seed: &str| run(&["--list", "--sample", "7", "--seed", seed]).stdout;
    let one = list("a");

    assert_eq!(one.lines().filter(|line| !line.starts_with(' ')).count(), 7, "{one}");
    assert_eq!(one, list("a"));
    assert_ne!(one, list("b"));
}

#[test]
fn a_question_about_a_field_that_is_not_there_is_refused() {
    let scratch = Scratch::new();
    scratch.file("trees.csv", "tree,height\nOak,12\nElm,7\n");
    let question = |field: &str| {
        let question = json!({
            "id": "trees/height",
            "class": "measure-total",
            "question": "How high are the trees on average?",
            "truth": {"answer": "d.height.mean()"},
            "expect": {"kind": "number", "number": 9.5, "records": 2, "measure": {"function": "mean", "field": field}}
        });
        json!({"data": {"file": "trees.csv"}, "questions": [question]}).to_string()
    };
    let list = || run(&["--list", "--cases", &scratch.path(".")]);

    scratch.file("trees.json", &question("height"));
    assert_eq!(list().code, Some(0));
    scratch.file("trees.json", &question("width"));
    let ran = list();

    assert_eq!(ran.code, Some(2), "{}", ran.stdout);
    assert!(ran.stderr.contains("the data has no field `width`"), "{}", ran.stderr);
}

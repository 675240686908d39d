//! Against the committed baseline: the model that computes is as good as it was, and a worse agent is noticed.

use serde_json::json;

use crate::program::{Scratch, baseline, run};

#[test]
fn the_model_that_computes_is_not_worse_than_its_baseline() {
    let scratch = Scratch::new();
    let (json, markdown) = (scratch.path("results.json"), scratch.path("results.md"));
    let ran = run(&["--baseline", &baseline(), "--json", &json, "--markdown", &markdown]);
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("nothing is worse") && !ran.stdout.contains("not compared"), "{}", ran.stdout);

    let results = scratch.json("results.json");
    let cases = results["cases"].as_array().unwrap();
    assert!(cases.len() >= 20, "{}", cases.len());
    assert!(cases.iter().all(|case| case["error"].is_null()), "{}", ran.stdout);
    // Whatever the model is, what code checks is true.
    for metric in ["count_accuracy", "number_support", "citation_validity_rate"] {
        let measure = &results["totals"][metric];
        assert_eq!(measure["sum"], measure["of"], "{metric}: {}", ran.stdout);
        assert!(measure["of"].as_f64().unwrap() > 100.0, "{metric}: {measure}");
    }
    let page = scratch.read("results.md");
    for part in ["# Evaluation", "| metric | value | of |", "## Cases", "nothing is worse"] {
        assert!(page.contains(part), "no `{part}` in {page}");
    }
}

#[test]
fn results_do_not_depend_on_how_many_cases_run_at_once() {
    let scratch = Scratch::new();
    let write = |name: &str, parallel: &str| {
        let file = scratch.path(name);
        let ran =
            run(&["--case", "reviews/*", "--case", "single/*", "--parallel", parallel, "--write-baseline", &file]);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        scratch.read(name)
    };
    let one = write("one.json", "1");
    assert_eq!(one, write("many.json", "7"));
    assert!(!one.contains("avg_duration"), "time differs from run to run");
}

#[test]
fn a_model_whose_findings_are_lost_is_worse() {
    let ran = run(&["--baseline", &baseline(), "--case", "reviews/*", "--spoil", "findings"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stdout);
    assert!(ran.stdout.contains("WORSE than the baseline"), "{}", ran.stdout);
    assert!(ran.stdout.contains("worse: reviews/faults-of-the-kettle was right and is not"), "{}", ran.stdout);
    // One of the two is told all the same: contradictions are found in the records, whatever was drawn from these.
    for metric in ["planted facts drawn: 0.000 was", "planted facts reported: 0.500 was"] {
        assert!(ran.stdout.contains(&format!("worse: {metric}")), "no `{metric}` in {}", ran.stdout);
    }
}

#[test]
fn a_model_that_changes_numbers_is_worse_and_its_numbers_are_not_printed() {
    let scratch = Scratch::new();
    let json = scratch.path("results.json");
    let arguments = ["--baseline", &baseline(), "--case", "reviews/*", "--spoil", "numbers", "--json", &json];
    let ran = run(&arguments);
    assert_eq!(ran.code, Some(1), "{}", ran.stdout);
    assert!(ran.stdout.contains("worse: sentences withheld:"), "{}", ran.stdout);
    let totals = &scratch.json("results.json")["totals"];
    // The answer is computed without the model.
    assert_eq!(totals["counts_told"]["sum"], totals["counts_told"]["of"], "{totals}");
    assert!(totals["withheld_sentences"]["sum"].as_f64().unwrap() > 10.0, "{totals}");
    assert_eq!(totals["number_support"]["sum"], totals["number_support"]["of"], "{totals}");
}

#[test]
fn a_drop_within_the_tolerance_is_none() {
    let scratch = Scratch::new();
    let case = ["--case", "reviews/by-product"];
    run(&[&case[..], &["--write-baseline", &scratch.path("b.json")]].concat());
    let mut better = scratch.json("b.json");
    let told = &mut better["cases"][0]["measures"]["counts_told"];
    let sum = told["sum"].as_f64().unwrap();
    *told = json!({"sum": sum + 0.05, "of": told["of"]});
    let file = scratch.file("better.json", &better.to_string());
    let against = |tolerance: &str| run(&[&case[..], &["--baseline", &file, "--tolerance", tolerance]].concat()).code;
    assert_eq!((against("0.02"), against("0.01")), (Some(0), Some(1)));
}

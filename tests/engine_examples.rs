//! The examples of the engine print what they say, line by line.

use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use research_core::testing::contract;

#[path = "../examples/engine/11_own_checkpointer.rs"]
#[expect(dead_code, reason = "the program around the store runs as a program")]
mod own_checkpointer;

/// What a program prints.
fn printed(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{program} {arguments:?} ended with {}: {errors}", output.status);
    assert_eq!(errors, "", "{program} {arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Runs the example of this name and compares its lines.
macro_rules! prints {
    ($name:literal, $expected:expr) => {
        let printed = printed(env!(concat!("CARGO_BIN_EXE_", $name)), &[]);
        let (printed, expected): (Vec<&str>, Vec<&str>) = (printed.lines().collect(), $expected.lines().collect());
        assert_eq!(printed, expected);
    };
}

#[test]
fn quickstart_runs_two_nodes_and_draws_itself() {
    prints!(
        "01_quickstart",
        r#"What bees eat: flowers, mostly.
2 headings after 2 steps
flowchart TD
    start([start])
    n0["outline"]
    n1["write"]
    end_([end])
    start --> n0
    n0 --> n1
    n1 --> end_"#
    );
}

#[test]
fn reducers_fold_in_the_order_of_names_and_refuse_two_plain_writes() {
    prints!(
        "02_reducers",
        r#"Spring: 19 animals, 12 in the largest group, {"hill": 7, "river": 12}, 9 letters
log: ["just seen: hill, river"], just seen: []
ranger ada: 2 reports
graph `two titles`: in step 1 both `a` and `b` wrote the field `title`; give it a reducer (for example `#[reduce(append)]` or `#[reduce(last)]`) or order the nodes"#
    );
}

#[test]
fn routing_loops_enters_by_the_input_and_redirects() {
    prints!(
        "03_routing",
        "sketch → revise 1 → revise 2 → revise 3 → desk → archive → proof → print
revise 3 → desk → archive → proof → print
revise 3 → desk → print
graph `draft`: stopped before step 4 by its step limit of 3 while `revise` was due; if the graph is not looping for ever, raise the limit with `.step_limit(n)`
graph `typo`: node `first` in step 1 (task 0) went to `frist`, which is not in the graph; did you mean `first`?"
    );
}

#[test]
fn fan_out_folds_in_the_order_of_sending() {
    prints!("04_fan_out", "poems: 2 books\nempty: 0 books\nmaps: 3 books\n264 pages in all\n4 steps");
}

#[test]
fn joins_wait_for_all_for_any_for_some_or_for_everything() {
    prints!(
        "05_joins",
        "edges: late1 quick slow1 late2 slow2 then late3 then then
all: late1 quick slow1 late2 slow2 late3 then
any: late1 quick slow1 late2 slow2 then late3
two of three: late1 quick slow1 late2 slow2 late3 then
deferred: late1 quick slow1 late2 slow2 late3 then"
    );
}

#[test]
fn a_question_waits_for_its_answer_and_effects_happen_once() {
    prints!(
        "06_interrupt_and_resume",
        r#"  (writing)
  (reserving a slot at the post office)
complete: false
question: {"text":"We are closed on Monday."}
`send` asks for a "boolean"
refused: invalid type: string "perhaps", expected a boolean
`send` asks for a "boolean"
complete: true, written, sent by slot 7"#
    );
}

#[test]
fn a_question_of_one_process_is_answered_in_another() {
    let program = env!("CARGO_BIN_EXE_06_interrupt_and_resume");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mail.db");
    let file = file.to_str().unwrap();
    let asked = printed(program, &["ask", file]);
    assert!(asked.ends_with("complete: false\nquestion: {\"text\":\"We are closed on Monday.\"}\n"), "{asked}");
    let answered = printed(program, &["answer", file, "no"]);
    assert_eq!(answered, "`send` asks for a \"boolean\"\ncomplete: true, written, not sent\n");
}

#[test]
fn subgraphs_keep_what_they_were_told_to_keep() {
    prints!(
        "07_subgraphs",
        r#"step 1
[find] look: looking for bees
step 2
step 3
[find] look: looking for bees
step 4
step 5
call 1: a page on bees
1 lines checked
call 2: a page on bees
3 lines checked
signed
namespaces: ["", "find", "polish:2.2.0", "polish:4.4.0"]
the search was called 2 times"#
    );
}

#[test]
fn streams_have_modes_more_readers_and_gaps() {
    prints!(
        "08_streaming",
        "messages: Bees dance in the dark.
custom: 1/5 2/5 3/5 4/5 5/5
values after step 0: 0 words
values after step 1: 0 words
values after step 2: 5 words
second reader: run{ values step{ task{ message custom message custom message custom message custom message custom \
         update }task values }step step{ task{ update }task values }step }run
again from the third last: values }step }run
late reader: gap(0..=18) }task }step }run
slow reader: gap(0..=4) custom }run"
    );
}

#[test]
fn history_is_printed_forked_updated_drawn_copied_and_pruned() {
    prints!(
        "09_time_travel",
        r#"history:
     4  from 3      step 3    ran draft; complete
     3  from 2      step 2    ran draft; next draft
     2  from 1      step 1    ran name; next draft
     1              input     next name

at 2: "On bees", 0 drafts, next ["draft"]

another branch: On wasps, draft 1; On wasps, draft 2
the old branch: On bees, draft 1; On bees, draft 2

history:
     9  from 8      step 3    ran draft; complete
     8  from 3      fork      next draft
     7  from 6      step 4    ran draft; complete
     6  from 5      step 3    ran draft; next draft
     5  from 2      update    ran name; next draft
     4  from 3      step 3    ran draft; complete
     3  from 2      step 2    ran draft; next draft
     2  from 1      step 1    ran name; next draft
     1              input     next name

flowchart TD
    start([start])
    n0["name<br/>×2 · 1.0 s"]
    n1["draft<br/>×5 · 4.0 s"]
    end_([end])
    start --> n0
    n0 --> n1
    n1 -.-> n1
    n1 -.-> end_
    classDef visited fill:#e6f4ea,stroke:#188038,color:#202124
    class n0,n1 visited

8 pruned, 1 kept; 9 in the copy
still there: On bees, draft 1; On bees, draft 2"#
    );
}

#[test]
fn failures_are_retried_handled_collected_and_resumed() {
    prints!(
        "10_failure_policy",
        "fetched at attempt 3
did without `hang`, attempt 1: took longer than its time limit of 10ms
did without `locked`, attempt 1: forbidden
graph `fragile`: 2 tasks failed:
  - node `bridge` in step 1 (task 0) failed: closed
  - node `road` in step 1 (task 2) failed: closed
resumed: over the bridge, counted for the 1. time, over the road
within the budget: read a page, read a page, read a page, 3 pages
cancelled"
    );
}

#[test]
fn a_store_of_ones_own_keeps_threads_over_processes() {
    prints!(
        "11_own_checkpointer",
        "day 1
day 1, day 2
day 1, day 2, day 3
     6  from 5      step 1    ran note; complete
     5  from 4      input     next note
     4  from 3      step 1    ran note; complete
     3  from 2      input     next note
     2  from 1      step 1    ran note; complete
     1              input     next note"
    );
}

#[test]
fn the_idioms_of_langgraph_run() {
    prints!(
        "12_coming_from_langgraph",
        "plan bees, answer of a model
routed: 2 messages
mapped: 5 messages
judged: 6 messages
careful: 1 messages
     3  from 2      step 2    ran answer; complete
     2  from 1      step 1    ran plan; next answer
     1              input     next plan
2 then, 2 now
\"bees\"
approved: true
3 pages in the stream"
    );
}

#[tokio::test]
async fn a_store_of_ones_own_keeps_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    let count = AtomicU32::new(0);
    contract::run_all(async || {
        let name = format!("{}.jsonl", count.fetch_add(1, Ordering::Relaxed));
        own_checkpointer::JsonLines::open(folder.path().join(name)).unwrap()
    })
    .await;
    assert!(count.into_inner() > 20, "the suite took few stores");
}

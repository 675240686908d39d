//! Answers hold when they are checked, and what was changed in them or in the files is found.
#![cfg(feature = "rust")]
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::path::Path;
use std::sync::atomic::AtomicBool;

use research_agents_code::answer::{Answer, Claim, CountOf, answer};
use research_agents_code::base::{CacheAt, CodeBase};
use research_agents_code::facts::SymbolKind;
use research_agents_code::tree::Scope;
use research_agents_code::verify::verify;

fn ask(base: &CodeBase, question: &str) -> Answer {
    answer(base, question, &Scope::default(), &AtomicBool::new(false)).unwrap()
}

fn problems(base: &CodeBase, answer: &Answer) -> Vec<String> {
    let checked = verify(answer, base, &AtomicBool::new(false)).unwrap();
    checked
        .problems
        .into_iter()
        .map(|problem| problem.text)
        .collect()
}

#[test]
fn answers_about_real_symbols_hold() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let base = CodeBase::open(root, &CacheAt::Memory).unwrap();
    let go_on = AtomicBool::new(false);
    let files = base.refresh(&go_on).unwrap();
    let mut names = Vec::new();
    for file in files.tree().files() {
        let facts = files.facts(&file.path, &go_on).unwrap().unwrap();
        let functions = facts
            .symbols
            .iter()
            .filter(|symbol| symbol.kind != SymbolKind::Impl);
        names.extend(functions.map(|symbol| symbol.name.clone()));
    }
    names.sort();
    names.dedup();

    let asked = [
        "Where is `_` defined?",
        "Who calls `_`?",
        "Where is `_` used?",
        "What does `_` return?",
        "What is the value of `_`?",
    ];
    for (at, name) in names.iter().step_by(9).enumerate() {
        let question = asked[at % asked.len()].replace('_', name);
        let answer = ask(&base, &question);
        assert_eq!(problems(&base, &answer), Vec::<String>::new(), "{question}");
    }
}

fn small() -> (tempfile::TempDir, CodeBase) {
    let folder = tempfile::tempdir().unwrap();
    let text = "fn run() {}\n\nfn main() {\n    run();\n}\n\nconst LIMIT: usize = 7;\n";
    std::fs::write(folder.path().join("a.rs"), text).unwrap();
    let base = CodeBase::open(folder.path(), &CacheAt::Memory).unwrap();
    (folder, base)
}

#[test]
fn changed_answers_are_found() {
    let (_folder, base) = small();
    let callers = ask(&base, "Who calls `run`?");
    let value = ask(&base, "What is the value of `LIMIT`?");
    assert!(problems(&base, &callers).is_empty() && problems(&base, &value).is_empty());

    let mutations: [fn(&mut Answer); 7] = [
        |answer| answer.spans[0].first += 1,
        |answer| answer.spans[0].last += 1,
        |answer| answer.spans[0].bytes.push(b'x'),
        |answer| answer.sentences[0].spans = vec![99],
        |answer| {
            for claim in answer.sentences.iter_mut().flat_map(|one| &mut one.claims) {
                match claim {
                    Claim::Calls { callee, .. } => callee.push('x'),
                    Claim::Value { key, .. } => key.push('x'),
                    _ => {}
                }
            }
        },
        |answer| {
            for claim in answer.sentences.iter_mut().flat_map(|one| &mut one.claims) {
                match claim {
                    Claim::Count {
                        of: CountOf::Occurrences { .. },
                        count,
                    } => *count += 1,
                    Claim::Value { literal, .. } => *literal = "8".to_owned(),
                    _ => {}
                }
            }
        },
        |answer| answer.spans.clear(),
    ];
    for (at, mutate) in mutations.iter().enumerate() {
        for answer in [&callers, &value] {
            let mut changed = answer.clone();
            mutate(&mut changed);
            let found = problems(&base, &changed);
            // A longer text of bytes is followed to nowhere; its hash is still that of the lines.
            let is_harmless = at == 2 && found.is_empty();
            assert!(is_harmless || !found.is_empty(), "{at}: {}", changed.text());
        }
    }
}

#[test]
fn moved_lines_are_followed_and_lost_ones_dropped() {
    let (folder, base) = small();
    let found = ask(&base, "Who calls `run`?");
    let path = folder.path().join("a.rs");
    let text = std::fs::read_to_string(&path).unwrap();

    std::fs::write(&path, format!("// One.\n// Two.\n{text}")).unwrap();
    let checked = verify(&found, &base, &AtomicBool::new(false)).unwrap();
    assert!(checked.holds(), "{:?}", checked.problems);
    assert!(
        checked.answer.text().contains("line 6"),
        "{}",
        checked.answer.text()
    );

    std::fs::write(&path, text.replace("    run();", "    other();")).unwrap();
    let checked = verify(&found, &base, &AtomicBool::new(false)).unwrap();
    assert!(!checked.holds());
    assert!(!checked.answer.text().contains("`main` calls it"));
    assert!(checked.answer.text().contains("left out"));
}

#[test]
fn absence_is_checked_again() {
    let (folder, base) = small();
    let found = ask(&base, "Where is `missing` defined?");
    assert!(problems(&base, &found).is_empty());

    std::fs::write(folder.path().join("b.rs"), "fn missing() {}\n").unwrap();
    assert_eq!(problems(&base, &found), ["`missing` occurs 1 times"]);
}

//! Answers over small code bases: each class, fresh after edits, and refused where nothing is.
#![cfg(all(feature = "rust", feature = "python"))]
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::path::Path;
use std::sync::atomic::AtomicBool;

use research_agents_code::answer::{Answer, Claim, CountOf, Outcome, answer};
use research_agents_code::base::{CacheAt, CodeBase};
use research_agents_code::question::QuestionClass;
use research_agents_code::search::documents;
use research_agents_code::tree::{RelPath, Scope};

const LIBRARY: &str = "\
//! A library.

/// Number of attempts. Defaults to 5.
pub const MAX_ATTEMPTS: usize = 3;

/// What answers.
pub trait Source {
    /// Reads a key.
    fn read(&self, key: &str) -> Option<String>;
}

/// A source in memory.
#[derive(Clone, Debug)]
pub struct Memory {
    size: usize,
}

impl Source for Memory {
    fn read(&self, key: &str) -> Option<String> {
        if key.is_empty() {
            return None;
        }
        lookup(key)
    }
}

fn lookup(key: &str) -> Option<String> {
    check(key);
    std::env::var(\"APP_HOME\").ok()
}

fn check(key: &str) {
    assert!(key.len() < 10, \"too long\");
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_key_is_looked_up() {
        super::lookup(\"a\");
    }
}
";

const SCRIPT: &str = "\
from base import Shape


class Circle(Shape):
    def area(self, precision=2):
        if self.radius < 0:
            raise ValueError(\"negative\")
        return round(3.14 * self.radius, precision)


class Disk(Circle):
    pass
";

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

fn ask_base(base: &CodeBase, question: &str) -> Answer {
    answer(base, question, &Scope::default(), &AtomicBool::new(false)).unwrap()
}

fn ask(folder: &Path, question: &str) -> Answer {
    ask_base(&CodeBase::open(folder, &CacheAt::Memory).unwrap(), question)
}

fn project() -> tempfile::TempDir {
    folder(&[
        ("src/lib.rs", LIBRARY),
        ("shapes.py", SCRIPT),
        ("base.py", "class Shape:\n    pass\n"),
        (
            "CHANGELOG.md",
            "# Changes\n\n## 1.2.0\n\n- Added `lookup`.\n\n## 1.1.0\n\n- First.\n",
        ),
    ])
}

/// Returns the places that an answer cites, as `path:first-last`.
fn places(answer: &Answer) -> Vec<String> {
    answer.spans.iter().map(|span| span.location()).collect()
}

#[test]
fn each_class_has_its_answer() {
    let folder = project();
    let cases: &[(&str, QuestionClass, &str, &str)] = &[
        (
            "Where is `lookup` defined?",
            QuestionClass::Definition,
            "`lookup` is a function in `src/lib.rs`, lines 27–30: \
             `fn lookup(key: &str) -> Option<String>`.",
            "src/lib.rs:27-30",
        ),
        (
            "Who calls `lookup`?",
            QuestionClass::Callers,
            "`lookup` is called 1 time in the code (in 1 function) and 1 time in tests.",
            "src/lib.rs:23-23",
        ),
        (
            "Which types implement `Source`?",
            QuestionClass::Implementors,
            "1 type implements `Source` directly: `Memory`.",
            "src/lib.rs:18-18",
        ),
        (
            "Which exceptions does `Circle.area` raise?",
            QuestionClass::Raises,
            "`Circle.area` raises `ValueError(\"negative\")` when `self.radius < 0` (line 7) \
             (`shapes.py`).",
            "shapes.py:6-7",
        ),
        (
            "What is the default of `precision` in `Circle.area`?",
            QuestionClass::Value,
            "`precision` has the default `2` (in `Circle.area`, `shapes.py`, line 5).",
            "shapes.py:5-5",
        ),
        (
            "Where is the environment variable `APP_HOME` read?",
            QuestionClass::ConfigKey,
            "The key `APP_HOME` is read 1 time.",
            "src/lib.rs:29-29",
        ),
        (
            "What changed in 1.2.0?",
            QuestionClass::Change,
            "Version 1.2.0: \"Added 'lookup'.\" (`CHANGELOG.md`, line 5).",
            "CHANGELOG.md:5-5",
        ),
        (
            "How does `Memory.read` get to `check`?",
            QuestionClass::Path,
            "`Memory.read` → `lookup` → `check` (2 calls).",
            "src/lib.rs:28-28",
        ),
        (
            "List the methods of `Circle`",
            QuestionClass::List,
            "1 method of `Circle`: `area`.",
            "shapes.py:5-7",
        ),
    ];

    for (question, class, head, place) in cases {
        let answer = ask(folder.path(), question);
        assert_eq!(answer.class, *class, "{question}");
        assert_eq!(answer.outcome, Outcome::Computed, "{question}");
        assert_eq!(answer.sentences[0].text, *head, "{question}");
        assert!(
            places(&answer).iter().any(|found| found == place),
            "{question}: {:?}",
            places(&answer)
        );
    }
}

#[test]
fn what_returns_is_said_with_its_condition() {
    let answer = ask(project().path(), "What does `Memory.read` return?");

    let head = &answer.sentences[0].text;
    assert!(head.contains("`None` when `key.is_empty()`"), "{head}");
    assert!(head.contains("`lookup(key)`"), "{head}");
    assert!(head.contains("`Option<String>`"), "{head}");
}

#[test]
fn subclasses_of_subclasses_are_counted_apart() {
    let answer = ask(project().path(), "Which classes inherit from `Shape`?");

    assert_eq!(
        answer.sentences[0].text,
        "1 type extends `Shape` directly; 1 through another type."
    );
}

#[test]
fn a_comment_that_contradicts_the_code_is_reported() {
    let answer = ask(project().path(), "What is the value of `MAX_ATTEMPTS`?");

    let claims: Vec<&Claim> = answer
        .sentences
        .iter()
        .flat_map(|sentence| &sentence.claims)
        .collect();
    let found = claims.iter().any(|claim| {
        matches!(claim, Claim::Contradicts { literal, stated, .. }
            if literal == "3" && stated == "5")
    });
    assert!(found, "{claims:?}");
}

#[test]
fn names_that_are_not_there_are_refused() {
    let folder = project();
    for question in [
        "Where is `lookups` defined?",
        "Who calls `Memory.lookup`?",
        "What is the default of `max_attempt`?",
        "Which types implement `Sources`?",
        "How does `lookup` get to `checks`?",
    ] {
        let answer = ask(folder.path(), question);
        assert_eq!(
            answer.outcome,
            Outcome::Absent,
            "{question}: {}",
            answer.text()
        );
    }

    let answer = ask(folder.path(), "Where is `lookups` defined?");
    assert_eq!(answer.nearest[0], "lookup");
    let why = ask(folder.path(), "Why does `lookup` read the environment?");
    assert_eq!(why.outcome, Outcome::NotComputed);
    assert!(why.sentences[0].text.starts_with("No answer was computed"));
}

#[test]
fn a_name_in_comments_only_is_not_code() {
    let folder = folder(&[("a.rs", "// See `resolver`.\nfn run() {}\n")]);

    let answer = ask(folder.path(), "Where is `resolver` defined?");
    assert_eq!(answer.outcome, Outcome::Absent);
    assert!(answer.sentences[0].text.contains("stands only in comments"));
    assert_eq!(places(&answer), ["a.rs:1-1"]);
}

#[test]
fn counts_are_those_of_the_ledger() {
    let folder = project();
    for name in ["lookup", "key", "Shape", "read"] {
        let answer = ask(folder.path(), &format!("Where is `{name}` used?"));
        let text: String = [LIBRARY, SCRIPT, "class Shape:", "Added `lookup`."].concat();
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let expected = text
            .split(|c| !is_word(c))
            .filter(|word| *word == name)
            .count();
        let ledger = answer
            .ledgers
            .iter()
            .find(|ledger| ledger.name == name)
            .unwrap();
        assert_eq!(ledger.total, expected, "{name}");
        assert_eq!(ledger.classes.values().sum::<usize>(), expected, "{name}");

        let counted = answer
            .sentences
            .iter()
            .flat_map(|sentence| &sentence.claims);
        let found = counted.into_iter().any(|claim| {
            matches!(claim, Claim::Count { of: CountOf::Occurrences { class: None, .. }, count }
                if *count == expected)
        });
        assert!(found, "{name}");
    }
}

#[test]
fn edits_moves_and_deletions_are_in_the_next_answer() {
    let folder = folder(&[("a.rs", "fn run() {}\nfn main() { run(); }\n")]);
    let base = CodeBase::open(folder.path(), &CacheAt::Memory).unwrap();
    let place = |question: &str| places(&ask_base(&base, question)).first().cloned();
    assert_eq!(place("Where is `run` defined?").unwrap(), "a.rs:1-1");
    assert_eq!(place("where is run defined?").unwrap(), "a.rs:1-1");

    std::fs::write(
        folder.path().join("a.rs"),
        "\nfn run() {}\nfn main() { run(); }\n",
    )
    .unwrap();
    assert_eq!(place("Where is `run` defined?").unwrap(), "a.rs:2-2");
    assert_eq!(place("where is run defined?").unwrap(), "a.rs:2-2");

    // The size stays the same, and perhaps the time.
    std::fs::write(
        folder.path().join("a.rs"),
        "\nfn run() {}\nfn maim() { run(); }\n",
    )
    .unwrap();
    let callers = ask_base(&base, "Who calls `run`?");
    assert!(
        callers.text().contains("`maim` calls it"),
        "{}",
        callers.text()
    );

    std::fs::rename(folder.path().join("a.rs"), folder.path().join("b.rs")).unwrap();
    assert_eq!(place("Where is `run` defined?").unwrap(), "b.rs:2-2");
    std::fs::remove_file(folder.path().join("b.rs")).unwrap();
    assert_eq!(
        ask_base(&base, "Where is `run` defined?").outcome,
        Outcome::Absent
    );
}

#[test]
fn scopes_limit_what_is_searched() {
    let folder = project();
    let base = CodeBase::open(folder.path(), &CacheAt::Memory).unwrap();
    let scope = Scope::parse("**/*.py").unwrap();
    let go_on = AtomicBool::new(false);

    let found = answer(&base, "Where is `lookup` defined?", &scope, &go_on).unwrap();
    assert_eq!(found.outcome, Outcome::Absent);
    let found = answer(&base, "Where is `Circle` defined?", &scope, &go_on).unwrap();
    assert_eq!(found.outcome, Outcome::Computed);
    assert!(answer(&base, "  ", &scope, &go_on).is_err());
}

#[test]
fn odd_paths_stay_one_word_in_an_answer() {
    let folder = folder(&[("a b/[x](y) z.rs", "fn target() {}\n")]);

    let answer = ask(folder.path(), "Where is `target` defined?");
    assert_eq!(places(&answer), ["a%20b/%5Bx%5D%28y%29%20z.rs:1-1"]);
    assert!(
        answer.sentences[0]
            .text
            .contains("`a%20b/%5Bx%5D%28y%29%20z.rs`")
    );
}

#[test]
fn many_uses_are_counted_and_few_are_cited() {
    let calls = "    run();\n".repeat(500);
    let text = format!("fn run() {{}}\nfn main() {{\n{calls}}}\n");
    let folder = folder(&[("a.rs", &text)]);

    let answer = ask(folder.path(), "Who calls `run`?");
    assert!(
        answer.sentences[0].text.contains("500 times"),
        "{}",
        answer.text()
    );
    assert!(answer.spans.len() <= 10);
    assert_eq!(answer.spans.len() + answer.further.len(), 501);
}

#[test]
fn every_line_is_in_one_document_of_ranked_search() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let base = CodeBase::open(root, &CacheAt::Memory).unwrap();
    let go_on = AtomicBool::new(false);
    let files = base.refresh(&go_on).unwrap();
    let mut seen = 0;
    for file in files.tree().files() {
        let bytes = files.read(&file.path).unwrap().bytes;
        let facts = files.facts(&file.path, &go_on).unwrap();
        let mut next = 1;
        for document in documents(facts.as_deref(), &bytes) {
            assert_eq!(document.first, next, "{}", file.path);
            assert!(document.last >= document.first, "{}", file.path);
            next = document.last + 1;
        }
        let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
        let lines = lines + usize::from(!bytes.ends_with(b"\n"));
        assert_eq!(next - 1, lines.max(1), "{}", file.path);
        seen += 1;
    }
    assert!(seen > 50);
}

#[test]
fn ranked_search_finds_words_in_their_parts() {
    let folder = project();
    let base = CodeBase::open(folder.path(), &CacheAt::Memory).unwrap();
    let go_on = AtomicBool::new(false);
    let files = base.refresh(&go_on).unwrap();

    let found = files
        .search("max attempt", 3, &Scope::default(), &go_on)
        .unwrap();
    assert_eq!(found[0].path, RelPath::parse("src/lib.rs").unwrap());
    assert!(found[0].text().contains("MAX_ATTEMPTS"));
    for span in files
        .search("key shape area", 10, &Scope::default(), &go_on)
        .unwrap()
    {
        let now = files.span(&span.path, span.first, span.last).unwrap();
        assert_eq!((now.bytes, now.hash), (span.bytes, span.hash));
    }
}

#[test]
fn a_cancelled_question_says_so() {
    let folder = project();
    let base = CodeBase::open(folder.path(), &CacheAt::Memory).unwrap();

    let cancelled = AtomicBool::new(true);
    let found = answer(&base, "Who calls `lookup`?", &Scope::default(), &cancelled).unwrap();
    assert!(found.is_cancelled);
}

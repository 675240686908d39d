//! The ledger over real code: its sums, and its classes by language.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use research_agents_code::ledger::{Class, Ledger, account};
use research_agents_code::tree::{CodeRoot, CodeTree, RelPath, Scope};

fn list(folder: &Path) -> CodeTree {
    let root = Arc::new(CodeRoot::open(folder).unwrap());
    CodeTree::list(root, &AtomicBool::new(false)).unwrap()
}

fn ledger(tree: &CodeTree, name: &str) -> Ledger {
    account(tree, &Scope::default(), name, &AtomicBool::new(false)).unwrap()
}

/// Counts the whole words of a text that equal a name, by code of this test.
fn count(text: &str, name: &str) -> usize {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let before = |at: usize| text[..at].chars().next_back();
    let after = |at: usize| text[at..].chars().next();
    text.match_indices(name)
        .filter(|(at, _)| !before(*at).is_some_and(is_word))
        .filter(|(at, _)| !after(at + name.len()).is_some_and(is_word))
        .count()
}

#[test]
fn classes_add_up_to_an_independent_count() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let tree = list(&folder);
    let mut names = BTreeMap::new();
    let mut texts = Vec::new();
    for file in tree.files() {
        let text = String::from_utf8(tree.read(&file.path).unwrap().bytes).unwrap();
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        for word in text.split(|c| !is_word(c)).filter(|word| word.len() > 2) {
            *names.entry(word.to_owned()).or_insert(0) += 1;
        }
        texts.push(text);
    }

    for name in names.keys().step_by(names.len() / 200 + 1) {
        let ledger = ledger(&tree, name);
        let expected: usize = texts.iter().map(|text| count(text, name)).sum();
        assert_eq!(ledger.total(), expected, "{name}");
        assert_eq!(
            ledger.by_class().values().sum::<usize>(),
            expected,
            "{name}"
        );
        assert!(
            !ledger.by_class().contains_key(&Class::Unclassified),
            "{name}"
        );
    }
}

/// A file of each language with the occurrences of `target` in a known order.
const FILES: &[(&str, &str, &str, &[Class])] = {
    use Class::{Call, Comment, Definition, Import, OtherCode, String, TypeUse};
    &[
        (
            "rust",
            "a.rs",
            "use x::target;\n// target\nfn target() {}\nfn b() { target(); let f = target; print(\"target\"); }\nmod c { fn d(t: super::e::target) {} }",
            &[
                Import, Comment, Definition, Call, OtherCode, String, TypeUse,
            ],
        ),
        (
            "python",
            "a.py",
            "from x import target\n# target\ndef target():\n    \"\"\"target\"\"\"\n    target()\n    f = target\n    print('target')\ndef g(a: target): pass\n",
            &[
                Import, Comment, Definition, Comment, Call, OtherCode, String, TypeUse,
            ],
        ),
        (
            "typescript",
            "a.ts",
            "import { target } from 'x';\n// target\nfunction target() {}\ntarget(); const f = target; print('target'); let t: target;",
            &[
                Import, Comment, Definition, Call, OtherCode, String, TypeUse,
            ],
        ),
        (
            "javascript",
            "a.js",
            "import { target } from 'x';\n/* target */\nfunction target() {}\ntarget(); const f = target; print(`target`);",
            &[Import, Comment, Definition, Call, OtherCode, String],
        ),
        (
            "go",
            "a.go",
            "package a\n// target\nfunc target() {}\nfunc b(t target) { target(); f := target; print(\"target\") }",
            &[Comment, Definition, TypeUse, Call, OtherCode, String],
        ),
        (
            "java",
            "A.java",
            "import x.target;\n// target\nclass A { void target() { target(); int f = target; print(\"target\"); } target t; }",
            &[
                Import, Comment, Definition, Call, OtherCode, String, TypeUse,
            ],
        ),
        (
            "c",
            "a.c",
            "/* target */\nint target(void) { return 1; }\nint b(void) { target(); int f = target; print(\"target\"); struct target *t; return 0; }",
            &[Comment, Definition, Call, OtherCode, String, TypeUse],
        ),
        (
            "cpp",
            "a.cpp",
            "using x::target;\n// target\nint target() { return 1; }\nint b() { target(); auto f = target; print(\"target\"); class target *t; return 0; }",
            &[
                Import, Comment, Definition, Call, OtherCode, String, TypeUse,
            ],
        ),
        (
            "csharp",
            "A.cs",
            "using target;\n// target\nclass A { void target() { target(); var f = target; print(\"target\"); } void g(target t) {} }",
            &[
                Import, Comment, Definition, Call, OtherCode, String, TypeUse,
            ],
        ),
        (
            "ruby",
            "a.rb",
            "# target\ndef target(a)\nend\nx.target(1)\nf = target\nputs 'target'\n",
            &[Comment, Definition, Call, OtherCode, String],
        ),
        (
            "php",
            "a.php",
            "<?php\nuse x\\target;\n// target\nfunction target() {}\ntarget(); $f = target; echo 'target'; function g(target $t) {}",
            &[
                Import, Comment, Definition, Call, OtherCode, String, TypeUse,
            ],
        ),
    ]
};

fn is_enabled(language: &str) -> bool {
    match language {
        "rust" => cfg!(feature = "rust"),
        "python" => cfg!(feature = "python"),
        "typescript" => cfg!(feature = "typescript"),
        "javascript" => cfg!(feature = "javascript"),
        "go" => cfg!(feature = "go"),
        "java" => cfg!(feature = "java"),
        "c" => cfg!(feature = "c"),
        "cpp" => cfg!(feature = "cpp"),
        "csharp" => cfg!(feature = "csharp"),
        "ruby" => cfg!(feature = "ruby"),
        _ => cfg!(feature = "php"),
    }
}

#[test]
fn each_language_tells_the_classes_apart() {
    for (language, file, text, classes) in FILES {
        if !is_enabled(language) {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(file), text).unwrap();

        let ledger = ledger(&list(folder.path()), "target");
        let found: Vec<Class> = ledger.files[0]
            .occurrences
            .iter()
            .map(|occurrence| occurrence.class)
            .collect();
        assert_eq!(found, *classes, "{language}");
    }
}

#[test]
fn a_file_with_syntax_errors_loses_no_occurrence() {
    for (language, file, text, classes) in FILES {
        if !is_enabled(language) {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let broken = format!("{text}\n)) }} = = target ((\n");
        std::fs::write(folder.path().join(file), broken).unwrap();

        let ledger = ledger(&list(folder.path()), "target");
        assert_eq!(ledger.total(), classes.len() + 1, "{language}");
        assert!(ledger.files[0].has_errors, "{language}");
        assert_eq!(
            ledger.by_class().get(&Class::Unclassified),
            None,
            "{language}"
        );
    }
}

#[test]
fn what_is_not_searched_is_counted_by_reason() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    };
    write("a.rs", b"fn target() {}");
    write(".gitignore", b"ignored/\n");
    write("ignored/b.rs", b"fn target() {}");
    write(".hidden/c.rs", b"fn target() {}");
    write(".env", b"target=1");
    write("key.pem", b"target");
    write("large.txt", &vec![b'a'; 3 << 20]);
    write("binary.dat", b"\0target");
    write("notes.md", b"The target.");
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/passwd", folder.path().join("link.txt")).unwrap();

    let tree = list(folder.path());
    let ledger = ledger(&tree, "target");
    assert_eq!(ledger.total(), 2);
    assert_eq!(ledger.searched, 2);
    let counts: Vec<(String, usize)> = ledger
        .unread
        .counts
        .iter()
        .map(|(reason, count)| (format!("{reason:?}"), *count))
        .collect();
    let mut expected = vec![
        ("Hidden".to_owned(), 2),
        ("Ignored".to_owned(), 1),
        ("Secret".to_owned(), 2),
        ("TooLarge".to_owned(), 1),
        ("Binary".to_owned(), 1),
    ];
    if cfg!(unix) {
        expected.push(("Link".to_owned(), 1));
    }
    assert_eq!(counts, expected);

    for path in [
        "ignored/b.rs",
        ".hidden/c.rs",
        ".env",
        "key.pem",
        "link.txt",
        "large.txt",
    ] {
        let path = RelPath::parse(path).unwrap();
        assert!(tree.read(&path).is_err(), "{path}");
    }
}

#[cfg(unix)]
#[test]
fn links_pipes_and_devices_are_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret.rs"), "fn target() {}").unwrap();
    std::os::unix::fs::symlink(outside.path(), folder.path().join("out")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", folder.path().join("zero.rs")).unwrap();
    let pipe = folder.path().join("pipe.rs");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );

    let tree = list(folder.path());
    assert_eq!(ledger(&tree, "target").total(), 0);
    for path in ["out/secret.rs", "zero.rs", "pipe.rs"] {
        let path = RelPath::parse(path).unwrap();
        assert!(tree.read(&path).is_err(), "{path}");
    }

    // A file that becomes a link after it was listed is not followed either.
    std::fs::write(folder.path().join("later.rs"), "fn target() {}").unwrap();
    let tree = list(folder.path());
    std::fs::remove_file(folder.path().join("later.rs")).unwrap();
    std::os::unix::fs::symlink(
        outside.path().join("secret.rs"),
        folder.path().join("later.rs"),
    )
    .unwrap();
    assert!(tree.read(&RelPath::parse("later.rs").unwrap()).is_err());
}

//! Names in plain positions, sets that are counted, and types that implement others.

use research_agents_code::answer::Outcome;

use crate::ask;

fn head(files: &[(&str, &str)], question: &str) -> String {
    ask(files, question).sentences[0].text.clone()
}

#[test]
fn a_plain_name_that_occurs_nowhere_is_refused_with_near_names() {
    let files = [("a.py", "class Frobnicate:\n    pass\n")];

    for question in [
        "where is Frobnicator defined",
        "Who calls Frobnicator?",
        "which classes extend Frobnicator",
    ] {
        let answer = ask(&files, question);
        assert_eq!(answer.outcome, Outcome::Absent, "{question}");
        assert_eq!(answer.nearest, ["Frobnicate"], "{question}");
    }
    let found = ask(&files, "where is Frobnicate defined");
    assert_eq!(found.outcome, Outcome::Computed);
}

#[test]
fn classes_behind_an_export_macro_have_their_bases() {
    let header = "class LIB_API Node {\npublic:\n    int a;\n};\n\
                  class LIB_API Text : public Node {\npublic:\n    int b;\n};\n\
                  struct LIB_API Mark final : Node {};\n";
    let answer = ask(&[("node.hpp", header)], "which classes derive from Node?");

    assert!(answer.sentences[0].text.starts_with("2 types"));
    let text = answer.text();
    assert!(text.contains("`Text`") && text.contains("`Mark`"), "{text}");
}

#[test]
fn overloads_are_those_of_the_method_and_the_type() {
    let source = "class Call {\n  void end(int a) {}\n  void end(String a) {}\n  void go() {}\n}\n\
                  class Other {\n  void end() {}\n}\n";
    let head = head(
        &[("Call.java", source)],
        "how many overloads of end has `Call`?",
    );

    assert_eq!(head, "2 overloads of `Call.end`: `end`.");
}

#[test]
fn functions_are_counted_by_the_prefix_of_the_question() {
    let source = "package a\nfunc TestOne() {}\nfunc TestTwo() {}\nfunc helper() {}\n";
    let head = head(
        &[("a_test.go", source)],
        "how many Test functions are in a_test.go?",
    );

    assert!(head.starts_with("2 functions"), "{head}");
    assert!(!head.contains("helper"), "{head}");
}

#[test]
fn files_of_a_folder_are_counted_by_their_ending() {
    let files = [
        ("examples/a.rs", "fn main() {}\n"),
        ("examples/b.rs", "fn main() {}\n"),
        ("examples/c.txt", "text\n"),
        ("src/lib.rs", "\n"),
    ];

    let all = head(&files, "how many files are in examples/?");
    assert!(all.starts_with("3 files"), "{all}");
    let sources = head(&files, "how many rs files are in examples/?");
    assert!(sources.starts_with("2 files"), "{sources}");
}

#[test]
fn exports_are_not_all_symbols_of_a_file() {
    let common = "const a = 1\nexports.one = a\nexports.two = exports.three = function () {}\n";
    let found = head(&[("a.js", common)], "how many exports does a.js have?");
    assert_eq!(found, "3 exports of `a.js`: `one`, `two`, `three`.");

    let module = "const c = 1;\nexport const a = 1, b = 2;\nexport { c as d };\n\
                  export default function run() {}\n";
    let found = head(&[("b.ts", module)], "how many exports does b.ts have?");
    assert_eq!(found, "4 exports of `b.ts`: `a`, `b`, `d`, `default`.");
}

#[test]
fn exception_classes_are_those_below_an_exception() {
    let source = "class Failure(Exception):\n    pass\n\nclass Closed(Failure):\n    pass\n\n\
                  class Plain:\n    pass\n";
    let head = head(
        &[("errors.py", source)],
        "how many exception classes are in errors.py?",
    );

    assert!(head.starts_with("2 classes"), "{head}");
    assert!(
        head.contains("`Closed`") && !head.contains("Plain"),
        "{head}"
    );
}

#[test]
fn interfaces_of_the_standard_library_of_go_are_known_by_their_methods() {
    let source = "package a\ntype byName []string\nfunc (s byName) Len() int { return 0 }\n\
                  func (s byName) Swap(i, j int) {}\n\
                  func (s byName) Less(i, j int) bool { return true }\n\
                  type half []string\nfunc (s half) Len() int { return 0 }\n";
    let head = head(&[("a.go", source)], "which types implement sort.Interface?");

    assert!(head.starts_with("1 type has the methods"), "{head}");
    assert!(
        head.contains("`byName`") && !head.contains("half"),
        "{head}"
    );
}

#[test]
fn two_names_alone_ask_for_the_path_between_them() {
    let source = "fn start() { middle_step(); }\nfn middle_step() { last_step(); }\n\
                  fn last_step() {}\n";
    let answer = ask(&[("a.rs", source)], "from start to last_step");

    let text = answer.text();
    assert!(
        text.contains("`start` → `middle_step` → `last_step`"),
        "{text}"
    );
}

#[test]
fn the_source_of_a_package_is_called_and_not_a_built_copy() {
    let import = "import { symbolAt } from \"./symbolAt.js\";\n";
    let hidden =
        format!("{import}export function isHidden(n: Node) {{ return symbolAt(n) === null; }}\n");
    let entry = "import { isHidden } from \"./isHidden.js\";\n\
                 export function parse(n: Node) { return isHidden(n); }\n";
    let files = [
        (
            "dist/src/isHidden.d.ts",
            "export declare function isHidden(n: Node): boolean;\n",
        ),
        (
            "dist/src/symbolAt.d.ts",
            "export declare function symbolAt(n: Node): Sym;\n",
        ),
        ("src/isHidden.ts", hidden.as_str()),
        ("src/parse.ts", entry),
        (
            "src/symbolAt.ts",
            "export function symbolAt(n: Node) { return n.symbol; }\n",
        ),
    ];

    let answer = ask(&files, "How does parse reach symbolAt?");

    let text = answer.text();
    assert!(text.contains("`parse` → `isHidden` → `symbolAt`"), "{text}");
}

#[test]
fn the_value_that_a_key_is_set_to_holds_when_it_is_checked() {
    let files = [
        ("a.toml", "[jobs]\nanalyzer = \"nextest\"\n"),
        (
            "b.py",
            "def load(settings):\n    return settings.get(\"analyzer_limit\", 20)\n",
        ),
    ];

    let set = head(&files, "What is the setting `analyzer` set to?");
    assert!(set.contains("first to `\"nextest\"`"), "{set}");
    let read = head(
        &files,
        "What is the default of the setting `analyzer_limit`?",
    );
    assert!(read.contains("20"), "{read}");
}

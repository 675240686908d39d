//! Every quote is at its span: read again by a program that is not ours.

use std::io::Write;
use std::process::{Command, Stdio};

use proptest::prelude::*;
use research_agents_sources::corpus::passages_of;
use research_agents_sources::read::{Format, ReadDocument, ReadLimits, read};
use serde_json::{Value, json};

use crate::made;

/// Reads stored texts again: encodes them, takes the bytes of each span, and compares.
const PYTHON: &str = r#"
import json, sys
checked = 0
for case in json.load(sys.stdin):
    stored = case["text"].encode("utf-8")
    for start, end, quote in case["spans"]:
        found = stored[start:end].decode("utf-8")
        assert found == quote, (case["name"], start, end, found, quote)
        checked += 1
    if "file" in case:
        # A plain file: what is stored is the file without what is not seen.
        raw = bytes.fromhex(case["file"])
        for mark, encoding in ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le")):
            if raw.startswith(mark):
                text = raw[len(mark):].decode(encoding)
                break
        else:
            text = raw.decode(case["encoding"], "replace")
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        text = "".join(c for c in text if c not in "\u00ad\u200b\ufeff")
        assert text == case["text"], (case["name"], text, case["text"])
print(checked)
"#;

fn python(cases: &[Value]) -> usize {
    let mut child = Command::new("python3")
        .args(["-c", PYTHON])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 reads the texts again");
    let mut input = child.stdin.take().unwrap();
    input.write_all(Value::from(cases).to_string().as_bytes()).unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
}

/// The spans of all blocks, headings and passages, with what we say is there.
fn spans(document: &ReadDocument) -> Vec<(usize, usize, String)> {
    let blocks = document.blocks.iter().map(|block| block.range.clone());
    let headings = document.sections.iter().map(|section| section.heading.clone());
    let passages = passages_of(document).into_iter().map(|passage| passage.range);
    let all = blocks.chain(headings).chain(passages);
    all.map(|range| (range.start, range.end, document.slice(&range).to_string())).collect()
}

fn case(name: &str, document: &ReadDocument) -> Value {
    json!({"name": name, "text": document.text.for_code(), "spans": spans(document)})
}

#[test]
fn spans_of_every_format_are_found_by_python() {
    let odd = "Die gro\u{308}ße Pumpe 🛠️ la\u{ad}uft.\r\n\r\nZweiter &amp; Absatz\u{200b}: 4\u{a0}€.\r\n";
    let texts = [
        ("markdown", Format::Markdown, format!("# Größe 🛠️\r\n\r\n{odd}\r\n* é\r\n")),
        ("rest", Format::Rest, format!("Größe\r\n=====\r\n\r\n{odd}")),
        ("html", Format::Html, format!("<h1>Gr&ouml;&szlig;e &#x1f6e0;</h1><p>{odd}<p>&lt;b&gt; &notanentity; &shy;x")),
        ("man", Format::Man, format!(".SH Gr\\[u00F6]\u{df}e\n{}", odd.replace("\r\n", "\n"))),
    ];
    let mut cases: Vec<Value> = texts
        .iter()
        .map(|(name, format, text)| case(name, &read(text.as_bytes(), Some(*format), &ReadLimits::default()).unwrap()))
        .collect();
    for (name, bytes) in [
        ("docx", made::docx()),
        ("xlsx", made::xlsx()),
        ("pptx", made::pptx()),
        ("odt", made::odt()),
        ("epub", made::epub()),
        ("pdf", made::pdf(&["The se\u{ad}\nal of the pump.", "Page two (of 2)."])),
    ] {
        cases.push(case(name, &read(&bytes, None, &ReadLimits::default()).unwrap()));
    }
    assert!(python(&cases) > 60);
}

#[test]
fn stored_text_of_plain_files_is_the_file() {
    let text =
        "Größe der Pumpe.\r\nZweite Zeile, gro\u{308}ß.\r\n\r\nDritter\u{ad} Absatz\u{200b} natürlich für alle.\rEnde";
    let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let latin = encoding_rs::WINDOWS_1252
        .encode("Größe der Pumpe.\r\nZweite Zeile für alle, natürlich geprüft.")
        .0
        .into_owned();
    let files = [
        ("utf-8", text.as_bytes().to_vec(), "utf-8"),
        ("with a mark", [b"\xef\xbb\xbf".as_slice(), text.as_bytes()].concat(), "utf-8"),
        ("utf-16", utf16, "utf-16-le"),
        ("latin", latin, "cp1252"),
        ("invalid", [text.as_bytes(), b" \xff\xfe end"].concat(), "utf-8"),
    ];
    let cases: Vec<Value> = files
        .iter()
        .map(|(name, bytes, encoding)| {
            let document = read(bytes, Some(Format::Text), &ReadLimits::default()).unwrap();
            let mut case = case(name, &document);
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            case["file"] = hex.into();
            case["encoding"] = (*encoding).into();
            case
        })
        .collect();
    assert!(python(&cases) > 10);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_reader_panics_and_all_ranges_are_of_the_text(bytes in proptest::collection::vec(any::<u8>(), 0..400), text in "(<[a-z]{1,6}>|\\PC|[\\r\\n*_`:.\\\\|=-]){0,200}") {
        for format in [Format::Text, Format::Markdown, Format::Rest, Format::Man, Format::Html] {
            for source in [bytes.as_slice(), text.as_bytes()] {
                let document = match read(source, Some(format), &ReadLimits::default()) {
                    Ok(document) => document,
                    Err(error) => {
                        prop_assert_ne!(error.code(), "panicked", "{}", error);
                        continue;
                    }
                };
                let mut end = 0;
                for block in &document.blocks {
                    prop_assert!(block.range.start >= end, "blocks overlap");
                    prop_assert!(!document.slice(&block.range).trim().is_empty());
                    end = block.range.end;
                }
                for passage in passages_of(&document) {
                    prop_assert!(!document.slice(&passage.range).is_empty());
                }
            }
        }
    }
}

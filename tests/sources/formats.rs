//! Every format gives its text, blocks, title and date; what cannot be read says why.

use std::time::Duration;

use research_agents_sources::read::{BlockKind, Format, ReadDocument, ReadError, ReadLimits, ReadNote, read, read_as};

use crate::made;

fn document(bytes: &[u8], format: Format) -> ReadDocument {
    read(bytes, Some(format), &ReadLimits::default()).unwrap()
}

/// The blocks with their kinds.
fn blocks(document: &ReadDocument) -> Vec<(BlockKind, &str)> {
    document.blocks.iter().map(|block| (block.kind, document.slice(&block.range))).collect()
}

fn error(bytes: &[u8], format: Option<Format>) -> &'static str {
    read(bytes, format, &ReadLimits::default()).unwrap_err().code()
}

#[test]
fn html_gives_blocks_headings_title_date_and_language() {
    let page = r#"<!doctype html><html lang="de-CH"><head><title> Pumpen &amp; Motoren </title>
        <meta name="dcterms.date" content="2024-03-05"></head><body>
        <nav><a href="/">Home</a></nav><h1>Pumps</h1><p>The <b>se</b>al&nbsp;costs 4&nbsp;€.<p>Unclosed.
        <h2>Parts</h2><ul><li>First<li>Second <p>with more</ul>
        <dl><dt>Flow<dd>Litres per minute</dl>
        <table><tr><th>Part<th>Price<tr><td><p>Seal</p><td>4</table>
        <pre>  x = 1
  y = 2</pre><blockquote><p>Quoted.</p></blockquote></body></html>"#;
    let document = document(page.as_bytes(), Format::Html);

    use BlockKind::{Code, Definition, Heading, ListItem, Paragraph, Quote, TableRow, Term};
    let expected = [
        (Heading, "Pumps"),
        (Paragraph, "The seal costs 4 €."),
        (Paragraph, "Unclosed."),
        (Heading, "Parts"),
        (ListItem, "First"),
        (ListItem, "Second"),
        (ListItem, "with more"),
        (Term, "Flow"),
        (Definition, "Litres per minute"),
        (TableRow, "Part\tPrice"),
        (TableRow, "Seal\t4"),
        (Code, "  x = 1\n  y = 2"),
        (Quote, "Quoted."),
    ];
    assert_eq!(blocks(&document), expected);
    assert_eq!(document.title.for_code(), "Pumpen & Motoren");
    assert_eq!((document.date.as_deref(), document.language.as_deref()), (Some("2024-03-05"), Some("de")));
    assert_eq!(document.heading_path(&document.blocks[4]), ["Pumps", "Parts"]);
    assert_eq!(document.heading_path(&document.blocks[3]), ["Pumps"]);
}

#[test]
fn a_superscript_never_becomes_a_part_of_the_number_before_it() {
    for (page, text) in [
        ("2<sup>48</sup> bytes", "2^48 bytes"),
        ("2<sup><small>64</small></sup> (18446744073709551616)", "2^64 (18446744073709551616)"),
        ("2<small><sup>31</sup></small>-1", "2^31-1"),
        ("10<sup> <i>\u{2212}6</i></sup> m", "10^ \u{2212}6 m"),
        ("in 2024<sup><a href=#n3>3</a></sup>.", "in 2024 3."),
        ("in 2024<sup><a href=#n3>[3]</a></sup>.", "in 2024[3]."),
        ("the 4<sup>th</sup> one", "the 4th one"),
    ] {
        assert_eq!(document(format!("<p>{page}</p>").as_bytes(), Format::Html).text.for_code(), text);
    }
}

#[test]
fn markdown_gives_text_without_marks() {
    let text = "---\ntitle: Pumps\ndate: 2024-03-05\n---\n# Seals\n\nThe *seal* of [the pump](http://x/) is `worn`.\n\n- one\n- two\n\n\
                > quoted\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```sh\nls -l\n```\n\n<div hidden>obey</div>\n\n<div>shown</div>\n";
    let document = document(text.as_bytes(), Format::Markdown);

    use BlockKind::{Code, Heading, ListItem, Paragraph, Quote, TableRow};
    let expected = [
        (Heading, "Seals"),
        (Paragraph, "The seal of the pump is worn."),
        (ListItem, "one"),
        (ListItem, "two"),
        (Quote, "quoted"),
        (TableRow, "a\tb"),
        (TableRow, "1\t2"),
        (Code, "ls -l"),
        (Paragraph, "shown"),
    ];
    assert_eq!(blocks(&document), expected);
    assert_eq!((document.title.for_code().as_str(), document.date.as_deref()), ("Pumps", Some("2024-03-05")));
}

#[test]
fn rest_gives_headings_by_their_lines() {
    let text = "=====\nPumps\n=====\n\n:Date: 2024-03-05\n\n.. a comment\n   over two lines\n\nThe *seal* of :ref:`the pump <pump>` is ``worn``,\nsee `here <http://x>`_.\n\n\
                Seals\n-----\n\n.. note:: Take care.\n\n* one\n* two\n\nflow\n   Litres per minute.\n\nCode::\n\n   x = 1\n\n.. image:: a.png\n   :alt: no text\n\nEnd.\n";
    let document = document(text.as_bytes(), Format::Rest);

    use BlockKind::{Code, Definition, Heading, ListItem, Paragraph, Term};
    let expected = [
        (Heading, "Pumps"),
        (ListItem, "Date: 2024-03-05"),
        (Paragraph, "The seal of the pump is worn, see here."),
        (Heading, "Seals"),
        (Paragraph, "Take care."),
        (ListItem, "one"),
        (ListItem, "two"),
        (Term, "flow"),
        (Definition, "Litres per minute."),
        (Paragraph, "Code:"),
        (Code, "x = 1"),
        (Paragraph, "End."),
    ];
    assert_eq!(blocks(&document), expected);
    assert_eq!(document.date.as_deref(), Some("2024-03-05"));
}

#[test]
fn manual_pages_give_terms_and_definitions() {
    let man = ".\\\" comment\n.TH PUMP 8 2024-03-05\n.SH NAME\npump \\- moves \\fIwater\\fR\n.SH OPTIONS\n.TP\n.B \\-f\nFlow in \\(lqlitres\\(rq.\n.PP\nSee\n.BR valve (8).\n.nf\npump \\-f 1\n.fi\n";
    let document = document(man.as_bytes(), Format::Man);
    use BlockKind::{Code, Definition, Heading, Paragraph, Term};
    let expected = [
        (Heading, "NAME"),
        (Paragraph, "pump - moves water"),
        (Heading, "OPTIONS"),
        (Term, "-f"),
        (Definition, "Flow in “litres”."),
        (Paragraph, "See valve(8)."),
        (Code, "pump -f 1"),
    ];
    assert_eq!(blocks(&document), expected);
    assert_eq!((document.title.for_code().as_str(), document.date.as_deref()), ("PUMP(8)", Some("2024-03-05")));

    let mdoc = ".Dd March 5, 2024\n.Dt PUMP 8\n.Sh NAME\n.Nm pump\n.Nd moves water\n.Sh OPTIONS\n.Bl -tag\n.It Fl f Ar flow\nFlow.\n.El\n";
    let document = document_of_mdoc(mdoc);
    assert_eq!(document.date.as_deref(), Some("2024-03-05"));
    assert!(blocks(&document).contains(&(BlockKind::Term, "-f flow")), "{:?}", blocks(&document));
    assert!(blocks(&document).contains(&(BlockKind::Paragraph, "pump — moves water")), "{:?}", blocks(&document));
}

fn document_of_mdoc(text: &str) -> ReadDocument {
    read(text.as_bytes(), None, &ReadLimits::default()).unwrap()
}

#[test]
fn office_files_give_what_is_shown() {
    use BlockKind::{Heading, ListItem, Paragraph, TableRow};

    let word = document(&made::docx(), Format::Docx);
    let expected = [
        (Heading, "Pumps"),
        (Paragraph, "The seal costs 4 & 5 euros."),
        (ListItem, "First item"),
        (TableRow, "Part\tPrice"),
    ];
    assert_eq!(blocks(&word), expected);
    assert_eq!((word.title.for_code().as_str(), word.date.as_deref()), ("Manual of pumps", Some("2024-05-06")));

    let sheet = document(&made::xlsx(), Format::Xlsx);
    assert_eq!(blocks(&sheet), [(Heading, "Prices"), (TableRow, "Pump\t12.5"), (TableRow, "Seal\ton request")]);

    let slides = document(&made::pptx(), Format::Pptx);
    let titles: Vec<&str> =
        blocks(&slides).into_iter().filter(|block| block.0 == Heading).map(|block| block.1).collect();
    assert_eq!(titles, ["First", "Second", "Tenth"]);
    assert_eq!(slides.blocks.last().unwrap().page, Some(10));

    let text = document(&made::odt(), Format::OpenDocument);
    let expected =
        [(Heading, "Pumps"), (Paragraph, "The seal is worn."), (ListItem, "First item"), (TableRow, "Part\tPrice")];
    assert_eq!(blocks(&text), expected);
    assert_eq!((text.title.for_code().as_str(), text.date.as_deref()), ("Manual", Some("2024-02-03")));

    let book = document(&made::epub(), Format::Epub);
    let expected =
        [(Heading, "One"), (Paragraph, "The pump leaks."), (Heading, "Two"), (Paragraph, "The seal is worn.")];
    assert_eq!(blocks(&book), expected);
    assert_eq!((book.title.for_code().as_str(), book.language.as_deref()), ("Book of pumps", Some("en")));
}

#[test]
fn pdfs_give_their_pages_in_order() {
    let file = made::pdf(&["The pump leaks because the se\u{ad}\nal is worn.", "Second page."]);
    let document = document(&file, Format::Pdf);
    let text = document.text.for_code();
    assert!(text.contains("The pump leaks because the seal is worn."), "{text}");
    assert_eq!(document.blocks.last().unwrap().page, Some(2));
    assert!(document.blocks.iter().all(|block| !document.slice(&block.range).contains('\u{ad}')));
}

#[test]
fn three_encodings_give_the_same_text() {
    let text = "Größe der Pumpe: 40 Liter für jede Minute, natürlich geprüft. Die Dichtung hält länger.";
    let encoded = |encoding: &'static encoding_rs::Encoding| encoding.encode(text).0.into_owned();
    let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let with_mark = [b"\xef\xbb\xbf".as_slice(), text.as_bytes()].concat();

    for (bytes, encoding) in [
        (text.as_bytes().to_vec(), "UTF-8"),
        (with_mark, "UTF-8"),
        (utf16, "UTF-16LE"),
        (encoded(encoding_rs::WINDOWS_1252), "windows-1252"),
    ] {
        let document = document(&bytes, Format::Text);
        assert_eq!((document.text.for_code().as_str(), document.encoding.as_str()), (text, encoding));
        assert_eq!(document.language.as_deref(), Some("de"));
    }

    // An encoding that a page or a server states.
    let russian = "Насос течёт, потому что уплотнение изношено.";
    let bytes = encoding_rs::KOI8_R.encode(russian).0.into_owned();
    let page = [b"<meta charset=koi8-r><p>".as_slice(), &bytes].concat();
    assert_eq!(document(&page, Format::Html).text.for_code(), russian);
    let served = read_as(bytes, Some(Format::Text), Some("koi8-r"), &ReadLimits::default()).unwrap();
    assert_eq!(served.text.for_code(), russian);
    let japanese = "ポンプは漏れています。シールが摩耗しているからです。";
    let bytes = encoding_rs::SHIFT_JIS.encode(japanese).0.into_owned();
    assert_eq!(document(&bytes, Format::Text).text.for_code(), japanese);
}

#[test]
fn invalid_bytes_are_replaced_and_counted() {
    let bytes = [b"Gr\xc3\xb6\xc3\x9fe \xc3\xa4\xc3\xb6\xc3\xbc und ".as_slice(), b"\xff", b" Ende"].concat();
    let document = document(&bytes, Format::Text);
    assert_eq!(document.text.for_code(), "Größe äöü und \u{fffd} Ende");
    assert!(document.notes.contains(&ReadNote::Replaced { characters: 1 }), "{:?}", document.notes);
}

#[test]
fn what_cannot_be_read_says_why() {
    assert_eq!(error(&made::encrypted_pdf(), Some(Format::Pdf)), "encrypted");
    assert_eq!(error(b"%PDF-1.4\nnothing of a file", Some(Format::Pdf)), "malformed");
    let mut cut = made::pdf(&["The pump leaks.", "The seal is worn."]);
    cut.truncate(120);
    assert_eq!(error(&cut, None), "malformed");
    assert_eq!(error(&[0, 1, 2, 3, 255, 0], None), "unknown_format");
    assert_eq!(error(&[0, 1, 2, 3, 255, 0], Some(Format::Markdown)), "malformed");
    assert_eq!(error(b" \n ", Some(Format::Text)), "no_text");
    assert_eq!(error(b"<p hidden>obey</p>", Some(Format::Html)), "no_text");
    assert_eq!(error(b"PK\x03\x04 broken", Some(Format::Docx)), "malformed");
    assert_eq!(error(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 an encrypted document", Some(Format::Docx)), "encrypted");
    assert_eq!(error(&made::archive(&[("word/document.xml", "<w:p><w:t>never closed")]), None), "malformed");
    assert_eq!(error(b"\x1f\x8b\x08\x00broken", None), "malformed");
}

#[test]
fn limits_hold_for_every_kind_of_bomb() {
    let limits = ReadLimits::default().file(1 << 20).unpacked(1 << 20).text(1 << 20).time(Duration::from_secs(20));
    let code = |bytes: &[u8], format: Option<Format>| read(bytes, format, &limits).unwrap_err().code();

    assert_eq!(code(&vec![b'a'; (1 << 20) + 1], Some(Format::Text)), "too_large");
    let big = "x ".repeat(4 << 20);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, big.as_bytes()).unwrap();
    assert_eq!(code(&gzip.finish().unwrap(), Some(Format::Text)), "unpacked");
    let zipped = made::archive(&[("word/document.xml", &format!("<w:p><w:t>{big}</w:t></w:p>"))]);
    assert_eq!(code(&zipped, None), "unpacked");

    let deep = "<div>".repeat(5_000) + "text";
    assert_eq!(code(deep.as_bytes(), Some(Format::Html)), "too_deep");
    let deep = "<a>".repeat(5_000);
    let deep = made::archive(&[("word/document.xml", &deep)]);
    assert_eq!(code(&deep, None), "too_deep");
    let quotes = format!("{}text", "> ".repeat(5_000));
    assert!(["too_deep", "too_slow"].contains(&code(quotes.as_bytes(), Some(Format::Markdown))));

    // Entities of XML are not expanded.
    let laughs = "<!DOCTYPE x [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;'>]><w:p><w:t>&b;&b; end</w:t></w:p>";
    let document = read(&made::archive(&[("word/document.xml", laughs)]), None, &limits).unwrap();
    assert_eq!(document.text.for_code(), "end");
}

#[test]
fn a_reader_that_takes_too_long_is_stopped() {
    let page = "<p>text ".repeat(1 << 20);
    let limit = Duration::from_millis(1);
    let error = read(page.as_bytes(), Some(Format::Html), &ReadLimits::default().time(limit)).unwrap_err();
    assert_eq!(error, ReadError::TooSlow { limit });
}

#[test]
fn the_same_bytes_give_the_same_document() {
    let bytes = made::docx();
    let first = document(&bytes, Format::Docx);
    assert_eq!(first, document(&bytes, Format::Docx));

    let stored = serde_json::to_string(&first).unwrap();
    assert_eq!(serde_json::from_str::<ReadDocument>(&stored).unwrap(), first);
}

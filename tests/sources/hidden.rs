//! Text that a person does not see is not text of a document.

use research_agents_sources::read::{Format, ReadLimits, read};

fn text(format: Format, source: &str) -> String {
    read(source.as_bytes(), Some(format), &ReadLimits::default()).unwrap().text.for_code().clone()
}

/// Each of these hides its content on a page without style sheets.
const HIDING: &[&str] = &[
    r#"<p style="display:none">IGNORE</p>"#,
    r#"<p style="DISPLAY : NONE !important">IGNORE</p>"#,
    r#"<div hidden><p>IGNORE</p></div>"#,
    r#"<span aria-hidden="true">IGNORE</span>"#,
    r#"<p style="visibility:hidden">IGNORE</p>"#,
    r#"<p style="opacity:0">IGNORE</p>"#,
    r#"<p style="font-size:0px">IGNORE</p>"#,
    r#"<p style="position:absolute;left:-9999px">IGNORE</p>"#,
    r#"<p style="text-indent:-9999em">IGNORE</p>"#,
    r#"<p style="color:white">IGNORE</p>"#,
    r#"<p style="color:#FFF;background:#ffffff">IGNORE</p>"#,
    r#"<div style="background-color:rgb(0,0,0)"><p><b style="color:black">IGNORE</b></p></div>"#,
    r#"<font color="white">IGNORE</font>"#,
    r#"<p style="color:transparent">IGNORE</p>"#,
    r#"<p style="color:rgba(9,9,9,0)">IGNORE</p>"#,
    r#"<p style="clip-path: inset(50%)">IGNORE</p>"#,
    r#"<p style="max-height:0;overflow:hidden">IGNORE</p>"#,
    "<!-- IGNORE -->",
    "<script>IGNORE</script>",
    "<style>IGNORE</style>",
    "<template><p>IGNORE</p></template>",
    "<noscript><p>IGNORE</p></noscript>",
    "<svg><title>IGNORE</title><text>IGNORE</text></svg>",
    "<textarea>IGNORE</textarea>",
    r#"<input value="IGNORE"><select><option>IGNORE</select>"#,
    r#"<img alt="IGNORE" src="x" title="IGNORE">"#,
    "<object>IGNORE</object><iframe>IGNORE</iframe>",
    r#"<meta name="description" content="IGNORE">"#,
];

#[test]
fn hidden_elements_of_a_page_are_left_out() {
    for hiding in HIDING {
        let page = format!("<body><p>Before.</p>{hiding}<p>After.</p></body>");
        assert_eq!(text(Format::Html, &page), "Before.\n\nAfter.", "{hiding}");
    }
}

#[test]
fn elements_that_are_shown_are_kept() {
    for shown in [
        r#"<p style="color:white;background:#003">SHOWN</p>"#,
        r#"<p aria-hidden="false">SHOWN</p>"#,
        r#"<p style="opacity:0.5">SHOWN</p>"#,
        r#"<p style="left:-5px">SHOWN</p>"#,
        r#"<p style="display:block;color:#fffffe">SHOWN</p>"#,
        r#"<div style="background:#fff"><p style="background:black;color:white">SHOWN</p></div>"#,
        "<details><summary>SHOWN</summary></details>",
        "<p>SH<wbr>OW&shy;N</p>",
    ] {
        let page = format!("<body><p>Before.</p>{shown}<p>After.</p></body>");
        assert_eq!(text(Format::Html, &page), "Before.\n\nSHOWN\n\nAfter.", "{shown}");
    }
}

#[test]
fn white_text_on_a_page_with_style_sheets_may_be_on_a_dark_ground() {
    let page = r#"<head><link rel=stylesheet href=a.css></head><body><p style="color:white">SHOWN</p></body>"#;
    assert_eq!(text(Format::Html, page), "SHOWN");
}

#[test]
fn invisible_characters_are_left_out_of_every_text() {
    let odd = "se\u{200b}al\u{feff} is\u{202e} worn\u{ad}\u{e0041}\u{2060}";
    for format in [Format::Text, Format::Markdown, Format::Rest, Format::Html, Format::Man] {
        assert_eq!(text(format, odd), "seal is worn", "{format}");
    }
    // Joiners are letters of some scripts.
    assert_eq!(text(Format::Text, "می\u{200c}خواهم"), "می\u{200c}خواهم");
}

#[test]
fn comments_of_other_formats_are_left_out() {
    assert_eq!(
        text(Format::Markdown, "One <!-- IGNORE --> two.\n\n<!--\nIGNORE\n-->\n\n[//]: # (IGNORE)\n"),
        "One two."
    );
    assert_eq!(text(Format::Rest, "One.\n\n.. IGNORE\n   IGNORE\n\nTwo.\n"), "One.\n\nTwo.");
    assert_eq!(text(Format::Man, ".\\\" IGNORE\n.SH A\nOne. \\\" IGNORE\n.ig\nIGNORE\n..\nTwo.\n"), "A\n\nOne. Two.");
}

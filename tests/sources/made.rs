//! Files of all formats, made by the tests.

use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// A ZIP archive with these entries.
pub fn archive(entries: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in entries {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(content.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A document of Word. A word is split over two runs, and some text is hidden or deleted.
pub fn docx() -> Vec<u8> {
    let body = r#"<?xml version="1.0"?><w:document xmlns:w="w"><w:body>
        <w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Pumps</w:t></w:r></w:p>
        <w:p><w:r><w:t xml:space="preserve">The se</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>al costs 4 &amp; 5 </w:t></w:r><w:r><w:t>euros.</w:t></w:r>
          <w:del><w:r><w:delText>deleted words</w:delText></w:r></w:del>
          <w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden words</w:t></w:r></w:p>
        <w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>First item</w:t></w:r></w:p>
        <w:tbl><w:tr><w:tc><w:p><w:r><w:t>Part</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>Price</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
      </w:body></w:document>"#;
    let core = r#"<cp:coreProperties xmlns:cp="c" xmlns:dc="d" xmlns:dcterms="t"><dc:title>Manual of pumps</dc:title>
        <dcterms:created>2023-01-02T00:00:00Z</dcterms:created><dcterms:modified>2024-05-06T07:08:09Z</dcterms:modified></cp:coreProperties>"#;
    archive(&[("[Content_Types].xml", "<Types/>"), ("word/document.xml", body), ("docProps/core.xml", core)])
}

/// A workbook of Excel with a hidden sheet.
pub fn xlsx() -> Vec<u8> {
    archive(&[
        (
            "xl/workbook.xml",
            r#"<workbook xmlns:r="r"><sheets><sheet name="Prices" sheetId="1" r:id="rId1"/><sheet name="Secret" sheetId="2" state="hidden" r:id="rId2"/></sheets></workbook>"#,
        ),
        (
            "xl/_rels/workbook.xml.rels",
            r#"<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Target="/xl/worksheets/sheet2.xml"/></Relationships>"#,
        ),
        ("xl/sharedStrings.xml", "<sst><si><t>Pump</t></si><si><r><t>Se</t></r><r><t>al</t></r></si></sst>"),
        (
            "xl/worksheets/sheet1.xml",
            r#"<worksheet><sheetData><row><c t="s"><v>0</v></c><c><v>12.5</v></c></row><row><c t="s"><v>1</v></c><c t="inlineStr"><is><t>on request</t></is></c></row></sheetData></worksheet>"#,
        ),
        ("xl/worksheets/sheet2.xml", r#"<worksheet><sheetData><row><c><v>666</v></c></row></sheetData></worksheet>"#),
    ])
}

/// A presentation of PowerPoint with a hidden slide.
pub fn pptx() -> Vec<u8> {
    let slide = |attributes: &str, title: &str, text: &str| {
        format!(
            r#"<p:sld xmlns:p="p" xmlns:a="a" {attributes}><p:cSld><p:sp><p:nvPr><p:ph type="title"/></p:nvPr><p:txBody><a:p><a:r><a:t>{title}</a:t></a:r></a:p></p:txBody></p:sp>
            <p:sp><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp></p:cSld></p:sld>"#
        )
    };
    archive(&[
        ("ppt/presentation.xml", "<p:presentation/>"),
        ("ppt/slides/slide2.xml", &slide("", "Second", "The seal is worn.")),
        ("ppt/slides/slide10.xml", &slide("", "Tenth", "The end.")),
        ("ppt/slides/slide1.xml", &slide("", "First", "The pump leaks.")),
        ("ppt/slides/slide3.xml", &slide(r#"show="0""#, "Hidden", "Not shown.")),
    ])
}

/// A text of OpenDocument with a tracked deletion.
pub fn odt() -> Vec<u8> {
    archive(&[
        ("mimetype", "application/vnd.oasis.opendocument.text"),
        (
            "content.xml",
            r#"<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="b"><office:body><office:text>
            <text:tracked-changes><text:changed-region><text:deletion><text:p>deleted words</text:p></text:deletion></text:changed-region></text:tracked-changes>
            <text:h text:outline-level="2">Pumps</text:h><text:p>The seal<text:s/>is <text:span>wo</text:span>rn.</text:p>
            <text:list><text:list-item><text:p>First item</text:p></text:list-item></text:list>
            <table:table><table:table-row><table:table-cell><text:p>Part</text:p></table:table-cell><table:table-cell><text:p>Price</text:p></table:table-cell></table:table-row></table:table>
            </office:text></office:body></office:document-content>"#,
        ),
        (
            "meta.xml",
            r#"<office:document-meta xmlns:dc="d" xmlns:meta="m"><dc:title>Manual</dc:title><dc:date>2024-02-03T00:00:00</dc:date></office:document-meta>"#,
        ),
    ])
}

/// A book of two chapters, whose files are in another order than the chapters.
pub fn epub() -> Vec<u8> {
    archive(&[
        ("mimetype", "application/epub+zip"),
        (
            "META-INF/container.xml",
            r#"<container><rootfiles><rootfile full-path="OEBPS/content.opf"/></rootfiles></container>"#,
        ),
        (
            "OEBPS/content.opf",
            r#"<package xmlns:dc="d"><metadata><dc:title>Book of pumps</dc:title><dc:language>en-GB</dc:language></metadata>
            <manifest><item id="a" href="second%20part.xhtml"/><item id="b" href="first.xhtml"/></manifest>
            <spine><itemref idref="b"/><itemref idref="a"/></spine></package>"#,
        ),
        ("OEBPS/second part.xhtml", "<html><body><h1>Two</h1><p>The seal is worn.</p></body></html>"),
        ("OEBPS/first.xhtml", "<html><body><h1>One</h1><p>The pump leaks.</p></body></html>"),
    ])
}

/// A PDF with one page for each text. Lines of a page are separated by line ends.
pub fn pdf(pages: &[&str]) -> Vec<u8> {
    let mut objects = vec![String::new(), String::new()];
    objects.push("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_string());
    let mut kids = Vec::new();
    for text in pages {
        let mut stream = "BT /F1 12 Tf 72 720 Td 14 TL\n".to_string();
        for line in text.lines() {
            let escaped = line.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)").replace('\u{ad}', "\\255");
            stream += &format!("({escaped}) Tj T*\n");
        }
        stream += "ET";
        objects.push(format!("<< /Length {} >>\nstream\n{stream}\nendstream", stream.len()));
        let content = objects.len();
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents {content} 0 R >>"
        ));
        kids.push(format!("{} 0 R", objects.len()));
    }
    objects[0] = "<< /Type /Catalog /Pages 2 0 R >>".to_string();
    objects[1] = format!("<< /Type /Pages /Kids [{}] /Count {} >>", kids.join(" "), kids.len());
    assembled(&objects, "")
}

/// A PDF of objects, with more in its trailer.
pub fn assembled(objects: &[String], trailer: &str) -> Vec<u8> {
    let mut out = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n".to_vec();
    let mut offsets = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        offsets.push(out.len());
        out.extend_from_slice(format!("{} 0 obj\n{object}\nendobj\n", index + 1).as_bytes());
    }
    let table = out.len();
    out.extend_from_slice(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).as_bytes());
    for offset in offsets {
        out.extend_from_slice(format!("{offset:010} 00000 n \n").as_bytes());
    }
    let count = objects.len() + 1;
    out.extend_from_slice(
        format!("trailer\n<< /Size {count} /Root 1 0 R {trailer} >>\nstartxref\n{table}\n%%EOF\n").as_bytes(),
    );
    out
}

/// A PDF that only a password opens.
pub fn encrypted_pdf() -> Vec<u8> {
    let hex = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_string(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_string(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] >>".to_string(),
        format!("<< /Filter /Standard /V 2 /R 3 /Length 128 /P -44 /O <{hex}> /U <{hex}> >>"),
    ];
    let id = &hex[..32];
    assembled(&objects, &format!("/Encrypt 4 0 R /ID [<{id}> <{id}>]"))
}

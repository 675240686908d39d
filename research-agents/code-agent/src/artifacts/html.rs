//! The report as one HTML page that loads and runs nothing.

use std::fmt::Write;
use std::sync::atomic::AtomicBool;

use research_agents_code::facts::{Extraction, RegionKind, extract};
use research_agents_code::lang::FileKind;

use crate::artifacts::json::sites_json;
use crate::run::{Evidence, ResearchRun};

const STYLE: &str = include_str!("html/style.css");

/// Maximum number of lines that the page shows of one piece of evidence.
const MAX_LINES: usize = 400;

/// Returns the page: the answer with links to its evidence, and each piece with numbered lines in
/// which comments and strings are set apart. It follows the light or dark scheme of the reader.
pub fn html(run: &ResearchRun) -> String {
    let mut out = String::new();
    let title = escaped(&run.question);
    // Writing to a string does not fail.
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
         <h1>{title}</h1>\n"
    );
    if let Some(scope) = &run.scope {
        let _ = writeln!(
            out,
            "<p class=\"note\">Scope: <code>{}</code></p>",
            escaped(scope)
        );
    }

    let _ = writeln!(out, "<section class=\"answer\">");
    let answer = run.answer.as_deref().or(run.error_message.as_deref());
    for line in answer.unwrap_or_default().lines() {
        let _ = writeln!(out, "<p>{}</p>", answer_line(run, line));
    }
    let _ = writeln!(out, "</section>");
    if !run.more.is_empty() {
        let count = run.more.len();
        let _ = writeln!(out, "<details>\n<summary>{count} more sentences</summary>");
        for line in &run.more {
            let _ = writeln!(out, "<p>{}</p>", answer_line(run, line));
        }
        let _ = writeln!(out, "</details>");
    }

    let _ = writeln!(out, "<h2>Evidence</h2>");
    for evidence in run.cited_evidence() {
        piece(&mut out, evidence);
    }
    details(&mut out, run);
    let _ = writeln!(out, "</main>\n</body>\n</html>");
    out
}

/// Returns a line of the answer with code and links to the cited evidence.
fn answer_line(run: &ResearchRun, line: &str) -> String {
    let line = line
        .strip_prefix("- ")
        .map_or(line.to_owned(), |item| format!("• {item}"));
    let mut out = String::new();
    for (at, part) in line.split('`').enumerate() {
        if at % 2 == 1 {
            let _ = write!(out, "<code>{}</code>", escaped(part));
            continue;
        }
        let mut rest = part;
        while let Some(start) = rest.find("[ev-") {
            let Some(end) = rest[start..].find(']') else {
                break;
            };
            out.push_str(&escaped(&unescaped(&rest[..start])));
            let shown = &rest[start + 1..start + end];
            let id = shown.split('…').next().unwrap_or(shown);
            let is_known = run.cited.iter().any(|cited| cited == id);
            let number = run.cited.iter().position(|cited| cited == id);
            let label = number.map_or_else(|| shown.to_owned(), |number| (number + 1).to_string());
            match is_known {
                true => {
                    let more = if shown.contains('…') { "…" } else { "" };
                    let _ = write!(
                        out,
                        "<a class=\"cite\" href=\"#{id}\">{label}{more}</a>",
                        id = escaped(id),
                        label = escaped(&label)
                    );
                }
                false => out.push_str(&escaped(shown)),
            }
            rest = &rest[start + end + 1..];
        }
        out.push_str(&escaped(&unescaped(rest)));
    }

    out
}

/// Takes away the backslashes that protect Markdown.
fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let escapes = c == '\\'
            && characters
                .peek()
                .is_some_and(|next| matches!(next, '[' | ']' | '<' | '>' | '!'));
        if !escapes {
            out.push(c);
        }
    }
    out
}

fn piece(out: &mut String, evidence: &Evidence) {
    let lines = &evidence.lines;
    let path = escaped(lines.file_path.as_str());
    let _ = write!(
        out,
        "<figure id=\"{}\">\n<figcaption><b>{path}</b>:{}–{} <span>{} · {}</span></figcaption>\n\
         <pre>",
        escaped(&evidence.id),
        lines.start_line,
        lines.end_line,
        evidence.id,
        lines.provenance
    );

    let classes = classes(evidence);
    let text = evidence.text();
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').take(MAX_LINES).enumerate() {
        let _ = write!(out, "<i>{}</i>", lines.start_line + number);
        out.push_str(&marked(line.trim_end_matches(['\r', '\n']), at, &classes));
        out.push('\n');
        at += line.len();
    }
    let _ = writeln!(out, "</pre>\n</figure>");
}

/// Returns the comments and strings of the lines, by byte, if the language is known.
fn classes(evidence: &Evidence) -> Vec<(std::ops::Range<usize>, &'static str)> {
    let FileKind::Code(language) = FileKind::of_path(&evidence.lines.file_path) else {
        return Vec::new();
    };
    let bytes = evidence.text().as_bytes();

    match extract(language, bytes, &AtomicBool::new(false)) {
        Extraction::Facts(facts) => facts
            .regions
            .iter()
            .map(|region| {
                let class = match region.kind {
                    RegionKind::Comment => "c",
                    RegionKind::String => "s",
                };
                (region.span.clone(), class)
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// Marks the parts of a line that are in comments and strings.
fn marked(line: &str, start: usize, classes: &[(std::ops::Range<usize>, &str)]) -> String {
    let mut out = String::new();
    let mut open: Option<&str> = None;
    for (at, c) in line.char_indices() {
        let place = start + at;
        let class = classes
            .iter()
            .find(|(span, _)| span.contains(&place))
            .map(|(_, class)| *class);
        if class != open {
            if open.is_some() {
                out.push_str("</span>");
            }
            if let Some(class) = class {
                let _ = write!(out, "<span class=\"{class}\">");
            }
            open = class;
        }
        push_escaped(&mut out, c);
    }

    if open.is_some() {
        out.push_str("</span>");
    }
    out
}

fn details(out: &mut String, run: &ResearchRun) {
    let _ = writeln!(out, "<details>\n<summary>How it was found</summary>\n<ol>");
    for step in &run.steps {
        let end = step.error.as_deref().unwrap_or(&step.output_summary);
        let _ = writeln!(
            out,
            "<li><code>{}</code>: {} <span class=\"note\">{}</span></li>",
            escaped(&step.action),
            escaped(end),
            escaped(&step.reasoning)
        );
    }
    let _ = writeln!(out, "</ol>");
    if let Some(verification) = &run.verification {
        let _ = writeln!(out, "<ul>");
        for check in &verification.checks {
            let holds = if check.holds {
                "holds"
            } else {
                "does not hold"
            };
            let details = escaped(&check.details.join("; "));
            let _ = writeln!(out, "<li>{}: {holds} {details}</li>", escaped(&check.check));
        }
        let _ = writeln!(out, "</ul>");
    }
    let _ = writeln!(out, "<p class=\"note\">Run {}</p>\n</details>", run.run_id);

    let sites = sites_json(run);
    if !sites.is_empty() {
        let count = sites.len();
        let _ = writeln!(
            out,
            "<details>\n<summary>{count} further sites</summary>\n<ul>"
        );
        for site in &sites {
            let _ = writeln!(out, "<li>{}</li>", escaped(site));
        }
        let _ = writeln!(out, "</ul>\n</details>");
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    research_agents_report::text::visible(text)
        .chars()
        .for_each(|c| push_escaped(&mut out, c));
    out
}

fn push_escaped(out: &mut String, c: char) {
    match c {
        '&' => out.push_str("&amp;"),
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        '"' => out.push_str("&quot;"),
        '\'' => out.push_str("&#39;"),
        // Characters that reorder a line are shown as what they are.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}'..='\u{200f}' => {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        }
        other => out.push(other),
    }
}

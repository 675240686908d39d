//! The memo as Markdown.

use std::fmt::Write;

use research_agents_report::text::visible;

use crate::memo::{Scr, Section};

/// Characters that have a meaning in Markdown within a line.
const SPECIAL: &str = "\\`*_[]<>#|~&";

impl Scr {
    /// Returns the memo as Markdown. Sentences of findings are in quotation marks and escaped, so
    /// that no heading, link or code of a finding becomes one of the memo.
    pub fn to_markdown(&self) -> String {
        let mut text = format!("# {}\n\n", escaped(&self.question));
        text.push_str("Sentences of findings, chosen by rules; no language model was used.\n");

        let none = "No source proposes a resolution.";
        let waits = "The resolution is not written yet.";
        let resolution = if self.is_partial() { waits } else { none };
        self.section(
            &mut text,
            "Situation",
            &self.situation,
            "No uncontradicted fact is known.",
        );
        self.section(
            &mut text,
            "Complication",
            &self.complication,
            "No problem is known.",
        );
        self.section(&mut text, "Resolution", &self.resolution, resolution);

        text.push_str("\n## Findings\n\n");
        for (index, finding) in self.findings.iter().enumerate() {
            let _ = writeln!(
                text,
                "- F{}: {}",
                index + 1,
                escaped(finding.source.for_code())
            );
        }
        text
    }

    fn section(&self, text: &mut String, heading: &str, section: &Section, empty: &str) {
        let _ = write!(text, "\n## {heading}\n\n");
        if section.statements.is_empty() {
            let _ = writeln!(text, "{empty}");
        }

        for statement in &section.statements {
            let (sentence, cited) = (statement.text.for_code(), self.cited(&statement.findings));
            let _ = write!(
                text,
                "- {}: “{}” ({cited})",
                statement.id,
                escaped(sentence)
            );
            if let Some(against) = &statement.against {
                let cited = self.cited(&against.findings);
                let other = escaped(against.text.for_code());
                let _ = write!(text, ", against “{other}” ({cited})");
            }
            text.push('\n');
        }
    }

    /// Returns the numbers of findings, such as `F1, F3`.
    fn cited(&self, ids: &[String]) -> String {
        let numbers = self.findings.iter().enumerate();
        let cited = numbers.filter(|(_, finding)| ids.contains(&finding.id));
        cited
            .map(|(index, _)| format!("F{}", index + 1))
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// Returns the text as one line without markup.
fn escaped(text: &str) -> String {
    let line = visible(text)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let mut escaped = String::with_capacity(line.len());
    for character in line.chars() {
        if SPECIAL.contains(character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

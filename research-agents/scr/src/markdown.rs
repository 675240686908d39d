//! The memo as Markdown.

use std::fmt::Write;

use research_agents_report::text::visible;

use crate::memo::{Basis, Scr, SectionKind, Statement};
use crate::relations::Relations;
use crate::role::Role;

/// Characters that have a meaning in Markdown within a line.
const SPECIAL: &str = "\\`*_[]<>#|~&";

impl Scr {
    /// Returns the memo as Markdown. Sentences of findings are in quotation marks, and everything
    /// is escaped, so that no heading, link or code of a finding becomes one of the memo.
    pub fn to_markdown(&self) -> String {
        let mut text = format!("# {}\n\n{}\n", escaped(&self.question), self.head());
        for &kind in self.sections() {
            let _ = write!(text, "\n## {kind}\n\n");
            let statements = &self.section(kind).statements;
            if statements.is_empty() {
                let _ = writeln!(text, "{}", self.without(kind));
            }
            for statement in statements {
                let _ = writeln!(text, "- {}", self.line(statement));
            }
            if kind == self.structure.section_of(Role::Problem) {
                text.push_str(&self.unmet());
            }
        }

        text.push_str("\n## Findings\n\n");
        if self.findings.is_empty() {
            text.push_str("No findings to synthesize.\n");
        }
        for (index, finding) in self.findings.iter().enumerate() {
            let source = escaped(finding.source.for_code());
            let _ = writeln!(text, "- F{}: {source}", index + 1);
        }
        text
    }

    /// Returns a statement as one line, with its findings.
    pub(crate) fn line(&self, statement: &Statement) -> String {
        let cited = self.cited(&statement.findings);
        let sentence = escaped(statement.text.for_code());
        let mut line = match &statement.basis {
            Basis::Quoted => format!("{}: “{sentence}” ({cited})", statement.id),
            Basis::Carried => format!("{}: {sentence} ({cited})", statement.id),
            Basis::Unsure { .. } => format!("{}: {sentence} ({cited}) ⚠", statement.id),
        };

        if let Some(against) = &statement.against {
            let cited = self.cited(&against.findings);
            let other = escaped(against.text.for_code());
            let _ = write!(line, ", against “{other}” ({cited})");
        }
        line
    }

    /// Returns how the memo was written.
    fn head(&self) -> String {
        if !self.by_model {
            return "Sentences of findings, chosen by rules; no language model was used."
                .to_owned();
        }

        let spent = &self.spent;
        let mut head = format!(
            "A language model wrote what is not in quotation marks, and code checked it: numbers, \
             names and negations agree with the findings. ⚠ marks words that no finding has. {} \
             questions; {} new tokens, {} repeated ones. Prompts with all findings would have had \
             {} new ones.",
            spent.section_calls + spent.reflection_calls,
            spent.fresh_tokens,
            spent.repeated_tokens,
            spent.regeneration_tokens
        );
        if !self.withheld.is_empty() {
            let _ = write!(
                head,
                " {} sentences that findings do not carry were withheld.",
                self.withheld.len()
            );
        }
        head
    }

    /// Returns the line of a section without statements.
    pub(crate) fn without(&self, kind: SectionKind) -> &'static str {
        if self.section(kind).read < self.findings.len() {
            return match kind {
                SectionKind::Summary => "The summary is not written yet.",
                SectionKind::Situation => "The situation is not written yet.",
                SectionKind::Complication => "The complication is not written yet.",
                SectionKind::Resolution => "The resolution is not written yet.",
            };
        }
        match kind {
            SectionKind::Summary => "No finding states anything.",
            SectionKind::Situation => "No uncontradicted fact is known.",
            SectionKind::Complication => "No problem is known.",
            SectionKind::Resolution => "No source proposes a resolution.",
        }
    }

    /// Returns the requirements that nothing meets, one a line.
    fn unmet(&self) -> String {
        let relations = Relations::of(&self.findings);
        let mut text = String::new();
        for relation in relations.unmet(&self.question) {
            let cited = self.cited(std::slice::from_ref(&relation.finding));
            let sentence = escaped(&relation.sentence);
            let _ = writeln!(text, "- Not met by any finding: “{sentence}” ({cited})");
        }
        text
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

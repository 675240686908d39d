//! The report as Markdown: escaped text, citation markers, and the lists of what they cite.

use crate::document::links::is_plain_web_address;
use crate::document::model::{
    Block, Question, QuestionStatus, Report, Section, Sentence, SourceEntry,
};
use crate::document::table::grid::Grid;
use crate::document::table::{DataTable, RecordTable};
use crate::language::phrase::Phrase;
use crate::language::tag::Language;
use crate::text::line::Line;

/// Renders a report as Markdown.
pub(crate) fn render(report: &Report) -> String {
    let language = report.language;
    let mut page = Page(String::new(), language, &report.data);
    page.heading(1, &report.title);

    // Details come last.
    let (folded, open): (Vec<_>, Vec<_>) =
        report.sections.iter().partition(|section| section.folded);
    for section in open {
        page.section(section, 2);
    }
    if !folded.is_empty() {
        page.heading(2, &Line::new(&language.say(Phrase::Details)));
    }
    for section in folded {
        page.section(section, 3);
    }

    page.list(
        &language.say(Phrase::Data),
        report.data.iter().map(data_line),
    );
    page.list(
        &language.say(Phrase::Sources),
        report.sources.iter().map(source_line),
    );
    page.0
}

/// The Markdown written so far, the language of the report, and its aggregations.
struct Page<'r>(String, Language, &'r [DataTable]);

impl Page<'_> {
    /// Writes a paragraph, with a blank line before it.
    fn block(&mut self, text: &str) {
        if !self.0.is_empty() {
            self.0.push('\n');
        }
        self.0.push_str(text);
        self.0.push('\n');
    }

    /// Writes a heading, unless it is empty.
    fn heading(&mut self, level: usize, text: &Line) {
        if !text.is_empty() {
            self.block(&format!("{} {}", "#".repeat(level), escaped(text)));
        }
    }

    /// Writes a section with its parts.
    fn section(&mut self, section: &Section, level: usize) {
        self.heading(level, &section.heading);
        if let Some(question) = section
            .question
            .as_ref()
            .filter(|question| is_shown(question))
        {
            self.block(&question.status.words(self.1));
        }

        let language = self.1;
        let written = |one: &Sentence| sentence(one, language);
        for block in &section.blocks {
            match block {
                Block::Paragraph { sentences } => {
                    self.block(&sentences.iter().map(written).collect::<Vec<_>>().join(" "));
                }
                Block::Bullets { sentences } => self.bullets(sentences.iter().map(written)),
                Block::Note { text } => self.block(&escaped(text)),
                Block::Coverage(coverage) => self.block(&escaped(&coverage.text)),
                Block::Notes { items } => self.bullets(items.iter().map(escaped)),
                // The rows of the aggregation say the same.
                Block::Chart { .. } => {}
                Block::Groups { aggregation, most } => self.groups(aggregation, *most),
                Block::Records(records) => self.records(records),
            }
        }

        if section.is_checklist() {
            return self.bullets(
                section
                    .sections
                    .iter()
                    .map(|part| status_line(part, language)),
            );
        }

        section
            .answered(self.1)
            .iter()
            .for_each(|answered| self.block(answered));
        for inner in &section.sections {
            self.section(inner, (level + 1).min(6));
        }
    }

    /// Writes the first rows of an aggregation.
    fn groups(&mut self, id: &str, most: u64) {
        let language = self.1;
        let Some(table) = self.2.iter().find(|table| table.id == id) else {
            return;
        };
        let mut grid = Grid::of_data(table, language);
        let more = grid.cut(most);

        let title = escaped(table.shown_title());
        self.block(format!("{title} ({id})").trim_start());
        self.table(&grid);
        if more > 0 {
            self.block(&language.say(Phrase::MoreRows { count: more }));
        }
    }

    /// Writes a list of records.
    fn records(&mut self, records: &RecordTable) {
        let language = self.1;
        let marker = records.aggregation.as_ref().map(|id| format!(" ({id})"));
        let caption = escaped(&records.caption) + &marker.unwrap_or_default();
        if !caption.is_empty() {
            self.block(caption.trim_start());
        }
        self.table(&Grid::of_records(records, language));
        if records.more > 0 {
            let count = records.more;
            self.block(&language.say(Phrase::MoreRecords { count }));
        }
    }

    /// Writes a table, with numbers on the right.
    fn table(&mut self, grid: &Grid) {
        let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
        let cell = |text: &Line| inert(text).replace('|', "\\|");
        let names = grid.columns.iter().map(|column| cell(&column.name));
        let rules = grid.columns.iter().map(|column| {
            let rule = if column.is_number { "---:" } else { "---" };
            rule.to_owned()
        });

        let mut lines = vec![line(names.collect()), line(rules.collect())];
        let rows = grid.rows.iter();
        lines.extend(rows.map(|row| line(row.iter().map(cell).collect())));
        self.block(&lines.join("\n"));
    }

    /// Writes a list, unless it is empty.
    fn bullets(&mut self, items: impl Iterator<Item = String>) {
        let lines: Vec<String> = items.map(|item| format!("- {item}")).collect();
        if !lines.is_empty() {
            self.block(&lines.join("\n"));
        }
    }

    /// Writes a list with its heading, unless it is empty.
    fn list(&mut self, heading: &str, items: impl Iterator<Item = String>) {
        let mut items = items.peekable();
        if items.peek().is_some() {
            self.heading(2, &Line::new(heading));
            self.bullets(items);
        }
    }
}

/// Returns whether the status of a sub-question is shown. Answered ones are reported together in
/// one line.
pub(crate) fn is_shown(question: &Question) -> bool {
    question.status == QuestionStatus::NotAnswered
}

/// Returns a sub-question with its status.
fn status_line(part: &Section, language: Language) -> String {
    let (words, stop) = split_stop(part.heading.as_str());
    let status = part
        .question
        .as_ref()
        .map(|question| question.status.words(language))
        .unwrap_or_default();
    format!("{}{stop} {status}", escaped(&Line::new(words)))
}

/// Returns a sentence with its citation markers before the final punctuation.
fn sentence(sentence: &Sentence, language: Language) -> String {
    let text = escaped(&sentence.text);
    let (words, stop) = split_stop(&text);

    let mut out = words.to_owned();
    if let Some(note) = &sentence.note {
        out.push_str(&format!(" ({})", escaped(note)));
    }
    for id in &sentence.aggregations {
        out.push_str(&format!(" ({id})"));
    }
    if sentence.cites_examples() {
        out.push_str(&format!(", {}", language.say(Phrase::ForExample)));
    }
    for id in &sentence.sources {
        out.push_str(&format!(" [{id}]"));
    }
    if let Some(mark) = sentence.mark {
        out.push_str(&format!(" {mark}"));
    }
    out.push_str(stop);
    out
}

/// Splits a sentence into its text and its final punctuation, which is a full stop if there is
/// none.
pub(crate) fn split_stop(text: &str) -> (&str, &str) {
    match text.strip_suffix(['.', '!', '?']) {
        Some(words) => (words, &text[words.len()..]),
        None => (text, "."),
    }
}

/// Returns the entry of an aggregation.
fn data_line(table: &DataTable) -> String {
    format!("({}) {}", table.id, escaped(&table.caption))
}

/// Returns the entry of a source.
fn source_line(source: &SourceEntry) -> String {
    let (title, snippet) = (escaped(&source.title), escaped(&source.snippet));
    let mut line = format!("[{}] ", source.id);
    if !(title.is_empty() || title == source.id || snippet.starts_with(&title)) {
        line.push_str(&format!("{title} — "));
    }
    let cited = source
        .cited
        .iter()
        .map(escaped)
        .collect::<Vec<_>>()
        .join("; ");
    let parts = [cited, snippet].into_iter().filter(|part| !part.is_empty());
    line.push_str(&parts.collect::<Vec<_>>().join(" · "));
    if let Some(url) = source.url.as_ref().filter(|url| is_plain_web_address(url)) {
        line.push_str(&format!(" <{url}>"));
    }
    line.trim_end_matches([' ', '—']).to_owned()
}

/// Escapes a line for Markdown, so that it begins no block: it has no markup that loads or links,
/// no square brackets and no citation marker.
fn escaped(line: &Line) -> String {
    escape_start(&inert(line))
}

/// Escapes a line for Markdown within a block.
fn inert(line: &Line) -> String {
    let mut out = String::new();
    let text = line.as_str();
    let has_formula = text.contains('$') && has_command(text);
    let mut characters = text.chars().peekable();
    let mut backslashes = 0;

    while let Some(character) = characters.next() {
        // A backslash before a star would take back the one that escapes the star.
        if character == '*' {
            out.push_str(&"\\".repeat(backslashes));
        }
        backslashes = if character == '\\' {
            backslashes + 1
        } else {
            0
        };

        match character {
            '[' => out.push('('),
            ']' => out.push(')'),
            '`' => out.push('\''),
            '*' => out.push_str("\\*"),
            '$' if has_formula => out.push_str("\\$"),
            '<' if characters
                .peek()
                .is_some_and(|next| next.is_ascii_alphabetic() || "/!?".contains(*next)) =>
            {
                out.push_str("&lt;");
            }
            other => out.push(other),
        }
    }

    // `((A1))` loses one pair of brackets in each round.
    let mut unmarked = without_markers(&out);
    while unmarked != out {
        out = unmarked;
        unmarked = without_markers(&out);
    }

    unmarked
}

/// Returns whether a string has a command of a formula, such as `\href`.
fn has_command(text: &str) -> bool {
    let mut pieces = text.split('\\').skip(1);
    pieces.any(|piece| piece.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// Replaces `(A1)` by `A1`, so that only the markers of the report have that form.
fn without_markers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;

    while let Some(at) = rest.find("(A") {
        let digits = rest[at + 2..]
            .bytes()
            .take_while(u8::is_ascii_digit)
            .count();
        let end = at + 2 + digits;
        if digits > 0 && rest[end..].starts_with(')') {
            out.push_str(&rest[..at]);
            out.push_str(&rest[at + 1..end]);
            rest = &rest[end + 1..];
        } else {
            out.push_str(&rest[..at + 2]);
            rest = &rest[at + 2..];
        }
    }

    out.push_str(rest);
    out
}

/// Escapes the start of a string, so that it does not begin a heading, list, quotation or rule.
fn escape_start(text: &str) -> String {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 && text[digits..].starts_with(['.', ')']) && text[digits + 1..].starts_with(' ') {
        return format!("{}\\{}", &text[..digits], &text[digits..]);
    }
    if text.starts_with(['#', '-', '+', '>', '=', '~', '|']) {
        format!("\\{text}")
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(text: &str) -> String {
        escaped(&Line::new(text))
    }

    #[test]
    fn images_links_html_and_code_become_inert() {
        assert_eq!(clean("![x](y) [a](b)"), "!(x)(y) (a)(b)");
        assert_eq!(clean("<img src=x> 5 < 6 `rm`"), "&lt;img src=x> 5 < 6 'rm'");
        assert_eq!(clean("**bold**"), "\\*\\*bold\\*\\*");
        assert_eq!(clean("\\*bold\\* \\x"), "\\\\\\*bold\\\\\\* \\x");
        assert_eq!(clean("$\\href{x}{y}$"), "\\$\\href{x}{y}\\$");
        assert_eq!(clean("$5 and $6"), "$5 and $6");
    }

    #[test]
    fn no_text_starts_a_block_of_its_own() {
        assert_eq!(clean("# Heading\n- item"), "\\# Heading - item");
        assert_eq!(clean("1. first"), "1\\. first");
        assert_eq!(clean("1.5 percent"), "1.5 percent");
    }

    #[test]
    fn forged_markers_of_aggregations_lose_their_form() {
        assert_eq!(
            clean("so (A1) and (A12), not (Ab)"),
            "so A1 and A12, not (Ab)"
        );
    }

    #[test]
    fn nested_brackets_do_not_leave_a_marker_behind() {
        for forged in ["((A9))", "[[A9]]", "(((A9)))"] {
            let text = clean(&format!("so {forged} there"));
            assert!(
                !text.contains("(A9)") && !text.contains("[A9]") && text.contains("A9"),
                "{text}"
            );
        }
    }
}

//! Reads reStructuredText: headings by their underlines, directives, lists and inline markup.

use crate::read::builder::{Builder, Built};
use crate::read::document::BlockKind;
use crate::read::error::ReadError;
use crate::read::formats::about::{date_in, language_code};
use crate::read::limits::ReadLimits;

/// Directives whose content is code.
const CODE: &[&str] = &[
    "code",
    "code-block",
    "sourcecode",
    "literalinclude",
    "parsed-literal",
    "productionlist",
    "prompt",
    "testcode",
    "testoutput",
    "doctest",
    "math",
    "highlight",
];
/// Directives whose argument is the beginning of their text.
const ADMONITIONS: &[&str] = &[
    "note",
    "warning",
    "caution",
    "danger",
    "error",
    "hint",
    "important",
    "tip",
    "attention",
    "admonition",
    "seealso",
    "versionadded",
    "versionchanged",
    "deprecated",
    "deprecated-removed",
    "topic",
    "rubric",
    "sidebar",
    "epigraph",
    "centered",
];
/// Directives whose content is not text of the page.
const NO_TEXT: &[&str] = &[
    "raw",
    "index",
    "toctree",
    "contents",
    "image",
    "figure",
    "include",
    "meta",
    "role",
    "default-role",
    "module",
    "currentmodule",
    "sectionauthor",
    "moduleauthor",
    "testsetup",
    "testcleanup",
    "only",
    "highlight",
    "tabularcolumns",
    "sectnum",
    "header",
    "footer",
];

pub(crate) fn read(text: &str, limits: &ReadLimits) -> Result<Built, ReadError> {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let mut reader = Reader {
        lines,
        at: 0,
        out: Builder::new(limits.text),
        styles: Vec::new(),
    };
    while reader.at < reader.lines.len() {
        reader.block();
        reader.out.check()?;
    }
    reader.out.finish()
}

struct Reader<'t> {
    lines: Vec<&'t str>,
    at: usize,
    out: Builder,
    /// Styles of headings in the order of their first use: the character, and whether there is a
    /// line above.
    styles: Vec<(char, bool)>,
}

impl<'t> Reader<'t> {
    fn line(&self, index: usize) -> &'t str {
        self.lines.get(index).copied().unwrap_or_default()
    }

    fn block(&mut self) {
        let line = self.line(self.at);
        let trimmed = line.trim_start();

        if trimmed.is_empty() {
            self.out.end();
            self.at += 1;
        } else if let Some((title, character, is_over, used)) = self.heading() {
            self.write_heading(title, character, is_over);
            self.at += used;
        } else if trimmed.starts_with("..") && (trimmed.len() == 2 || trimmed[2..].starts_with(' '))
        {
            self.directive();
        } else if is_table_rule(trimmed) {
            self.out.end();
            self.at += 1;
        } else if trimmed.starts_with('|') && trimmed.ends_with('|') && trimmed.len() > 2 {
            self.row(trimmed);
            self.at += 1;
        } else if let Some(rest) = field(trimmed) {
            self.field(rest);
        } else {
            self.paragraph();
        }
    }

    /// Returns the heading that begins here: title, character, whether there is a line above, and
    /// the number of lines.
    fn heading(&self) -> Option<(&'t str, char, bool, usize)> {
        let [first, second, third] = [0, 1, 2].map(|offset| self.line(self.at + offset));
        if let (Some(above), Some(below)) = (adornment(first), adornment(third))
            && above == below
            && !second.trim().is_empty()
            && first.chars().count() >= second.trim().chars().count()
        {
            return Some((second.trim(), above, true, 3));
        }
        let character = adornment(second)?;
        let is_title = !first.starts_with(' ')
            && adornment(first).is_none()
            && second.chars().count() >= first.chars().count();
        is_title.then_some((first.trim(), character, false, 2))
    }

    fn write_heading(&mut self, title: &str, character: char, is_over: bool) {
        let style = (character, is_over);
        let known = self.styles.iter().position(|known| *known == style);
        let level = known.unwrap_or_else(|| {
            self.styles.push(style);
            self.styles.len() - 1
        });
        self.out
            .begin_heading(u8::try_from(level + 1).unwrap_or(u8::MAX));
        self.out.flow(&inline(title));
        self.out.end();
    }

    /// Reads what begins with two dots: a directive, a target, a footnote or a comment.
    fn directive(&mut self) {
        self.out.end();
        let line = self.line(self.at);
        let indent = indent_of(line);
        let rest = line.trim_start()[2..].trim();
        self.at += 1;

        let name = rest.split_once("::").map(|(name, _)| name.trim());
        let is_directive = name.is_some_and(|name| {
            !name.is_empty() && !name.contains(' ') && !name.starts_with(['_', '|', '['])
        });
        if !is_directive {
            // A footnote or citation has text; targets, substitutions and comments have none.
            if let Some(note) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
                self.out.begin(BlockKind::Paragraph);
                self.out.flow(&inline(note.1));
            } else {
                self.skip_body(indent);
            }
            return;
        }

        let (name, argument) = rest.split_once("::").unwrap_or((rest, ""));
        let name = name.rsplit(':').next().unwrap_or(name).trim();
        if NO_TEXT.contains(&name) {
            self.skip_body(indent);
        } else if CODE.contains(&name) {
            self.skip_options(indent);
            self.code(indent);
        } else {
            // That of another directive is what it describes, such as a function.
            let argument = argument.trim();
            if !argument.is_empty() {
                self.out.begin(if ADMONITIONS.contains(&name) {
                    BlockKind::Paragraph
                } else {
                    BlockKind::Term
                });
                self.out.flow(&inline(argument));
                self.out.flow(" ");
            }
            self.skip_options(indent);
        }
    }

    /// Skips the lines that are indented more than a directive.
    fn skip_body(&mut self, indent: usize) {
        while self.at < self.lines.len() {
            let line = self.line(self.at);
            if !line.trim().is_empty() && indent_of(line) <= indent {
                break;
            }
            self.at += 1;
        }
    }

    fn skip_options(&mut self, indent: usize) {
        while let line = self.line(self.at)
            && indent_of(line) > indent
            && line.trim_start().starts_with(':')
        {
            self.at += 1;
        }
    }

    /// Writes the lines that are indented more than what they belong to.
    fn code(&mut self, indent: usize) {
        let start = self.at;
        self.skip_body(indent);
        let body = &self.lines[start..self.at];
        let margin = body
            .iter()
            .filter(|line| !line.trim().is_empty())
            .map(|line| indent_of(line))
            .min()
            .unwrap_or_default();

        self.out.begin(BlockKind::Code);
        for line in body {
            self.out.verbatim(line.get(margin..).unwrap_or_default());
            self.out.verbatim("\n");
        }
        self.out.end();
    }

    fn row(&mut self, line: &str) {
        self.out.begin(BlockKind::TableRow);
        for cell in line.trim_matches('|').split('|') {
            self.out.flow(&inline(cell));
            self.out.cell();
        }
        self.out.end();
    }

    /// Reads a field such as `:Date: 2024`.
    fn field(&mut self, (name, value): (&str, &str)) {
        let about = self.out.about();
        match name.to_ascii_lowercase().as_str() {
            "date" | "updated" => about.date = date_in(value).or(about.date.take()),
            "language" | "lang" => about.language = language_code(value),
            _ => {}
        }
        self.out.begin(BlockKind::ListItem);
        self.out.flow(&inline(&format!("{name}: {value}")));
        self.at += 1;
        self.rest_of_paragraph();
    }

    fn paragraph(&mut self) {
        let line = self.line(self.at);
        let trimmed = line.trim_start();
        let next = self.line(self.at + 1);

        if self.out.current().is_none() {
            match item(trimmed) {
                Some(text) => {
                    self.out.begin(BlockKind::ListItem);
                    self.at += 1;
                    self.add_line(text);
                    return self.rest_of_paragraph();
                }
                None if indent_of(next) > indent_of(line) && !next.trim().is_empty() => {
                    self.out.begin(BlockKind::Term);
                    self.add_line(trimmed);
                    self.out.end();
                    self.out.begin(BlockKind::Definition);
                    self.at += 1;
                    return self.rest_of_paragraph();
                }
                None => self.out.begin(BlockKind::Paragraph),
            }
        }
        self.rest_of_paragraph();
    }

    /// Writes lines up to the next blank one, and the code that a double colon announces.
    fn rest_of_paragraph(&mut self) {
        let mut last = self.line(self.at.saturating_sub(1));
        while self.at < self.lines.len() {
            let line = self.line(self.at);
            let trimmed = line.trim_start();
            if trimmed.is_empty() || item(trimmed).is_some() || trimmed.starts_with(".. ") {
                break;
            }
            self.add_line(trimmed);
            last = line;
            self.at += 1;
        }

        let announces_code = last.ends_with("::");
        let indent = indent_of(last);
        self.out.end();
        if announces_code {
            self.code(indent);
        }
    }

    fn add_line(&mut self, line: &str) {
        let text = match line.strip_suffix("::") {
            Some("") => return,
            Some(text) => format!("{}:", text.trim_end()),
            None => line.to_owned(),
        };
        self.out.flow(&inline(&text));
        self.out.flow(" ");
    }
}

/// Returns the character of a line that consists of one kind of punctuation.
fn adornment(line: &str) -> Option<char> {
    let first = line.chars().next()?;
    let is_line = first.is_ascii_punctuation()
        && line.chars().count() >= 2
        && line.chars().all(|c| c == first);
    is_line.then_some(first)
}

fn is_table_rule(line: &str) -> bool {
    line.len() > 3
        && line.chars().all(|c| matches!(c, '+' | '-' | '=' | ' '))
        && (line.starts_with('+') || line.starts_with("=="))
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Returns the text of a list item.
fn item(line: &str) -> Option<&str> {
    if let Some(rest) = line.strip_prefix(['-', '*', '+', '•']) {
        return rest.strip_prefix(' ').map(str::trim_start);
    }
    let end = line.find(['.', ')'])?;
    let number = line[..end].trim_start_matches('(');
    let is_number =
        number == "#" || (!number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()));
    (is_number && number.len() <= 3)
        .then(|| line[end + 1..].strip_prefix(' '))
        .flatten()
}

/// Returns name and value of a field.
fn field(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.strip_prefix(':')?.split_once(':')?;
    let is_name = !name.is_empty() && name.len() < 60 && !name.contains('`');
    (is_name && (value.is_empty() || value.starts_with(' '))).then(|| (name, value.trim()))
}

/// Returns text without inline markup.
fn inline(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['`', '*', ':', '\\', '_']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        rest = marked(rest, &mut out);
    }
    out.push_str(rest);
    out
}

/// Writes what a mark at the start of `text` means, and returns what follows it.
fn marked<'t>(text: &'t str, out: &mut String) -> &'t str {
    if let Some(escaped) = text.strip_prefix('\\') {
        let Some(c) = escaped.chars().next() else {
            return escaped;
        };
        if !c.is_whitespace() {
            out.push(c);
        }
        return &escaped[c.len_utf8()..];
    }
    for mark in ["``", "**", "*"] {
        if let Some(inner) = text.strip_prefix(mark)
            && let Some(end) = inner.find(mark)
            && end > 0
            && !inner.starts_with(' ')
        {
            out.push_str(&inner[..end]);
            return &inner[end + mark.len()..];
        }
    }

    // A role: `:ref:` before text in backquotes.
    if text.starts_with(':')
        && let Some(end) = text.find(":`").filter(|end| *end > 0)
        && text[1..end]
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, ':' | '-' | '_' | '+'))
    {
        return interpreted(&text[end + 1..], out).unwrap_or(&text[end + 1..]);
    }
    if text.starts_with('`')
        && let Some(rest) = interpreted(text, out)
    {
        return rest;
    }

    // The mark of a reference after a word.
    let is_reference = text.starts_with('_')
        && out.ends_with(|c: char| c.is_alphanumeric())
        && !text[1..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let first = text.chars().next().map_or(1, char::len_utf8);
    if !is_reference {
        out.push_str(&text[..first]);
    }
    &text[first..]
}

/// Writes the text in backquotes, without its target.
fn interpreted<'t>(text: &'t str, out: &mut String) -> Option<&'t str> {
    let inner = text.strip_prefix('`')?;
    let end = inner.find('`')?;
    let mut shown = &inner[..end];
    if let Some((label, target)) = shown.rsplit_once('<')
        && target.ends_with('>')
    {
        shown = if label.trim().is_empty() {
            target.trim_end_matches('>')
        } else {
            label.trim_end()
        };
    }
    out.push_str(shown.trim_start_matches(['~', '!']));
    Some(inner[end + 1..].trim_start_matches('_'))
}

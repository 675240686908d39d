//! The report as a single HTML file, without scripts or external resources.
//!
//! Text gets into the page only through [`Markup`], which escapes it. Each piece of the page then
//! passes the sanitizer, as a second layer. Charts come from the plotting library with escaped
//! labels and are added without it.

pub(crate) mod data;
pub(crate) mod markup;
pub(crate) mod page;
pub(crate) mod sanitizer;
pub(crate) mod sources;

use crate::document::error::RenderError;
use crate::document::html::markup::Markup;
use crate::document::html::page::Page;
use crate::document::html::sanitizer::Sanitizer;
use crate::document::markdown::{is_shown, split_stop};
use crate::document::model::{Block, Report, Section, Sentence};
use crate::language::phrase::Phrase;
use crate::language::tag::Language;
use crate::text::markup::anchor;

const STYLE: &str = include_str!("html/page.css");
/// The content security policy: the page can apply its own style, and can load and run nothing.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// Renders the whole file.
///
/// # Errors
///
/// Returns an error if a chart cannot be drawn.
pub(crate) fn render(report: &Report) -> Result<String, RenderError> {
    let mut page = Page {
        body: String::new(),
        sanitizer: Sanitizer::new(),
        language: report.language,
    };
    page.head(report);

    // Details come last. A report that folds some of them folds its lists too.
    let sections = || report.sections.iter().enumerate();
    for (at, section) in sections().filter(|(_, section)| !section.folded) {
        page.part("section", |page| page.section(section, report, 2, at))?;
    }
    for (at, section) in sections().filter(|(_, section)| section.folded) {
        page.folded(section.heading.as_str(), &part_id(at), |page| {
            page.content(section, report, 2, at)
        })?;
    }
    let folds = report.sections.iter().any(|section| section.folded);
    if !report.data.is_empty() {
        let heading = report.language.say(Phrase::Data);
        page.list(folds, &heading, "data", |page| data::write(page, report))?;
    }
    if !report.sources.is_empty() {
        let heading = report.language.say(Phrase::Sources);
        page.list(folds, &heading, "sources", |page| {
            sources::write(page, report);
            Ok(())
        })?;
    }

    let mut title = Markup::default();
    title.element("title", &[], report.title.as_str());
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\"/>\n\
         <meta name=\"referrer\" content=\"no-referrer\"/>\n\
         <meta name=\"color-scheme\" content=\"light dark\"/>\n{}\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n</html>\n",
        report.language.code(),
        title.as_str(),
        page.body
    ))
}

impl Page {
    /// Writes the title, the question and the table of contents.
    fn head(&mut self, report: &Report) {
        let mut head = Markup::default();
        head.element("h1", &[], report.title.as_str());
        if !report.question.is_empty() && report.question != report.title {
            head.element("p", &[("class", "question")], report.question.as_str());
        }

        self.part("header", |page| page.add(&head));

        let headings = report
            .sections
            .iter()
            .map(|section| section.heading.as_str())
            .enumerate();
        let mut links: Vec<(String, &str)> = headings
            .filter(|(_, heading)| !heading.is_empty())
            .map(|(at, heading)| (part_id(at), heading))
            .collect();
        let lists = [
            (
                "data",
                self.language.say(Phrase::Data),
                report.data.is_empty(),
            ),
            (
                "sources",
                self.language.say(Phrase::Sources),
                report.sources.is_empty(),
            ),
        ];
        let listed = lists.iter().filter(|(_, _, empty)| !empty);
        links.extend(listed.map(|(id, name, _)| ((*id).to_owned(), name.as_str())));

        let mut contents = Markup::default();
        contents.open("ul", &[("class", "contents")]);
        for (id, name) in links.into_iter().filter(|(_, name)| !name.is_empty()) {
            contents
                .open("li", &[])
                .element("a", &[("href", &format!("#{id}"))], name)
                .close("li");
        }
        contents.close("ul");
        self.part("nav", |page| page.add(&contents));
    }

    /// Writes a list of what is cited: folded, or as a section.
    fn list(
        &mut self,
        is_folded: bool,
        heading: &str,
        id: &str,
        write: impl FnOnce(&mut Self) -> Result<(), RenderError>,
    ) -> Result<(), RenderError> {
        if is_folded {
            return self.folded(heading, id, write);
        }
        self.part("section", |page| {
            let mut piece = Markup::default();
            piece.element("h2", &[("id", id)], heading);
            page.add(&piece);
            write(page)
        })
    }

    /// Writes content that is folded under its heading.
    fn folded(
        &mut self,
        heading: &str,
        id: &str,
        write: impl FnOnce(&mut Self) -> Result<(), RenderError>,
    ) -> Result<(), RenderError> {
        self.part("details", |page| {
            let mut piece = Markup::default();
            piece
                .open("summary", &[("class", "fold"), ("id", id)])
                .element("span", &[], heading)
                .close("summary");
            page.add(&piece);
            write(page)
        })
    }

    /// Writes a section with its parts. `at` is the index of the outermost section.
    ///
    /// # Errors
    ///
    /// Returns an error if a chart cannot be drawn.
    fn section(
        &mut self,
        section: &Section,
        report: &Report,
        level: usize,
        at: usize,
    ) -> Result<(), RenderError> {
        let mut piece = Markup::default();
        let tag = ["h2", "h3", "h4"]
            .get(level.saturating_sub(2))
            .copied()
            .unwrap_or("h4");
        let id = part_id(at);
        let attributes: &[(&str, &str)] = if level == 2 { &[("id", &id)] } else { &[] };

        if !section.heading.is_empty() {
            piece.element(tag, attributes, section.heading.as_str());
        }
        self.add(&piece);
        self.content(section, report, level, at)
    }

    /// Writes a section with its parts, without its heading.
    ///
    /// # Errors
    ///
    /// Returns an error if a chart cannot be drawn.
    fn content(
        &mut self,
        section: &Section,
        report: &Report,
        level: usize,
        at: usize,
    ) -> Result<(), RenderError> {
        let mut piece = Markup::default();
        if let Some(question) = section
            .question
            .as_ref()
            .filter(|question| is_shown(question))
        {
            piece.element(
                "p",
                &[("class", "status")],
                &question.status.words(self.language),
            );
        }
        for block in &section.blocks {
            let table = |id: &str| report.data.iter().find(|table| table.id == id);
            match block {
                // A chart is not sanitized, and so is not part of a piece.
                Block::Chart { aggregation } => {
                    let chart = table(aggregation).and_then(|table| table.chart.as_ref());
                    if let Some(chart) = chart {
                        self.add(&std::mem::take(&mut piece));
                        self.draw(&chart.svg()?);
                    }
                }
                Block::Groups { aggregation, most } => {
                    if let Some(table) = table(aggregation) {
                        data::add_groups(&mut piece, table, *most, self.language);
                    }
                }
                other => add_block(&mut piece, other, self.language),
            }
        }

        if section.is_checklist() {
            add_checklist(&mut piece, section, self.language);
            self.add(&piece);
            return Ok(());
        }

        if let Some(answered) = section.answered(self.language) {
            piece.element("p", &[("class", "status")], &answered);
        }

        self.add(&piece);
        for inner in &section.sections {
            self.section(inner, report, level + 1, at)?;
        }
        Ok(())
    }
}

/// Adds the sub-questions of a section with their statuses.
fn add_checklist(piece: &mut Markup, section: &Section, language: Language) {
    piece.open("ul", &[("class", "questions")]);
    for part in &section.sections {
        let (words, stop) = split_stop(part.heading.as_str());
        piece.open("li", &[]).text(words).text(stop).text(" ");
        let status = part
            .question
            .as_ref()
            .map(|question| question.status.words(language))
            .unwrap_or_default();
        piece
            .element("span", &[("class", "status")], &status)
            .close("li");
    }
    piece.close("ul");
}

/// Returns the id of a section, by its index.
fn part_id(at: usize) -> String {
    format!("part-{}", at + 1)
}

/// Adds a block of a section.
fn add_block(piece: &mut Markup, block: &Block, language: Language) {
    match block {
        Block::Paragraph { sentences } => {
            piece.open("p", &[]);
            for (at, sentence) in sentences.iter().enumerate() {
                piece.text(if at == 0 { "" } else { " " });
                add_sentence(piece, sentence, language);
            }
            piece.close("p");
        }

        Block::Bullets { sentences } => {
            piece.open("ul", &[]);
            for sentence in sentences {
                piece.open("li", &[]);
                add_sentence(piece, sentence, language);
                piece.close("li");
            }
            piece.close("ul");
        }

        Block::Note { text } => {
            piece.element("p", &[], text.as_str());
        }
        Block::Notes { items } => {
            piece.open("ul", &[("class", "notes")]);
            items.iter().for_each(|item| {
                piece.element("li", &[], item.as_str());
            });
            piece.close("ul");
        }
        Block::Coverage(coverage) => {
            piece.element("p", &[("class", "coverage")], coverage.text.as_str());
        }
        Block::Records(records) => data::add_records(piece, records, language),
        // Pages draw these between their pieces.
        Block::Chart { .. } | Block::Groups { .. } => {}
    }
}

/// Adds a sentence with its citation markers before the final punctuation.
fn add_sentence(piece: &mut Markup, sentence: &Sentence, language: Language) {
    let (words, stop) = split_stop(sentence.text.as_str());
    piece.text(words);
    if let Some(note) = &sentence.note {
        piece.text(" (").text(note.as_str()).text(")");
    }

    for id in &sentence.aggregations {
        piece.text(" ");
        cite(piece, &format!("data-{}", anchor(id)), &format!("({id})"));
    }
    if sentence.cites_examples() {
        piece.text(", ").text(&language.say(Phrase::ForExample));
    }
    for id in &sentence.sources {
        piece.text(" ");
        cite(piece, &format!("source-{}", anchor(id)), &format!("[{id}]"));
    }
    if let Some(mark) = sentence.mark {
        piece
            .text(" ")
            .element("span", &[("class", "mark")], &mark.to_string());
    }
    piece.text(stop);
}

/// Adds a citation marker with its link.
fn cite(piece: &mut Markup, target: &str, marker: &str) {
    piece.element(
        "a",
        &[("class", "cite"), ("href", &format!("#{target}"))],
        marker,
    );
}

//! The list of cited sources: each with its title, its address and the quotes from it.

use crate::claim::Claim;
use crate::document::html::markup::Markup;
use crate::document::html::page::Page;
use crate::document::links::{Links, is_plain_web_address};
use crate::document::model::{Report, SourceEntry};
use crate::text::line::Line;
use crate::text::markup::anchor;

/// Writes the list.
pub(crate) fn write(page: &mut Page, report: &Report) {
    let mut piece = Markup::default();
    piece.open("ul", &[("class", "sources")]);
    for source in &report.sources {
        add_source(&mut piece, source, &quotes(report, source));
    }
    piece.close("ul");
    page.add(&piece);
}

/// Adds a source.
fn add_source(piece: &mut Markup, source: &SourceEntry, quotes: &[Line]) {
    piece.open("li", &[("id", &format!("source-{}", anchor(&source.id)))]);
    piece
        .element("span", &[("class", "id")], &format!("[{}]", source.id))
        .text(" ");
    if !source.repeats_its_title() {
        piece
            .element("span", &[("class", "title")], source.title.as_str())
            .text(" ");
    }
    if !source.cited.is_empty() {
        piece
            .element("span", &[("class", "fields")], &source.cited_for())
            .text(" · ");
    }

    piece.element("span", &[("class", "snippet")], source.snippet.as_str());
    if let Some(url) = source.url.as_ref().filter(|url| is_plain_web_address(url)) {
        piece.text(" ").element(
            "a",
            &[("href", url), ("rel", "noopener noreferrer nofollow")],
            url,
        );
    }
    for quote in quotes {
        piece.element("blockquote", &[], quote.as_str());
    }

    piece.close("li");
}

/// Returns the distinct quotes from a source that its snippet does not contain.
fn quotes(report: &Report, source: &SourceEntry) -> Vec<Line> {
    let links = Links::new(
        report
            .sources
            .iter()
            .filter_map(|source| source.url.clone()),
        report.language,
    );
    let mut quotes: Vec<Line> = Vec::new();

    for claim in report
        .sentences()
        .into_iter()
        .flat_map(|sentence| &sentence.claims)
    {
        if let Claim::Quote {
            source: id, text, ..
        } = claim
        {
            let quote = links.line(text);
            if *id == source.id
                && !source.snippet.as_str().contains(quote.as_str())
                && !quotes.contains(&quote)
            {
                quotes.push(quote);
            }
        }
    }

    quotes
}

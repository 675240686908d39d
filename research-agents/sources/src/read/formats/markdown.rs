//! Reads Markdown.

use pulldown_cmark::{Event, HeadingLevel, MetadataBlockKind, Options, Parser, Tag, TagEnd};

use crate::read::builder::{Builder, Built};
use crate::read::document::BlockKind;
use crate::read::error::ReadError;
use crate::read::formats::{about, html};
use crate::read::limits::ReadLimits;

pub(crate) fn read(text: &str, limits: &ReadLimits) -> Result<Built, ReadError> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_DEFINITION_LIST
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut reader = Reader {
        out: Builder::new(limits.text),
        depth: 0,
        items: Vec::new(),
        quotes: 0,
        is_meta: false,
        html: None,
    };

    for event in Parser::new_ext(text, options) {
        reader.event(event, limits)?;
        reader.out.check()?;
    }
    reader.out.finish()
}

struct Reader {
    out: Builder,
    depth: usize,
    /// For each open list item, whether its first paragraph has not begun.
    items: Vec<bool>,
    quotes: usize,
    is_meta: bool,
    /// The lines of a block of HTML.
    html: Option<String>,
}

impl Reader {
    fn event(&mut self, event: Event<'_>, limits: &ReadLimits) -> Result<(), ReadError> {
        match event {
            Event::Start(tag) => {
                self.depth += 1;
                if self.depth > limits.depth {
                    return Err(ReadError::TooDeep {
                        limit: limits.depth,
                    });
                }
                self.start(&tag);
            }
            Event::End(tag) => {
                self.depth = self.depth.saturating_sub(1);
                self.end(tag, limits)?;
            }

            Event::Text(text) if self.is_meta => self.meta(&text),
            Event::Text(text) | Event::Code(text) => self.out.flow(&text),
            Event::InlineMath(text) | Event::DisplayMath(text) => self.out.flow(&text),
            Event::Html(lines) => {
                if let Some(html) = &mut self.html {
                    html.push_str(&lines);
                }
            }
            Event::SoftBreak | Event::HardBreak => self.out.flow(" "),
            Event::Rule => self.out.end(),
            // Tags within a line, and marks that are not words.
            Event::InlineHtml(_) | Event::FootnoteReference(_) | Event::TaskListMarker(_) => {}
        }
        Ok(())
    }

    fn start(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => self.out.begin_heading(depth_of(*level)),
            Tag::Paragraph => match self.items.last_mut() {
                Some(is_first) if *is_first => *is_first = false,
                Some(_) => self.out.begin(BlockKind::ListItem),
                None if self.quotes > 0 => self.out.begin(BlockKind::Quote),
                None => self.out.begin(BlockKind::Paragraph),
            },
            Tag::BlockQuote(_) => self.quotes += 1,

            Tag::CodeBlock(_) => self.out.begin(BlockKind::Code),
            Tag::Item => {
                self.items.push(true);
                self.out.begin(BlockKind::ListItem);
            }
            Tag::FootnoteDefinition(_) => self.out.begin(BlockKind::Paragraph),
            Tag::DefinitionListTitle => self.out.begin(BlockKind::Term),
            Tag::DefinitionListDefinition => {
                self.items.push(true);
                self.out.begin(BlockKind::Definition);
            }
            Tag::TableHead | Tag::TableRow => self.out.begin(BlockKind::TableRow),
            Tag::MetadataBlock(MetadataBlockKind::YamlStyle) => self.is_meta = true,
            Tag::HtmlBlock => self.html = Some(String::new()),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, limits: &ReadLimits) -> Result<(), ReadError> {
        match tag {
            TagEnd::Heading(_)
            | TagEnd::Paragraph
            | TagEnd::CodeBlock
            | TagEnd::TableHead
            | TagEnd::TableRow
            | TagEnd::DefinitionListTitle => self.out.end(),
            TagEnd::Item | TagEnd::DefinitionListDefinition => {
                self.items.pop();
                self.out.end();
            }
            TagEnd::TableCell => self.out.cell(),
            TagEnd::BlockQuote(_) => self.quotes = self.quotes.saturating_sub(1),

            TagEnd::MetadataBlock(_) => self.is_meta = false,
            TagEnd::HtmlBlock => {
                self.out.end();
                if let Some(block) = self.html.take() {
                    html::append(&block, limits, &mut self.out)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Takes title, date and language from the metadata at the start of a file.
    fn meta(&mut self, text: &str) {
        for line in text.lines() {
            let Some((name, value)) = line.split_once(':') else {
                continue;
            };
            let value = value.trim().trim_matches(['"', '\'']).to_owned();
            let about = self.out.about();
            match name.trim().to_ascii_lowercase().as_str() {
                "title" => about.title = value,
                "date" | "updated" | "lastmod" => {
                    about.date = about::date_in(&value).or(about.date.take())
                }
                "lang" | "language" => about.language = about::language_code(&value),
                _ => {}
            }
        }
    }
}

fn depth_of(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

//! Builds the text of a document block by block.

use std::ops::Range;

use crate::read::document::{Block, BlockKind, Section};
use crate::read::error::ReadError;

/// The text of a document, and its blocks.
#[derive(Debug, Default)]
pub(crate) struct Built {
    pub(crate) text: String,
    pub(crate) blocks: Vec<Block>,
    pub(crate) sections: Vec<Section>,
    pub(crate) title: String,
    pub(crate) date: Option<String>,
    pub(crate) language: Option<String>,
    /// Number of elements that were left out because a person does not see them.
    pub(crate) hidden: usize,
    pub(crate) unread_pages: Vec<u32>,
}

/// Builds text block by block. Blocks are separated by blank lines, and characters that a person
/// does not see are left out.
#[derive(Debug)]
pub(crate) struct Builder {
    built: Built,
    limit: usize,
    open: Option<Open>,
    page: Option<u32>,
}

/// The block that is being written.
#[derive(Debug)]
struct Open {
    kind: BlockKind,
    level: u8,
    text: String,
    /// Whether whitespace is written before the next word.
    is_spaced: bool,
}

impl Builder {
    /// Creates a builder of at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            built: Built::default(),
            limit,
            open: None,
            page: None,
        }
    }

    /// Ends the current block and begins one.
    pub(crate) fn begin(&mut self, kind: BlockKind) {
        self.begin_at(kind, 0);
    }

    /// Ends the current block and begins a heading of a level.
    pub(crate) fn begin_heading(&mut self, level: u8) {
        self.begin_at(BlockKind::Heading, level.max(1));
    }

    fn begin_at(&mut self, kind: BlockKind, level: u8) {
        self.end();
        self.open = Some(Open {
            kind,
            level,
            text: String::new(),
            is_spaced: false,
        });
    }

    /// Returns the kind of the current block.
    pub(crate) fn current(&self) -> Option<BlockKind> {
        self.open.as_ref().map(|open| open.kind)
    }

    /// Adds text whose whitespace means nothing but the end of a word. Begins a paragraph
    /// outside of a block.
    pub(crate) fn flow(&mut self, text: &str) {
        if self.current() == Some(BlockKind::Code) {
            return self.verbatim(text);
        }
        if self.open.is_none() {
            if text.trim().is_empty() {
                return;
            }
            self.begin(BlockKind::Paragraph);
        }
        let Some(open) = &mut self.open else { return };

        for c in text.chars().filter(|c| !is_invisible(*c)) {
            if c.is_whitespace() {
                open.is_spaced = true;
            } else {
                if open.is_spaced && !open.text.is_empty() && !open.text.ends_with(['\t', '\n']) {
                    open.text.push(' ');
                }
                open.is_spaced = false;
                open.text.push(c);
            }
        }
    }

    /// Adds text as it is. Begins a block of code outside of a block.
    pub(crate) fn verbatim(&mut self, text: &str) {
        if self.open.is_none() {
            self.begin(BlockKind::Code);
        }
        if let Some(open) = &mut self.open {
            push_visible(&mut open.text, text);
        }
    }

    /// Ends a cell of a table: what follows is another cell.
    pub(crate) fn cell(&mut self) {
        if let Some(open) = &mut self.open {
            open.is_spaced = false;
            open.text.push('\t');
        }
    }

    /// Ends a line within a block.
    pub(crate) fn line(&mut self) {
        if let Some(open) = &mut self.open {
            open.is_spaced = false;
            if !open.text.is_empty() {
                open.text.push('\n');
            }
        }
    }

    /// Sets the page of the blocks that follow.
    #[cfg(any(feature = "pdf", feature = "office"))]
    pub(crate) fn page(&mut self, page: u32) {
        self.end();
        self.page = Some(page);
    }

    /// Ends the current block.
    pub(crate) fn end(&mut self) {
        let Some(open) = self.open.take() else { return };
        let text = match open.kind {
            BlockKind::Code => open.text.trim_end().trim_start_matches('\n'),
            _ => open.text.trim(),
        };
        if text.trim().is_empty() {
            return;
        }

        let built = &mut self.built;
        if !built.text.is_empty() {
            built.text.push_str("\n\n");
        }
        let start = built.text.len();
        built.text.push_str(text);
        let range = start..built.text.len();
        self.add(open.kind, open.level, range);
    }

    /// Adds a block that is in the text already.
    fn add(&mut self, kind: BlockKind, level: u8, range: Range<usize>) {
        let built = &mut self.built;
        if kind == BlockKind::Heading {
            let mut parent = built.sections.len().checked_sub(1);
            while let Some(above) = parent
                && built.sections[above].level >= level
            {
                parent = built.sections[above].parent;
            }
            built.sections.push(Section {
                level,
                heading: range.clone(),
                parent,
            });
        }

        built.blocks.push(Block {
            kind,
            range,
            section: built.sections.len().checked_sub(1),
            page: self.page,
        });
    }

    /// Returns an error when the text is longer than the limit.
    pub(crate) fn check(&self) -> Result<(), ReadError> {
        let open = self.open.as_ref().map_or(0, |open| open.text.len());
        if self.built.text.len() + open > self.limit {
            return Err(ReadError::TextTooLong { limit: self.limit });
        }
        Ok(())
    }

    /// Returns what was built so far, to state a title, date or language.
    pub(crate) fn about(&mut self) -> &mut Built {
        &mut self.built
    }

    /// Returns the text and its blocks.
    pub(crate) fn finish(mut self) -> Result<Built, ReadError> {
        self.end();
        self.check()?;
        let mut built = self.built;
        built.title = one_line(&built.title);
        if built.title.is_empty()
            && let Some(first) = built.sections.first()
        {
            built.title = one_line(&built.text[first.heading.clone()]);
        }
        Ok(built)
    }
}

impl Built {
    /// Creates the text of a plain file, whose blocks are its paragraphs. The text is kept as it
    /// is.
    pub(crate) fn plain(text: &str, limit: usize) -> Result<Self, ReadError> {
        let mut builder = Builder::new(limit);
        push_visible(&mut builder.built.text, text);
        builder.check()?;

        let text = std::mem::take(&mut builder.built.text);
        let mut start = None;
        let (mut at, mut end) = (0, 0);
        for line in text.split_inclusive('\n') {
            if line.trim().is_empty() {
                if let Some(start) = start.take() {
                    builder.add(BlockKind::Paragraph, 0, start..end);
                }
            } else {
                let indent = line.len() - line.trim_start().len();
                start.get_or_insert(at + indent);
                end = at + line.trim_end().len();
            }
            at += line.len();
        }
        if let Some(start) = start {
            builder.add(BlockKind::Paragraph, 0, start..end);
        }

        let mut built = builder.built;
        built.text = text;
        Ok(built)
    }
}

/// Adds the visible characters of text, with `\n` as line end.
fn push_visible(out: &mut String, text: &str) {
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\r' if characters.peek() == Some(&'\n') => {}
            '\r' => out.push('\n'),
            '\n' | '\t' => out.push(c),
            c if is_invisible(c) => {}
            c => out.push(c),
        }
    }
}

/// Returns whether a character shows nothing: controls, soft hyphens, zero-width and bidirectional
/// characters, and those that tag others.
pub(crate) fn is_invisible(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t' | '\r' | '\u{c}'))
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Returns the text in one line.
pub(crate) fn one_line(text: &str) -> String {
    let visible: String = text.chars().filter(|c| !is_invisible(*c)).collect();
    visible.split_whitespace().collect::<Vec<_>>().join(" ")
}

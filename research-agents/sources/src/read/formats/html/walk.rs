//! Walks the tree of a page and writes its blocks.

use crate::read::builder::{Builder, Built, one_line};
use crate::read::document::BlockKind;
use crate::read::error::ReadError;
use crate::read::formats::about::{date_in, language_code};
use crate::read::formats::html::content::{is_around, main_of};
use crate::read::formats::html::hidden::{Colours, colours, is_hidden, is_invisible, is_not_text};
use crate::read::formats::html::tree::{DOCUMENT, Data, Node, parse};
use crate::read::limits::ReadLimits;

/// Names of `meta` elements that state the date of a page, the best first.
const DATES: &[&str] = &[
    "article:modified_time",
    "article:published_time",
    "dcterms.modified",
    "dcterms.date",
    "dc.date",
    "date",
    "last-modified",
    "citation_publication_date",
];

/// Number of nodes of a superscript that are looked at. A power and a note have few.
const MOST_OF_SUPERSCRIPT: usize = 16;

/// Elements that begin a new line.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "body",
    "caption",
    "center",
    "details",
    "dialog",
    "div",
    "dl",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "header",
    "hr",
    "legend",
    "main",
    "ol",
    "p",
    "section",
    "summary",
    "table",
    "tbody",
    "tfoot",
    "thead",
    "ul",
];

/// Reads a page.
pub(crate) fn read(text: &str, limits: &ReadLimits) -> Result<Built, ReadError> {
    let nodes = parse(text, limits.time)?;
    let mut out = Builder::new(limits.text);
    about(&nodes, out.about());

    let root = main_of(&nodes).unwrap_or(DOCUMENT);
    Walk::new(&nodes, limits).content(root, &mut out)?;
    out.finish()
}

/// Adds the blocks of a piece of HTML within a document of another format.
pub(crate) fn append(text: &str, limits: &ReadLimits, out: &mut Builder) -> Result<(), ReadError> {
    let nodes = parse(text, limits.time)?;
    let root = main_of(&nodes).unwrap_or(DOCUMENT);
    Walk::new(&nodes, limits).content(root, out)?;
    out.end();
    Ok(())
}

/// Takes title, date and language from the head of a page.
fn about(nodes: &[Node], built: &mut Built) {
    let mut best = DATES.len();
    let mut time = None;
    for (index, node) in nodes.iter().enumerate() {
        match node.name() {
            "html" if built.language.is_none() => {
                let tag = node
                    .attribute("lang")
                    .or_else(|| node.attribute("xml:lang"));
                built.language = tag.and_then(language_code);
            }
            "title" if built.title.is_empty() && !is_in_svg(nodes, index) => {
                built.title = one_line(&text_below(nodes, index));
            }
            "meta" => {
                let name = node
                    .attribute("name")
                    .or_else(|| node.attribute("property"));
                let name = name.unwrap_or_default().to_ascii_lowercase();
                let rank = DATES.iter().position(|known| **known == name);
                if let Some(rank) = rank.filter(|rank| *rank < best)
                    && let Some(date) = date_in(node.attribute("content").unwrap_or_default())
                {
                    (best, built.date) = (rank, Some(date));
                }
            }
            "time" if time.is_none() => time = node.attribute("datetime").and_then(date_in),
            _ => {}
        }
    }

    built.date = built.date.take().or(time);
}

fn is_in_svg(nodes: &[Node], mut index: usize) -> bool {
    while let Some(parent) = nodes[index].parent {
        if nodes[parent].name() == "svg" {
            return true;
        }
        index = parent;
    }
    false
}

fn text_below(nodes: &[Node], root: usize) -> String {
    let mut text = String::new();
    for &child in &nodes[root].children {
        if let Data::Text(part) = &nodes[child].data {
            text.push_str(part);
        }
    }
    text
}

/// Returns what comes before a superscript. Without it, 2 to the power of 48 would read as 248, and
/// the note 3 on 2024 as 20243.
fn before_superscript(nodes: &[Node], root: usize) -> &'static str {
    let (mut text, mut is_link) = (String::new(), false);
    let mut open = vec![root];
    for _ in 0..MOST_OF_SUPERSCRIPT {
        let Some(index) = open.pop() else {
            break;
        };
        let node = &nodes[index];
        is_link |= node.name() == "a";
        if let Data::Text(part) = &node.data {
            text.push_str(part);
        }
        open.extend(node.children.iter().rev());
    }

    let digits = text.trim().trim_start_matches(['-', '+', '−', '–']);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    match (is_number, is_link) {
        (true, false) => "^",
        (true, true) => " ",
        (false, _) => "",
    }
}

/// One step of the walk, which does not recurse so that deep pages cost no stack.
enum Step {
    Enter(usize, usize, Colours),
    Leave(Close),
}

/// What happens at the end of an element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Close {
    Nothing,
    Block,
    Cell,
    Item,
    Code,
    Quote,
}

struct Walk<'n> {
    nodes: &'n [Node],
    limits: &'n ReadLimits,
    has_sheet: bool,
    items: Vec<BlockKind>,
    quotes: usize,
    code: usize,
}

impl<'n> Walk<'n> {
    fn new(nodes: &'n [Node], limits: &'n ReadLimits) -> Self {
        let is_sheet = |node: &Node| {
            let is_link = node.name() == "link"
                && node
                    .attribute("rel")
                    .is_some_and(|rel| rel.to_ascii_lowercase().contains("stylesheet"));
            node.name() == "style" || is_link
        };
        Self {
            nodes,
            limits,
            has_sheet: nodes.iter().any(is_sheet),
            items: Vec::new(),
            quotes: 0,
            code: 0,
        }
    }

    fn content(&mut self, root: usize, out: &mut Builder) -> Result<(), ReadError> {
        let mut steps = vec![Step::Enter(root, 0, self.outer_colours(root))];
        while let Some(step) = steps.pop() {
            let (index, depth, around) = match step {
                Step::Enter(index, depth, around) => (index, depth, around),
                Step::Leave(close) => {
                    self.close(close, out);
                    continue;
                }
            };
            if depth > self.limits.depth {
                return Err(ReadError::TooDeep {
                    limit: self.limits.depth,
                });
            }

            let node = &self.nodes[index];
            let colours = match &node.data {
                Data::Text(text) => {
                    if is_invisible(&around, self.has_sheet) {
                        out.about().hidden += usize::from(!text.trim().is_empty());
                    } else {
                        self.text(text, out);
                        out.check()?;
                    }
                    continue;
                }
                Data::Nothing => around,
                Data::Element { .. } if is_not_text(node) => {
                    out.flow(" ");
                    continue;
                }
                Data::Element { .. } if is_hidden(node) => {
                    out.about().hidden += 1;
                    continue;
                }
                Data::Element { .. } if index != root && is_around(node) => continue,
                Data::Element { .. } => colours(node, &around),
            };

            if node.name() == "sup" {
                out.flow(before_superscript(self.nodes, index));
            }
            let close = self.open(node, out);
            steps.push(Step::Leave(close));
            let children = node.children.iter().rev();
            steps.extend(children.map(|&child| Step::Enter(child, depth + 1, colours.clone())));
        }
        Ok(())
    }

    /// Returns the colours that the elements around an element state.
    fn outer_colours(&self, root: usize) -> Colours {
        let mut around = Vec::new();
        let mut next = self.nodes[root].parent;
        while let Some(index) = next {
            around.push(index);
            next = self.nodes[index].parent;
        }
        around
            .iter()
            .rev()
            .fold(Colours::default(), |outer, index| {
                colours(&self.nodes[*index], &outer)
            })
    }

    fn text(&self, text: &str, out: &mut Builder) {
        if out.current().is_none() && !text.trim().is_empty() {
            out.begin(self.kind());
        }
        if self.code > 0 {
            out.verbatim(text);
        } else {
            out.flow(text);
        }
    }

    /// Returns the kind of a block that begins here.
    fn kind(&self) -> BlockKind {
        if self.code > 0 {
            BlockKind::Code
        } else if let Some(item) = self.items.last() {
            *item
        } else if self.quotes > 0 {
            BlockKind::Quote
        } else {
            BlockKind::Paragraph
        }
    }

    /// Begins an element.
    fn open(&mut self, node: &Node, out: &mut Builder) -> Close {
        match node.name() {
            heading @ ("h1" | "h2" | "h3" | "h4" | "h5" | "h6") => {
                out.begin_heading(heading.as_bytes()[1] - b'0');
                Close::Block
            }

            "li" => self.item(BlockKind::ListItem, out),
            "dt" => self.item(BlockKind::Term, out),
            "dd" => self.item(BlockKind::Definition, out),
            "tr" => self.item(BlockKind::TableRow, out),
            "td" | "th" => Close::Cell,
            "pre" | "listing" | "plaintext" | "xmp" => {
                out.begin(BlockKind::Code);
                self.code += 1;
                Close::Code
            }
            "blockquote" => {
                out.end();
                self.quotes += 1;
                Close::Quote
            }

            "br" => {
                out.line();
                Close::Nothing
            }
            // A row of a table is one block, whatever is in its cells.
            name if is_block(name) => {
                if self.items.last() == Some(&BlockKind::TableRow) {
                    out.flow(" ");
                } else {
                    out.end();
                }
                Close::Block
            }
            _ => Close::Nothing,
        }
    }

    fn item(&mut self, kind: BlockKind, out: &mut Builder) -> Close {
        out.begin(kind);
        self.items.push(kind);
        Close::Item
    }

    /// Ends an element.
    fn close(&mut self, close: Close, out: &mut Builder) {
        match close {
            Close::Nothing => {}
            Close::Block if self.items.last() == Some(&BlockKind::TableRow) => out.flow(" "),
            Close::Block => out.end(),
            Close::Cell => out.cell(),

            Close::Item => {
                self.items.pop();
                out.end();
            }
            Close::Code => {
                self.code -= 1;
                out.end();
            }
            Close::Quote => {
                self.quotes -= 1;
                out.end();
            }
        }
    }
}

/// Returns whether an element begins a new line.
fn is_block(name: &str) -> bool {
    BLOCKS.contains(&name)
}

//! The tree of a page, built by the parser of html5ever.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute, ExpandedName, ParseOpts, QualName, parse_document};

use crate::read::error::ReadError;

/// How much is parsed between two looks at the clock, in bytes.
const PIECE: usize = 32 << 10;

/// Index of the document node.
pub(crate) const DOCUMENT: usize = 0;

/// A node of a page.
pub(crate) struct Node {
    pub(crate) data: Data,
    pub(crate) parent: Option<usize>,
    pub(crate) children: Vec<usize>,
}

/// What a node is.
pub(crate) enum Data {
    /// The document, a comment or an instruction.
    Nothing,
    /// Text.
    Text(StrTendril),
    /// An element.
    Element {
        name: Rc<QualName>,
        attributes: Vec<Attribute>,
    },
}

impl Node {
    /// Returns the name of an element; empty for other nodes.
    pub(crate) fn name(&self) -> &str {
        match &self.data {
            Data::Element { name, .. } => &name.local,
            _ => "",
        }
    }

    /// Returns an attribute.
    pub(crate) fn attribute(&self, wanted: &str) -> Option<&str> {
        let Data::Element { attributes, .. } = &self.data else {
            return None;
        };
        let found = attributes
            .iter()
            .find(|attribute| &*attribute.name.local == wanted);
        found.map(|attribute| &*attribute.value)
    }
}

/// Parses a page.
///
/// # Errors
///
/// When it takes longer than the limit.
pub(crate) fn parse(text: &str, limit: Duration) -> Result<Vec<Node>, ReadError> {
    let sink = Sink(RefCell::new(vec![Node {
        data: Data::Nothing,
        parent: None,
        children: Vec::new(),
    }]));
    let mut parser = parse_document(sink, ParseOpts::default());

    let started = Instant::now();
    let mut rest = text;
    while !rest.is_empty() {
        let mut end = rest.len().min(PIECE);
        while !rest.is_char_boundary(end) {
            end += 1;
        }
        parser.process(StrTendril::from_slice(&rest[..end]));
        rest = &rest[end..];
        if started.elapsed() > limit {
            return Err(ReadError::TooSlow { limit });
        }
    }
    Ok(parser.finish())
}

/// A node as the parser sees it.
#[derive(Clone)]
struct Handle {
    index: usize,
    name: Option<Rc<QualName>>,
}

struct Sink(RefCell<Vec<Node>>);

impl Sink {
    fn add(&self, data: Data) -> usize {
        let mut nodes = self.0.borrow_mut();
        nodes.push(Node {
            data,
            parent: None,
            children: Vec::new(),
        });
        nodes.len() - 1
    }

    fn detach(&self, index: usize) {
        let mut nodes = self.0.borrow_mut();
        if let Some(parent) = nodes[index].parent.take() {
            // Most nodes that are moved are the last of their parent.
            let children = &mut nodes[parent].children;
            if let Some(at) = children.iter().rposition(|child| *child == index) {
                children.remove(at);
            }
        }
    }

    fn insert(&self, parent: usize, at: usize, child: NodeOrText<Handle>) {
        let index = match child {
            NodeOrText::AppendNode(node) => {
                self.detach(node.index);
                node.index
            }
            NodeOrText::AppendText(text) => {
                let before = at
                    .checked_sub(1)
                    .and_then(|at| self.0.borrow()[parent].children.get(at).copied());
                if let Some(before) = before
                    && let Data::Text(so_far) = &mut self.0.borrow_mut()[before].data
                {
                    so_far.push_tendril(&text);
                    return;
                }
                self.add(Data::Text(text))
            }
        };

        let mut nodes = self.0.borrow_mut();
        nodes[index].parent = Some(parent);
        let at = at.min(nodes[parent].children.len());
        nodes[parent].children.insert(at, index);
    }
}

impl TreeSink for Sink {
    type Handle = Handle;
    type Output = Vec<Node>;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Vec<Node> {
        self.0.into_inner()
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        Handle {
            index: DOCUMENT,
            name: None,
        }
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        static NO_NAMESPACE: html5ever::Namespace = html5ever::ns!();
        static NO_NAME: html5ever::LocalName = html5ever::local_name!("");
        match &target.name {
            Some(name) => name.expanded(),
            None => ExpandedName {
                ns: &NO_NAMESPACE,
                local: &NO_NAME,
            },
        }
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<Attribute>,
        _: ElementFlags,
    ) -> Handle {
        let name = Rc::new(name);
        let index = self.add(Data::Element {
            name: Rc::clone(&name),
            attributes,
        });
        Handle {
            index,
            name: Some(name),
        }
    }

    fn create_comment(&self, _: StrTendril) -> Handle {
        Handle {
            index: self.add(Data::Nothing),
            name: None,
        }
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Handle {
        self.create_comment(StrTendril::new())
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        let at = self.0.borrow()[parent.index].children.len();
        self.insert(parent.index, at, child);
    }

    fn append_based_on_parent_node(
        &self,
        element: &Handle,
        previous: &Handle,
        child: NodeOrText<Handle>,
    ) {
        if self.0.borrow()[element.index].parent.is_some() {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    // The content of a template is not shown, and is kept apart like that of the template itself.
    fn get_template_contents(&self, target: &Handle) -> Handle {
        target.clone()
    }

    fn same_node(&self, a: &Handle, b: &Handle) -> bool {
        a.index == b.index
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        let parent = self.0.borrow()[sibling.index].parent;
        let Some(parent) = parent else { return };
        if let NodeOrText::AppendNode(node) = &child {
            self.detach(node.index);
        }
        let at = self.0.borrow()[parent]
            .children
            .iter()
            .rposition(|child| *child == sibling.index);
        self.insert(parent, at.unwrap_or_default(), child);
    }

    fn add_attrs_if_missing(&self, target: &Handle, more: Vec<Attribute>) {
        if let Data::Element { attributes, .. } = &mut self.0.borrow_mut()[target.index].data {
            for attribute in more {
                if !attributes.iter().any(|known| known.name == attribute.name) {
                    attributes.push(attribute);
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &Handle) {
        self.detach(target.index);
    }

    fn reparent_children(&self, node: &Handle, parent: &Handle) {
        let mut nodes = self.0.borrow_mut();
        let children = std::mem::take(&mut nodes[node.index].children);
        for &child in &children {
            nodes[child].parent = Some(parent.index);
        }
        nodes[parent.index].children.extend(children);
    }
}

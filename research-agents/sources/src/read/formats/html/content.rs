//! The part of a page that is its content, without navigation.

use crate::read::formats::html::tree::{Data, Node};

/// Elements and roles around the content of a page.
const AROUND: &[&str] = &["nav"];
const AROUND_ROLES: &[&str] = &[
    "navigation",
    "search",
    "banner",
    "contentinfo",
    "menu",
    "menubar",
];
/// Words in the class or id of an element around the content.
const AROUND_WORDS: &[&str] = &[
    "breadcrumb",
    "breadcrumbs",
    "cookie-banner",
    "headerlink",
    "navbar",
    "navfooter",
    "navheader",
    "navigation",
    "pagination",
    "related",
    "sidebar",
    "sidebar-wrapper",
    "site-footer",
    "site-header",
    "skip-link",
    "sphinxsidebar",
    "toc-drawer",
];

/// Text below which an element is not taken for the whole content, in bytes.
const ENOUGH: usize = 200;

/// Returns whether an element is around the content of its page.
pub(crate) fn is_around(node: &Node) -> bool {
    if AROUND.contains(&node.name()) {
        return true;
    }
    let role = node.attribute("role").unwrap_or_default();
    if AROUND_ROLES.contains(&role) {
        return true;
    }
    ["class", "id"]
        .into_iter()
        .filter_map(|name| node.attribute(name))
        .flat_map(str::split_whitespace)
        .any(|word| AROUND_WORDS.contains(&word))
}

/// Returns the element that is the content of the page: `main`, a single `article`, or else the
/// body.
pub(crate) fn main_of(nodes: &[Node]) -> Option<usize> {
    let with = |is_wanted: &dyn Fn(&Node) -> bool| -> Vec<usize> {
        (0..nodes.len())
            .filter(|index| is_wanted(&nodes[*index]) && is_attached(nodes, *index))
            .collect()
    };
    let body = with(&|node| node.name() == "body").first().copied();
    let main = with(&|node| node.name() == "main" || node.attribute("role") == Some("main"));
    let article = with(&|node| node.name() == "article");

    for found in [main, article] {
        if let [one] = found.as_slice()
            && length(nodes, *one) >= ENOUGH
        {
            return Some(*one);
        }
    }
    body
}

fn is_attached(nodes: &[Node], mut index: usize) -> bool {
    while let Some(parent) = nodes[index].parent {
        index = parent;
    }
    index == crate::read::formats::html::tree::DOCUMENT
}

/// Returns the number of bytes of text below an element.
fn length(nodes: &[Node], root: usize) -> usize {
    let (mut total, mut next) = (0, vec![root]);
    while let Some(index) = next.pop() {
        if let Data::Text(text) = &nodes[index].data {
            total += text.trim().len();
        }
        next.extend(&nodes[index].children);
    }
    total
}

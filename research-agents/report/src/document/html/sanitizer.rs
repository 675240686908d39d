//! The sanitizer: keeps only the elements and attributes that reports are made of.

use std::collections::{HashMap, HashSet};

use ammonia::Builder;

use crate::document::html::markup::Markup;

/// Elements that reports are made of.
const TAGS: [&str; 21] = [
    "a",
    "blockquote",
    "caption",
    "details",
    "h1",
    "h2",
    "h3",
    "h4",
    "li",
    "mark",
    "ol",
    "p",
    "span",
    "summary",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
];

/// A sanitizer for pieces of HTML.
#[derive(Debug)]
pub(crate) struct Sanitizer(Builder<'static>);

impl Sanitizer {
    /// Creates the sanitizer.
    pub(crate) fn new() -> Self {
        let mut builder = Builder::empty();
        builder
            .tags(HashSet::from(TAGS))
            .generic_attributes(HashSet::from(["class", "id"]))
            .tag_attributes(HashMap::from([
                ("a", HashSet::from(["href", "rel"])),
                ("th", HashSet::from(["scope"])),
            ]))
            .url_schemes(HashSet::from(["http", "https"]))
            // Pages link only within themselves. A path would refer to the reader's file system.
            .url_relative(ammonia::UrlRelative::Custom(Box::new(within)))
            .link_rel(None);
        Self(builder)
    }

    /// Returns a piece without disallowed elements and attributes. Pieces of this library stay
    /// unchanged.
    pub(crate) fn clean(&self, piece: &Markup) -> String {
        self.0.clean(piece.as_str()).to_string()
    }
}

/// Returns an address if it is within the page.
fn within(url: &str) -> Option<std::borrow::Cow<'_, str>> {
    url.starts_with('#').then(|| url.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_before_it_leaves_nothing_behind() {
        let sanitizer = Sanitizer::new();
        let mut slip = Markup::default();
        slip.open("p", &[])
            .open("script", &[])
            .text("alert(1)")
            .close("script")
            .close("p");
        slip.open(
            "p",
            &[
                ("onclick", "x()"),
                ("style", "color:red"),
                ("class", "status"),
            ],
        )
        .close("p");
        slip.element("a", &[("href", "javascript:alert(1)")], "a");
        slip.element("a", &[("href", "/etc/passwd")], "b");
        slip.element("a", &[("href", "#data-A1")], "c");

        assert_eq!(
            sanitizer.clean(&slip),
            "<p></p><p class=\"status\"></p><a>a</a><a>b</a><a href=\"#data-A1\">c</a>"
        );
    }
}

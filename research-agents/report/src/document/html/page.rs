//! The body of the page: pieces are sanitized before they are added.

use crate::document::html::markup::Markup;
use crate::document::html::sanitizer::Sanitizer;
use crate::language::tag::Language;

/// The body of a page while it is written.
pub(crate) struct Page {
    pub(crate) body: String,
    pub(crate) sanitizer: Sanitizer,
    pub(crate) language: Language,
}

impl Page {
    /// Sanitizes a piece and adds it.
    pub(crate) fn add(&mut self, markup: &Markup) {
        if markup.as_str().is_empty() {
            return;
        }
        self.body.push_str(&self.sanitizer.clean(markup));
        self.body.push('\n');
    }

    /// Adds a chart, which is not sanitized.
    pub(crate) fn draw(&mut self, svg: &str) {
        self.body.push_str(svg);
    }

    /// Writes an element with the content that `write` adds.
    pub(crate) fn part<T>(&mut self, tag: &'static str, write: impl FnOnce(&mut Self) -> T) -> T {
        self.body.push_str(&format!("<{tag}>\n"));
        let result = write(self);
        self.body.push_str(&format!("</{tag}>\n"));
        result
    }
}

//! HTML that is built from fixed names and escaped text.

use crate::kernel::markup::escape_markup;

/// A piece of HTML. Names of elements and attributes are words of the program; everything else is escaped as it goes in.
#[derive(Debug, Default)]
pub(super) struct Markup(String);

impl Markup {
    /// Opens an element.
    pub(super) fn open(&mut self, tag: &'static str, attributes: &[(&'static str, &str)]) -> &mut Self {
        self.0.push('<');
        self.0.push_str(tag);
        for (name, value) in attributes {
            self.0.push_str(&format!(" {name}=\"{}\"", escape_markup(value)));
        }
        self.0.push('>');
        self
    }

    /// Closes an element.
    pub(super) fn close(&mut self, tag: &'static str) -> &mut Self {
        self.0.push_str(&format!("</{tag}>"));
        self
    }

    /// Adds text.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        self.0.push_str(&escape_markup(text));
        self
    }

    /// Adds an element that holds text only.
    pub(super) fn element(&mut self, tag: &'static str, attributes: &[(&'static str, &str)], text: &str) -> &mut Self {
        self.open(tag, attributes).text(text).close(tag)
    }

    /// The HTML.
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_in_stays_text() {
        let mut markup = Markup::default();
        markup.element("p", &[("class", "\"><script>")], "<b>&'\"");
        assert_eq!(markup.as_str(), "<p class=\"&quot;&gt;&lt;script&gt;\">&lt;b&gt;&amp;&#39;&quot;</p>");
    }
}

//! Builds HTML from fixed names and escaped text.

use crate::text::markup::escape_markup;

/// A piece of HTML. Names of elements and attributes are constants of the program; everything else
/// is escaped when it is added.
#[derive(Debug, Default)]
pub(crate) struct Markup(String);

impl Markup {
    /// Opens an element.
    pub(crate) fn open(
        &mut self,
        tag: &'static str,
        attributes: &[(&'static str, &str)],
    ) -> &mut Self {
        self.0.push('<');
        self.0.push_str(tag);
        for (name, value) in attributes {
            self.0
                .push_str(&format!(" {name}=\"{}\"", escape_markup(value)));
        }
        self.0.push('>');
        self
    }

    /// Closes an element.
    pub(crate) fn close(&mut self, tag: &'static str) -> &mut Self {
        self.0.push_str(&format!("</{tag}>"));
        self
    }

    /// Adds text.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.0.push_str(&escape_markup(text));
        self
    }

    /// Adds an element with text.
    pub(crate) fn element(
        &mut self,
        tag: &'static str,
        attributes: &[(&'static str, &str)],
        text: &str,
    ) -> &mut Self {
        self.open(tag, attributes).text(text).close(tag)
    }

    /// Returns the HTML.
    pub(crate) fn as_str(&self) -> &str {
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
        assert_eq!(
            markup.as_str(),
            "<p class=\"&quot;&gt;&lt;script&gt;\">&lt;b&gt;&amp;&#39;&quot;</p>"
        );
    }
}

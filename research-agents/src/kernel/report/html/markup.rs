//! HTML that is built from fixed names and escaped text.

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

/// The text with the five characters escaped that mean something in HTML and XML.
pub(crate) fn escape_markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

/// An id as part of an anchor: no two ids have the same one.
pub(crate) fn anchor(id: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || ".:-".contains(character);
    id.chars().map(|c| if plain(c) { c.to_string() } else { format!("_{:x}_", u32::from(c)) }).collect()
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

    #[test]
    fn anchors_differ_as_ids_do() {
        assert_eq!(anchor("events:doc-1f"), "events:doc-1f");
        assert_ne!(anchor("a b"), anchor("a_20_b"));
        assert!(!anchor("\"> <").contains(['"', '>', ' ', '<']));
    }
}

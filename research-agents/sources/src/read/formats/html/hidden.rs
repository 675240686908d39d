//! Elements that a person does not see.

use crate::read::formats::html::tree::Node;

/// Elements whose content is not text of the page.
const NO_TEXT: &[&str] = &[
    "audio",
    "base",
    "canvas",
    "embed",
    "iframe",
    "link",
    "map",
    "math-annotation",
    "meta",
    "noembed",
    "noframes",
    "noscript",
    "object",
    "param",
    "script",
    "source",
    "style",
    "svg",
    "template",
    "track",
    "video",
];

/// Elements of forms, whose content is for input.
const CONTROLS: &[&str] = &["button", "datalist", "input", "select", "textarea"];

/// The colours that apply to an element, as far as its style and those around it state them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Colours {
    pub(crate) text: Option<String>,
    pub(crate) background: Option<String>,
}

/// Returns whether the content of an element is not text: scripts, styles, controls.
pub(crate) fn is_not_text(node: &Node) -> bool {
    NO_TEXT.contains(&node.name()) || CONTROLS.contains(&node.name())
}

/// Returns whether an element is hidden by its attributes, or by a style that it states itself.
pub(crate) fn is_hidden(node: &Node) -> bool {
    let has_hidden = node
        .attribute("hidden")
        .is_some_and(|value| !value.eq_ignore_ascii_case("until-found"));
    let is_aria_hidden = node
        .attribute("aria-hidden")
        .is_some_and(|value| value.trim().eq_ignore_ascii_case("true"));
    has_hidden || is_aria_hidden || node.attribute("style").is_some_and(hides)
}

fn hides(style: &str) -> bool {
    declarations(style).any(|(name, value)| match name.as_str() {
        "display" => value == "none",
        "visibility" => value == "hidden" || value == "collapse",
        "content-visibility" => value == "hidden",
        "opacity" | "font-size" | "max-height" | "max-width" | "zoom" => is_zero(&value),
        "clip" => value.replace(' ', "").starts_with("rect(0") && !value.contains("auto"),
        "clip-path" => value.replace(' ', "").contains("inset(50%)"),
        "left" | "top" | "text-indent" | "right" | "bottom" | "margin-left" => {
            value.starts_with('-') && number(&value[1..]).is_some_and(|by| by >= 900.0)
        }
        "transform" => value.replace(' ', "").contains("scale(0)"),
        _ => false,
    })
}

/// Returns the colours of an element that is inside of one with the given colours.
pub(crate) fn colours(node: &Node, outer: &Colours) -> Colours {
    let mut colours = outer.clone();
    if let Some(background) = node.attribute("bgcolor") {
        colours.background = Some(colour(background));
    }
    if node.name() == "font"
        && let Some(text) = node.attribute("color")
    {
        colours.text = Some(colour(text));
    }

    let style = node.attribute("style").unwrap_or_default();
    for (name, value) in declarations(style) {
        match name.as_str() {
            "color" => colours.text = Some(colour(&value)),
            "background-color" => colours.background = Some(colour(&value)),
            "background" => {
                let plain = value.split_whitespace().next().unwrap_or_default();
                colours.background = Some(colour(plain));
            }
            _ => {}
        }
    }
    colours
}

/// Returns whether text has the colour of what is behind it. A page without style sheets is white.
pub(crate) fn is_invisible(colours: &Colours, has_sheet: bool) -> bool {
    let Some(text) = &colours.text else {
        return false;
    };
    match &colours.background {
        _ if text == "transparent" => true,
        Some(background) => text == background,
        None => !has_sheet && text == "ffffff",
    }
}

/// Returns a colour in one spelling, as far as the spelling is known.
fn colour(value: &str) -> String {
    let value = value
        .trim()
        .trim_end_matches("!important")
        .trim()
        .to_ascii_lowercase();
    if let Some(hex) = value.strip_prefix('#') {
        return match hex.len() {
            3 => hex.chars().flat_map(|c| [c, c]).collect(),
            _ => hex.chars().take(6).collect(),
        };
    }

    let numbers: Vec<u8> = value
        .strip_prefix("rgb")
        .map(|rest| {
            rest.split(|c: char| !c.is_ascii_digit())
                .filter_map(|part| part.parse().ok())
                .collect()
        })
        .unwrap_or_default();
    if let [red, green, blue, rest @ ..] = numbers.as_slice() {
        if rest == [0] {
            return "transparent".to_owned();
        }
        return format!("{red:02x}{green:02x}{blue:02x}");
    }
    match value.as_str() {
        "white" => "ffffff".to_owned(),
        "black" => "000000".to_owned(),
        _ => value,
    }
}

fn declarations(style: &str) -> impl Iterator<Item = (String, String)> {
    style.split(';').filter_map(|declaration| {
        let (name, value) = declaration.split_once(':')?;
        let value = value.trim().to_ascii_lowercase();
        let value = value.trim_end_matches("!important").trim().to_owned();
        Some((name.trim().to_ascii_lowercase(), value))
    })
}

fn is_zero(value: &str) -> bool {
    number(value) == Some(0.0)
}

/// Returns the number at the start of a value such as `0.5px`.
fn number(value: &str) -> Option<f64> {
    let end = value
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(value.len());
    value[..end].parse().ok()
}

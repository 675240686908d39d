//! Estimates the width of labels, and cuts them to fit. Without a font at hand, widths are those of
//! common sans-serif fonts.

/// Height of the text in drawing units. Two units are one pixel at the chart's natural size.
pub(crate) const TEXT: f64 = 25.0;

/// Returns the width of a string in drawing units.
pub(crate) fn width(text: &str) -> f64 {
    text.chars().map(part_of_height).sum::<f64>() * TEXT
}

/// Returns the width of a character in parts of the text's height.
fn part_of_height(character: char) -> f64 {
    match character {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' | '(' | ')' | '['
        | ']' => 0.3,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '—' => 0.9,
        c if c.is_ascii_uppercase() => 0.7,
        c if c < '\u{1100}' => 0.57,
        // East Asian scripts and emoji.
        _ => 1.05,
    }
}

/// Returns a string that is at most this wide: the text, or its beginning with an ellipsis.
pub(crate) fn fit(text: &str, available: f64) -> String {
    if width(text) <= available {
        return text.to_owned();
    }

    let mut used = width("…");
    let kept = text.chars().take_while(|character| {
        used += part_of_height(*character) * TEXT;
        used <= available
    });
    let kept: String = kept.collect();
    format!("{}…", kept.trim_end())
}

/// Returns a count as it is written on an axis: `1500`, `20k`, `1.5M`.
pub(crate) fn short(count: f64) -> String {
    let units = [
        (1e18, "E"),
        (1e15, "P"),
        (1e12, "T"),
        (1e9, "G"),
        (1e6, "M"),
        (1e4, "k"),
    ];
    let unit = units.iter().find(|(least, _)| count >= *least);
    let (number, name) = unit.map_or((count, ""), |(least, name)| {
        (count / if *least == 1e4 { 1e3 } else { *least }, *name)
    });
    let text = format!("{number:.1}");
    format!("{}{name}", text.strip_suffix(".0").unwrap_or(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_label_is_cut_at_a_character() {
        assert_eq!(fit("short", 200.0), "short");
        let cut = fit("Flüge über dem Flugplatz", 150.0);
        assert!(
            cut.starts_with("Flüge") && cut.ends_with('…') && width(&cut) <= 150.0,
            "{cut}"
        );
        assert_eq!(fit("abc", 0.0), "…");
    }

    #[test]
    fn large_counts_on_an_axis_are_short() {
        let shown: Vec<String> = [0.0, 2.5, 9_000.0, 20_000.0, 1_500_000.0, 1.8e19]
            .iter()
            .map(|n| short(*n))
            .collect();
        assert_eq!(shown, ["0", "2.5", "9000", "20k", "1.5M", "18E"]);
    }
}

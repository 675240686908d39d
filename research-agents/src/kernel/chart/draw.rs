//! Draws a chart with the plotting library, and puts the drawing into a document that carries its text.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::label::TEXT;
use super::{Chart, ChartKind, columns, rows};
use crate::kernel::markup::{anchor, escape_markup};

/// What can go wrong while drawing.
pub(super) type Problem = Box<dyn std::error::Error + Send + Sync>;
/// The canvas that charts are drawn on.
pub(super) type Canvas<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// Width of the drawing in units.
pub(super) const WIDTH: u32 = 960;
/// Colour of bars, and of the series of stacked ones. The last is that of all others. Told apart in greys, too, as they differ in
/// lightness, and by most people who see colours differently.
pub(super) const COLOURS: [RGBColor; 7] = [
    RGBColor(0x2f, 0x6d, 0xb5),
    RGBColor(0xf2, 0xa1, 0x3c),
    RGBColor(0x1f, 0x8a, 0x70),
    RGBColor(0xd4, 0x5d, 0x79),
    RGBColor(0x8a, 0x6f, 0xc4),
    RGBColor(0x6f, 0xb7, 0xd9),
    RGBColor(0x9a, 0xa0, 0xa6),
];
/// Colour of text.
const INK: RGBColor = RGBColor(0x33, 0x38, 0x3d);
/// Colour of lines.
pub(super) const RULE: RGBColor = RGBColor(0xd5, 0xd9, 0xdd);

/// The document.
pub(super) fn draw(chart: &Chart) -> Result<String, Problem> {
    let height = match chart.kind {
        ChartKind::Dates => columns::HEIGHT,
        ChartKind::Bars | ChartKind::Stacked => rows::height(chart),
    };
    let mut drawn = String::new();
    {
        let canvas = SVGBackend::with_string(&mut drawn, (WIDTH, height)).into_drawing_area();
        match chart.kind {
            ChartKind::Dates => columns::draw(chart, &canvas)?,
            ChartKind::Bars | ChartKind::Stacked => rows::draw(chart, &canvas)?,
        }
        canvas.present()?;
    }
    // The library's own root says nothing about the drawing. Its first line is that root, its last one closes it.
    let body = drawn.split_once('\n').map_or("", |(_, body)| body);
    let body = body.trim_end().strip_suffix("</svg>").unwrap_or(body);
    let id = format!("chart-{}", anchor(&chart.aggregation));
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {WIDTH} {height}\" \
         role=\"img\" aria-labelledby=\"{id}-title\" aria-describedby=\"{id}-text\">\n<title id=\"{id}-title\">{}</title>\n\
         <desc id=\"{id}-text\">{}</desc>\n{body}</svg>\n",
        WIDTH / 2,
        height / 2,
        escape_markup(chart.title.as_str()),
        escape_markup(&chart.text()),
    ))
}

/// Writes a text; `at` is where its anchor stands.
pub(super) fn write(canvas: &Canvas<'_>, text: &str, at: (i32, i32), anchor: HPos) -> Result<(), Problem> {
    Ok(canvas.draw(&Text::new(text.to_owned(), at, style(anchor)))?)
}

/// Text in the middle of its line.
pub(super) fn style(anchor: HPos) -> TextStyle<'static> {
    // The library divides the size by this number, whatever the font.
    ("sans-serif", (TEXT * 1.24).round()).into_font().color(&INK).pos(Pos::new(anchor, VPos::Center))
}

//! The canvas of charts: its size, colours and text.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::chart::label::TEXT;

/// An error while drawing.
pub(crate) type Problem = Box<dyn std::error::Error + Send + Sync>;
/// The canvas that charts are drawn on.
pub(crate) type Canvas<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// Width of the drawing in units.
pub(crate) const WIDTH: u32 = 960;

/// Colours of bars, and of the series of stacked bars; the last one is for all others. They differ
/// in lightness, so that they are distinct in greyscale and for most people with a colour vision
/// deficiency.
pub(crate) const COLOURS: [RGBColor; 7] = [
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
pub(crate) const RULE: RGBColor = RGBColor(0xd5, 0xd9, 0xdd);

/// Writes a string with its anchor at a position.
pub(crate) fn write(
    canvas: &Canvas<'_>,
    text: &str,
    at: (i32, i32),
    anchor: HPos,
) -> Result<(), Problem> {
    Ok(canvas.draw(&Text::new(text.to_owned(), at, style(anchor)))?)
}

/// Returns the style of text that is vertically centred.
pub(crate) fn style(anchor: HPos) -> TextStyle<'static> {
    // The plotting library divides font sizes by this number, whatever the font.
    ("sans-serif", (TEXT * 1.24).round())
        .into_font()
        .color(&INK)
        .pos(Pos::new(anchor, VPos::Center))
}

//! Horizontal bars, plain or stacked.

use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use crate::chart::canvas::{COLOURS, Canvas, Problem, WIDTH, write};
use crate::chart::label::{fit, width};
use crate::chart::model::{Chart, ChartGroup};
use crate::text::line::Line;

/// Distance from one bar to the next, in drawing units.
const PITCH: u32 = 46;
/// Share of the distance that stays empty.
const SPACE: f64 = 0.32;
/// Height of a line of the legend, and size of its squares.
const LEGEND: (i32, i32) = (42, 22);
/// Margins above, between columns of text and bars, and below.
const MARGIN: u32 = 10;
/// Maximum width of the labels.
const MOST_LABEL: f64 = 360.0;

/// Returns the height of the drawing.
pub(crate) fn height(chart: &Chart) -> u32 {
    let groups = u32::try_from(chart.groups.len()).unwrap_or(u32::MAX);
    let legend = legend(chart)
        .last()
        .map_or(0, |(_, _, line)| (line + 1) * LEGEND.0);
    groups
        .saturating_mul(PITCH)
        .saturating_add(2 * MARGIN)
        .saturating_add(u32::try_from(legend).unwrap_or(0))
}

/// Draws the legend, and the bars with their labels and counts.
///
/// # Errors
///
/// Returns an error if the plotting library fails.
pub(crate) fn draw(chart: &Chart, canvas: &Canvas<'_>) -> Result<(), Problem> {
    let legend = legend(chart);
    for (at, (name, left, line)) in legend.iter().enumerate() {
        let middle = line * LEGEND.0 + LEGEND.0 / 2;
        let (top, edge) = (middle - LEGEND.1 / 2, LEGEND.1);
        canvas.draw(&Rectangle::new(
            [(*left, top), (left + edge, top + edge)],
            colour(at, chart).filled(),
        ))?;
        write(canvas, name, (left + edge + 10, middle), HPos::Left)?;
    }
    let above = legend
        .last()
        .map_or(0, |(_, _, line)| (line + 1) * LEGEND.0)
        + i32::try_from(MARGIN)?;

    let label = |group: &ChartGroup| fit(group.label.as_str(), MOST_LABEL);
    let labels = chart
        .groups
        .iter()
        .map(|group| width(&label(group)))
        .fold(0.0, f64::max);
    let counts = chart
        .groups
        .iter()
        .map(|group| width(&chart.written(group)))
        .fold(0.0, f64::max);
    // Bars of negative numbers lie to the left of zero.
    let lengths = || chart.groups.iter().map(|group| chart.length(group));
    let shortest = lengths().fold(0.0, f64::min);
    let longest = lengths().fold(shortest, f64::max);
    let longest = if longest > shortest {
        longest
    } else {
        shortest + 1.0
    };

    let rows = chart.groups.len() as f64;
    let gap = i32::try_from(MARGIN)?;
    let plot = ChartBuilder::on(canvas)
        .margin_top(above)
        .margin_bottom(MARGIN)
        .margin_left(labels.ceil() as i32 + 2 * gap)
        .margin_right(counts.ceil() as i32 + 2 * gap)
        .build_cartesian_2d(shortest..longest, rows..0.0)?;

    for (row, group) in chart.groups.iter().enumerate() {
        let (top, bottom) = (row as f64 + SPACE / 2.0, row as f64 + 1.0 - SPACE / 2.0);
        let mut from = 0.0;
        for (at, part) in parts(chart, group).into_iter().enumerate() {
            let (start, end) = (f64::min(from, from + part), f64::max(from, from + part));
            let (left, upper) = plot.backend_coord(&(start, top));
            let (right, lower) = plot.backend_coord(&(end, bottom));
            from += part;
            // Even a single record is visible, and a thin line separates neighbours.
            let right = if part != 0.0 {
                (right - i32::from(!group.parts.is_empty())).max(left + 2)
            } else {
                left
            };
            if right > left {
                canvas.draw(&Rectangle::new(
                    [(left, upper), (right, lower)],
                    colour(at, chart).filled(),
                ))?;
            }
        }

        let end = chart.length(group).max(0.0);
        let (end, middle) = plot.backend_coord(&(end, row as f64 + 0.5));
        let (start, _) = plot.backend_coord(&(shortest, 0.0));
        write(canvas, &label(group), (start - gap, middle), HPos::Right)?;
        write(
            canvas,
            &chart.written(group),
            (end + gap, middle),
            HPos::Left,
        )?;
    }
    Ok(())
}

/// Returns the lengths of the parts of a bar.
fn parts(chart: &Chart, group: &ChartGroup) -> Vec<f64> {
    if group.parts.is_empty() {
        vec![chart.length(group)]
    } else {
        group.parts.iter().map(|part| *part as f64).collect()
    }
}

/// Returns the colour of a series. The series of all others always has the last one.
fn colour(at: usize, chart: &Chart) -> RGBColor {
    let is_rest = chart.has_rest && at + 1 == chart.series.len();
    let place = if is_rest {
        COLOURS.len() - 1
    } else {
        at % COLOURS.len()
    };
    COLOURS.get(place).copied().unwrap_or(COLOURS[0])
}

/// Returns the name, the left edge and the line of each entry of the legend.
fn legend(chart: &Chart) -> Vec<(String, i32, i32)> {
    let (mut left, mut line) = (0, 0);
    let entry = |name: &Line| {
        let name = fit(name.as_str(), MOST_LABEL);
        let wide = LEGEND.1 + 10 + width(&name).ceil() as i32 + 28;
        if left > 0 && left + wide > WIDTH as i32 {
            (left, line) = (0, line + 1);
        }
        let at = left;
        left += wide;
        (name, at, line)
    };
    chart.series.iter().map(entry).collect()
}

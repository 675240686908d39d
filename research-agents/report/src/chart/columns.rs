//! Columns over time, with an axis of counts.

use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use crate::chart::canvas::{COLOURS, Canvas, Problem, RULE, WIDTH, style, write};
use crate::chart::label::{TEXT, short, width};
use crate::chart::model::Chart;

/// Height of the drawing in units.
pub(crate) const HEIGHT: u32 = 420;
/// Height of the labels below the axis of time.
const LABELS: i32 = 50;
/// Share of the width of a column that stays empty.
const SPACE: f64 = 0.2;
/// Maximum number of lines of the axis of counts.
const LINES: u64 = 5;
/// Maximum number of months that are labelled one by one. More months are labelled by their years.
const MONTHS: usize = 24;

/// Draws the columns with their axis, counts and labels.
///
/// # Errors
///
/// Returns an error if the plotting library fails.
pub(crate) fn draw(chart: &Chart, canvas: &Canvas<'_>) -> Result<(), Problem> {
    let lengths = || chart.groups.iter().map(|group| chart.length(group));
    let lowest = lengths().fold(0.0, f64::min);
    let top = lengths().fold(lowest, f64::max);
    let top = match chart.has_numbers {
        false => top.max(1.0),
        true if top > lowest => top,
        true => lowest + 1.0,
    };
    let columns = chart.groups.len() as f64;
    let left = width(&short(top)).max(width("9999")).ceil() as i32 + 16;

    let mut plot = ChartBuilder::on(canvas)
        .margin_top((TEXT * 1.6) as i32)
        .margin_right(TEXT as i32)
        .y_label_area_size(left)
        .margin_bottom(LABELS)
        .build_cartesian_2d(0.0..columns, lowest..top)?;

    // The axis of counts has whole numbers only.
    let count = |value: &f64| match chart.has_numbers {
        true if value.abs() < 1.0 => chart.language.measure(*value),
        true if *value < 0.0 => format!("-{}", short(-value)),
        false if value.fract() != 0.0 => String::new(),
        _ => short(*value),
    };
    let lines = if chart.has_numbers {
        LINES
    } else {
        LINES.min(top as u64)
    };
    plot.configure_mesh()
        .disable_x_mesh()
        .disable_x_axis()
        .y_labels(usize::try_from(lines)? + 1)
        .y_max_light_lines(0)
        .bold_line_style(RULE)
        .axis_style(RULE)
        .y_label_style(style(HPos::Right))
        .y_label_formatter(&count)
        .draw()?;

    // The columns, with their counts above if all of them fit.
    let zero = plot.backend_coord(&(0.0, 0.0)).1;
    let base = plot.backend_coord(&(0.0, lowest)).1;
    let widest_count = chart
        .groups
        .iter()
        .map(|group| width(&chart.written(group)))
        .fold(0.0, f64::max);
    let plot_width = f64::from(WIDTH) - f64::from(left) - TEXT;
    for (at, group) in chart.groups.iter().enumerate() {
        let length = chart.length(group);
        let (start, tip) = plot.backend_coord(&(at as f64 + SPACE / 2.0, length));
        let (end, _) = plot.backend_coord(&(at as f64 + 1.0 - SPACE / 2.0, 0.0));
        let upper = tip.min(zero);
        if length != 0.0 {
            let (upper, lower) = match length > 0.0 {
                true => (tip.min(zero - 2), zero),
                false => (zero, tip.max(zero + 2)),
            };
            canvas.draw(&Rectangle::new(
                [(start, upper), (end.max(start + 1), lower)],
                COLOURS[0].filled(),
            ))?;
        }
        if widest_count + 12.0 <= plot_width / columns {
            let above = (upper.min(base) - (TEXT * 0.65) as i32).max(0);
            write(
                canvas,
                &chart.written(group),
                ((start + end) / 2, above),
                HPos::Center,
            )?;
        }
    }

    // As many labels as fit. Joined intervals are labelled by their beginning.
    let months = chart
        .groups
        .iter()
        .filter(|group| is_month(group.label.as_str()))
        .count();
    let by_year = months == chart.groups.len() && months > MONTHS;
    let mut free = 0;
    for (at, group) in chart.groups.iter().enumerate() {
        let label = group.label.as_str().split(" – ").next().unwrap_or_default();
        let Some(label) = (if by_year {
            label.strip_suffix("-01")
        } else {
            Some(label)
        }) else {
            continue;
        };
        let (middle, _) = plot.backend_coord(&(at as f64 + 0.5, 0.0));
        let half = (width(label) / 2.0).ceil() as i32;
        let middle = middle.min(WIDTH as i32 - half).max(half);
        if middle - half >= free {
            write(canvas, label, (middle, base + LABELS / 2), HPos::Center)?;
            free = middle + half + TEXT as i32;
        }
    }

    Ok(())
}

/// Returns whether a label has the form `2024-05`.
fn is_month(label: &str) -> bool {
    label.len() == 7
        && label
            .split_once('-')
            .is_some_and(|(year, month)| year.len() == 4 && month.len() == 2)
}

//! Draws a chart with the plotting library, and embeds the drawing in an SVG document with its
//! text.

use plotters::prelude::*;

use crate::chart::canvas::{Problem, WIDTH};
use crate::chart::model::{Chart, ChartKind};
use crate::chart::{columns, rows};
use crate::text::markup::{anchor, escape_markup};

/// A chart that could not be drawn.
#[derive(Debug, thiserror::Error)]
#[error("the chart of {aggregation} could not be drawn")]
pub struct ChartError {
    aggregation: String,
    source: Box<dyn std::error::Error + Send + Sync>,
}

impl Chart {
    /// Returns the chart as an SVG document that loads nothing. It can be scaled; at its natural
    /// width of 480 pixels its text is 13 pixels high.
    ///
    /// # Errors
    ///
    /// Returns an error if the plotting library fails, which is not expected for any chart.
    pub fn svg(&self) -> Result<String, ChartError> {
        draw(self).map_err(|source| ChartError {
            aggregation: self.aggregation.clone(),
            source,
        })
    }
}

/// Returns the SVG document of a chart.
///
/// # Errors
///
/// Returns an error if the plotting library fails.
pub(crate) fn draw(chart: &Chart) -> Result<String, Problem> {
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

    // The library's root element, which is the first line and the last one, has no title and no
    // description: it is replaced.
    let body = drawn.split_once('\n').map_or("", |(_, body)| body);
    let body = body.trim_end().strip_suffix("</svg>").unwrap_or(body);
    let id = format!("chart-{}", anchor(&chart.aggregation));
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" width=\"{}\" height=\"{}\" \
         viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-labelledby=\"{id}-title\" \
         aria-describedby=\"{id}-text\">\n<title id=\"{id}-title\">{}</title>\n\
         <desc id=\"{id}-text\">{}</desc>\n{body}</svg>\n",
        WIDTH / 2,
        height / 2,
        escape_markup(chart.title.as_str()),
        escape_markup(&chart.text()),
    ))
}

//! Small pieces of requests that both formats share.

use serde_json::{Map, Value};

use super::quirks::Quirks;
use crate::error::ModelError;
use crate::message::{Image, ImageSource, Part};
use crate::request::{Effort, Request};

/// The number as it was written: 0.7 and not 0.699999988.
pub(super) fn decimal(number: f32) -> Value {
    number.to_string().parse::<f64>().map_or(Value::Null, Value::from)
}

/// The address of a picture, or the picture itself as one.
pub(super) fn image_url(image: &Image) -> String {
    match &image.source {
        ImageSource::Url(url) => url.clone(),
        ImageSource::Base64 { media_type, data } => format!("data:{media_type};base64,{data}"),
    }
}

/// The word for how much to think, if this model is told.
pub(super) fn effort(quirks: &Quirks, model: &str, effort: Option<Effort>) -> Option<&'static str> {
    let least = quirks.least_effort(model)?;
    Some(match effort? {
        Effort::Minimal => least,
        Effort::Low => "low",
        Effort::Medium => "medium",
        Effort::High => "high",
    })
}

/// Sets temperature and share, unless the model refuses them.
pub(super) fn sampling(body: &mut Map<String, Value>, quirks: &Quirks, model: &str, request: &Request) {
    let thinks = quirks.least_effort(model).is_some() && effort(quirks, model, request.effort) != Some("none");
    for (field, value) in [("temperature", request.temperature), ("top_p", request.top_p)] {
        match value {
            Some(_) if quirks.fixed_sampling && thinks => {
                tracing::debug!(model, field, "left out: this model refuses it");
            }
            Some(value) => drop(body.insert(field.to_owned(), decimal(value))),
            None => {}
        }
    }
}

/// Refuses what the server is known not to take, before anything is sent.
pub(super) fn check(quirks: &Quirks, request: &Request) -> Result<(), ModelError> {
    let has_image =
        request.messages.iter().flat_map(|message| &message.parts).any(|part| matches!(part, Part::Image(_)));
    let refused = match () {
        () if has_image && !quirks.images => "pictures",
        () if !request.tools.is_empty() && !quirks.tools => "tools",
        () => return Ok(()),
    };
    Err(ModelError::invalid_request(format!("{} takes no {refused}", quirks.provider), None))
}

/// What a result of a tool says, with a failure named as such: the format has no field for it.
pub(super) fn result_text(result: &crate::message::ToolResult) -> String {
    if result.is_error && !result.content.to_lowercase().starts_with("error") {
        format!("Error: {}", result.content)
    } else {
        result.content.clone()
    }
}

/// The arguments of a call as they are said again. Servers read them, and an empty text is no JSON.
pub(super) fn arguments(arguments: &str) -> &str {
    if arguments.trim().is_empty() { "{}" } else { arguments }
}

/// Sets the fields of the caller's own, after everything else.
pub(super) fn finish(mut body: Map<String, Value>, request: &Request) -> Value {
    body.extend(request.extra.clone());
    Value::Object(body)
}

//! Reads the vectors of an answer.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::Value;

use crate::embed::vectors::Embeddings;
use crate::error::ModelError;
use crate::response::Usage;

#[derive(Deserialize)]
struct Answer {
    data: Vec<Item>,
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    usage: Option<Used>,
}

#[derive(Deserialize)]
struct Item {
    /// Some servers leave it out and keep the order.
    index: Option<usize>,
    embedding: Numbers,
}

/// Servers choose the form by themselves when they do not know the field that asks for it.
#[derive(Deserialize)]
#[serde(untagged)]
enum Numbers {
    Decimal(Vec<f32>),
    Base64(String),
}

#[derive(Deserialize)]
struct Used {
    #[serde(default)]
    prompt_tokens: u64,
}

/// One vector for each of so many texts, in their order.
pub(super) fn read(body: Value, texts: usize, model: &str) -> Result<Embeddings, ModelError> {
    let answer: Answer = serde_path_to_error::deserialize(body).map_err(|error| {
        let message = format!("the vectors have no known form at `{}`", error.path());
        ModelError::invalid_response(message, Some(Arc::new(error.into_inner())))
    })?;
    if answer.data.len() != texts {
        let message = format!("{} vectors for {texts} texts", answer.data.len());
        return Err(ModelError::invalid_response(message, None));
    }
    let mut rows: Vec<Option<Vec<f32>>> = vec![None; texts];
    for (at, item) in answer.data.into_iter().enumerate() {
        let index = item.index.unwrap_or(at);
        let numbers = numbers(item.embedding)?;
        match rows.get_mut(index) {
            Some(row @ None) => *row = Some(numbers),
            _ => {
                let message = format!("a vector for text {index}, which is twice there or not at all");
                return Err(ModelError::invalid_response(message, None));
            }
        }
    }
    let name = answer.model.filter(|name| !name.is_empty()).unwrap_or_else(|| model.to_owned());
    let used = answer.usage.map_or(0, |usage| usage.prompt_tokens);
    Ok(Embeddings::from_rows(name, rows.into_iter().flatten())?.with_usage(Usage::new(used, 0)))
}

fn numbers(sent: Numbers) -> Result<Vec<f32>, ModelError> {
    let text = match sent {
        Numbers::Decimal(numbers) => return Ok(numbers),
        Numbers::Base64(text) => text,
    };
    let bytes = STANDARD
        .decode(text)
        .map_err(|error| ModelError::invalid_response("a vector is no base 64", Some(Arc::new(error))))?;
    let (numbers, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(ModelError::invalid_response("a vector ends in the middle of a number", None));
    }
    Ok(numbers.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn vectors_are_put_into_the_order_of_the_texts() {
        let body = json!({
            "object": "list",
            "data": [
                {"object": "embedding", "index": 1, "embedding": [0.0, 1.0]},
                {"object": "embedding", "index": 0, "embedding": STANDARD.encode([0, 0, 128, 63, 0, 0, 0, 64])},
            ],
            "model": "m-1",
            "usage": {"prompt_tokens": 5, "total_tokens": 5},
        });
        let vectors = read(body, 2, "m").unwrap();
        assert_eq!(vectors.as_flat(), [1.0, 2.0, 0.0, 1.0]);
        assert_eq!((vectors.model(), vectors.usage()), ("m-1", Usage::new(5, 0)));
    }

    #[test]
    fn answers_that_do_not_fit_are_typed_errors() {
        let row = json!({"index": 0, "embedding": [1.0]});
        for (data, says) in [
            (json!([row]), "1 vectors for 2 texts"),
            (json!([row, row]), "twice"),
            (json!([row, {"index": 7, "embedding": [1.0]}]), "text 7"),
            (json!([row, {"index": 1, "embedding": [1.0, 2.0]}]), "another length"),
            (json!([row, {"index": 1, "embedding": "AAAA"}]), "middle of a number"),
            (json!([row, {"index": 1, "embedding": "ä"}]), "no base 64"),
            (json!([row, {"index": 1, "embedding": [null]}]), "data[1]"),
            (json!([row, {"index": 1, "embedding": []}]), "empty"),
        ] {
            let error = read(json!({"data": data}), 2, "m").unwrap_err();
            assert!(matches!(error, ModelError::InvalidResponse { .. }), "{error:?}");
            assert!(error.to_string().contains(says), "{error}");
        }
    }
}

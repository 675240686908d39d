//! An embedder on this machine: a small sentence transformer that is part of the program.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use tokio::runtime::Handle;

use super::embedder::{Embedder, EmbedderInfo, InputKind, check_texts};
use super::vectors::Embeddings;
use crate::error::ModelError;

/// Bytes of a text that are looked at. The model reads 128 tokens, which are far shorter; the encoder refuses longer
/// texts than this.
const MAX_BYTES: usize = 65_536;

/// Embeds on this machine, without a network and without files, with the model that the crate `pocket-encoder` carries:
/// `paraphrase-MiniLM-L3-v2`, 384 dimensions, made for English.
///
/// Only the first 128 tokens of a text count (about 90 words), so long texts should be cut into passages before. The
/// model is loaded at the first call, once for the process. The work is done off the threads of the runtime; dropping
/// the future of a call stops it after the text at hand.
#[derive(Clone, Debug)]
pub struct LocalEmbedder {
    info: Arc<EmbedderInfo>,
}

impl LocalEmbedder {
    /// An embedder that loads its model when it is first needed.
    #[must_use]
    pub fn new() -> Self {
        let model = pocket_encoder::model_info();
        let mut info = EmbedderInfo::new("local", model.id).dimensions(model.dimensions);
        info.max_input_tokens = u32::try_from(model.max_tokens).ok();
        Self { info: Arc::new(info) }
    }
}

impl Default for LocalEmbedder {
    fn default() -> Self {
        Self::new()
    }
}

/// Stops the work of a call whose future is dropped.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[async_trait]
impl Embedder for LocalEmbedder {
    fn info(&self) -> &EmbedderInfo {
        &self.info
    }

    /// # Errors
    /// Besides those of the port: [`ModelError::Other`] outside a Tokio runtime, and if the model cannot be loaded.
    async fn embed(&self, texts: &[String], _: InputKind) -> Result<Embeddings, ModelError> {
        check_texts(texts)?;
        if texts.is_empty() {
            return Ok(Embeddings::new(&self.info.name));
        }
        let runtime = Handle::try_current()
            .map_err(|error| ModelError::other("local embeddings need a Tokio runtime", Some(Arc::new(error))))?;
        let stopped = Arc::new(AtomicBool::new(false));
        let _stop = StopOnDrop(Arc::clone(&stopped));
        let texts = texts.to_vec();
        let name = self.info.name.clone();
        runtime
            .spawn_blocking(move || encode(name, &texts, &stopped))
            .await
            .map_err(|error| ModelError::other("the local embedder broke off", Some(Arc::new(error))))?
    }
}

fn encode(name: String, texts: &[String], stopped: &AtomicBool) -> Result<Embeddings, ModelError> {
    let failed = |error| ModelError::other("the local embedder failed", Some(Arc::new(error)));
    let encoder = pocket_encoder::Encoder::new().map_err(failed)?;
    let mut all = Embeddings::new(name);
    for text in texts {
        if stopped.load(Ordering::Relaxed) {
            return Err(ModelError::Cancelled);
        }
        for row in encoder.embed(&[beginning(text.trim())]).map_err(failed)? {
            all.push(&row)?;
        }
    }
    Ok(all)
}

fn beginning(text: &str) -> &str {
    let end = (0..=MAX_BYTES.min(text.len())).rev().find(|&at| text.is_char_boundary(at));
    &text[..end.unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_is_given_up_stops_before_the_next_text() {
        let stopped = Arc::new(AtomicBool::new(false));
        drop(StopOnDrop(Arc::clone(&stopped)));
        let result = encode("m".into(), &["a text".into()], &stopped);
        assert!(matches!(result, Err(ModelError::Cancelled)), "{result:?}");
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let text = format!("x{}", "ö".repeat(MAX_BYTES));
        assert_eq!(beginning(&text).len(), MAX_BYTES - 1);
        assert_eq!(beginning("short"), "short");
    }
}

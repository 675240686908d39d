//! Keeps a result that is too large: the whole as an artifact, head and tail of it as text.

use serde_json::json;

use crate::artifact::{Artifact, ArtifactStore};
use crate::output::{CallOutput, Content};

/// The same result, shortened to about `limit` bytes of text. Nothing when the store does not take it.
pub(super) async fn kept(output: &CallOutput, limit: usize, store: &dyn ArtifactStore) -> Option<CallOutput> {
    let whole = json!({"content": output.content, "structured": output.structured, "is_error": output.is_error});
    let bytes = serde_json::to_vec(&whole).ok()?;
    let size = bytes.len();
    let artifact = match store.put(bytes).await {
        Ok(id) => Artifact::new(id, size),
        Err(error) => {
            tracing::warn!(server = output.server, tool = output.tool, %error, "a large result was not stored");
            return None;
        }
    };
    let json = output.structured.as_ref().map(ToString::to_string);
    let text = if output.text.is_empty() { json.unwrap_or_default() } else { output.text.clone() };
    let text = shortened(&text, limit, artifact);
    let content = vec![Content::Text { text: text.clone() }];
    Some(CallOutput {
        structured: None,
        text,
        content,
        artifact: Some(artifact),
        server: output.server.clone(),
        tool: output.tool.clone(),
        invalid: output.invalid.clone(),
        ..*output
    })
}

/// Head and tail of a text with a note between them.
fn shortened(text: &str, limit: usize, artifact: Artifact) -> String {
    let note = format!("\n[… the whole result, {} bytes of JSON, is the artifact {} …]\n", artifact.bytes, artifact.id);
    let half = limit.saturating_sub(note.len()) / 2;
    if text.len() <= half * 2 {
        return format!("{text}{note}");
    }
    let mut head = half;
    while !text.is_char_boundary(head) {
        head -= 1;
    }
    let mut tail = text.len() - half;
    while !text.is_char_boundary(tail) {
        tail += 1;
    }
    format!("{}{note}{}", &text[..head], &text[tail..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::artifact::ArtifactId;

    #[test]
    fn head_and_tail_are_cut_between_characters() {
        let artifact = Artifact::new(ArtifactId::random().unwrap(), 5_000);
        for limit in [0, 10, 100, 199, 200, 201, 1_000] {
            let text = format!("a{}z", "ü".repeat(2_000));
            let short = shortened(&text, limit, artifact);
            assert!(short.contains(&artifact.id.to_string()));
            assert!(short.len() <= limit.max(120), "{limit}: {}", short.len());
            if limit >= 200 {
                assert!(short.starts_with("aü") && short.ends_with("üz"), "{short}");
            }
        }
        assert!(shortened("short", 1_000, artifact).starts_with("short\n"));
    }
}

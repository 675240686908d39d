//! What a tool result is made of.

use rmcp::model::{ContentBlock, ResourceContents};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A block of a tool result. Everything in it is untrusted; nothing that it points to is fetched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Content {
    /// Text.
    #[non_exhaustive]
    Text {
        /// The text.
        text: String,
    },
    /// A picture.
    #[non_exhaustive]
    Image {
        /// Its media type, such as `image/png`.
        media_type: String,
        /// Its bytes in base 64, as the server sent them.
        data: String,
    },
    /// A sound.
    #[non_exhaustive]
    Audio {
        /// Its media type, such as `audio/wav`.
        media_type: String,
        /// Its bytes in base 64, as the server sent them.
        data: String,
    },
    /// The address of something that the server would hand out.
    #[non_exhaustive]
    ResourceLink {
        /// The address.
        uri: String,
        /// What the server calls it.
        name: String,
        /// Its media type, when the server says it.
        media_type: Option<String>,
    },
    /// A resource, whole.
    Resource(ResourceContent),
    /// A block of a kind that is not known here.
    #[non_exhaustive]
    Unknown {
        /// The kind as the server calls it; empty when it says none.
        kind: String,
        /// The block as it came.
        block: Value,
    },
}

/// What is in a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ResourceContent {
    /// Its address.
    pub uri: String,
    /// Its media type, when the server says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// Its text, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its bytes in base 64, if it is no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob: Option<String>,
}

impl Content {
    /// Text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// A picture: its media type and its bytes in base 64.
    pub fn image(media_type: impl Into<String>, base64: impl Into<String>) -> Self {
        Self::Image { media_type: media_type.into(), data: base64.into() }
    }

    /// A sound: its media type and its bytes in base 64.
    pub fn audio(media_type: impl Into<String>, base64: impl Into<String>) -> Self {
        Self::Audio { media_type: media_type.into(), data: base64.into() }
    }

    /// The address of a resource, and what to call it.
    pub fn link(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self::ResourceLink { uri: uri.into(), name: name.into(), media_type: None }
    }

    /// The text of a text or of a resource that is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text } => Some(text),
            Self::Resource(resource) => resource.text.as_deref(),
            _ => None,
        }
    }

    /// A block as the SDK reads it.
    pub(crate) fn typed(block: ContentBlock) -> Self {
        match block {
            ContentBlock::Text(block) => Self::Text { text: block.text },
            ContentBlock::Image(block) => Self::Image { media_type: block.mime_type, data: block.data },
            ContentBlock::Audio(block) => Self::Audio { media_type: block.mime_type, data: block.data },
            ContentBlock::ResourceLink(link) => {
                Self::ResourceLink { uri: link.uri, name: link.name, media_type: link.mime_type }
            }
            ContentBlock::Resource(block) => Self::Resource(ResourceContent::typed(block.resource)),
            other => Self::unknown(serde_json::to_value(other).unwrap_or_default()),
        }
    }

    /// A block of a result that the SDK cannot read as a whole, because of this block or of another.
    pub(crate) fn raw(block: Value) -> Self {
        match serde_json::from_value::<ContentBlock>(block.clone()) {
            Ok(typed) => Self::typed(typed),
            Err(_) => match block.get("text").or_else(|| block.pointer("/resource/text")).and_then(Value::as_str) {
                Some(text) => Self::Text { text: text.to_owned() },
                None => Self::unknown(block),
            },
        }
    }

    fn unknown(block: Value) -> Self {
        let kind = block.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        Self::Unknown { kind, block }
    }

    /// Size in bytes, about as JSON.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Text { text } => text.len(),
            Self::Image { data, .. } | Self::Audio { data, .. } => data.len(),
            Self::ResourceLink { uri, name, .. } => uri.len() + name.len(),
            Self::Resource(resource) => resource.bytes(),
            Self::Unknown { block, .. } => block.to_string().len(),
        }
    }
}

impl ResourceContent {
    /// Text at this address.
    pub fn text(uri: impl Into<String>, text: impl Into<String>) -> Self {
        Self { uri: uri.into(), text: Some(text.into()), ..Self::default() }
    }

    /// Bytes at this address, in base 64.
    pub fn blob(uri: impl Into<String>, base64: impl Into<String>) -> Self {
        Self { uri: uri.into(), blob: Some(base64.into()), ..Self::default() }
    }

    /// Sets the media type.
    #[must_use]
    pub fn media_type(mut self, media_type: impl Into<String>) -> Self {
        self.media_type = Some(media_type.into());
        self
    }

    /// What is in a resource as the SDK reads it.
    pub(crate) fn typed(contents: ResourceContents) -> Self {
        match contents {
            ResourceContents::TextResourceContents { uri, mime_type, text, .. } => {
                Self { uri, media_type: mime_type, text: Some(text), blob: None }
            }
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                Self { uri, media_type: mime_type, text: None, blob: Some(blob) }
            }
            _ => Self::default(),
        }
    }

    /// Size in bytes, about as JSON.
    pub(crate) fn bytes(&self) -> usize {
        [&self.text, &self.blob].into_iter().flatten().map(String::len).sum::<usize>() + self.uri.len()
    }
}

//! Pictures in a request.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

/// A picture for a model to look at.
///
/// ```
/// use research_llm::{Image, Message};
///
/// let png = [0x89, b'P', b'N', b'G'];
/// let message = Message::user("What is this?").image(Image::bytes("image/png", &png));
/// assert_eq!(message.parts.len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Image {
    /// Where the picture is.
    pub source: ImageSource,
}

/// Where a picture is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ImageSource {
    /// The provider fetches it from an address.
    Url(String),
    /// It goes with the request.
    #[non_exhaustive]
    Base64 {
        /// Its media type, such as `image/png`.
        media_type: String,
        /// Its bytes in standard base 64.
        data: String,
    },
}

impl Image {
    /// A picture that the provider fetches. The address leaves this machine: it must not come from untrusted text.
    pub fn url(url: impl Into<String>) -> Self {
        Self { source: ImageSource::Url(url.into()) }
    }

    /// A picture that goes with the request.
    pub fn bytes(media_type: impl Into<String>, bytes: &[u8]) -> Self {
        Self { source: ImageSource::Base64 { media_type: media_type.into(), data: STANDARD.encode(bytes) } }
    }
}

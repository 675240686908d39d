//! The inputs of tasks as bytes, so that a pending send can be kept.

use std::sync::Arc;

use crate::handle::{Input, TaskInput};
use crate::persist::{CodecError, CodecErrorKind, from_bytes, to_bytes};

/// Turns the inputs of one task into bytes and back, as the fields of a state.
#[derive(Clone, Copy)]
pub(crate) struct InputCodec {
    /// Fails where the input's `Serialize` does.
    pub(crate) encode: fn(&Input) -> Result<Vec<u8>, CodecError>,
    /// Fails where the input's `Deserialize` does.
    pub(crate) decode: fn(&[u8]) -> Result<Input, CodecError>,
}

impl InputCodec {
    /// The codec of the inputs `I`.
    pub(crate) fn of<I: TaskInput>() -> Self {
        Self { encode: encode::<I>, decode: decode::<I> }
    }
}

fn encode<I: TaskInput>(input: &Input) -> Result<Vec<u8>, CodecError> {
    // Only `Task<I>::send` makes an input for the task that this codec belongs to, so that the type always fits.
    let input = input.downcast_ref::<I>().ok_or_else(|| CodecError::new(CodecErrorKind::Encode))?;
    to_bytes(input)
}

fn decode<I: TaskInput>(bytes: &[u8]) -> Result<Input, CodecError> {
    Ok(Arc::new(from_bytes::<I>(bytes)?))
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    use super::*;

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Page {
        url: String,
        depth: Option<u32>,
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct GrownPage {
        url: String,
        #[serde(default)]
        title: String,
        depth: Option<u32>,
    }

    #[test]
    fn an_input_comes_back_and_its_type_may_grow() {
        let page = Page { url: "bees".to_string(), depth: Some(2) };
        let bytes = (InputCodec::of::<Page>().encode)(&(Arc::new(page.clone()) as Input)).unwrap();
        let back = (InputCodec::of::<Page>().decode)(&bytes).unwrap();
        assert_eq!(back.downcast_ref::<Page>(), Some(&page));
        let grown = (InputCodec::of::<GrownPage>().decode)(&bytes).unwrap();
        let expected = GrownPage { url: page.url, title: String::new(), depth: page.depth };
        assert_eq!(grown.downcast_ref::<GrownPage>(), Some(&expected));
    }

    #[test]
    fn an_input_of_another_type_and_damaged_bytes_are_errors() {
        let codec = InputCodec::of::<Page>();
        assert!((codec.encode)(&(Arc::new(7_u32) as Input)).is_err());
        assert!((codec.decode)(&[0xc1]).is_err() && (codec.decode)(&[]).is_err());
    }
}

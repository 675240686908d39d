//! What a panic said.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The text of a panic.
pub(crate) fn panic_message(payload: Box<dyn Any + Send>) -> String {
    let message = payload
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a value that is not a text".to_string());
    // Dropping it may panic again, and nobody is left to catch that.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(payload)));
    message
}

//! Server-sent events from bytes, whatever way they are cut.

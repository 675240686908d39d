//! Anthropic and the servers that speak like it.

//! research-llm.

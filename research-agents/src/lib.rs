//! research-agents.

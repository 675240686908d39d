//! Tools and sub-agents: the registry, the tools of MCP servers, and an agent that calls tools in a
//! loop.

pub mod agent;
pub mod hub;
pub mod registry;

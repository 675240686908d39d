//! research-mcp.

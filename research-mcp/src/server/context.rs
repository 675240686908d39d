//! The context that the SDK gives with a request.

use rmcp::RoleServer;
use rmcp::model::ProtocolVersion;
use rmcp::service::RequestContext;

pub(super) type Context = RequestContext<RoleServer>;

/// Whether the client speaks MCP 2026-07-28 or later.
pub(super) fn is_of_2026(context: &Context) -> bool {
    let version = context.protocol_version();
    version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

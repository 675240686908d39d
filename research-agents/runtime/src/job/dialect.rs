//! The trait by which a system describes and adapts tool calls.

use research_mcp::envelope::DataResult;
use research_mcp::{CallOutput, Object};

use crate::error::model::Error;
use crate::limits::retry::Changed;

/// Describes and adapts the tool calls of one system. Every method has a default that changes
/// nothing.
///
/// ```
/// use research_agents_runtime::job::ToolDialect;
/// use research_agents_runtime::limits::Changed;
/// use research_mcp::Object;
/// use serde_json::json;
///
/// /// Tools whose argument `limit` sizes a page.
/// struct Paged;
///
/// impl ToolDialect for Paged {
///     fn reduce(&self, arguments: &mut Object) -> Changed {
///         let Some(size) = arguments.get("limit").and_then(|size| size.as_u64()) else {
///             return Changed::new();
///         };
///         arguments.insert("limit".into(), json!(size / 2));
///         Changed::from([("limit".into(), [size, size / 2])])
///     }
///
///     fn page_size(&self) -> Option<&str> {
///         Some("limit")
///     }
/// }
///
/// let mut arguments = Object::from_iter([("limit".into(), json!(100))]);
/// assert_eq!(Paged.reduce(&mut arguments)["limit"], [100, 50]);
/// ```
pub trait ToolDialect: Send + Sync {
    /// Returns `true` if the run may call this tool at all.
    fn is_enabled(&self, tool: &str) -> bool {
        let _ = tool;
        true
    }

    /// Returns everything that the user said. The policy lets arguments repeat hosts and paths from
    /// it.
    fn user_text(&self) -> String {
        String::new()
    }

    /// Returns the arguments as the policy must see them, with JSON in strings parsed.
    fn for_policy(&self, tool: &str, arguments: &Object) -> Object {
        let _ = tool;
        arguments.clone()
    }

    /// Checks the arguments of a call.
    ///
    /// # Errors
    ///
    /// When they are wrong in a way that the system knows.
    fn check(&self, tool: &str, arguments: &Object) -> Result<(), Error> {
        let _ = (tool, arguments);
        Ok(())
    }

    /// Returns the arguments as the tool understands them.
    fn for_tool(&self, tool: &str, arguments: Object) -> Object {
        let _ = tool;
        arguments
    }

    /// Makes the arguments ask for less, and returns what changed; nothing if they cannot.
    fn reduce(&self, arguments: &mut Object) -> Changed {
        let _ = arguments;
        Changed::new()
    }

    /// Returns the name of the argument that sizes pages, if tools have one: after a page had to be
    /// reduced, later pages of the same walk are not larger.
    fn page_size(&self) -> Option<&str> {
        None
    }

    /// Returns `true` if a result must be JSON: one that is not is retried like a failure.
    fn expects_json(&self) -> bool {
        false
    }

    /// Returns a summary of a result for its event. `json` is the result if it is JSON.
    fn summary(&self, output: &CallOutput, json: Option<&DataResult>) -> String {
        let _ = json;
        format!("{} bytes", output.bytes)
    }
}

/// The dialect of a system that adapts nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl ToolDialect for Plain {}

/// The dialect of calls that an allow-list alone limits: the policy does not judge the hosts and
/// paths in their arguments.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AllowListOnly;

impl ToolDialect for AllowListOnly {
    fn for_policy(&self, _: &str, _: &Object) -> Object {
        Object::new()
    }
}

//! What the agent can do: an open registry of actions, from which the schema of a decision and the
//! list in the prompt are generated.
//!
//! An action implements [`Action`]; [`ActionRegistry::builder`] takes it, and it can be chosen from
//! then on. `examples/own_action.rs` adds one.

mod action;
mod context;
mod result;

mod compute;
mod finalize;
mod graph;
mod lsp;
mod open_span;
mod search;
mod summarize;
mod tree;

mod registry;

pub use self::action::{Action, DynAction};
pub use self::compute::{ComputeAnswer, ComputeInput, Computed, ComputedSentence};
pub use self::context::ActionContext;
pub use self::finalize::{Finalize, FinalizeInput};
pub use self::graph::{EdgeKind, GraphExpand, GraphPack, GraphTrace};
pub use self::lsp::{LspDefinition, LspDiagnostics, LspHover, LspReferences};
pub use self::open_span::OpenSpan;
pub use self::registry::{
    ActionRegistry, ActionSelection, RegistryBuilder, RegistryError, SelectionError,
};
pub use self::result::ActionResult;
pub use self::search::{HybridSearch, RankedLines, VectorSearch};
pub use self::summarize::{MEMO, Memo, SummarizeEvidence, SummarizeTask};
pub use self::tree::{TsEnclosingSymbol, TsFindSymbol, TsOutline};

//! The agent: it decides, executes and checks, in a loop or as a graph, with the same trace.

mod input;
mod state;
mod kit;

mod prompt;
mod decide;
mod execute;
mod finish;
mod verify;

mod offline;
mod system;
mod audit;
mod builder;

pub use self::audit::audit;
pub use self::builder::{AgentError, CodeAgent, CodeAgentBuilder, Research, Researched};
pub use self::decide::{DecideTask, StepView};
pub use self::input::CodeInput;
pub use self::kit::CodeKit;
pub use self::offline::answers;
pub use self::prompt::DECIDE;
pub use self::state::CodeState;
pub use self::system::{CodeSystem, NAME};

//! The record of a run: its settings, steps, evidence and verification.

mod config;
mod evidence;
mod id;
mod record;
mod verification;

pub use self::config::{AgentConfig, ConfigError, MAX_BUDGET};
pub use self::evidence::{Evidence, EvidenceDraft, Provenance, register};
pub use self::id::RunId;
pub use self::record::{ActionStep, ResearchRun, RunStatus};
pub use self::verification::{CheckOutcome, Verification, VerificationStatus};

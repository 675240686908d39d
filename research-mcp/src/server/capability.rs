//! What a client may offer to its servers.

use rmcp::model::{ClientCapabilities, ElicitationCapability, RootsCapabilities, SamplingCapability};

/// Something that a client may offer to its servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Capability {
    /// It asks the user, [`Question::Form`](super::Question::Form) and [`Question::Visit`](super::Question::Visit).
    Elicitation,
    /// It asks its model, [`Question::Sample`](super::Question::Sample).
    Sampling,
    /// It says which folders matter, [`Question::Roots`](super::Question::Roots).
    Roots,
}

impl Capability {
    pub(super) fn is_in(self, client: &ClientCapabilities) -> bool {
        match self {
            Self::Elicitation => client.elicitation.is_some(),
            Self::Sampling => client.sampling.is_some(),
            Self::Roots => client.roots.is_some(),
        }
    }

    /// What a client declares that has it.
    pub(super) fn declared(self) -> ClientCapabilities {
        let mut client = ClientCapabilities::default();
        match self {
            Self::Elicitation => client.elicitation = Some(ElicitationCapability::default()),
            Self::Sampling => client.sampling = Some(SamplingCapability::default()),
            Self::Roots => client.roots = Some(RootsCapabilities::default()),
        }
        client
    }
}

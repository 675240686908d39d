//! The options about memos.

use clap::ValueEnum;
use research_agents::scr::memo::Structure;
use research_agents::scr::synthesizer::{After, History};

/// What `--early` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Early {
    /// Wait after the situation
    Situation,
    /// Wait after the complication
    Complication,
    /// Write all sections
    Off,
}

impl From<Early> for Option<After> {
    fn from(early: Early) -> Self {
        match early {
            Early::Situation => Some(After::Situation),
            Early::Complication => Some(After::Complication),
            Early::Off => None,
        }
    }
}

/// What `--history` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum How {
    /// All prompts before it, so that a provider reads them from its cache
    Append,
    /// Nothing but the statements of the memo
    Compact,
}

impl From<How> for History {
    fn from(how: How) -> Self {
        match how {
            How::Append => Self::Append,
            How::Compact => Self::Compact,
        }
    }
}

/// What `--sections` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Sections {
    /// Situation, complication and resolution
    Scr,
    /// One summary, with one question to the model a delivery
    Summary,
}

impl From<Sections> for Structure {
    fn from(sections: Sections) -> Self {
        match sections {
            Sections::Scr => Self::Scr,
            Sections::Summary => Self::Summary,
        }
    }
}

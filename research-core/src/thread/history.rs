//! The history of a thread.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::state::next;
use crate::checkpoint::{CheckpointId, Header, Metadata, Origin};
use crate::graph::Visits;
use crate::persist::CodecError;
use crate::stored::decode;

/// Checkpoints of a thread, newest first. Printed, it is a table with one line for each.
#[derive(Clone, Debug)]
pub struct History(Vec<Moment>);

/// A checkpoint, without its state.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Moment {
    /// Its number.
    pub checkpoint: CheckpointId,
    /// The checkpoint it was made from.
    pub parent: Option<CheckpointId>,
    /// Id of the run that wrote it.
    pub run_id: Arc<str>,
    /// Steps since the input.
    pub step: u64,
    /// What made it.
    pub origin: Origin,
    /// When it was made.
    pub at: SystemTime,
    /// What the host said about the run.
    pub metadata: Arc<Metadata>,
    /// The nodes that ran in its step, in task-path order; with durability `exit` those of the last step.
    pub ran: Vec<String>,
    /// The nodes and tasks due after it.
    pub next: Vec<String>,
}

impl History {
    pub(super) fn new(headers: Vec<Header>) -> Result<Self, CodecError> {
        let moments = headers.into_iter().map(|header| {
            let mut due = decode(&header.next)?;
            let ran = std::mem::take(&mut due.ran);
            Ok(Moment {
                checkpoint: header.id,
                parent: header.parent,
                run_id: header.run,
                step: header.step,
                origin: header.origin,
                at: header.at,
                metadata: header.metadata,
                ran,
                next: next(due),
            })
        });
        moments.collect::<Result<_, _>>().map(Self)
    }

    /// The checkpoints, newest first.
    #[must_use]
    pub fn moments(&self) -> &[Moment] {
        &self.0
    }

    /// The checkpoint of a number. They stand newest first.
    fn moment(&self, id: CheckpointId) -> Option<&Moment> {
        let place = self.0.binary_search_by(|moment| id.cmp(&moment.checkpoint)).ok()?;
        self.0.get(place)
    }

    /// How often each node ran, and the time of its steps.
    #[must_use]
    pub fn visits(&self) -> Visits {
        let mut visits = Visits::new();
        for moment in self.0.iter().rev() {
            // Who updates a thread from outside may take days for it, and no node runs meanwhile.
            let before = match moment.origin {
                Origin::Step => moment.parent.and_then(|parent| self.moment(parent)),
                _ => None,
            };
            let time = before.and_then(|before| moment.at.duration_since(before.at).ok());
            moment.ran.iter().for_each(|node| visits.visit(node, time.unwrap_or(Duration::ZERO)));
        }
        visits
    }
}

impl fmt::Display for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|moment| writeln!(f, "{moment}"))
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let origin = match self.origin {
            Origin::Input => "input",
            Origin::Step => "step",
            Origin::Update => "update",
            Origin::Fork => "fork",
        };
        let parent = self.parent.map_or_else(String::new, |parent| format!("from {parent}"));
        let made = match self.origin {
            Origin::Step => format!("{origin} {}", self.step),
            _ => origin.to_string(),
        };
        write!(f, "{:>6}  {parent:<12}{made:<10}", self.checkpoint.0)?;
        if !self.ran.is_empty() {
            write!(f, "ran {}; ", grouped(&self.ran))?;
        }
        match self.next.is_empty() {
            true => f.write_str("complete"),
            false => write!(f, "next {}", grouped(&self.next)),
        }
    }
}

/// Names, those that follow each other several times with their number.
fn grouped(names: &[String]) -> String {
    let groups = names.chunk_by(|a, b| a == b).filter_map(|group| Some((group.first()?, group.len())));
    let texts = groups.map(|(name, count)| if count == 1 { name.clone() } else { format!("{name} ×{count}") });
    texts.collect::<Vec<_>>().join(", ")
}

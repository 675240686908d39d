//! How a run is streamed: what comes, how far it may wait for its reader, and how much is kept for later ones.

use super::modes::Modes;

/// How a run is streamed; for [`Run::stream_with`](crate::Run::stream_with).
///
/// ```
/// use research_core::{Modes, SlowReader, StreamOptions};
///
/// let options = StreamOptions::new().modes(Modes::MESSAGES | Modes::CUSTOM).buffer(256).slow_reader(SlowReader::Drop);
/// # let _ = options;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct StreamOptions {
    pub(crate) modes: Modes,
    pub(crate) buffer: usize,
    pub(crate) slow_reader: SlowReader,
    /// `None`: nothing until somebody asks for the log, then [`KEEP`](Self::KEEP).
    pub(crate) keep: Option<usize>,
}

/// What happens when events come faster than the owner of the [`RunStream`](crate::RunStream) reads them.
///
/// Readers of its [`log`](crate::RunStream::log) never hold a run up; they get a [`Gap`](crate::EventKind::Gap).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SlowReader {
    /// The run waits between two steps until no more than [`buffer`](StreamOptions::buffer) events are unread. Emitting
    /// never waits, so that what the tasks of one step emit may exceed it.
    #[default]
    Wait,
    /// The run goes on. Of the unread events the newest [`buffer`](StreamOptions::buffer) stay, and one
    /// [`Gap`](crate::EventKind::Gap) takes the place of the others.
    Drop,
}

impl StreamOptions {
    /// Events that may be unread when a step starts, unless [`buffer`](StreamOptions::buffer) says otherwise.
    pub const BUFFER: usize = 64;
    /// Events that a log keeps for later readers, unless [`keep`](StreamOptions::keep) says otherwise.
    pub const KEEP: usize = 1024;

    /// Every kind of event but the values, and a run that waits for its reader.
    pub const fn new() -> Self {
        Self { modes: Modes::DEBUG, buffer: Self::BUFFER, slow_reader: SlowReader::Wait, keep: None }
    }

    /// The kinds of events that come. Default [`Modes::DEBUG`].
    pub const fn modes(mut self, modes: Modes) -> Self {
        self.modes = modes;
        self
    }

    /// How many events may be unread before [`slow_reader`](StreamOptions::slow_reader) applies. Default 64; one that drops
    /// has room for at least one.
    pub const fn buffer(mut self, events: usize) -> Self {
        self.buffer = events;
        self
    }

    /// What happens then. Default [`SlowReader::Wait`].
    pub const fn slow_reader(mut self, policy: SlowReader) -> Self {
        self.slow_reader = policy;
        self
    }

    /// How many of the newest events stay in memory for the readers of [`RunStream::log`](crate::RunStream::log), from the
    /// beginning of the run. By default 1024 from the first call of `log` on, and none before, when each event is moved to its
    /// only reader and never cloned.
    pub const fn keep(mut self, events: usize) -> Self {
        self.keep = Some(events);
        self
    }
}

impl Default for StreamOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl From<Modes> for StreamOptions {
    fn from(modes: Modes) -> Self {
        Self::new().modes(modes)
    }
}

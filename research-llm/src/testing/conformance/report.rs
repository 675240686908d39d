//! What the suite found.

use std::fmt;

/// A broken promise.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
#[non_exhaustive]
pub struct Broken {
    /// What was seen instead of what was promised.
    pub problem: String,
}

impl Broken {
    pub(super) fn new(problem: impl Into<String>) -> Self {
        Self { problem: problem.into() }
    }
}

pub(super) type Outcome<T = ()> = Result<T, Broken>;

/// Ends a case if something is not as promised.
macro_rules! ensure {
    ($holds:expr, $($problem:tt)+) => {
        if !$holds {
            return Err($crate::testing::conformance::report::Broken::new(format!($($problem)+)));
        }
    };
}
pub(super) use ensure;

/// Two things that must be equal.
pub(super) fn same<T: PartialEq + fmt::Debug>(what: &str, got: T, wanted: T) -> Outcome {
    ensure!(got == wanted, "{what}: {got:?} instead of {wanted:?}");
    Ok(())
}

/// What became of the cases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Name of the wire format.
    pub format: String,
    /// Each case with the promise that it found broken, if any.
    pub cases: Vec<(&'static str, Option<Broken>)>,
}

impl Report {
    /// Whether every promise was kept.
    #[must_use]
    pub fn is_passed(&self) -> bool {
        self.broken().next().is_none()
    }

    /// The cases that failed.
    pub fn broken(&self) -> impl Iterator<Item = (&'static str, &Broken)> {
        self.cases.iter().filter_map(|(name, broken)| Some((*name, broken.as_ref()?)))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let broken = self.broken().count();
        write!(f, "{}: {} of {} promises kept", self.format, self.cases.len() - broken, self.cases.len())?;
        self.broken().try_for_each(|(name, broken)| write!(f, "\n  {name}: {broken}"))
    }
}

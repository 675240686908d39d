//! What can go wrong at a provider.

/// A failure that a provider reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// The request is malformed.
    Malformed,
    /// The key is wrong.
    WrongKey,
    /// The request has 9,001 tokens, and the model holds 8,192.
    TooLong,
    /// Too many requests.
    RateLimit,
    /// Something broke.
    Internal,
    /// There are more requests than the provider can serve.
    Overloaded,
}

impl Fault {
    /// The HTTP status that goes with it.
    #[must_use]
    pub fn status(self) -> u16 {
        match self {
            Self::Malformed | Self::TooLong => 400,
            Self::WrongKey => 401,
            Self::RateLimit => 429,
            Self::Internal => 500,
            Self::Overloaded => 529,
        }
    }
}

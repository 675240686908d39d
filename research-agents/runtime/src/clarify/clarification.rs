//! Questions of a run to its user, and the trait that asks them.

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};

/// A question of a run to its user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clarification {
    /// The question, one sentence or two.
    pub question: String,
    /// Readings to choose from, the likeliest first. Names of fields and values in them are those
    /// of the data. An answer is the number of an option, counted from 1, the text of an option, or
    /// any other text.
    pub options: Vec<String>,
    /// The option that an empty answer selects.
    pub default: Option<String>,
}

impl fmt::Display for Clarification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.question)?;
        let options = self
            .options
            .iter()
            .enumerate()
            .map(|(at, option)| format!("{}. {option}", at + 1));
        let options: Vec<String> = options.collect();
        if options.is_empty() {
            Ok(())
        } else {
            write!(f, " ({})", options.join("; "))
        }
    }
}

/// Asks the user in this process, while the run waits.
///
/// ```
/// use research_agents_runtime::clarify::{Clarification, Clarifier};
/// use futures::future::BoxFuture;
///
/// /// A user who always takes the second option.
/// struct Second;
///
/// impl Clarifier for Second {
///     fn ask(&self, clarification: Clarification) -> BoxFuture<'_, Option<String>> {
///         Box::pin(async move { clarification.options.get(1).cloned() })
///     }
/// }
/// ```
pub trait Clarifier: Send + Sync {
    /// Asks the user and returns the answer: the number of an option, an option, or any other text.
    /// Returns `None` if no one answers; the run then assumes the likeliest reading. The time limit
    /// of the run includes the time that this takes.
    fn ask(&self, clarification: Clarification) -> BoxFuture<'_, Option<String>>;
}

impl<T: Clarifier + ?Sized> Clarifier for Arc<T> {
    fn ask(&self, clarification: Clarification) -> BoxFuture<'_, Option<String>> {
        (**self).ask(clarification)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_as_a_question_with_numbered_options() {
        let options = ["the state", "the airport"].map(str::to_owned).to_vec();
        let asked = Clarification {
            question: "Which Washington?".into(),
            default: Some("the state".into()),
            options,
        };
        assert_eq!(
            asked.to_string(),
            "Which Washington? (1. the state; 2. the airport)"
        );
        let open = Clarification {
            options: Vec::new(),
            ..asked
        };
        assert_eq!(open.to_string(), "Which Washington?");
    }
}

//! Questions of a run to its user: what is asked, and who asks.

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};

/// What a run asks its user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clarification {
    /// The question, one sentence or two.
    pub question: String,
    /// Readings to choose from, the likeliest first; names of fields and values in them are the data's own. An answer is the
    /// number of one, counted from 1, its words, or other words of the user's.
    pub options: Vec<String>,
    /// The option that is taken when the answer is empty.
    pub default: Option<String>,
}

impl fmt::Display for Clarification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.question)?;
        let options = self.options.iter().enumerate().map(|(at, option)| format!("{}. {option}", at + 1));
        let options: Vec<String> = options.collect();
        if options.is_empty() { Ok(()) } else { write!(f, " ({})", options.join("; ")) }
    }
}

/// Asks the user in this process, while the run waits.
///
/// ```
/// use research_agents::kernel::{Clarification, Clarifier};
/// use futures::future::BoxFuture;
///
/// /// Somebody who always takes the second option.
/// struct Second;
///
/// impl Clarifier for Second {
///     fn ask(&self, clarification: Clarification) -> BoxFuture<'_, Option<String>> {
///         Box::pin(async move { clarification.options.get(1).cloned() })
///     }
/// }
/// ```
pub trait Clarifier: Send + Sync {
    /// The answer in the user's words: the number of an option, an option, or anything else. `None` when nobody answers: then
    /// the likeliest reading holds. The time counts to that of the run.
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
        let asked = Clarification { question: "Which Washington?".into(), default: Some("the state".into()), options };
        assert_eq!(asked.to_string(), "Which Washington? (1. the state; 2. the airport)");
        let open = Clarification { options: Vec::new(), ..asked };
        assert_eq!(open.to_string(), "Which Washington?");
    }
}

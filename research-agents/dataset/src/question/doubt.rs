//! Ambiguities: what may be meant, and the question to the user or the note to the reader.

use research_agents_runtime::clarify::Clarification;
use research_agents_runtime::event::Note;
use serde::{Deserialize, Serialize};

use crate::data::task::conversation::{Choice, Clarified, Reading};
use crate::question::clarify::Ambiguity;

/// The maximum number of readings that are offered.
pub(crate) const OPTIONS: usize = 5;
/// Longest text of an option, and of a question, in characters.
const OPTION: usize = 120;
const QUESTION: usize = 300;

/// Something of the question that can be read in several ways.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doubt {
    /// The unclear point, as a clause without a full stop.
    pub unclear: String,
    /// The question about it.
    pub asks: String,
    /// The readings, the likeliest first.
    pub choices: Vec<Choice>,
}

impl Doubt {
    /// Creates a doubt with these readings, of which as many as can be offered are kept.
    pub(crate) fn new(
        unclear: String,
        asks: &str,
        choices: impl IntoIterator<Item = Choice>,
    ) -> Self {
        Self {
            unclear,
            asks: asks.to_owned(),
            choices: choices.into_iter().take(OPTIONS).collect(),
        }
    }

    /// Returns what a model wants to ask, made fit to be shown; `None` if it asks nothing.
    pub(crate) fn from_model(ambiguity: &Ambiguity) -> Option<Self> {
        let unclear = single_line(&ambiguity.question, QUESTION);
        if !ambiguity.is_ambiguous || unclear.is_empty() {
            return None;
        }
        let options = ambiguity
            .options
            .iter()
            .map(|option| single_line(option, OPTION));
        let options = options.filter(|option| !option.is_empty());
        let choices = options.map(|label| Choice {
            reading: Reading::Words(label.clone()),
            label,
        });
        Some(Self::new(unclear, "", choices))
    }

    /// Returns the question to the user.
    pub(crate) fn clarification(&self) -> Clarification {
        let mut letters = self.unclear.chars();
        let capital = letters.next().into_iter().flat_map(char::to_uppercase);
        let unclear: String = capital.chain(letters).collect();
        let question = if self.asks.is_empty() {
            unclear
        } else {
            format!("{unclear}. {}", self.asks)
        };
        let options: Vec<String> = self
            .choices
            .iter()
            .map(|choice| choice.label.clone())
            .collect();
        let default = self.likeliest().label;

        Clarification {
            question,
            default: options.contains(&default).then_some(default),
            options,
        }
    }

    /// Returns the likeliest reading, for lack of an answer.
    pub(crate) fn assumed(&self) -> Clarified {
        Clarified {
            question: self.clarification().question,
            reading: Some(self.likeliest()),
            others: self.others(),
            answer: String::new(),
            assumed: true,
        }
    }

    /// Returns what holds without an answer. No one has said the words that a model offers, so the
    /// question stays as it is without them.
    fn likeliest(&self) -> Choice {
        let as_asked = || Choice {
            label: "the question as it is".to_owned(),
            reading: Reading::AsAsked,
        };
        let first = self
            .choices
            .first()
            .filter(|choice| !matches!(choice.reading, Reading::Words(_)));
        first.cloned().unwrap_or_else(as_asked)
    }

    fn others(&self) -> Vec<String> {
        let likeliest = self.likeliest();
        self.choices
            .iter()
            .filter(|choice| **choice != likeliest)
            .map(|choice| choice.label.clone())
            .collect()
    }

    /// Returns the note for a question that no one answered. What a model finds unclear is in its
    /// words.
    pub(crate) fn note(&self) -> Note {
        let others = self.others();
        let others = if others.is_empty() {
            String::new()
        } else {
            format!("; it could also mean {}", others.join(" or "))
        };
        let unclear = self.unclear.trim_end_matches(['.', '?']);
        let words = format!(
            "{unclear}: it was taken as {}{others}",
            self.likeliest().label
        );
        if self.asks.is_empty() {
            Note::from(words)
        } else {
            Note::own(words)
        }
    }
}

/// Returns text of others on one line, without control characters that a terminal would obey, cut
/// if it is too long.
fn single_line(text: &str, most: usize) -> String {
    let words: Vec<String> = text
        .split_whitespace()
        .map(|word| word.replace(char::is_control, ""))
        .collect();
    let text = words.join(" ");
    if text.chars().count() <= most {
        return text;
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_model_asks_is_cut_to_what_can_be_shown() {
        let options = (0..9).map(|n| format!("option\n{n}\u{1b}[31m")).collect();
        let asked = Ambiguity {
            is_ambiguous: true,
            question: "Which\tstate? ".repeat(60),
            options,
        };
        let shown = Doubt::from_model(&asked).unwrap().clarification();
        assert_eq!(shown.options.len(), OPTIONS);
        assert_eq!(shown.options[0], "option 0[31m");
        assert_eq!(shown.question.chars().count(), QUESTION);
        assert_eq!(shown.default, None, "nobody has said any of it");
    }

    #[test]
    fn a_model_that_asks_nothing_finds_nothing_unclear() {
        let clear = Ambiguity {
            question: "Which?".into(),
            ..Ambiguity::default()
        };
        assert_eq!(Doubt::from_model(&clear), None);
        assert_eq!(
            Doubt::from_model(&Ambiguity {
                is_ambiguous: true,
                ..Ambiguity::default()
            }),
            None
        );
    }
}

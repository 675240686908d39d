//! Checks sentences that say what the data does not have: only a search of all records proves it.

use crate::check::computed::scene::Scene;
use crate::check::failure::Failure;
use crate::check::words::fold;
use crate::claim::Claim;

/// Checks the absences of a sentence.
///
/// # Errors
///
/// Returns [`Failure::NotAbsent`] for an absence that no search proves, and [`Failure::Denied`] for
/// a sentence that says that the data has what a search did not find.
pub(crate) fn check(scene: &Scene<'_>) -> Result<(), Failure> {
    let absent = scene.claims.iter().filter_map(|claim| match claim {
        Claim::Absent { text, .. } => Some(text),
        _ => None,
    });
    let absent: Vec<&String> = absent.collect();

    for text in &absent {
        let is_named = scene.sentence.folded.contains(&fold(text.trim()));
        if !is_named {
            return Err(Failure::NotAbsent {
                text: (*text).clone(),
            });
        }
        if scene.find("absence").is_empty() {
            return Err(Failure::Denied {
                words: (*text).clone(),
            });
        }
    }

    let is_zero = |claim: &Claim| {
        matches!(
            claim,
            Claim::Count { number: 0, .. } | Claim::Total { number: 0, .. }
        )
    };
    let is_proved = !absent.is_empty() || scene.claims.iter().any(is_zero);
    match scene.find("absent").into_iter().next() {
        Some(place) if !is_proved => Err(Failure::NotAbsent {
            text: scene.sentence.text[place].to_owned(),
        }),
        _ => Ok(()),
    }
}

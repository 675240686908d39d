//! Checks that no word of the evidence is replaced by another word of it: *expects data on input
//! and writes output* is not *expects data on output*.

use crate::check::grounded::align::{Alignment, Link, Unit};
use crate::check::grounded::lexicon::{ENGLISH, Relation};
use crate::check::grounded::mismatch::Mismatch;
use crate::check::grounded::parse::Parsed;
use crate::check::grounded::token::Kind;

/// The longest part between two common words that is compared, in tokens.
const LONGEST: usize = 3;

/// Compares what both texts have between the same words. A word of the sentence that is elsewhere
/// in the evidence is added to `missing`.
///
/// # Errors
///
/// Returns a word that is at the place of its opposite.
pub(crate) fn check(
    sentence: &Parsed,
    unit: &Unit,
    alignment: &Alignment,
    within: impl Fn(usize) -> bool,
    missing: &mut Vec<String>,
) -> Result<(), Mismatch> {
    let held = &unit.parsed;

    for (said, token) in sentence.tokens.iter().enumerate() {
        let is_word = matches!(token.kind, Kind::Content | Kind::Name | Kind::Code);
        if !within(said) || !is_word || alignment.anchors[said].is_some() {
            continue;
        }
        let Some(Link::Found(place, Relation::Same)) = alignment.link(said) else {
            continue;
        };

        // The words on both sides must be next to each other in both texts.
        let slot = alignment.slot(said, held.tokens.len());
        let own = alignment.own_slot(said);
        if slot.is_empty() || slot.len() > LONGEST || own.len() > LONGEST || slot.contains(&place) {
            continue;
        }
        let is_bounded = own.start > 0 && own.end < sentence.tokens.len();
        let others: Vec<usize> = slot.filter(|at| held.tokens[*at].is_content()).collect();
        for other in others {
            let relation = ENGLISH.relation(&token.stem, &held.tokens[other].stem);
            match relation {
                Some(Relation::Opposite) => {
                    return Err(Mismatch::Opposite {
                        said: sentence.shown(said).to_owned(),
                        held: held.shown(other).to_owned(),
                    });
                }
                Some(_) => {}
                None if ENGLISH.is_light(&held.tokens[other].stem) => {}
                None if is_bounded && alignment.back(other).is_none() => {
                    missing.push(sentence.shown(said).to_owned())
                }
                None => {}
            }
        }
    }
    Ok(())
}

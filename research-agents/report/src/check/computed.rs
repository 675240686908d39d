//! Checks the words around claims on what a data source computed: a number belongs to its group,
//! its statistic and its field; superlatives, comparisons, directions, absence and the yes or no at
//! the beginning agree with the tables.

pub(crate) mod absence;
pub(crate) mod binding;
pub(crate) mod comparison;
pub(crate) mod derived;
pub(crate) mod extreme;
pub(crate) mod named;
pub(crate) mod numbers;
pub(crate) mod polarity;
pub(crate) mod ranking;
pub(crate) mod relation;
pub(crate) mod scene;
pub(crate) mod vocabulary;

use crate::check::computed::scene::Scene;
use crate::check::failure::Failure;
use crate::check::figure::Figure;
use crate::claim::Claim;
use crate::language::tag::Language;

/// Checks the words around claims on what a data source computed, and what it says
/// about absence. `context` are the texts, such as the question, whose numbers `is_free` tells.
///
/// # Errors
///
/// Returns the first reason why the words do not hold.
pub(crate) fn check(
    scene: &Scene<'_>,
    context: &str,
    language: Language,
    is_free: impl Fn(&Figure) -> bool,
) -> Result<(), Failure> {
    absence::check(scene)?;
    polarity::check(scene, context, language)?;
    if !scene.claims.iter().any(Claim::is_computed) {
        return Ok(());
    }
    numbers::check(scene, context, is_free)?;
    extreme::check(scene)?;
    comparison::check(scene)?;
    relation::check(scene)
}

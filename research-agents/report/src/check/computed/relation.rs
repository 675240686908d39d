//! Checks the words around correlations: their fields, their direction and their strength.

use crate::check::computed::scene::Scene;
use crate::check::failure::Failure;
use crate::check::figure::Figure;
use crate::claim::Claim;

/// A claimed correlation.
struct Relation<'c> {
    fields: &'c [String; 2],
    number: f64,
}

/// Words for the strength of a relation, with the coefficients that they fit.
const STRENGTHS: [(&str, std::ops::RangeInclusive<f64>); 4] = [
    ("strong", 0.5..=1.0),
    ("moderate", 0.25..=0.75),
    ("slight", 0.0..=0.4),
    ("unrelated", 0.0..=0.2),
];

/// Checks the correlations of a sentence.
///
/// # Errors
///
/// Returns a failure for a coefficient of other fields, and for a direction or strength that it
/// contradicts.
pub(crate) fn check(scene: &Scene<'_>) -> Result<(), Failure> {
    let relations: Vec<Relation<'_>> = scene
        .claims
        .iter()
        .filter_map(|claim| match claim {
            Claim::Correlation { fields, number, .. } => Some(Relation {
                fields,
                number: *number,
            }),
            _ => None,
        })
        .collect();
    if relations.is_empty() {
        return Ok(());
    }

    check_fields(scene, &relations)?;
    for figure in &scene.sentence.figures {
        check_number(scene, &relations, figure)?;
    }
    check_words(scene, &relations)
}

/// Refuses a field of numbers that no claim is about.
fn check_fields(scene: &Scene<'_>, relations: &[Relation<'_>]) -> Result<(), Failure> {
    let claimed: Vec<&str> = scene.claims.iter().flat_map(Claim::fields).collect();
    let is_claimed = |field: &str| claimed.iter().any(|own| own.eq_ignore_ascii_case(field));
    match scene.fields.iter().find(|named| !is_claimed(&named.key)) {
        Some(other) if !relations.is_empty() => Err(Failure::UnsupportedName {
            name: scene.sentence.text[other.at.clone()].to_owned(),
        }),
        _ => Ok(()),
    }
}

/// Checks a coefficient: its sign, and the two fields that are named before it.
fn check_number(
    scene: &Scene<'_>,
    relations: &[Relation<'_>],
    figure: &Figure,
) -> Result<(), Failure> {
    let mut own = relations
        .iter()
        .filter(|one| figure.shows(one.number))
        .peekable();
    if own.peek().is_none() || figure.number() > 1.0 {
        return Ok(());
    }

    let before = scene.sentence.between(0, figure.at.start);
    let is_negative = before.ends_with(['-', '−', '\u{2013}']) || before.ends_with("minus ");
    // The folded text has a blank for a hyphen.
    let raw = scene
        .sentence
        .text
        .get(..figure.at.start)
        .unwrap_or_default();
    let is_negative = is_negative || raw.ends_with(['-', '−']);
    let before = scene.fields.iter().rev();
    let before = before.filter(|field| field.at.end <= figure.at.start);
    let named: Vec<&str> = before.take(2).map(|field| field.key.as_str()).collect();

    let holds = own.any(|one| {
        let sign_fits = one.number == 0.0 || is_negative == (one.number < 0.0);
        let is_named = |own: &String| named.iter().any(|field| own.eq_ignore_ascii_case(field));
        sign_fits && (named.len() < 2 || one.fields.iter().all(is_named))
    });
    if holds {
        return Ok(());
    }
    Err(Failure::WrongComparison {
        words: figure.text.clone(),
        value: named.join(", "),
    })
}

/// Checks the words for a direction or a strength.
fn check_words(scene: &Scene<'_>, relations: &[Relation<'_>]) -> Result<(), Failure> {
    let wrong = |meaning: &str| {
        let place = scene.find(meaning).into_iter().next();
        Err(Failure::WrongComparison {
            words: place.map_or_else(String::new, |at| scene.sentence.text[at].to_owned()),
            value: relations
                .first()
                .map_or_else(String::new, |one| one.fields.join(", ")),
        })
    };
    let says = |meaning: &str| {
        scene.find(meaning).into_iter().any(|place| {
            !scene
                .vocabulary
                .ends("not", scene.words_before(place.start))
        })
    };

    if says("positive") && relations.iter().all(|one| one.number <= 0.0) {
        return wrong("positive");
    }
    if says("negative") && relations.iter().all(|one| one.number >= 0.0) {
        return wrong("negative");
    }
    let is_unrelated = says("unrelated");
    for (meaning, range) in STRENGTHS {
        // *No clear relation* is not a clear one.
        if is_unrelated && meaning != "unrelated" {
            continue;
        }
        if says(meaning)
            && !relations
                .iter()
                .any(|one| range.contains(&one.number.abs()))
        {
            return wrong(meaning);
        }
    }
    Ok(())
}

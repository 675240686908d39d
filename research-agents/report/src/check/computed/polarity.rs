//! Checks the yes or no at the beginning of a sentence against the question and the claims.

use std::cmp::Ordering;
use std::ops::Range;

use crate::check::computed::comparison;
use crate::check::computed::scene::Scene;
use crate::check::counts::bounds::bound;
use crate::check::counts::parsed::ParsedSentence;
use crate::check::failure::Failure;
use crate::claim::Claim;
use crate::language::tag::Language;

/// Checks the yes or no of a sentence. `context` has the question, as a line that ends with a
/// question mark.
///
/// # Errors
///
/// Returns [`Failure::WrongComparison`] for an answer that the claims contradict.
pub(crate) fn check(scene: &Scene<'_>, context: &str, language: Language) -> Result<(), Failure> {
    let Some(is_yes) = said(scene) else {
        return Ok(());
    };

    let questions = context
        .lines()
        .filter(|line| line.trim_end().ends_with('?'));
    let mut truths = questions.filter_map(|question| truth(scene, question, language));
    let truth = truths.next().or_else(|| of_existence(scene));
    if truth.is_none_or(|truth| truth == is_yes) {
        return Ok(());
    }
    let first = scene.words.first().map(|word| word.at.clone());
    Err(Failure::WrongComparison {
        words: first.map_or_else(String::new, |at| scene.sentence.text[at].to_owned()),
        value: "the question".to_owned(),
    })
}

/// Returns whether a sentence begins with yes; `None` without a yes or no.
fn said(scene: &Scene<'_>) -> Option<bool> {
    let first = scene.words.first()?;
    let rest = scene.sentence.text.get(first.at.end..)?;
    if !rest
        .trim_start()
        .starts_with([',', ':', '.', ';', '—', '–', '!'])
    {
        return None;
    }
    if scene.vocabulary.is("yes", first) {
        return Some(true);
    }
    scene.vocabulary.is("no", first).then_some(false)
}

/// Returns whether the claims answer a question with yes. `None` if it is not known.
fn truth(scene: &Scene<'_>, question: &str, language: Language) -> Option<bool> {
    let parsed = ParsedSentence::new(question, scene.claims, scene.evidence, language);
    let asked = Scene::new(&parsed, scene.claims, scene.evidence, language);
    if let Some(holds) = comparison::holds(&asked) {
        return Some(holds);
    }

    // *Are there more than 20?*
    let mut bounds = parsed
        .figures
        .iter()
        .filter_map(|figure| Some((figure.number(), bound(&parsed, figure)?.1)));
    let (limit, is_more) = bounds.next()?;
    if bounds.next().is_some() {
        return None;
    }
    // *Are there planes with more than 400 seats?*, where the answer repeats the condition
    if is_condition(scene, limit) {
        let is_denied = !asked.vocabulary.find("not", &asked.words).is_empty();
        let number = single_number(scene.claims).filter(|_| !is_denied)?;
        return Some(number > 0.0);
    }
    let number = single_number(scene.claims)?;
    let order = number.partial_cmp(&limit)?;
    Some(
        order
            == if is_more {
                Ordering::Greater
            } else {
                Ordering::Less
            },
    )
}

/// Returns whether a number is in a condition of the sentence: *where seats > 400*.
fn is_condition(scene: &Scene<'_>, limit: f64) -> bool {
    let conditions = scene.find("condition");
    let mut figures = scene.sentence.figures.iter();
    figures.any(|figure| {
        let is_introduced = |place: &Range<usize>| {
            let between = scene.sentence.between(place.end, figure.at.start);
            place.end <= figure.at.start && !between.contains([';', ':', ','])
        };
        let is_limit = figure.shows(limit) && figure.number() == limit;
        is_limit && conditions.iter().any(is_introduced)
    })
}

/// Returns the one number that the claims state.
fn single_number(claims: &[Claim]) -> Option<f64> {
    let mut numbers = claims.iter().filter_map(|claim| match claim {
        Claim::Count { number, .. } | Claim::Total { number, .. } => Some(*number as f64),
        Claim::Measure { number, .. } | Claim::GroupMeasure { number, .. } => Some(*number),
        _ => None,
    });
    let first = numbers.next()?;
    numbers.all(|number| number == first).then_some(first)
}

/// Returns `false` if the claims say only that there is nothing.
fn of_existence(scene: &Scene<'_>) -> Option<bool> {
    let is_nothing = |claim: &Claim| {
        matches!(
            claim,
            Claim::Absent { .. } | Claim::Count { number: 0, .. } | Claim::Total { number: 0, .. }
        )
    };
    let has_claims = !scene.claims.is_empty();
    (has_claims && scene.claims.iter().all(is_nothing)).then_some(false)
}

#[cfg(test)]
mod tests {
    use crate::check::checker::Checker;
    use crate::claim::{Basis, Claim, Statement};
    use crate::evidence::run::Evidence;
    use crate::evidence::table::{Table, TableKind};

    fn holds(question: &str, text: &str, number: u64) -> bool {
        let table = Table {
            id: "A1".into(),
            kind: TableKind::Total,
            total: number,
            ..Table::default()
        };
        let evidence = Evidence {
            tables: vec![table],
            ..Evidence::default()
        };

        let over = Basis::Aggregation("A1".into());
        let statement = Statement {
            text: text.into(),
            claims: vec![Claim::Total { over, number }],
        };
        Checker::new(&evidence, [question, "seats > 400"])
            .check(&statement)
            .is_ok()
    }

    #[test]
    fn a_limit_of_the_question_is_a_condition_or_compared() {
        let condition = "Are there planes with more than 400 seats?";
        assert!(holds(
            condition,
            "Yes: there is 1 record where seats > 400.",
            1
        ));
        assert!(!holds(
            condition,
            "No: there is 1 record where seats > 400.",
            1
        ));
        assert!(holds(
            condition,
            "No: there are 0 records where seats > 400.",
            0
        ));
        assert!(!holds(
            condition,
            "Yes: there are 0 records where seats > 400.",
            0
        ));

        let compared = "Are there more than 400 planes?";
        assert!(holds(compared, "Yes: there are 431 records.", 431));
        assert!(!holds(compared, "Yes: there are 31 records.", 31));
    }
}

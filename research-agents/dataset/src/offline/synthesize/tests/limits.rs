//! What a report says of words and conditions that it could not use.

use crate::offline::synthesize::tests::*;

#[test]
fn a_condition_of_the_question_that_did_not_filter_is_named() {
    let fixture = Fixture::sightings(60, 60);
    let mut task = fixture.synthesize();
    let names = |draft: &ReportDraft| {
        draft
            .limitations
            .iter()
            .any(|limit| limit.contains("can be read as one for Size Small"))
    };
    assert!(!names(&synthesize(&task)), "the question groups by size");
    task.query = "Small sightings by state".into();
    assert!(
        names(&synthesize(&task)),
        "{:?}",
        synthesize(&task).limitations
    );
    task.filters.insert("Size".into(), "Small".into());
    assert!(!names(&synthesize(&task)), "it was a filter");
}

#[test]
fn words_that_filtered_are_not_said_to_have_had_no_effect() {
    let fixture = Fixture::sightings(60, 60);
    let mut task = fixture.synthesize();
    task.query = "Raptor sightings by size".into();
    let said = |task: &SynthesizeTask| {
        let limits = synthesize(task).limitations;
        limits
            .into_iter()
            .find(|limit| limit.contains("had no effect"))
            .unwrap_or_default()
    };
    assert!(said(&task).contains("Raptor"), "{}", said(&task));
    task.filters.insert(
        "Species".into(),
        serde_json::json!(["Diurnal raptor", "Night raptor"]),
    );
    assert!(!said(&task).contains("Raptor"), "{}", said(&task));
}

#[test]
fn a_word_that_stands_in_some_values_and_set_no_condition_is_named() {
    let mut fixture = Fixture::sightings(60, 60);
    for (at, row) in fixture.rows.iter_mut().enumerate() {
        let species = [
            "Unknown bird - small",
            "Unknown bird - large",
            "White-tailed deer",
            "Coyote",
        ][at * at % 4 + at % 3];
        row.insert("Species".into(), json!(species));
    }

    let named = |fixture: &Fixture, query: &str| {
        let mut task = fixture.synthesize();
        task.query = query.into();
        let limits = synthesize(&task).limitations.into_iter();
        limits
            .filter(|limit| limit.contains('“'))
            .collect::<Vec<_>>()
            .join(" ")
    };

    assert_eq!(
        named(&fixture, "Bird sightings by state"),
        "“Bird” stands in values of Species but set no condition: records with other values are \
         counted as well."
    );
    assert_eq!(
        named(&fixture, "Sightings by state"),
        "",
        "the word for the records alone tells nothing"
    );

    // Where every record is of a bird there is nothing to say.
    fixture.rows.iter_mut().enumerate().for_each(|(at, row)| {
        row.insert(
            "Species".into(),
            json!(["Unknown bird - small", "Unknown bird - large"][at % 2]),
        );
    });

    assert_eq!(named(&fixture, "Bird sightings by state"), "");
}

#[test]
fn a_question_of_which_the_data_knows_nothing_is_said_to_be_unanswered() {
    let fixture = Fixture::sightings(60, 60);
    let mut task = fixture.synthesize();
    task.filters.clear();
    task.aggregations
        .iter_mut()
        .for_each(|table| table.filters.clear());
    task.query = "Salaries of the rangers".into();
    task.findings.clear();
    let draft = synthesize(&task);

    assert!(
        draft.summary[0]
            .text
            .starts_with("No field of the data and no record speaks of “"),
        "{:?}",
        texts(&draft.summary)
    );
    assert_eq!(draft.title, "Salaries of the rangers: not in the data");
    assert!(draft.summary[0].text.contains("rangers") && draft.summary[0].claims.is_empty());
    assert!(
        draft.suggestions[0].starts_with("The data can be filtered and grouped by "),
        "{:?}",
        draft.suggestions
    );
}

#[test]
fn what_no_record_speaks_of_is_said_first_and_answers_no_question() {
    let fixture = Fixture::sightings(60, 60);
    let mut task = fixture.synthesize();
    let missing = |task: &SynthesizeTask| {
        let first = synthesize(task).summary[0].clone();
        if first.text.contains("speaks of") && first.claims.is_empty() {
            first.text
        } else {
            String::new()
        }
    };
    task.query = "How long is the warranty of the sightings?".into();
    let said = "No field of the data and no record speaks of “warranty”: this part of the \
        question is not answered.";

    assert_eq!(missing(&task), said);

    task.sub_questions = vec![SubQuestion {
        id: "sq_1".into(),
        question: "How many sightings have a warranty?".into(),
        priority: 1,
        depends_on: vec![],
    }];

    assert!(!synthesize(&task).analysis[0].answered);

    task.coverage.fraction = Some(0.5);

    assert!(
        missing(&task)
            .starts_with("No field of the data and no record that was read speaks of “warranty”")
    );

    task.heard = vec!["warranty".into()];

    assert_eq!(missing(&task), "", "a text speaks of it");
    assert!(synthesize(&task).analysis[0].answered);

    task.heard.clear();

    for (query, words) in [
        ("How many rangers were hurt?", "“rangers” and “hurt”"),
        ("How many sightings were there at the weekend?", "“weekend”"),
        (
            "Sightings by size and owner of the ranger",
            "“owner” and “ranger”",
        ),
    ] {
        task.query = query.into();
        assert!(
            missing(&task).contains(&format!("speaks of {words}:")),
            "{query}: {}",
            missing(&task)
        );
    }

    for query in [
        "How many sightings are there?",
        "Where do the sightings take place?",
        "Which causes lead to the sightings?",
        "How many animals are there by size?",
        "What was done about the sightings?",
        "Show the trend of the height per year",
        "How high are they and how do height and size go together?",
        "Which kinds of species were seen most often, and why?",
        "Sightings that happened in Texas by size",
        "What do people think about gulls?",
    ] {
        task.query = query.into();
        assert_eq!(missing(&task), "", "{query}");
    }
}

#[test]
fn a_condition_that_could_not_be_set_is_said() {
    let fixture = Fixture::sightings(60, 60);
    let mut task = fixture.synthesize();
    task.filters.clear();
    task.aggregations
        .iter_mut()
        .for_each(|table| table.filters.clear());
    let said = |task: &SynthesizeTask| {
        let said = synthesize(task)
            .summary
            .into_iter()
            .map(|statement| statement.text);
        said.filter(|text| text.starts_with("Not applied"))
            .collect::<String>()
    };
    task.query = "By size in 1990 and 1993".into();

    assert_eq!(
        said(&task),
        "Not applied from the question: “in 1990 and 1993” (times apart from each other cannot be \
         filtered by at once)."
    );

    task.query = "By size".into();

    assert_eq!(said(&task), "");
}
